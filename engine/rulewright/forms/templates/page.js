// Without this the page works as well: it only opens and closes everything at once, opens all for the printer, finds
// sheets by name, and unfolds what a link leads to.
const all = [...document.querySelectorAll("details")];
const folded = all.filter((one) => one.hasAttribute("data-folded"));
const main = document.querySelector("main");
document.querySelector(".folding").hidden = !folded.length && !document.querySelector(".muted");
for (const button of document.querySelectorAll(".folding button")) {
  button.addEventListener("click", () => {
    main.classList.toggle("all", Boolean(button.dataset.open));
    for (const one of button.dataset.open ? all : folded) one.open = Boolean(button.dataset.open);
  });
}
let closed = [];
addEventListener("beforeprint", () => {
  closed = all.filter((one) => !one.open);
  for (const one of closed) one.open = true;
});
addEventListener("afterprint", () => {
  for (const one of closed) one.open = false;
});
const filter = document.querySelector(".filter");
if (filter) {
  const [words, differing] = filter.querySelectorAll("input");
  const sheets = [...document.querySelectorAll(".sheet")];
  const sift = () => {
    for (const one of sheets) {
      const named = one.dataset.name.includes(words.value.trim());
      one.hidden = !named || (differing.checked && !("differs" in one.dataset));
    }
  };
  filter.hidden = false;
  for (const input of [words, differing]) input.addEventListener("input", sift);
}
const unfold = () => {
  let one = location.hash ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
  for (; one; one = one.parentElement) if (one instanceof HTMLDetailsElement) one.open = true;
};
addEventListener("hashchange", unfold);
unfold();
