"""The matcher that runs on durable_rules; nothing else imports that engine.

The engine is sound only when it is asked in a certain order.  A stage, here, is one such question:

1. facts are asserted while no token is alive;
2. the tokens of the stage are asserted, and all firings collected; facts derived are asserted when the engine is quiet,
   until nothing new fires;
3. a clone of every token is asserted and retracted again, its firings never dispatched ("scrub"), which mends what the
   engine keeps of the firings that were dispatched;
4. the tokens are retracted.

Derived facts go when the cycle ends, and the world changes between cycles.  The facts are kept here as well: after any
error the engine's copy is thrown away and built anew.  ``engine/decisions/0002-durable-rules-protocol.md`` tells why.
"""

from __future__ import annotations

import re
import struct
import threading
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import durable_rules_engine as engine

from rulewright.backends.base import BackendError
from rulewright.backends.durable_compile import Rule, fact_kind, token_kind
from rulewright.backends.durable_layout import BATCH, SHARD_RULES, Shard, definitions, prepare
from rulewright.backends.validate import check_fact, shown
from rulewright.productions import Fact, Firing, Program
from rulewright.speech import later

__all__ = ["FIRINGS_PER_CYCLE", "DurableMatcher", "definitions"]

FIRINGS_PER_CYCLE = 100_000
"""The engine itself has no protection against endless firing."""

REFRESH_AFTER = 2_000
"""Firings after which a fact is asserted anew: each leaves a record in it that only a retraction frees."""

# A message begins with its id.  Inside a string a quotation mark is always escaped, so nothing else reads like this.
_IDS = re.compile(r'\{"id":"(\d+)"')

_OK, _NOT_STORED, _ID_TAKEN = 0, 1, 2

Result = TypeVar("Result")


class _Ruleset:
    """One shard in the engine: facts go in under message ids, firings come out as message ids."""

    def __init__(self, shard: Shard, boot: str, zero: str) -> None:
        self.kinds = shard.kinds
        self.rules = shard.rules
        self._constants = boot, zero
        self.handle: int = engine.create_ruleset("rulewright", shard.text)
        self._start()

    def _start(self) -> None:
        """Fires the boot rule, without which the engine would free memory it never set up, and asserts ``#zero``."""
        boot, zero = self._constants
        self._next = 0
        self._free: list[str] = []
        self.facts: dict[str, Fact] = {}
        self._ids: dict[Fact, str] = {}
        self._uses: Counter[str] = Counter()
        self._unseen = 0
        message = self._put(boot)
        assert message is not None
        engine.start_action_for_state(self.handle, self._state)
        engine.complete_and_start_action(self.handle, self._state)
        self._drop(message)
        self._zero_body = zero
        self._zero = self._put(zero)

    def restart(self) -> None:
        """Throws away all facts and whatever state the engine is in."""
        engine.delete_state(self.handle, "0")
        self._start()

    def _put(self, body: str) -> str | None:
        """Asserts a message and returns its id, or None where no condition of any rule lets it in.

        Ids are decimal numbers, used again when free: the engine tells messages apart by a 32-bit hash of the id alone,
        and the hashes of small numbers differ.  Should one be taken all the same, the next number is tried.
        """
        while True:
            if self._free:
                message = self._free.pop()
            else:
                message = str(self._next)
                self._next += 1
            code, self._state = engine.assert_fact(self.handle, f'{{"id":"{message}",{body}')
            if code == _OK:
                return message
            if code == _NOT_STORED:
                self._free.append(message)
                return None
            if code != _ID_TAKEN:
                raise BackendError(later("engine.answered", code=code))

    def _drop(self, message: str) -> None:
        engine.retract_fact(self.handle, f'{{"id":"{message}"}}')
        self._free.append(message)

    def add(self, fact: Fact, body: str) -> None:
        """Asserts a fact of the world or a derived one."""
        message = self._put(body)
        if message is not None:
            self._ids[fact] = message
            self.facts[message] = fact

    def remove(self, fact: Fact) -> None:
        """Retracts a fact; only while no token is alive."""
        message = self._ids.pop(fact, None)
        if message is not None:
            del self.facts[message]
            self._uses.pop(message, None)
            self._drop(message)

    def add_token(self, token: Fact, body: str) -> str | None:
        """Asserts a token; its id is needed to take it out again."""
        message = self._put(body)
        if message is not None:
            self.facts[message] = token
        return message

    def remove_tokens(self, tokens: dict[str, str], *, fired: bool) -> None:
        """Retracts the tokens of a stage, given as bodies by id, after the scrub that their firings call for.

        All clones must stand before the first goes: only then do their firings take every place in the engine's tables
        that the dispatched ones had.
        """
        if fired:
            for clone in [self._put(body) for body in tokens.values()]:
                if clone is not None:
                    self._drop(clone)
        for message in tokens:
            del self.facts[message]
            del self._uses[message]
            self._drop(message)

    def firings(self) -> Iterator[tuple[Rule, tuple[str, ...]]]:
        """Every firing that stands ready: the rule, and the ids of the messages of its positive conditions."""
        started = engine.start_action_for_state(self.handle, self._state)
        text = started[1] if started else None
        while text is not None:
            rule = self.rules[text[2 : text.index('"', 2)]]
            messages = _IDS.findall(text)
            self._uses.update(messages)
            self._unseen += len(messages)
            yield from ((rule, row) for row in zip(*[iter(messages)] * rule.positives, strict=True))
            text = engine.complete_and_start_action(self.handle, self._state)

    def refresh(self, body_of: Callable[[Fact], str]) -> None:
        """Asserts anew the facts that have fired often; only while no token is alive."""
        if self._unseen < REFRESH_AFTER:
            return
        self._unseen = 0
        for message in [message for message, uses in self._uses.items() if uses >= REFRESH_AFTER]:
            del self._uses[message]
            if message == self._zero:
                self._drop(message)
                self._zero = self._put(self._zero_body)
            elif (fact := self.facts.get(message)) is not None:
                self.remove(fact)
                self.add(fact, body_of(fact))


