"""What is wrong with a table of texts that somebody put beside the keyword tables; what is right in it is used."""

from __future__ import annotations

from collections.abc import Iterator

from rulewright import assets
from rulewright.diagnostics import Diagnostic, after, did_you_mean, report
from rulewright.speech import (
    FIRST,
    is_wanted,
    later,
    listed,
    messages,
    places_of,
    tables_beside,
    texts_of,
    wanted_places,
)
from rulewright.syntax.tables import entries, place_of
from rulewright.text import Source, Span, plain


def check_messages(code: str) -> Iterator[Diagnostic]:
    """What is wrong with the table of texts of a language; nothing where the program brings it, or has none."""
    if code not in tables_beside():
        return
    name = tables_beside()[code]
    try:
        source = Source(f"grammar/{name}", plain(assets.grammar_text(name)))
    except UnicodeDecodeError as error:
        yield report("not-text", path=f"grammar/{name}", offset=error.start)
        return
    table = entries(source)
    if isinstance(table, Diagnostic):
        yield table
        return
    for key, text in texts_of(table):
        if not is_wanted(key):
            hint = after(did_you_mean(key, filter(is_wanted, messages(FIRST))))
            yield report("table-unknown-entry", _place(source, key), entry=key, hint=hint)
        elif not isinstance(text, str):
            yield report("table-entry", _place(source, key), entry=key, wanted=later("table.text"))
        elif not places_of(text) <= wanted_places(key):
            places = listed(f"`{{{place}}}`" for place in sorted(wanted_places(key)))
            yield report("table-places", _place(source, key), form=text, entry=key, wanted=places)


def _place(source: Source, key: str) -> Span:
    """Where an entry stands, by its own head or by that of the texts that belong to no finding."""
    table, _, name = key.rpartition(".")
    heads = (f"texts.{table}" if table else "texts", table)
    return next((span for head in heads if head and (span := place_of(source, head, name)).end), Span(source, 0, 0))
