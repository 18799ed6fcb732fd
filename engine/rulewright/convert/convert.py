"""From a file in one language to the same file in another; and to the same file laid out anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rulewright.convert.files import Edit, Rewriter, edited, language_edit
from rulewright.convert.sentences import Translator
from rulewright.diagnostics import Diagnostic
from rulewright.lowering.compile import Compiled
from rulewright.model import ReadingChoice
from rulewright.phrases.lexicon import Thing
from rulewright.phrases.writing import Writer
from rulewright.resolve.readings import assumption_of
from rulewright.resolve.scenarios import resolve_scenarios
from rulewright.scenarios.reading import session_at_start
from rulewright.syntax.keywords import Language, languages
from rulewright.syntax.parser import language_line, parse
from rulewright.syntax.tree import Block
from rulewright.text import Source
from rulewright.workspace import VOCABULARY, Loaded, Tree, load_cached, load_for, options_of

_ITEMS = (
    ("rules", "RULE"),
    ("definitions", "DEFINITION"),
    ("measures", "DEFINITION"),
    ("exemptions", "EXEMPTION"),
    ("tests", "TEST"),
    ("orders", "ORDER"),
)


def convert(source: Source, tree: Tree, target: Language, plain: bool = False) -> tuple[str, tuple[Diagnostic, ...]]:
    """A file in another language; in its own language, the same sentences laid out anew.

    Args:
        source: the file, named as the tree names its files.
        tree: the rules that it belongs to, or is played under.
        target: the language that is wanted.
        plain: words every sentence anew in the way that comes first, in the file's own language too.

    Returns:
        The text, and what keeps it from being what was wanted: then it is of no use.
    """
    blocks, diagnostics = parse(source)
    line, language = language_line(source)
    if line is None or language is None or any(d.severity == "error" for d in diagnostics):
        return source.text, diagnostics
    translators = _Translators(tree, source.name, language, target, plain)
    rewriter = Rewriter(language, target, translators.of, languages(), keeps=language is target and not plain)
    edits: list[Edit] = [language_edit(line, target), *rewriter.edits(blocks)]
    found = (*translators.diagnostics, *rewriter.diagnostics)
    return (source.text, found) if found else (edited(source.text, edits), ())


class _Translators:
    """What says the sentences of the blocks of one file."""

    def __init__(self, tree: Tree, file: str, source: Language, target: Language, plain: bool) -> None:
        self.tree = tree
        self.file = file
        self.languages = (source, target)
        self.plain = plain
        self.diagnostics: list[Diagnostic] = []
        self._known: dict[int, tuple[Loaded, Translator]] = {}

    def of(self, block: Block) -> Translator | None:
        """What says the sentences of a block; None when the rules it hangs on cannot be read."""
        return self._scenario(block) if block.kind == "scenario" else self._rules(block)

    def _rules(self, block: Block) -> Translator | None:
        loaded = self._edition()
        needed = _needed(loaded, block)
        if needed:
            loaded = load_cached(self.tree, self._name(), options_of(needed))
        return self._translator(loaded)

    def _name(self) -> str:
        """The edition a file belongs to; for the shared words, any."""
        root = f"{self.tree.label}/" if self.tree.label else ""
        folder = self.file.removeprefix(root).split("/")[0]
        return next(iter(self.tree.editions()), "") if folder == VOCABULARY else folder

    def _edition(self) -> Loaded:
        name = self._name()
        return load_cached(self.tree, name) if name in self.tree.editions() else self.tree.load(name)

    def _scenario(self, block: Block) -> Translator | None:
        (scenario, *_), found = resolve_scenarios([block]) if block.one("edition") else ((None,), ())
        if scenario is None or found:
            self.diagnostics += found
            return None
        loaded = load_for(self.tree, scenario)
        own = self._translator(loaded)
        if own is None or loaded.compiled is None:
            return None
        session = session_at_start(scenario, loaded.compiled)
        kinds = session.game.world.kinds
        things = [(name, Thing(ident, kinds[ident])) for ident, name in session.names.items() if ident in kinds]
        known = (thing for named in session.lexicon.things.values() for thing in named)
        things += [(thing.ident, thing) for thing in known if _made(thing, session.names)]
        writers = (replace(own.writers[0], names=session.names), replace(own.writers[1], names=session.names))
        return Translator(own.source.with_things(things), own.target.with_things(things), writers, self.plain)

    def _translator(self, loaded: Loaded) -> Translator | None:
        if loaded.compiled is None:
            self.diagnostics += [d for d in loaded.diagnostics if d.severity == "error" and d not in self.diagnostics]
            return None
        if id(loaded) not in self._known:
            self._known[id(loaded)] = (loaded, translator(loaded.compiled, *self.languages, self.plain))
        return self._known[id(loaded)][1]


def _made(thing: Thing, names: Mapping[str, str]) -> bool:
    """Whether a thing is one that a rule may bring into the game."""
    return thing.ident not in names and any(thing.ident.startswith(f"{name} (") for name in names.values())


def _needed(loaded: Loaded, block: Block) -> list[ReadingChoice]:
    """The options that a block needs that is not in force."""
    if loaded.edition is None:
        return []
    chosen = loaded.edition.readings.chosen
    assumed = [a for c in block.each("assuming") if (a := assumption_of(c, block.language)) and a.ident in chosen]
    return [ReadingChoice(a.ident, a.options[0]) for a in assumed if a.options and chosen[a.ident] not in a.options]


def translator(compiled: Compiled, source: Language, target: Language, plain: bool = False) -> Translator:
    """What says the sentences of an edition in another language."""
    vocabulary, items = compiled.edition.vocabulary, _items(compiled)
    writers = (Writer(vocabulary, source, {}, items), Writer(vocabulary, target, {}, items))
    return Translator(compiled.lexicon(source), compiled.lexicon(target), writers, plain)


def said_in(text: str, compiled: Compiled, source: Language, target: Language) -> str:
    """Blocks of rules as they are said in another language; a sentence that has no words there is marked.

    Args:
        text: the blocks, without the line that names their language.
        compiled: the edition that they belong to.
        source: the language that they are in.
        target: the language that is wanted.
    """
    file = Source("read back", f"{source.keyword('LANGUAGE')} {source.names[0]}\n\n{text}\n")
    blocks, _ = parse(file)
    own = translator(compiled, source, target)
    rewriter = Rewriter(source, target, lambda _: own, languages(), mark=f" [{source.code}]")
    written = edited(file.text, rewriter.edits(blocks))
    return written.partition("\n\n")[2].rstrip("\n")


def _items(compiled: Compiled) -> dict[str, str]:
    """The keyword of each rule, definition and so on, by its ident."""
    edition = compiled.edition
    found = {name: d.kind.upper() for d in edition.readings.dependents for name in d.names}
    return found | {i.anchor.ident: word for name, word in _ITEMS for i in getattr(edition, name)}
