"""Questions about this moment: may it, must it, is it so, what applies to it; with the rules behind the answer.

An action is judged by the restrictions, duties and permissions that hold: a restriction beats a duty and a permission;
what nothing forbids may be done.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rulewright.diagnostics import Fault, did_you_mean, report
from rulewright.explain.clauses import trigger_text
from rulewright.lowering import names
from rulewright.model import Atom, Effect, Individual, Number, Phrase, Variable
from rulewright.phrases.matching import Reader, unique
from rulewright.phrases.wording import Worder
from rulewright.phrases.words import sentence_text, split, without_forms
from rulewright.productions import NOBODY, Fact
from rulewright.provenance import RuleMatch, Value
from rulewright.session.cycle import ask
from rulewright.session.session import Session
from rulewright.session.world import Holding, decoded
from rulewright.speech import later, listed, say, worded
from rulewright.syntax.signs import typed
from rulewright.text import Source, Span
from rulewright.walk import descend

Data = dict[str, Any]


@dataclass(frozen=True)
class Ground:
    """A fact that an answer rests on: the fact, since when it holds and why."""

    phrase: Phrase
    values: tuple[Value, ...]
    holding: Holding | None

    def about(self, thing: str) -> bool:
        """Whether the fact mentions a thing."""
        return thing in self.values


def answer_question(session: Session, question: str) -> Data:
    """Answers a question, as data.

    Raises:
        Fault: the question cannot be read.
    """
    place = typed(question, session.language.code, "question")
    question = place.text
    thing = _whose(session, question)
    if thing is not None:
        return _what_applies(session, question, thing)
    for spans in (_spans, _turned):
        asked = list(spans(question, session))
        for atom in _readings(session, asked):
            phrase = session.compiled.edition.vocabulary.phrases[atom.phrase]
            return _action(session, question, phrase, atom) if phrase.action else _so(session, question, atom)
        other = _compared(session, question, asked) or _happened(session, question, asked)
        if other is not None:
            return other
    other = _compared(session, question, list(_spans(question, session)), of_numbers=True)
    if other is not None:
        return other
    _unknown_name(session, question)
    known = [
        f"`{without_forms(next(w.template for w in p.wordings if w.language == session.language.code))}`"
        for p in session.compiled.edition.vocabulary.phrases.values()
        if p.kind in ("permission", "duty") and any(w.language == session.language.code for w in p.wordings)
    ]
    raise Fault(report("unclear-question", place, question=question, nearest=listed(known[:6])))


# --- reading -----------------------------------------------------------------------------------------------------


def _spans(question: str, session: Session) -> Iterator[Span]:
    """A question as a statement: its first word in every place, little words of asking left out."""
    texts = _words(question, session)
    yield _statement(texts, session.language.code)
    for place in range(2, len(texts) + 1):
        yield _statement([*texts[1:place], texts[0], *texts[place:]], session.language.code)


def _turned(question: str, session: Session) -> Iterator[Span]:
    """A question as a statement, where it was asked in an order that a language without fixed order allows."""
    texts = _words(question, session)
    for place in range(2, len(texts)):  # what is asked about comes first: „напълно сам ли е Бор“
        yield _statement([*texts[place:], texts[place - 1], *texts[: place - 1]], session.language.code)
    for place in range(1, len(texts) - 1):  # the verb comes last: „Ела съборена ли е“
        yield _statement([*texts[:place], texts[-1], *texts[place:-1]], session.language.code)
    for place in range(3, len(texts) + 1):  # a verb with its particle comes first: „пречупи ли се Бор“
        yield _statement([*texts[2:place], texts[1], texts[0], *texts[place:]], session.language.code)


def _words(question: str, session: Session) -> list[str]:
    asking = session.language.sentences["asking"]
    words = [w for w in split(question.strip().rstrip("?"), session.language.decimal) if w.folded not in asking]
    return [f'"{w.text}"' if w.type == "quoted" else w.text for w in words]


def _statement(words: Sequence[str], language: str) -> Span:
    text = " ".join(words)
    return Span(Source("question", text, language), 0, len(text))


def _readings(session: Session, spans: Sequence[Span]) -> list[Atom]:
    for span in spans:
        found = unique([a for a in Reader(session.lexicon, span).facts() if _is_plain(a)])
        if found:
            return found
    return []


def _compared(session: Session, question: str, spans: Sequence[Span], of_numbers: bool = False) -> Data | None:
    """The answer to a question about numbers, with both of them; None when it is none.

    Args:
        session: the game.
        question: what is asked.
        spans: the statements that it may stand for.
        of_numbers: whether it may be asked of a plain number, as *is 8 at least the Discipline of Archers*; looked for
            last, as „поне 8 ли е дисциплината“ would be taken for that.
    """
    for span in spans:
        for compare in filter(None, map(session.compared, Reader(session.lexicon, span).conditions())):
            if any(isinstance(part, Variable) for part in descend(compare)) or (
                isinstance(compare.left, Number) and not of_numbers
            ):
                continue
            left, right = (session.worder.number(session.number(side)) for side in (compare.left, compare.right))
            answer = "yes" if session.holds(span) else "no"
            note = say("answer.held-against", left=left, right=right)
            return {"question": question, "answer": answer, "note": note, "because": [], "defeated": []}
    return None


def _happened(session: Session, question: str, spans: Sequence[Span]) -> Data | None:
    """The answer to a question about what happened, with the steps; None when it is none."""
    for span in spans:
        words = span.text.split(" ")
        forms = [span.text]
        for place, word in enumerate(words):  # "did Archers pass" asks for "Archers passes"
            forms += [" ".join([*words[:place], word + end, *words[place + 1 :]]) for end in ("s", "es")]
        for form in forms:
            events = Reader(
                session.lexicon, Span(Source("question", form, session.language.code), 0, len(form))
            ).events()
            for atom in filter(_is_plain, events):
                wanted = [_value(a) for a in atom.arguments]
                same = [s for s in session.steps if s.event == atom.phrase and not s.voided]
                found = [s for s in same if all(w is None or w == v for w, v in zip(wanted, s.values, strict=True))]
                told = "; ".join(
                    say("test.step", step=s.number, told=session.worder.statement(s.event, s.values)) for s in found
                )
                answer = "yes" if found else "no"
                note = told or say("got.not-happened")
                return {"question": question, "answer": answer, "note": note, "because": [], "defeated": []}
    return None


def _unknown_name(session: Session, question: str) -> None:
    """A Fault when a question speaks of something that is not there."""
    for span in _spans(question, session):
        for atom in Reader(session.lexicon, span, lenient=True, guess=True).facts():
            for argument in atom.arguments:
                if isinstance(argument, Individual) and argument.ident.startswith("?"):
                    name = argument.ident[1:]
                    hint = did_you_mean(name, session.names.values()) or later("hint.introduce-in-scenario")
                    raise Fault(report("unknown-name", name=name, hint=hint))


def _is_plain(atom: Atom) -> bool:
    return not any(isinstance(a, Variable) for a in atom.arguments)


def _whose(session: Session, question: str) -> str | None:
    text = question.strip().rstrip("?")
    span = Span(Source("question", text, session.language.code), 0, len(text))
    readings = Reader(session.lexicon, span).own("what-applies")
    for filled in sorted(readings, key=lambda f: getattr(f["thing"], "ident", "") not in session.names):
        if isinstance(filled["thing"], Individual):
            return filled["thing"].ident
    return None


# --- answering ---------------------------------------------------------------------------------------------------


def _grounds(session: Session) -> list[Ground]:
    """All facts that hold at this moment, those that definitions derive among them."""
    phrases = session.compiled.edition.vocabulary.phrases
    found: dict[Fact, Ground] = {}
    for fact, holding in session.game.world.facts.items():
        phrase = phrases.get(fact.predicate.removeprefix("fact:"))
        if phrase is not None and fact.predicate.startswith("fact:"):
            found[fact] = Ground(phrase, decoded(fact.values), holding)
    for predicate in sorted(session.compiled.defined):
        phrase = phrases[predicate.removeprefix("fact:")]
        token = Fact(names.need(phrase.ident, "f" * len(phrase.roles)))
        for fact in ask(session.game.matcher, session.compiled, token).heads(predicate):
            found.setdefault(fact, Ground(phrase, decoded(fact.values), None))
    return sorted(found.values(), key=lambda g: (g.phrase.kind, g.phrase.ident, tuple(map(str, g.values))))


def _action(session: Session, question: str, asked: Phrase, atom: Atom) -> Data:
    wanted = tuple(_value(a) for a in atom.arguments)
    about = [g for g in _grounds(session) if g.phrase.action == asked.action and _meets(g.values, wanted)]
    groups = {kind: [g for g in about if g.phrase.kind == kind] for kind in ("restriction", "duty", "permission")}
    barred, duties, permitted = groups["restriction"], groups["duty"], groups["permission"]
    answer: Literal["yes", "no"]
    because: Sequence[Ground]
    defeated: Sequence[Ground] = ()
    if asked.kind == "restriction":
        answer, because, note = ("yes", barred, "") if barred else ("no", permitted, say("answer.not-forbidden"))
    elif asked.kind == "duty":
        answer, because = ("yes", duties) if duties and not barred else ("no", barred if duties else ())
        defeated = duties if duties and barred else ()
        note = "" if duties else say("answer.not-demanded")
    else:
        answer, because = ("no", barred) if barred else ("yes", [*permitted, *duties])
        defeated = [*permitted, *duties] if barred else ()
        note = "" if because else say("answer.not-forbidden")
    return {
        "question": question,
        "answer": answer,
        "note": note if not because else "",
        "because": [_told(session, g) for g in because],
        "defeated": [_told(session, g) for g in defeated],
    }


def _meets(values: Sequence[Value], wanted: Sequence[Value | None]) -> bool:
    """Whether a fact speaks of what is asked; a place left out speaks of all."""
    return all(w is None or v in (w, NOBODY) for v, w in zip(values, wanted, strict=True))


def _value(argument: object) -> Value | None:
    if argument is None:
        return None
    assert isinstance(argument, Individual | Number)
    return argument.ident if isinstance(argument, Individual) else argument.value


def _so(session: Session, question: str, atom: Atom) -> Data:
    wanted = tuple(_value(a) for a in atom.arguments)
    found = [
        g
        for g in _grounds(session)
        if g.phrase.ident == atom.phrase and all(w is None or w == v for w, v in zip(wanted, g.values, strict=True))
    ]
    return {
        "question": question,
        "answer": "yes" if bool(found) != atom.negated else "no",
        "note": "" if found else say("answer.not-said"),
        "because": [_told(session, g) for g in found],
        "defeated": [],
    }


def _what_applies(session: Session, question: str, thing: str) -> Data:
    about = [g for g in _grounds(session) if g.about(thing)]
    barred = {g.phrase.action for g in about if g.phrase.kind == "restriction"}
    beaten = [g for g in about if g.phrase.kind in ("duty", "permission") and g.phrase.action in barred]
    measures = [
        {"measure": session.worder.statement(measure, things), "value": worded(value)}
        for (measure, things), value in sorted(session.game.world.values.items())
        if things[:1] == (thing,) and session.compiled.edition.vocabulary.phrases[measure].kind == "measure"
    ]
    return {
        "question": question,
        "answer": session.worder.name(thing),
        "note": "" if about or measures else say("answer.not-known"),
        "measures": measures,
        "because": [_told(session, g) for g in about if g not in beaten],
        "defeated": [_told(session, g) for g in beaten],
    }


# --- telling -----------------------------------------------------------------------------------------------------


def _told(session: Session, ground: Ground) -> Data:
    """A fact with its origin: given, derived by a definition, or brought about by a rule at a step."""
    data: Data = {
        "text": session.worder.statement(ground.phrase.ident, ground.values),
        "kind": ground.phrase.kind,
        "rule": None,
        "title": None,
        "cites": [],
        "step": ground.holding.step if ground.holding else None,
        "until": [],
        "origin": "given",
    }
    if ground.holding is None:
        items = [d.anchor for d in session.compiled.edition.definitions if d.head.phrase == ground.phrase.ident]
        cites = list(dict.fromkeys(c for a in items for c in a.cites))
        return data | {"origin": "definition", "rule": ", ".join(a.ident for a in items), "cites": cites}
    if ground.holding.until:
        data["until"] = [say("answer.end-of", window=session.worder.name(ground.holding.until))]
    match = _match(session, ground.holding.match)
    if match is None:
        return data | ({"origin": "record"} if ground.phrase.kind == "record" else {})
    own = session.compiled.anchors[match.rule]
    anchor = session.compiled.edition.anchor_in(own, session.worder.language.code)
    for rule in (r for r in session.compiled.rules if r.anchor.ident == match.rule):
        for effect in rule.effects:
            about = isinstance(effect.act, Atom) and effect.act.phrase == ground.phrase.ident
            if about and not data["until"]:
                data["until"] = [_end_text(span, effect, session.worder) for span in effect.until_spans]
    return data | {"origin": "rule", "rule": match.rule, "title": anchor.title, "cites": list(anchor.cites)}


def _end_text(span: Span, effect: Effect, worder: Worder) -> str:
    """What ends an effect, as it is written or, from another language, worded anew."""
    event = next((e for e in effect.until_events if e.span == span), None)
    return sentence_text(span) if event is None else trigger_text(event, worder)


def _match(session: Session, number: int | None) -> RuleMatch | None:
    return next((m for m in session.matches if m.number == number), None)
