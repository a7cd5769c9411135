# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""With --json, errors are objects on standard output, always of the same form."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from beaconry import Beaconry

GOOD = "profile: shop\nbeacons:\n  - id: door\n    device: ibeacon\n    ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 }\n"
BAD = "profile: shop\nbeacons:\n  - id: door\n    device: ibeacon\n    ibeacon: { uuid: 12, major: 70000 }\n"
VIRTUAL = ("--radio", "virtual", "--hci-server", "none", "--ephemeral", "--json")


def objects(result: subprocess.CompletedProcess[str]) -> list[dict[str, object]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def places(errors: list[dict[str, object]]) -> list[object]:
    return [(each["code"], each["file"], each["line"], each["column"], each["field"]) for each in errors]


def expected(profile: Path) -> list[object]:
    return [
        ("profile-invalid", str(profile), 5, 22, "beacons[0].ibeacon.uuid"),
        ("profile-invalid", str(profile), 5, 33, "beacons[0].ibeacon.major"),
    ]


def test_faults_of_run_are_objects(beaconry: Beaconry) -> None:
    profile = beaconry.profile(BAD)
    result = beaconry.call("run", str(profile), *VIRTUAL)
    assert result.returncode == 65
    errors = objects(result)
    assert places(errors) == expected(profile)
    for error in errors:
        assert (error["v"], error["event"], error["severity"], error["exitCode"]) == (1, "error", "error", 65)
        assert str(profile) not in str(error["message"]) and "beacons[0]" not in str(error["message"]), "the places are fields"
    assert len(result.stderr.splitlines()) == 2, "the text stays on standard error"


def test_other_errors_of_run_are_objects(beaconry: Beaconry) -> None:
    profile = beaconry.profile(GOOD)
    result = beaconry.call("run", str(profile), *VIRTUAL, "--ready-file", str(beaconry.folder / "no" / "ready"))
    assert result.returncode == 73
    [error] = [each for each in objects(result) if each["event"] == "error"]
    assert (error["code"], error["exitCode"]) == ("cannot-create", 73) and error["hint"], error
    missing = beaconry.call("run", str(beaconry.folder / "missing.yaml"), *VIRTUAL)
    [error] = objects(missing)
    assert error["file"] == str(beaconry.folder / "missing.yaml") and "line" not in error and "field" not in error, error
    usage = beaconry.call("run", str(profile), *VIRTUAL, "--seed", "x")
    assert [each["code"] for each in objects(usage)] == ["usage"], usage


def test_faults_of_a_reload_are_objects(beaconry: Beaconry) -> None:
    profile = beaconry.profile(GOOD)
    run = beaconry.run(profile, *VIRTUAL[2:-1], radio="virtual")
    run.wait("ready")
    profile.write_text(BAD)
    result = beaconry.call("ctl", "reload", "--json")
    assert result.returncode == 65
    assert places(objects(result)) == expected(profile)
    assert places(run.wait("reload-failed")["faults"]) == expected(profile)
    unknown = beaconry.call("ctl", "show", "window", "--json")
    assert unknown.returncode == 64 and [each["code"] for each in objects(unknown)] == ["unknown-beacon"], unknown


def test_without_json_nothing_is_added_to_standard_output(beaconry: Beaconry) -> None:
    result = beaconry.call("run", str(beaconry.profile(BAD)), "--radio", "virtual", "--hci-server", "none")
    assert result.returncode == 65 and result.stdout == "" and len(result.stderr.splitlines()) == 2, result
