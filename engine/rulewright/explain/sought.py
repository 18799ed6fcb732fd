"""What is looked for in vain in a run: a rule or the like by its name, a concept, or a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from rulewright.diagnostics import Diagnostic, Fault, after, did_you_mean, known_ones, report
from rulewright.lowering.compile import Compiled
from rulewright.model import Anchor, Atom, Compare, Condition, Edition, IsA, Known
from rulewright.phrases.lexicon import Lexicon, Thing, name_key
from rulewright.phrases.matching import Reader, unique
from rulewright.resolve.blocks import IDENT
from rulewright.resolve.sentences import Interpreter
from rulewright.session.session import Session
from rulewright.speech import later, spoken
from rulewright.syntax.keywords import languages
from rulewright.syntax.signs import typed

Editions = Callable[[], Mapping[str, Edition]]
Kind = Literal["rule", "definition", "exemption", "measure", "test", "order"]


@dataclass(frozen=True)
class Sought:
    """What is looked for.

    Attributes:
        items: the rules and the like of the edition that it names, directly or by a concept.
        concept: the concept, or the beginning of several.
        idle: the name of a block that is not in force under the readings taken.
        sentence: what should have happened, or have been so.
    """

    text: str
    items: tuple[str, ...] = ()
    concept: str = ""
    idle: str = ""
    sentence: Condition | None = None


def read_sought(session: Session, text: str, others: Editions) -> Sought:
    """What a text asks about.

    Args:
        session: the run that it is asked about.
        text: the name of a rule or the like, a concept, or a sentence.
        others: gives the other editions by name, of which one may have a rule on a concept.

    Raises:
        Fault: there is no such rule or concept, or the sentence cannot be read.
    """
    compiled = session.compiled
    what = typed(text, "question").text.strip()
    if what in compiled.anchors:
        return Sought(what, items=(what,))
    if what in compiled.edition.readings.idle:
        return Sought(what, idle=what)
    own = on_concept(compiled.anchors.values(), what)
    if own or any(on_concept(edition.anchors(), what) for edition in others().values()):
        return Sought(what, items=own, concept=what)
    if IDENT.fullmatch(what):
        raise Fault(_unknown(compiled, what, others))
    return Sought(what, sentence=_sentence(session, what))


def on_concept(anchors: Iterable[Anchor], concept: str) -> tuple[str, ...]:
    """The rules and the like that are on a concept, or on one below it."""
    return tuple(a.ident for a in anchors if any(c == concept or c.startswith(f"{concept}.") for c in a.concepts))


def kind_of_item(compiled: Compiled, item: str) -> Kind:
    """What an item of an edition is."""
    edition = compiled.edition
    kinds: dict[str, Kind] = {}
    kinds |= {one.anchor.ident: "definition" for one in edition.definitions}
    kinds |= {one.anchor.ident: "measure" for one in edition.measures}
    kinds |= {one.anchor.ident: "exemption" for one in edition.exemptions}
    kinds |= {one.anchor.ident: "test" for one in edition.tests}
    kinds |= {one.anchor.ident: "order" for one in edition.orders}
    return kinds.get(item, "rule")


def thing_called(session: Session, name: str) -> str:
    """The thing of a name.

    Raises:
        Fault: there is none.
    """
    for lexicon in _lexicons(session):
        things = lexicon.things.get(name_key(typed(name, "name").text, lexicon.language), ())
        known = session.game.world.kinds
        for thing in sorted((t for t in things if t.ident in known), key=lambda t: t.ident not in session.names):
            return thing.ident
    hint = did_you_mean(name, session.names.values()) or known_ones(session.names.values())
    raise Fault(report("unknown-name", name=name, hint=hint))


def _lexicons(session: Session) -> Iterator[Lexicon]:
    """The words of the session's language, then those of the language spoken."""
    yield session.lexicon
    code = spoken(session.language.code)
    if code != session.language.code and code in languages():
        kinds = session.game.world.kinds
        things = [(name, Thing(ident, kinds[ident])) for ident, name in session.names.items()]
        yield session.compiled.lexicon(languages()[code]).with_things(things)


def _unknown(compiled: Compiled, what: str, others: Editions) -> Diagnostic:
    """The finding about a name that no rule and no concept has."""
    edition = compiled.edition
    concepts = [c for one in (edition, *others().values()) for a in one.anchors() for c in a.concepts]
    sorts = dict.fromkeys([*compiled.rule_names, *concepts, *(c.partition(".")[0] for c in concepts)])
    hint = did_you_mean(what, sorts)
    return report("unknown-asked", what=what, edition=edition.ident, hint=after(hint))


def _sentence(session: Session, text: str) -> Condition:
    span = typed(text, "question")
    for lexicon in _lexicons(session):
        reader = Reader(lexicon, span)
        events = unique([*reader.events(), *reader.events(("not",))])
        conditions = [c for c in unique(reader.conditions()) if not isinstance(c, Atom) or c not in events]
        told = [plain for c in conditions if (plain := _plain(session, c)) is not None]
        readings: list[Condition] = [*events, *told]
        if len(readings) == 1:
            return readings[0]
    interpreter = Interpreter(session.lexicon)
    interpreter.expectation(span)
    raise Fault(
        *interpreter.diagnostics[:1] or [report("unknown-phrase", span, sentence=text, nearest=later("list.none"))]
    )


def _plain(session: Session, reading: object) -> Condition | None:
    """A reading that can be asked about, shorthands written out."""
    if isinstance(reading, Atom | Known | IsA):
        return reading
    compare = session.compared(reading)
    return compare if isinstance(compare, Compare) else None
