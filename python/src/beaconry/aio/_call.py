# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Calls that wait, in threads of their own.

The threads of asyncio's executor are few: requests that wait for the clock would occupy them all, so that none could advance it.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, TypeVar

from .. import _waits

Value = TypeVar("Value")


async def call(function: Callable[..., Value], *arguments: Any, **named: Any) -> Value:
    """Calls a function in a thread. If the caller is cancelled, the requests of the function are given up."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Value] = loop.create_future()
    context = contextvars.copy_context()
    context.run(_waits.calls.set, (*_waits.calls.get(), future))

    def settle(value: list[Value], error: BaseException | None) -> None:
        if future.cancelled():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(value[0])

    def work() -> None:
        value, failure = [], None
        try:
            value.append(context.run(function, *arguments, **named))
        except BaseException as error:
            failure = error
        # The loop may be closed.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, value, failure)

    threading.Thread(target=work, daemon=True, name="beaconry call").start()
    try:
        return await future
    except asyncio.CancelledError:
        _waits.abort(future)
        raise


_END = object()


async def follow(function: Callable[..., Iterator[Any]], *arguments: Any, **named: Any) -> AsyncIterator[Any]:
    """The values of an iterator that a function returns, which has begun when this returns."""
    return iterate(await call(function, *arguments, **named))


async def iterate(values: Iterator[Value]) -> AsyncIterator[Value]:
    """The values of an iterator, each of which may wait."""
    while (value := await call(next, values, _END)) is not _END:
        yield value
