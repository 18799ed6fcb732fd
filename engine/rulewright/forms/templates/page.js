// Without this the page works as well: it only opens and closes everything at once, and opens all for the printer.
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
