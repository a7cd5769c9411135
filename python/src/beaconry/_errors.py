# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The exceptions of the package."""

from __future__ import annotations


class BeaconryError(Exception):
    """The base of all errors of this package but `UnmetExpectation`."""


class ProgramError(BeaconryError):
    """The program is missing, did not start, or has ended."""


class RequestError(BeaconryError):
    """The run has refused a request.

    `exit_code` is that of `beaconry ctl` for the same request: 64 for an unknown name, 65 for a bad value. `code` is its stable
    name (docs/http.md), such as `attribute-refused`, whose error of ATT is `att_error`; None where the run gives none.
    """

    def __init__(self, message: str, exit_code: int, *, code: str | None = None, att_error: int | None = None) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.code = code
        self.att_error = att_error


class CallTimeout(BeaconryError, TimeoutError):
    """A call did not return within its limit of real time; the message has what it waits for."""


class UnmetExpectation(AssertionError):
    """An expected event did not happen within its time limit; the message has the last events."""
