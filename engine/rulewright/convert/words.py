"""Clauses whose text is no sentence, but has words of a language in it: kinds, places, lists of ids and options."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from rulewright.model import Vocabulary
from rulewright.phrases.words import fold, sentence_text
from rulewright.phrases.writing import NoWordingError, Writer
from rulewright.resolve.vocabulary import begun_with
from rulewright.syntax.keywords import Language
from rulewright.syntax.tree import Clause

_QUOTES = re.compile(r'["“„«]')


@dataclass(frozen=True)
class Words:
    """Puts the words of another language into such texts."""

    source: Language
    target: Language
    vocabulary: Vocabulary

    def text(self, clause: Clause, names: Mapping[str, str]) -> str:
        """The text of a clause in the other language."""
        text = sentence_text(clause.sentence)
        if clause.kind in ("cites", "sentences"):
            return self._ranges(text)
        if clause.kind == "not_modelled":
            return self._reason(text)
        if clause.kind == "assuming" and not _QUOTES.search(text):
            return self._joined(text)
        if clause.kind == "is_a":
            return self._kind(text)
        if clause.kind == "counted_in":
            return self._dimension(text)
        if clause.kind == "role":
            return self._role(clause) or text
        if clause.kind == "rolled_by":
            return re.sub(r"\{([^}]*)\}", lambda m: f"{{{names.get(m[1].strip(), m[1].strip())}}}", text)
        return text

    def _ranges(self, text: str) -> str:
        forms = "|".join(map(re.escape, self.source.sentences["range-to"]))
        to = f" {self.target.sentences['range-to'][0]} "
        return re.sub(rf"(?<=\S) (?:{forms}) (?=\S)", to, text, flags=re.IGNORECASE)

    def _reason(self, text: str) -> str:
        because = next((w for w in self.source.sentences["because"] if f" {w} " in text), None)
        if because is None:
            return text
        ids, _, reason = text.partition(f" {because} ")
        joining = self.target.elsewhere.get("because", f" {self.target.sentences['because'][0]}")
        return f"{self._ranges(ids.rstrip(', '))}{joining} {reason}"

    def _joined(self, text: str) -> str:
        """Options of a reading, joined by *or*."""
        joining = {form.casefold() for form in self.source.keywords["OR"]}
        ident, *words = text.split()
        other = self.target.keyword("OR")
        return " ".join([ident, *(other if i % 2 and w.casefold() in joining else w for i, w in enumerate(words))])

    def _kind(self, text: str) -> str:
        """The word for a kind, where it was called by its word and not by its ident."""
        writer = Writer(self.vocabulary, self.target)
        for kind in self.vocabulary.kinds.values():
            if any(w.language == self.source.code and fold(text) in fold(w.template).split("|") for w in kind.wordings):
                try:
                    return writer.kind(kind.ident)
                except NoWordingError:
                    return text
        return text

    def _dimension(self, text: str) -> str:
        writer = Writer(self.vocabulary, self.target)
        for name in self.vocabulary.names.values():
            forms = [f for w in name.wordings if w.language == self.source.code for f in w.template.split("|")]
            if name.kind == "dimension" and fold(text) in map(fold, forms):
                try:
                    return writer.counted(name.ident)
                except NoWordingError:
                    return text
        return text

    def _role(self, clause: Clause) -> str | None:
        """What a place of a phrase holds."""
        for key in ("role-number-of", "role-number", "role"):
            found = begun_with(clause.sentence, self.source, key)
            if found is None:
                continue
            name, rest = found[0], found[1].text.strip()
            if (key == "role-number") == bool(rest):
                continue
            kind = self._kind(rest) if key == "role" else self._dimension(rest)
            form = self.target.sentences[key][0].replace("{variable}", f"{{{name}}}").replace("{kind}", kind)
            return " ".join(self._word(piece, kind) for piece in form.split(" "))
        return None

    def _word(self, piece: str, following: str) -> str:
        forms = piece.split("|")
        return self.target.fitting(forms, following) if len(forms) > 1 else piece
