# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Requests that wait, and calls during which time passes."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from devices import LOCK, ABSENT, UUID

from beaconry import Air, CallTimeout, ProgramError, RequestError, aio


@pytest.fixture
def virtual() -> Any:
    with Air(time="virtual", seed=7) as air:
        yield air


def begin(function: Callable[[], object]) -> tuple[threading.Thread, list[object]]:
    """Calls a function in a thread; the list gets what it returns or raises."""
    outcome: list[object] = []

    def work() -> None:
        try:
            outcome.append(function())
        except Exception as error:
            outcome.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    return thread, outcome


def wait_for_waits(air: Air, count: int) -> None:
    """Waits until this number of requests have no answer."""
    waits = air._connection.waits
    with waits.changed:
        assert waits.changed.wait_for(lambda: len(waits.present) == count, 300)


def test_requests_that_wait_delay_no_other(virtual: Air) -> None:
    virtual.beacon("lock", **LOCK)
    for number in range(12):
        virtual.phone(f"phone-{number}")
    started = [begin(lambda name=f"phone-{number}": virtual.client.connect_device(name, ABSENT)) for number in range(12)]  # type: ignore[misc]
    wait_for_waits(virtual, 12)
    assert virtual.client.show_clock()["elapsed"] == 0
    virtual.clock.advance("11s")
    for thread, outcome in started:
        thread.join(300)
        assert isinstance(outcome[0], RequestError) and "did not answer in time" in str(outcome[0])


def test_timeouts_of_a_connection_take_no_time(virtual: Air) -> None:
    phone = virtual.phone("phone")

    def app() -> int:
        tries = 0
        while tries < 3:
            tries += 1
            try:
                virtual.client.connect_device("phone", ABSENT, timeout="20s")
            except RequestError:
                continue
        return tries

    assert virtual.run(app) == 3
    assert 60 <= virtual.clock.elapsed < 65
    assert phone.connections == []


