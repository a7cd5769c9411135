# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The client of `chaos.py` that changes the whole run, and lets requests conflict."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from chaos_clients import PATIENCE, ControlSocket, HTTPClient, Lost, Program, Refused
from chaos_model import RACED, Beacon, Entry
from chaos_writers import Gate, Writer

CONTESTED = "contested"


class Director(Writer):
    """Changes the whole profile: reloads, other profiles, edits of the file, resets; and conflicts between clients."""

    WEIGHTS = {"reload": 46, "profile": 20, "edit": 10, "reset": 5, "radio": 5, "contest": 8, "race": 6}

    def __init__(self, program: Program, gate: Gate, seed: object) -> None:
        super().__init__("director", program, gate, seed)
        self.socket, self.http, self.post = ControlSocket(program), HTTPClient(program), HTTPClient(program)
        self.observer = ControlSocket(program)
        self.pool = ThreadPoolExecutor(4)

    def reset(self) -> None:
        for client in (self.socket, self.http, self.post, self.observer):
            client.close()

    pause = reset

    def step(self) -> None:
        kind = self.chance.choices(list(self.WEIGHTS), list(self.WEIGHTS.values()))[0]
        with self.model.structure.exclusive():
            getattr(self, f"do_{kind}")()
        time.sleep(self.chance.random() * 0.02)

    def redefine(
        self, kind: str, entries: dict[str, Entry | None], requests: list[Callable[[], Any]], *, resets: bool = False
    ) -> bool:
        """Sends requests with the same effect at the same time, after which beacons have these entries."""
        changes = self.model.redefine(entries, resets=resets)
        operation = self.model.begin(kind, f"{len(requests)} at once", changes)
        results = list(self.pool.map(_outcome, requests))
        if self.program.is_ending:
            self.model.lose(operation)
            raise Lost
        refusals = [each for each in results if each is not None]
        if refusals:
            self.model.lose(operation, f"refused: {refusals[0]}")
            self.model.differ(f"{kind} was refused: {refusals}")
            return False
        self.model.acknowledge(operation, len(requests))
        self.model.adopt(entries)
        return True

    @property
    def reloads(self) -> int:
        """The number of reloads since the start of the program."""
        response = self.observer.send("GET", "/metrics")
        found = re.search(rb'^beaconry_reloads_total\{result="done"\} (\d+)$', response.read(), re.MULTILINE)
        assert found
        return int(found[1])

    def wait_for_reloads(self, count: int) -> None:
        """Waits until a reload that has no answer is done."""
        deadline = time.monotonic() + PATIENCE
        while self.reloads < count:
            assert time.monotonic() < deadline, "a reload was not done"
            time.sleep(0.005)

    def do_reload(self) -> None:
        before, ways = self.reloads, self.chance.sample(range(4), self.chance.randint(1, 3))
        requests: list[Callable[[], Any]] = [
            lambda: self.socket.exchange("POST", "/v1/reload"), lambda: self.http.exchange("POST", "/v1/reload"),
            lambda: self.post.exchange("POST", "/v1/reload"), self.program.hang_up,
        ]  # fmt: skip
        chosen = [requests[way] for way in ways]

        def hang_up_and_wait() -> None:
            self.program.hang_up()
            self.wait_for_reloads(before + len(chosen))

        self.redefine("reload", self.model.whole_file, [hang_up_and_wait if each == self.program.hang_up else each for each in chosen])

    def varied(self, entries: dict[str, Entry | None]) -> dict[str, Entry | None]:
        """Entries of which a few differ."""
        entries = dict(entries)
        for name in self.chance.sample(list(entries), self.chance.randint(0, 6)):
            beacon = self.model.beacons[name]
            removes = entries[name] is not None and not beacon.saves and name != RACED and self.chance.random() < 0.4
            entries[name] = None if removes else Entry.draw(self.chance, saves=beacon.saves)
        return entries

    def do_profile(self) -> None:
        entries = self.varied({name: beacon.entry for name, beacon in self.model.beacons.items()})
        text = self.program.text({name: entry for name, entry in entries.items() if entry is not None})
        if self.chance.random() < 0.5:
            response = self.http.send("GET", "/v1/profile")
            tag = response.getheader("ETag", "")
            response.read()
            way: Callable[[], Any] = lambda: self.http.exchange("PUT", "/v1/profile", text.encode(), kind="application/yaml", If_Match=tag)
        else:
            way = lambda: self.socket.exchange("PUT", "/v1/profile", text.encode(), kind="application/yaml")
        self.redefine("profile", entries, [way])

    def do_edit(self) -> None:
        """Replaces the file, which `--watch` notices."""
        entries = self.varied(self.model.whole_file)
        before = self.reloads

        def edit() -> None:
            file = {name: entry for name, entry in entries.items() if entry is not None}
            self.program.write_profile(file)
            self.model.file = file
            self.wait_for_reloads(before + 1)

        self.redefine("edit", entries, [edit])

    def do_reset(self) -> None:
        ways = [lambda: self.socket.exchange("POST", "/v1/reset"), lambda: self.http.exchange("POST", "/v1/reset")]
        self.redefine("reset", self.model.whole_file, [self.chance.choice(ways)], resets=True)

    def do_radio(self) -> None:
        """Removes the radio, and brings it back."""
        for state in ("off", "on"):
            operation = self.model.begin("radio", state, [])
            self.send(operation, lambda state=state: self.socket.exchange("PUT", "/v1/radio", {"power": state}))  # type: ignore[misc]

    def do_contest(self) -> None:
        """Adds a beacon and a receiver of the same name at the same time: one of the two must be refused."""
        operation = self.model.begin("contest", CONTESTED, [], CONTESTED)
        document = {"device": "ibeacon", "address": "C0:FF:EE:00:03:01", "ibeacon": {"uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"}}
        requests: list[Callable[[], Any]] = [
            lambda: self.http.exchange("PUT", f"/v1/beacons/{CONTESTED}", document),
            lambda: self.socket.exchange("POST", "/v1/receivers", {"name": CONTESTED}),
        ]
        self.chance.shuffle(requests)
        results = list(self.pool.map(_outcome, requests))
        if self.program.is_ending:
            raise Lost
        refusals = [each for each in results if each is not None]
        if len(refusals) != 1 or not isinstance(refusals[0], Refused) or refusals[0].code != "conflict":
            self.model.differ(f"a beacon and a receiver were added with the same name: {results}", CONTESTED)
        # Whichever was added.
        removals = [
            lambda path=path: self.socket.exchange("DELETE", f"/v1/{path}/{CONTESTED}")  # type: ignore[misc]
            for path in ("beacons", "receivers")
        ]
        removed = [_outcome(each) for each in removals]
        if self.program.is_ending:
            raise Lost
        self.model.acknowledge(operation, 2)

    def do_race(self) -> None:
        """Changes one beacon in conflicting ways at the same time: the result is that of one of them."""
        beacon = self.model.beacons[RACED]
        drawn = [Entry.draw(self.chance, saves=False) for _ in range(2)]
        requests: list[tuple[Entry | None, Callable[[], Any]]] = [
            (drawn[0], lambda: self.socket.exchange("PUT", f"/v1/beacons/{RACED}", beacon.document(drawn[0]))),
            (drawn[1], lambda: self.http.exchange("PUT", f"/v1/beacons/{RACED}", beacon.document(drawn[1]))),
            (None, lambda: self.post.exchange("DELETE", f"/v1/beacons/{RACED}")),
        ]
        chosen = self.chance.sample(requests, self.chance.randint(2, 3))
        beacon.may_be_absent = True
        operation = self.model.begin("race", f"{[entry for entry, _ in chosen]}", [], RACED)
        results = list(self.pool.map(_outcome, [request for _, request in chosen]))
        if self.program.is_ending:
            raise Lost
        possible = {entry for (entry, _), result in zip(chosen, results) if result is None}
        for (entry, _), result in zip(chosen, results):
            # Only the removal may be refused, where the beacon is in no profile.
            if result is not None and (entry is not None or result.code != "unknown-beacon"):
                self.model.differ(f"{RACED}: {entry} was refused: {result}", RACED)
        self.model.acknowledge(operation, len(possible))
        shown = _outcome(lambda: self._adopt_race(beacon, possible))
        if self.program.is_ending:
            raise Lost
        if isinstance(shown, Refused):
            if None not in possible:
                self.model.differ(f"{RACED} is gone: {shown}", RACED)
            self.model.adopt({RACED: None})

    def _adopt_race(self, beacon: Beacon, possible: set[Entry | None]) -> None:
        status = self.socket.exchange("GET", f"/v1/beacons/{RACED}")
        position = tuple(status["position"]) if "position" in status else None
        found = Entry(status.get("name"), position, status["settings"]["minor"])
        if found not in possible:
            self.model.differ(f"{RACED} is {found}, not one of {possible}", RACED)
        for register, change in beacon.redefined(found, resets=True):
            register.settle(change(None))
        self.model.adopt({RACED: found})


def _outcome(request: Callable[[], Any]) -> Lost | Refused | None:
    """The error of a request; `None` if it was acknowledged."""
    try:
        request()
    except (Lost, Refused) as error:
        return error
    return None
