# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Texts from other sources, with characters that control a terminal or make a text look like another one."""

from __future__ import annotations

import json
import unicodedata

import pytest
from beaconry import Beaconry

HOSTILE = "\u001b]0;pwned\u0007\u009b31m\u202eevil\u2066\u200b\u2028\ufeff"


def unsafe(text: str) -> set[str]:
    """The characters of a text that must not reach a terminal, except line ends."""
    return {
        f"U+{ord(each):04X}" for each in text if each != "\n" and unicodedata.category(each) in ("Cc", "Cf", "Zl", "Zp")
    }


def yaml(text: str) -> str:
    """A text as a YAML string."""
    return '"' + "".join(f"\\U{ord(each):08x}" for each in text) + '"'


NAMED = f"profile: p\nbeacons: [{{ id: b, device: iot-design-shop, name: {yaml(HOSTILE * 3)} }}]\n"


def test_name_that_is_cut_is_printed_safely(beaconry: Beaconry) -> None:
    profile = beaconry.profile(NAMED)
    done = beaconry.call("check", str(profile))
    assert "name-shortened" in done.stdout, done
    assert unsafe(done.stdout + done.stderr) == set()
    assert "pwned" in done.stdout
    objects = beaconry.call("check", str(profile), "--json").stdout
    assert unsafe(objects) == set()
    found = next(each for each in map(json.loads, objects.splitlines()) if each["code"] == "name-shortened")
    assert "\u001b]0;pwned\u0007" in found["message"], "JSON has the whole text, escaped"


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
def test_errors_of_the_control_socket_are_printed_safely(beaconry: Beaconry, options: list[str]) -> None:
    run = beaconry.run(beaconry.profile(NAMED), "--hci-server", "none", "--ephemeral", radio="virtual")
    run.wait("ready")
    for command in (["show", HOSTILE], ["set", "b", f"{HOSTILE}=1"], ["set", "b", f"minor={HOSTILE}"], ["list"], ["show", "b"]):
        done = beaconry.call("ctl", *command, *options)
        assert command == ["list"] or "pwned" in done.stdout + done.stderr, done
        assert unsafe(done.stdout + done.stderr) == set(), (command, done)
    assert run.end() == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", f"{HOSTILE}.yaml"], [HOSTILE], ["scan", f"--{HOSTILE}"], ["decode", f"{HOSTILE}.txt"], ["scan", "--radio", HOSTILE],
        ["encode", "ibeacon", "--uuid", HOSTILE], ["monitor", "remove", HOSTILE], ["reset", f"p/{HOSTILE}"],
    ],
    ids=lambda arguments: " ".join(arguments).encode("ascii", "replace").decode()[:20],
)  # fmt: skip
def test_arguments_are_printed_safely(beaconry: Beaconry, arguments: list[str]) -> None:
    done = beaconry.call(*arguments)
    assert "pwned" in done.stdout + done.stderr, done
    assert unsafe(done.stdout + done.stderr) == set(), done