def test_a_call_has_arguments_a_value_and_errors(air: Air, virtual: Air) -> None:
    for each in (air, virtual):
        assert each.run(divmod, 7, 2) == (3, 1)
        with pytest.raises(ZeroDivisionError):
            each.run(lambda: 1 // 0)
        with pytest.raises(TypeError, match="use run of beaconry.aio.Air"):
            _ = each.run(asyncio.sleep, 0)


def test_what_a_call_computes_takes_no_time_of_the_run(virtual: Air, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("beaconry._clock.LONG_REST", 60)
    elapsed = virtual.run(lambda: [virtual.clock.elapsed for _ in range(20)])
    assert elapsed == [0] * 20


def test_what_follows_an_answer_begins_at_the_end_of_a_step(virtual: Air) -> None:
    """An answer comes in the middle of a step, while the clock of the run still advances."""
    lock = virtual.beacon("lock", **LOCK)
    phone = virtual.phone("phone")

    def app() -> list[float]:
        times = []
        with phone.connect(lock) as connection:
            for _ in range(20):
                connection.read("FFF1")
                times.append(virtual.clock.elapsed)
        return times

    times = virtual.run(app)
    assert times == [round(each, 1) for each in times] and len(set(times)) == 20


def test_a_call_within_a_call_and_an_expectation_within_it(virtual: Air) -> None:
    lock = virtual.beacon("lock", **LOCK)
    phone = virtual.phone("phone")

    def app() -> Any:
        with phone.connect(lock) as connection:
            connection.write("FFF1", b"open")
            virtual.clock.advance("1s")
            lock.mute("2s")
            return virtual.journal.expect("unmuted", beacon=lock)["time"]

    assert virtual.run(app).startswith("2026-01-01T00:00:0")
    assert 3 <= virtual.clock.elapsed < 5


def test_a_call_that_waits_for_something_else_sees_time_pass(virtual: Air) -> None:
    """It waits for what another thread does when the run is later than now."""
    later = threading.Event()

    def watch() -> None:
        while virtual.clock.elapsed < 1:
            pass
        later.set()

    thread, _ = begin(watch)
    assert virtual.run(later.wait, 300)
    thread.join(300)


def test_a_call_that_asks_again_and_again_sees_time_pass(virtual: Air) -> None:
    def app() -> bool:
        while virtual.clock.elapsed < 1:
            pass
        return True

    assert virtual.run(app)


def test_a_call_that_does_not_return_is_reported(air: Air, virtual: Air) -> None:
    ended = threading.Event()
    for each in (air, virtual):
        with pytest.raises(CallTimeout, match=r"within 10ms of real time; it waits for no answer of the run, and is at .*test_run\.py:\d+"):
            each.run(lambda: ended.wait(), limit="10ms")
    ended.set()
    air.phone("phone")
    with pytest.raises(CallTimeout, match=f"still without an answer: PUT /v1/receivers/phone/connections/{ABSENT}"):
        air.run(air.client.connect_device, "phone", ABSENT, limit="200ms")
    wait_for_waits(air, 0)


@pytest.mark.parametrize("kind", ["wall", "virtual"])
def test_an_air_is_closed_while_requests_wait(kind: Any) -> None:
    air = Air(time=kind)
    air.phone("phone")
    thread, outcome = begin(lambda: air.client.connect_device("phone", ABSENT, timeout="60s"))
    stream = air.client.ranging("phone")
    follower, followed = begin(lambda: list(stream))
    wait_for_waits(air, 2)
    air.close()
    thread.join(300)
    follower.join(300)
    assert isinstance(outcome[0], ProgramError) and "the run has ended before it answered PUT" in str(outcome[0])
    assert isinstance(followed[0], list)


def test_a_call_ends_with_the_run(virtual: Air) -> None:
    virtual.phone("phone")

    def app() -> None:
        virtual.client.stop()
        virtual.client.connect_device("phone", ABSENT, timeout="60s")

    with pytest.raises(ProgramError):
        virtual.run(app)
    virtual._process.wait(300)


def test_a_stream_begins_with_the_call(virtual: Air) -> None:
    """Nothing is missed between the call and the first value that is read."""
    phone = virtual.phone("phone")
    phone.monitor("shop", uuid=UUID)
    changes = virtual.client.monitoring("phone")
    virtual.beacon("door", ibeacon=(UUID, 1, 7))
    virtual.clock.advance("1s")
    assert [next(changes)["state"], next(changes)["state"]] == ["unknown", "inside"]


def test_a_request_that_waits_for_a_clock_that_stands_still_has_a_hint(virtual: Air, monkeypatch: pytest.MonkeyPatch) -> None:
    virtual.phone("phone")
    monkeypatch.setattr("beaconry._connection.ANSWER", 0.2)
    with pytest.raises(ProgramError, match=r"timed out; its clock stands still: make the request in run\(...\), or advance the clock"):
        virtual.client.connect_device("phone", ABSENT)


# asyncio


def test_coroutines_wait_side_by_side() -> None:
    async def scenario() -> None:
        async with aio.Air(time="virtual", seed=7) as air:
            phones = [await air.phone(f"phone-{number}") for number in range(40)]
            tries = [asyncio.create_task(phone.connect(ABSENT, timeout="10s")) for phone in phones]
            for outcome in await asyncio.gather(*tries, return_exceptions=True):
                assert isinstance(outcome, RequestError)
            waits = [asyncio.create_task(air.client.connect_device(phone.name, ABSENT)) for phone in phones]
            await asyncio.to_thread(wait_for_waits, air._air, 40)
            await air.clock.advance("11s")
            for outcome in await asyncio.gather(*waits, return_exceptions=True):
                assert isinstance(outcome, RequestError)

    asyncio.run(scenario())


def test_run_awaits_a_coroutine_or_calls_its_function() -> None:
    async def scenario() -> None:
        async with aio.Air(time="virtual", seed=7) as air:
            await air.beacon("lock", **LOCK)
            await air.phone("phone")

            async def app(name: str) -> int:
                await air.client.connect_device("phone", name)
                await asyncio.gather(*(air.client.read_characteristic("phone", name, "FFF1") for _ in range(5)))
                return 5

            assert await air.run(app, "lock") == 5
            assert await air.run(app("lock")) == 5
            with pytest.raises(ZeroDivisionError):
                await air.run(fail())
            with pytest.raises(TypeError, match="run awaits a coroutine"):
                await air.run(lambda: 1)  # type: ignore[arg-type, return-value]
            with pytest.raises(CallTimeout, match="did not end within 10ms of real time"):
                await air.run(asyncio.Event().wait(), limit="10ms")
            assert await air.run(air.run(app("lock"))) == 5

    asyncio.run(scenario())


async def fail() -> None:
    raise ZeroDivisionError


def test_a_cancelled_coroutine_gives_its_request_up() -> None:
    async def scenario() -> None:
        async with aio.Air() as air:
            phone = await air.phone("phone")
            waiting = asyncio.create_task(phone.connect(ABSENT, timeout="60s"))
            await asyncio.to_thread(wait_for_waits, air._air, 1)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            await asyncio.to_thread(wait_for_waits, air._air, 0)

    asyncio.run(scenario())


def test_an_air_of_asyncio_is_closed_while_requests_wait() -> None:
    async def scenario() -> None:
        async with aio.Air(time="virtual") as air:
            await air.phone("phone")
            waiting = [asyncio.create_task(air.client.connect_device("phone", ABSENT, timeout="60s")) for _ in range(3)]
            await asyncio.to_thread(wait_for_waits, air._air, 3)
            before = time.monotonic()
        assert time.monotonic() - before < 20, "the limit after which a run is killed"
        for outcome in await asyncio.gather(*waiting, return_exceptions=True):
            assert isinstance(outcome, ProgramError)

    asyncio.run(scenario())