def _free_rulesets(handles: list[int]) -> None:
    """Deletes states before rulesets, which do not free them."""
    while handles:
        handle = handles.pop()
        engine.delete_state(handle, "0")
        engine.delete_ruleset(handle)


class DurableMatcher:
    """The ``Matcher`` on durable_rules.  Calls from several threads wait for each other; a cycle is one thread's.

    Raises:
        BackendError: the program is not well formed, or passes a limit of the engine.
    """

    def __init__(
        self,
        program: Program,
        *,
        firings_per_cycle: int = FIRINGS_PER_CYCLE,
        shard_rules: int = SHARD_RULES,
        batch: int = BATCH,
    ) -> None:
        if struct.calcsize("l") < struct.calcsize("q"):
            raise BackendError(later("engine.short-long"))
        compiled = prepare(program, shard_rules, batch)
        self._columns = program.columns
        self._encodings = compiled.encodings
        self._bound = firings_per_cycle
        self._lock = threading.RLock()
        self._world: dict[Fact, None] = {}
        self._derived: dict[Fact, None] = {}
        self._stage: int | None = None
        self._thread: int | None = None
        self._count = 0
        handles: list[int] = []
        self._finalizer = weakref.finalize(self, _free_rulesets, handles)
        self._rulesets: list[_Ruleset] = []
        try:
            for shard in compiled.shards:
                self._rulesets.append(_Ruleset(shard, compiled.boot, compiled.zero))
                handles.append(self._rulesets[-1].handle)
        except engine.error as error:
            raise BackendError(later("engine.refused", error=str(error))) from error

    # -- the world ----------------------------------------------------------

    def add(self, fact: Fact) -> None:
        with self._lock:
            self._between_cycles()
            if check_fact(fact, self._columns) and fact not in self._world:
                self._guard(lambda: self._put(fact))
                self._world[fact] = None

    def remove(self, fact: Fact) -> None:
        with self._lock:
            self._between_cycles()
            if fact in self._world:
                self._guard(lambda: self._drop(fact))
                del self._world[fact]

    # -- a cycle ------------------------------------------------------------

    def stage(self, number: int, tokens: Iterable[Fact], derived: Iterable[Fact] = ()) -> tuple[Firing, ...]:
        with self._lock:
            self._own_cycle()
            if self._stage is not None and number <= self._stage:
                raise RuntimeError(f"stage {number} follows stage {self._stage}: stages of a cycle must rise")
            self._stage = number
            self._thread = threading.get_ident()
            return self._guard(lambda: self._run(number, tokens, derived))

    def finish(self) -> None:
        with self._lock:
            self._own_cycle()
            if self._stage is not None:
                self._guard(self._clear)
                self._end_cycle()

    def close(self) -> None:
        with self._lock:
            self._finalizer()

    # -- inside -------------------------------------------------------------

    def _run(self, number: int, tokens: Iterable[Fact], derived: Iterable[Fact]) -> tuple[Firing, ...]:
        for fact in derived:
            if check_fact(fact, self._columns):
                self._derive(fact)
        alive = self._put_tokens(number, tokens)
        if not any(alive):
            return ()
        fired: dict[Firing, None] = {}
        active = [False] * len(alive)
        while True:
            fresh: list[Firing] = []
            for index, ruleset in enumerate(self._rulesets):
                if alive[index]:
                    before = len(fresh)
                    fresh += self._collect(ruleset)
                    active[index] |= len(fresh) > before
            if not fresh:
                break
            fired.update(dict.fromkeys(fresh))
            for firing in fresh:
                self._derive(firing.head)
        for ruleset, live, has_fired in zip(self._rulesets, alive, active, strict=True):
            ruleset.remove_tokens(live, fired=has_fired)
        return tuple(sorted(fired))

    def _put_tokens(self, number: int, tokens: Iterable[Fact]) -> list[dict[str, str]]:
        """Asserts the tokens of a stage; for each ruleset the bodies of those it took, by id."""
        alive: list[dict[str, str]] = [{} for _ in self._rulesets]
        for token in dict.fromkeys(tokens):
            if not check_fact(token, self._columns):
                continue
            kind = token_kind(token.predicate, number)
            encoding = self._encodings.get(kind)
            if encoding is None:
                continue
            body = encoding.write(token.values)
            for ruleset, live in zip(self._rulesets, alive, strict=True):
                if kind in ruleset.kinds and (message := ruleset.add_token(token, body)) is not None:
                    live[message] = body
        return alive

    def _collect(self, ruleset: _Ruleset) -> list[Firing]:
        facts = ruleset.facts
        found = []
        for rule, messages in ruleset.firings():
            premises = tuple([facts[messages[place]] for place in rule.premises])
            found.append(Firing(rule.production.name, premises, rule.derive(premises)))
            self._count += 1
            if self._count > self._bound:
                raise BackendError(later("engine.firings", limit=self._bound, production=shown(found[-1].production)))
        return found

    def _derive(self, fact: Fact) -> None:
        if fact not in self._world and fact not in self._derived:
            self._derived[fact] = None
            self._put(fact)

    def _put(self, fact: Fact) -> None:
        kind = fact_kind(fact.predicate)
        encoding = self._encodings.get(kind)
        if encoding is not None:
            body = encoding.write(fact.values)
            for ruleset in self._rulesets:
                if kind in ruleset.kinds:
                    ruleset.add(fact, body)

    def _drop(self, fact: Fact) -> None:
        for ruleset in self._rulesets:
            ruleset.remove(fact)

    def _clear(self) -> None:
        for fact in self._derived:
            self._drop(fact)
        for ruleset in self._rulesets:
            ruleset.refresh(self._body)

    def _body(self, fact: Fact) -> str:
        return self._encodings[fact_kind(fact.predicate)].write(fact.values)

    def _end_cycle(self) -> None:
        self._derived.clear()
        self._stage = self._thread = None
        self._count = 0

    def _guard(self, work: Callable[[], Result]) -> Result:
        """Does ``work``; if it fails, the engine may hold half a fact, so its copy of the world is built anew."""
        try:
            return work()
        except engine.error as error:
            self._rebuild()
            raise BackendError(later("engine.failed", error=str(error))) from error
        except BaseException:
            self._rebuild()
            raise

    def _rebuild(self) -> None:
        self._end_cycle()
        for ruleset in self._rulesets:
            ruleset.restart()
        for fact in self._world:
            self._put(fact)

    def _own_cycle(self) -> None:
        if not self._finalizer.alive:
            raise RuntimeError("the matcher is closed")
        if self._thread not in (None, threading.get_ident()):
            raise RuntimeError("a cycle belongs to the thread that began it")

    def _between_cycles(self) -> None:
        self._own_cycle()
        if self._stage is not None:
            raise RuntimeError("the world may change only between cycles")
