"""The matrix as a page: an overview, then each concept with its editions side by side, then the rules as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rulewright.explain.clauses import without_braces
from rulewright.forms.page import Block, Cell, Entry, Line, Page, Piece, Sheet, Table, Tone
from rulewright.speech import say

Data = dict[str, Any]
_SIGNS: Mapping[str, tuple[str, Tone]] = {
    "same": ("=", "quiet"),
    "differs": ("≠", "warning"),
    "some": ("+", "good"),
    "own": ("≈", "warning"),
    "alone": ("", "plain"),
}
SILENT = "–"


def matrix_page(data: Data) -> Page:
    """The page of a comparison."""
    names = [edition["name"] for edition in data["editions"]]
    title = say("compare.title", editions=", ".join(names))
    place = data["concept"] or say("compare.all-concepts")
    blocks: list[Block] = [*_editions(data), *_legend(data), _overview(data, names)]
    blocks += [_sheet(concept, data, names) for concept in data["concepts"]]
    if data["concept"] is None:
        blocks.append(Entry(say("compare.ask", concept=data["concepts"][0]["concept"] if data["concepts"] else "")))
    blocks.append(_rules(data))
    return Page(title, place, data["language"], tuple(blocks))


def _editions(data: Data) -> Iterator[Entry]:
    for edition in data["editions"]:
        readings = tuple(
            Entry(f"{r['option']}: {r['text']}", "source", mark=f"{say('block.reading')} {r['id']}")
            for r in edition["readings"]
        )
        yield Entry(edition["title"], "note", mark=f"{edition['name']}:", inside=readings)


def _legend(data: Data) -> Iterator[Entry]:
    rows = [row for concept in data["concepts"] for row in concept["rows"]]
    used = {line["sign"] for row in rows for line in row["lines"]} | {row["sign"] for row in rows} - {"same"}
    told = [f"{_SIGNS[sign][0]} {say(f'compare.sign.{sign}')}" for sign in _SIGNS if sign in used and sign != "alone"]
    if told:
        yield Entry("; ".join(told), "note", "quiet")


# --- the overview ----------------------------------------------------------------------------------------------------


def _overview(data: Data, names: Sequence[str]) -> Table:
    """Which editions say the same of each concept: those with the same letter."""
    rows = tuple(
        ("  " * _depth(concept, data) + _short(concept), *map(_letter, concept["groups"]))
        for concept in data["concepts"]
    )
    return Table(say("compare.overview", silent=SILENT), (say("compare.concept"), *names), rows)


def _short(concept: Data) -> str:
    """The id of a concept, without that of the one it stands below."""
    return concept["concept"].removeprefix(concept["below"] or "")  # type: ignore[no-any-return]


def _letter(group: int | None) -> str:
    return SILENT if group is None else chr(ord("A") + group)


def _depth(concept: Data, data: Data) -> int:
    above = {c["concept"]: c["below"] for c in data["concepts"]}
    depth, current = 0, concept["below"]
    while current is not None:
        depth, current = depth + 1, above[current]
    return depth


# --- a concept -------------------------------------------------------------------------------------------------------


def _sheet(concept: Data, data: Data, names: Sequence[str]) -> Sheet:
    """A concept with a column for each edition that says anything of it."""
    speaking = [place for place, group in enumerate(concept["groups"]) if group is not None]
    silent = [name for place, name in enumerate(names) if place not in speaking]
    blocks = {block["id"]: block for block in data["blocks"]}
    above = _above(concept, data)
    lines: list[Line] = []
    for row in concept["rows"]:
        if lines:
            lines.append(Line((None,) * len(speaking)))
        told = all(block in above for block in row["blocks"] if block is not None)
        lines += _row(row, speaking, blocks, told)
    note = say(f"compare.verdict.{concept['verdict']}")
    if silent:
        note += "; " + say("compare.silent", editions=", ".join(silent))
    return Sheet(
        title=concept["concept"],
        name=concept["concept"],
        heads=tuple(names[place] for place in speaking),
        lines=tuple(lines),
        depth=_depth(concept, data),
        note=note,
        tone="quiet" if concept["verdict"] == "same" else "plain",
        folded=data["concept"] is None,
    )


def _above(concept: Data, data: Data) -> set[str]:
    """The blocks that are told with the concepts above."""
    known = {c["concept"]: c for c in data["concepts"]}
    found: set[str] = set()
    while concept["below"] is not None:
        concept = known[concept["below"]]
        found |= {block for row in concept["rows"] for block in row["blocks"] if block is not None}
    return found


def _row(row: Data, speaking: Sequence[int], blocks: Mapping[str, Data], told: bool) -> Iterator[Line]:
    """The blocks of a row, clause by clause; where they were ``told`` before, under their names alone."""
    own = [blocks.get(row["blocks"][place]) for place in speaking]
    sign, tone = _SIGNS[row["sign"]] if row["sign"] == "some" else ("", "plain")
    yield Line(tuple(_head(block, told) for block in own), sign, tone)
    sources = () if told else tuple(_source(block) for block in own)
    if any(sources):
        yield Line(sources)
    for line in row["lines"]:
        sign, tone = _SIGNS[line["sign"]]
        yield Line(tuple(_said(line["clauses"][place]) for place in speaking), sign, tone)


def _head(block: Data | None, short: bool) -> Cell | None:
    if block is None:
        return None
    title = block["name"] if short else say("run.titled", rule=block["name"], title=block["title"])
    return Cell((Piece(title),), "rule", link=_name(block))


def _source(block: Data | None) -> Cell | None:
    """What a block cites and assumes, by ids."""
    if block is None or not (block["cites"] or block["assumptions"]):
        return None
    assumed = [assumption["id"] for assumption in block["assumptions"]]
    told = [say("run.cites") + ", ".join(block["cites"])] if block["cites"] else []
    told += [say("compare.assuming", ids=", ".join(assumed))] if assumed else []
    return Cell((Piece("; ".join(told)),), "source", link=_name(block))


def _said(clause: Data | None) -> Cell | None:
    if clause is None:
        return None
    pieces = [Piece(without_braces(p["text"]), p["differs"]) for p in clause["pieces"]]
    keyword = (Piece(clause["keyword"]),) if clause["keyword"] else ()
    return Cell((*keyword, *pieces), "clause", clause["depth"])


# --- the rules -------------------------------------------------------------------------------------------------------


def _name(block: Data) -> str:
    return block["id"].replace("/", "-").replace("@", "-").replace("=", "-")  # type: ignore[no-any-return]


def _rules(data: Data) -> Entry:
    inside = tuple(_block(block) for block in data["blocks"])
    return Entry(say("compare.rules"), "heading", inside=inside, folded=True)


def _block(block: Data) -> Entry:
    title = say("run.titled", rule=block["name"], title=block["title"])
    mark = f"{block['edition']}, {say('block.' + block['kind'])}"
    sources = [Entry(", ".join(block["concepts"]), "source", mark=say("compare.concept"))]
    if block["cites"]:
        sources.append(Entry(say("run.cites") + ", ".join(block["cites"]), "source"))
    sources += [Entry(say("run.assuming", id=a["id"]) + a["text"], "source") for a in block["assumptions"]]
    clauses = (
        Entry(without_braces(f"{c['keyword']} {c['text']}".strip()), "clause", mark=" " * c["depth"])
        for c in block["clauses"]
    )
    place = Entry(block["place"], "note", "quiet")
    return Entry(title, "rule", mark=mark, inside=(*sources, *clauses, place), name=_name(block))
