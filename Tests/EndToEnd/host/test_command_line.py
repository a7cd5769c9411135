# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The command line on any machine; none of these tests needs a radio."""

from __future__ import annotations

import errno
import json
import os
import re
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest

CHECKOUT = Path(__file__).resolve().parents[3]
BINARY = os.environ.get("BEACONRY_BINARY") or str(CHECKOUT / ".build" / "debug" / "beaconry")
PROFILE = str(CHECKOUT / "profiles" / "iot-design-shop.yaml")

VECTORS = [
    ("0201061aff4c0002154142434445464748494041424344454600010002f8", "41424344-4546-4748-4940-414243444546", 1, 2, -8, "0x06"),
    ("02011a1aff4c000215e2c56db5dffb48d2b060d0f5a71096e000640000c5", "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", 100, 0, -59, "0x1a"),
    ("02011a1aff4c000215f7826da64fa24e988024bc5b71e0893e00aa00bbb3", "F7826DA6-4FA2-4E98-8024-BC5B71E0893E", 170, 187, -77, "0x1a"),
    ("02011a1aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010001e3", "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", 1, 1, -29, "0x1a"),
    ("02011a1aff4c00021583256b7478d043a4826905f9dc8a44ba00100020c6", "83256B74-78D0-43A4-8269-05F9DC8A44BA", 16, 32, -58, "0x1a"),
    ("0201041aff4c00021518ee1516016b4becad96bcb96d166e9700000000c8", "18EE1516-016B-4BEC-AD96-BCB96D166E97", 0, 0, -56, "0x04"),
    ("02011a1aff4c000215e2c56db5dffb48d2b060d0f5a71096e000000000c5", "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", 0, 0, -59, "0x1a"),
    ("1aff4c000215b9407f30f5f8466eaff925556b57fe6d294c903974", "B9407F30-F5F8-466E-AFF9-25556B57FE6D", 0x294C, 0x9039, 116, "none"),
]  # fmt: skip


def beaconry(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BINARY, *arguments], env={**os.environ, **environment}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("hex_bytes,uuid,major,minor,power,flags", VECTORS)
def test_ibeacon_vectors_are_encoded_and_decoded(
    hex_bytes: str, uuid: str, major: int, minor: int, power: int, flags: str
) -> None:
    encoded = beaconry(
        "encode", "ibeacon", "--uuid", uuid, "--major", str(major), "--minor", str(minor), "--measured-power", str(power),
        "--flags", flags,
    )  # fmt: skip
    assert (encoded.returncode, encoded.stdout) == (0, hex_bytes + "\n")
    decoded = json.loads(beaconry("decode", hex_bytes, "--json").stdout)
    assert decoded["frames"] == [
        {"format": "ibeacon", "uuid": uuid, "major": major, "minor": minor, "measuredPower": power}
    ]
    names = [each["name"] for each in decoded["structures"]]
    assert names == (["flags"] if flags != "none" else []) + ["manufacturer-specific"]
    if flags != "none":
        assert decoded["structures"][0] == {"type": 1, "name": "flags", "data": flags[2:]}


@pytest.mark.parametrize(
    "hex_bytes,frame",
    [
        (
            "02011a1bff1801beac2f234454cf6d4a0fadf2f4911ba9ffa600010002c509",
            {
                "format": "altbeacon", "company": 0x118, "id1": "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6", "id2": 1, "id3": 2,
                "measuredPower": -59, "manufacturerReserved": 9,
            },
        ),
        (
            "0201060303aafe1716aafe00e3123456789012346789010000000000010000",
            {
                "format": "eddystone-uid", "namespace": "12345678901234678901", "instance": "000000000001",
                "powerAt0m": -29,
            },
        ),
        (
            "0303aafe1316aafe10f8036769746875620063697472757a",
            {
                "format": "eddystone-url", "url": "https://github.com/citruz", "powerAt0m": -8,
                "encodedURL": "036769746875620063697472757a",
            },
        ),
        ("0816aafe10f8030e61", {"format": "eddystone-url", "powerAt0m": -8, "encodedURL": "030e61"}),
        (
            "0201060303aafe1116aafe20000b18130000001467002ac4e4",
            {
                "format": "eddystone-tlm", "batteryMillivolts": 2840, "temperature": 19, "advertisements": 5223,
                "uptimeSeconds": 280291.6,
            },
        ),
        (
            "1116aafe2000000080000000000000000000",
            {"format": "eddystone-tlm", "advertisements": 0, "uptimeSeconds": 0},
        ),
        (
            "1516aafe2001d5d89979ae79ebee4e385fa5f6830efb",
            {
                "format": "eddystone-etlm", "ciphertext": "d5d89979ae79ebee4e385fa5", "salt": "f683",
                "integrityCheck": "0efb",
            },
        ),
        (
            "0201060303aafe0d16aafe30e34549445f74657374",
            {"format": "eddystone-eid", "ephemeralIdentifier": "4549445f74657374", "powerAt0m": -29},
        ),
    ],
)  # fmt: skip
def test_other_beacon_formats_are_decoded(hex_bytes: str, frame: dict[str, object]) -> None:
    result = beaconry("decode", hex_bytes, "--json")
    assert (result.returncode, json.loads(result.stdout)["frames"]) == (0, [frame])
    words = beaconry("decode", hex_bytes).stdout
    assert words.startswith(str(frame["format"]) + " ")


@pytest.mark.parametrize(("kind", "name"), [("00", "public"), ("01", "random"), ("03", "random"), ("ff", "anonymous")])
def test_address_types_of_reports_are_named(kind: str, name: str) -> None:
    event = f"043e1d0d010000{kind}0000000000000101007fc500000000000000000003020106"
    report = json.loads(beaconry("decode", event, "--json").stdout)
    assert (report["addressType"], report["rssi"], report["pdu"]) == (name, -59, "ADV_EXT_IND")


def test_decode_prints_valid_structures_before_an_error() -> None:
    result = beaconry("decode", "0201061aff4c00", "--json")
    assert result.returncode == 65
    read, error = map(json.loads, result.stdout.splitlines())
    assert read["structures"] == [{"type": 1, "name": "flags", "data": "06"}]
    assert "byte 4" in result.stderr and "byte 4" in error["message"]


@pytest.mark.parametrize(
    "arguments,code,words",
    [
        (("decode", "02010"), 65, '"02010" has 5 hexadecimal digits; write two for each byte, such as 020106'),
        (("decode", "nope"), 65, '"nope" is neither hexadecimal digits nor an existing file; write digits such as 020106, or the '),
        (("decode", PROFILE), 65, " is not a capture; btmon -w FILE and beaconry run --capture FILE write btsnoop files, and tcpdump and Wireshark "),
        (("plot", "nope"), 65, "nope: there is no such file; beaconry record FILE makes a recording"),
        (("clone", "nope", "x.yaml"), 65, "nope: there is no such file; beaconry record FILE makes a recording"),
        (("run", "--radio", PROFILE), 64, 'iot-design-shop.yaml" is not a radio; write auto, '),
        (("encode", "ibeacon", "--uuid", "E2C5"), 64, '--uuid: "E2C5" is not a UUID'),
        (("encode", "ibeacon", "--uuid", "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "--major", "65536"), 64, "--major"),
        (("encode", "ibeacon", "--uuid", "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "--measured-power", "200"), 64, "--measured"),
        (("encode", "ibeacon"), 64, "--uuid"),
        (("check", PROFILE, "--assume", "ax2100"), 64, 'no known adapter "ax2100"; did you mean "ax200"? adapters are legacy, '),
        (("doctor", "--for", "0s"), 64, "--for: 0s is out of range: write 1s to 10m"),
        (("doctor", "--radio", "nope"), 64, '"nope" is not a radio'),
        (("doctor", "--trial", PROFILE), 73, "already exists; --force replaces it"),
        (("fly",), 64, 'there is no command "beaconry fly"; commands are demo, init, run, '),
        (("rnu", PROFILE), 64, 'there is no command "beaconry rnu"; did you mean "run"? commands are demo, init, run, '),
        (("ctl", "add", "--control", "x"), 64, 'there is no command "beaconry ctl add"; commands are list, '),
        (("ctl", "shwo", "x"), 64, 'did you mean "show"?'),
        (("advertise", "eddystone", "--url", "x"), 64, 'no command "beaconry advertise eddystone"; commands are ibeacon'),
        (("version",), 64, 'there is no command "version"; write beaconry --version'),
        (("-v",), 64, 'there is no option "-v"; write beaconry --version'),
        (("help", "foo"), 64, 'there is no command "beaconry foo"'),
        (("help", "ctl", "foo"), 64, 'there is no command "beaconry ctl foo"'),
        (("scan", "--raido", "virtual"), 64, "Unknown option '--raido'. Did you mean '--radio'?"),
        (("scan", "--quiet"), 64, "Unknown option '--quiet'.\n"),
        (("run",), 64, "profiles"),
        (("run", "nowhere.yaml"), 65, "nowhere.yaml: error: there is no such file"),
        (("run", PROFILE, "--ephemeral", "--state", "x"), 64, "--ephemeral and --state exclude each other"),
        (("run", PROFILE, "--duration", "long", "--ephemeral"), 64, "--duration"),
            (("run", PROFILE, "--state", "/dev/null/state"), 73, "another state folder"),
        (("run", PROFILE, "--seed", "-1", "--ephemeral"), 64, '--seed: "-1" is not a whole number from 0'),
        (("run", PROFILE, "--path-loss", "-1", "--ephemeral"), 64, '--path-loss: "-1" is not a number from 0 to 10'),
        (("run", PROFILE, "--rssi-noise", "-1", "--ephemeral"), 64, "--rssi-noise: "),
        (("manage", "list", "--retry", "-1"), 64, "--retry"),
        (("monitor", "list", "--max-regions", "0"), 64, "--max-regions"),
        (("advertise", "ibeacon", "--uuid", "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "--pdu", "ADV"), 64, "--pdu"),
        (("reset", "../x"), 64, "write PROFILE/ID"),
        (("reset", "nosuch/beacon"), 64, "nothing was ever saved for nosuch/beacon in "),
        (("reset", "nosuch"), 64, "nothing was ever saved for nosuch in "),
        (("reset", "--phone", "nosuch"), 64, "nothing was ever saved for nosuch in "),
        (("ctl", "list", "--control", "/nowhere.sock"), 74, "no beaconry listens at /nowhere.sock"),
    ],
)
def test_errors_are_one_sentence_with_the_right_code(
    arguments: tuple[str, ...], code: int, words: str, tmp_path: Path
) -> None:
    result = beaconry(*arguments, XDG_RUNTIME_DIR=str(tmp_path), XDG_STATE_HOME=str(tmp_path))
    assert result.returncode == code, result
    assert words in result.stderr
    assert "Fatal" not in result.stderr and "Stack" not in result.stderr


def test_beacon_that_was_reset_can_be_reset_again(tmp_path: Path) -> None:
    kept = tmp_path / "state" / "shop"
    kept.mkdir(parents=True)
    (kept / "door.json").write_text("{}")
    for expected in ("shop/door: reset to its profile's values\n", "shop/door: nothing was saved\n"):
        result = beaconry("reset", "shop/door", "--state", str(tmp_path / "state"))
        assert (result.returncode, result.stdout) == (0, expected), result
    (kept / "door.json").write_text("{}")
    result = beaconry("reset", "shop/door", "shop/dor", "--state", str(tmp_path / "state"))
    assert result.returncode == 64 and 'did you mean "shop/door"?' in result.stderr
    assert result.stdout == "" and (kept / "door.json").exists(), "nothing is reset if one name is wrong"


def test_version_has_name_commit_and_compiler() -> None:
    result = beaconry("--version")
    assert result.returncode == 0
    assert re.fullmatch(r"beaconry \d+\.\d+\.\d+ \(commit ([0-9a-f]{7,12}|unknown), Swift \d+\.\d+\)\n", result.stdout), result


@pytest.mark.parametrize(
    "arguments,code",
    [
        (("check", "bad.yaml"), "profile-invalid"), (("encode", "ibeacon", "--uuid", "E2C5"), "usage"), (("scan", "--quiet"), "usage"),
        (("decode", "zz"), "invalid"), (("reset", "nosuch/beacon"), "usage"), (("fly",), "usage"),
        (("scan", "--radio", "tcp-client:127.0.0.1:1"), "no-adapter"), (("clone", "nosuch.jsonl", "x.yaml"), "invalid"),
    ],
)  # fmt: skip
def test_errors_are_json_too(tmp_path: Path, arguments: tuple[str, ...], code: str) -> None:
    (tmp_path / "bad.yaml").write_text("profile: shop\nbeacons: {}\n")
    arguments = tuple(str(tmp_path / each) if each == "bad.yaml" else each for each in arguments)
    result = beaconry(*arguments, "--json", XDG_STATE_HOME=str(tmp_path))
    error = json.loads(result.stdout.splitlines()[-1])
    assert (error["v"], error["event"], error["code"], error["exitCode"]) == (1, "error", code, result.returncode), result
    assert error["message"]
    if code == "profile-invalid":
        assert (error["file"], error["line"], error["field"]) == (str(tmp_path / "bad.yaml"), 2, "beacons")


def test_help_shows_defaults_and_groups() -> None:
    help = beaconry("help").stdout
    order = ["BEACONS SUBCOMMANDS:", "  run ", "PHONE'S SIDE SUBCOMMANDS:", "  scan ", "TOOLS SUBCOMMANDS:", "  decode "]
    assert [help.index(each) for each in order] == sorted(help.index(each) for each in order)
    help = " ".join(beaconry("run", "--help").stdout.split())
    for default in (
        "(default: auto)", "(default: tcp:127.0.0.1:6402)", "(default: spec)", "else 2.0)", "else 0.0)",
        "else ~/.local/state/beaconry)", "(default: run until Ctrl-C)",
    ):  # fmt: skip
        assert default in help, default


def test_help_with_a_command_prints_its_help() -> None:
    for arguments in (("help",), ("help", "ctl", "list"), ("ctl", "list", "--help"), ()):
        result = beaconry(*arguments)
        assert (result.returncode, result.stderr) == (0, "") and "USAGE" in result.stdout, arguments


def test_misspellings_in_profiles_are_reported(tmp_path: Path) -> None:
    profile = tmp_path / "bad.yaml"
    profile.write_text(
        "profile: shop\nbeacons:\n"
        "  - { id: a, device: iBeacon }\n"
        "  - { id: b, device: ibeacon, uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, txpower: 0dBm }\n"
        "  - { id: c, device: gatt, services: [{ uuid: 180F, characteristics: [{ uuid: 2A19, properties: read }] }] }\n"
        "  - { id: d, device: gatt, services: [{ uuid: 180F, characteristics: [{ uuid: 2A19, properties: [raed] }] }] }\n"
    )
    result = beaconry("check", str(profile))
    assert result.returncode == 65
    for words in (
        'there is no device "iBeacon"; did you mean "ibeacon"? devices are ibeacon, ',
        '"uuid" belongs under ibeacon: write ibeacon: { uuid: … }',
        'there is no key "txpower" here; did you mean "tx-power"? keys are ',
        "a list is expected here; write [read]",
        'there is no property "raed"; did you mean "read"? properties are ',
    ):
        assert words in result.stderr, result.stderr


def test_port_in_use_is_reported_in_one_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        result = beaconry(
            "run", PROFILE, "--radio", "virtual", "--hci-server", f"tcp:{place}", "--ephemeral", XDG_RUNTIME_DIR=str(tmp_path)
        )
    assert result.returncode == 73, result
    assert f"cannot listen on {place} for other hosts: Address already in use (EADDRINUSE); " in result.stderr
    assert "bind(" not in result.stderr


def test_mistakes_of_a_profile_are_reported(tmp_path: Path) -> None:
    profile = tmp_path / "bad.yaml"
    profile.write_text("profile: shop\nbeacons:\n  - id: door\n    device: ibeacon\n    ibeacon: { uuid: 12, major: 70000 }\n")
    for command in ("run", "check"):
        result = beaconry(command, str(profile))
        assert result.returncode == 65
        first, second = result.stderr.splitlines()
        assert first.startswith(f'{profile}:5:22: error: beacons[0].ibeacon.uuid: "12" is not a UUID')
        assert second.startswith(f"{profile}:5:33: error: beacons[0].ibeacon.major:")
    profile.write_text("profile: [\n")
    assert "this is not YAML" in beaconry("check", str(profile)).stderr


def test_check_of_no_beacons(tmp_path: Path) -> None:
    profile = tmp_path / "empty.yaml"
    profile.write_text("profile: empty\nbeacons: []\n")
    result = beaconry("check", str(profile))
    assert (result.returncode, result.stdout) == (0, "0 beacons: no problems found\n")


def test_only_some_beacons_are_checked_and_run(tmp_path: Path) -> None:
    profile = tmp_path / "museum.yaml"
    head = "profile: museum\ndefaults: { device: ibeacon, ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1 } }\nbeacons:\n"
    rooms = "".join(f"  - {{ id: 'room-{room}-{{n}}', count: 5, ibeacon: {{ minor: {room}1..{room}5 }} }}\n" for room in range(1, 5))
    profile.write_text(head + rooms)
    for patterns, count in ((["room-3-*"], 5), (["room-3-*", "room-[12]-1"], 7), (["museum/*-5"], 4)):
        options = [option for pattern in patterns for option in ("--only", pattern)]
        assert beaconry("check", str(profile), *options).stdout.startswith(f"{count} beacons"), patterns
        run = beaconry(
            "run", str(profile), "--radio", "virtual", "--hci-server", "none", "--ephemeral", "--duration", "1s", "--rate", "max", "--json",
            *options, XDG_RUNTIME_DIR=str(tmp_path),
        )  # fmt: skip
        ready = [event for event in map(json.loads, run.stdout.splitlines()) if event["event"] == "ready"]
        assert (run.returncode, ready[0]["beacons"]) == (0, count), run
    for command in (("check", str(profile)), ("run", str(profile), "--radio", "virtual", "--ephemeral")):
        refused = beaconry(*command, "--only", "room-5-*", XDG_RUNTIME_DIR=str(tmp_path))
        assert refused.returncode == 64
        assert refused.stderr.startswith('beaconry: --only: no beacon matches "room-5-*"; beacons are room-1-1, room-1-2, ')
        assert refused.stderr.endswith(" and 10 more\n")


def test_helps_have_no_runs_of_spaces() -> None:
    def texts(node: dict[str, Any]) -> list[str]:
        parts = [node, *node.get("arguments", [])]
        own = [str(part.get(key) or "") for part in parts for key in ("abstract", "discussion")]
        return own + [text for each in node.get("subcommands", []) for text in texts(each)]

    found = texts(json.loads(beaconry("--experimental-dump-help").stdout)["command"])
    assert len(found) > 1000 and [text for text in found if re.search(r"\S  +\S", text)] == []


def gatt(count: int) -> str:
    """A device with this number of characteristics."""
    each = ", ".join(f"{{ uuid: {0x3000 + number:04X}, properties: [read], value: '00' }}" for number in range(count))
    return f"device: gatt, services: [{{ uuid: 180F, characteristics: [{each}] }}]"


# What a profile of 40 kB would take without a limit: gigabytes.
LARGE = {
    "characteristics": f"""  - {{ id: "d{{n}}", count: 10000, {gatt(800)} }}""",
    "through": "  - { id: a, count: 10000, device: ibeacon, ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 }, path: { speed: 1m/s, "
    f"through: [{', '.join(f'[{number}, 1]' for number in range(1000))}] }} }}",
    "points": "  - { id: a, count: 10000, device: gatt, services: [{ uuid: 181A, characteristics: [{ uuid: 2A6E, properties: [read], "
    f"type: sint16, trace: {{ points: [{', '.join(f'[{number}s, 1]' for number in range(2000))}] }} }}] }}] }}",
    "services": "\n".join(f"  - {{ id: d{number} }}" for number in range(3000)),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", LARGE)
def test_profile_that_is_too_large_is_refused_before_it_is_built(tmp_path: Path, kind: str) -> None:
    profile = tmp_path / "large.yaml"
    defaults = f"defaults: {{ {gatt(800)} }}\n" if kind == "services" else ""
    profile.write_text(f"profile: large\n{defaults}beacons:\n{LARGE[kind]}\n")
    for command in (("check",), ("run", "--radio", "virtual", "--ephemeral")):
        # 1 GB of address space: without the limit, this profile takes several.
        result = subprocess.run(
            ["bash", "-c", 'ulimit -v 1000000; exec "$0" "$@"', BINARY, *command, str(profile)],
            capture_output=True, text=True, env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}, timeout=300, check=False,
        )  # fmt: skip
        assert result.returncode == 65, result.stderr[-2000:]
        assert re.search(r" values in all, [0-9,]+ of them in \w+; a profile has at most 2,000,000; write a smaller count", result.stderr)
        assert len(result.stderr.splitlines()) == 1


def test_copies_share_a_track(tmp_path: Path) -> None:
    """Each file is read once: 2,000 copies with a track of 20,000 points would otherwise take gigabytes and minutes."""
    rows = "".join(f"{number},{number % 100},1\n" for number in range(20_000))
    (tmp_path / "walk.csv").write_text("t,x,y\n" + rows)
    head = "profile: walk\ndefaults: { device: ibeacon, ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 } }\nbeacons:\n"
    profile = tmp_path / "walk.yaml"
    profile.write_text(head + "  - { id: a, count: 2000, track: walk.csv }\n")
    result = subprocess.run(
        ["bash", "-c", 'ulimit -v 1000000; exec "$0" check "$1"', BINARY, str(profile)], capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert result.returncode in (0, 1) and "error: " not in result.stderr, result


def test_check_accepts_phones(tmp_path: Path) -> None:
    phone = tmp_path / "phone.yaml"
    phone.write_text("phone: a\nnotifications: [{ id: x, category: other }]\n")
    result = beaconry("check", str(phone), PROFILE)
    assert result.returncode == 0 and "phone.yaml" not in result.stdout + result.stderr, result
    assert beaconry("check", str(phone)).stdout == "1 phone: no problems found\n"
    refused = beaconry("run", str(phone))
    assert refused.returncode == 65
    hint = "run it with beaconry phone, or check it with beaconry check"
    assert refused.stderr == f"{phone}:1:1: error: this is a phone's profile, not a profile; {hint}\n"
    phone.write_text("phone: a\nnotifications: [{ id: x, category: bell }]\nchanges: [{ at: 1s, id: x }]\n")
    for command in ("check", "phone"):
        result = beaconry(command, str(phone))
        assert result.returncode == 65 and result.stderr.startswith(f"{phone}:2:36: error: notifications[0].category:"), result
        assert len(result.stderr.splitlines()) == 1


def kernel_has_bluetooth() -> bool:
    try:
        socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW | socket.SOCK_CLOEXEC, socket.BTPROTO_HCI).close()
    except OSError as error:
        return error.errno != errno.EAFNOSUPPORT
    return True


def test_missing_bluetooth_is_reported(tmp_path: Path) -> None:
    nowhere = {"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere", "XDG_RUNTIME_DIR": str(tmp_path)}
    result = beaconry("run", PROFILE, "--radio", "bluez", "--ephemeral", **nowhere)
    assert result.returncode == 69
    reason = "the system bus cannot be used" if kernel_has_bluetooth() else "kernel has no Bluetooth; load the module, or use --radio virtual"
    assert reason in result.stderr and len(result.stderr.splitlines()) == 1, result.stderr


def test_radios_always_has_the_virtual_air() -> None:
    result = beaconry("radios", "--json")
    assert '"virtual"' in result.stdout
    if not kernel_has_bluetooth():
        assert result.returncode == 0 and "no Bluetooth" in result.stderr


def test_every_command_has_help_with_an_example() -> None:
    def commands(node: dict[str, Any], path: list[str]) -> dict[tuple[str, ...], str]:
        below = [each for each in node.get("subcommands", []) if each["commandName"] != "help"]
        found = {tuple(path): node.get("discussion", "")}
        for each in below:
            found |= commands(each, [*path, each["commandName"]])
        return found

    every = commands(json.loads(beaconry("--experimental-dump-help").stdout)["command"], [])
    assert len(every) > 40 and [command for command, text in every.items() if "Example: beaconry" not in text] == []
    for command in ((), ("run",), ("ctl", "set")):
        result = beaconry(*command, "--help")
        assert result.returncode == 0 and "Example: beaconry" in result.stdout, command


@pytest.mark.parametrize(
    ("adapter", "fitting", "codes"),
    [
        ("bluetooth-4", 5, {"cannot-carry", "interval-forced", "time-shared"}),
        ("raspberry-pi-4", 5, {"cannot-carry", "interval-forced", "time-shared"}),
        ("raspberry-pi-zero-2w", 5, {"cannot-carry", "interval-forced", "time-shared"}),
        ("csr8510", 5, {"cannot-carry", "interval-forced", "time-shared"}),
        ("legacy", 5, {"cannot-carry", "interval-forced", "time-shared"}),
        ("raspberry-pi-3plus", 5, {"cannot-carry", "interval-forced", "time-shared"}),
        ("ax200", 6, set()), ("rtl8761", 4, {"cannot-carry"}), ("mt7921", 6, set()), ("rtl8852", 6, {"sets-unknown"}),
    ],
)  # fmt: skip
def test_check_assumes_an_adapter(tmp_path: Path, adapter: str, fitting: int, codes: set[str]) -> None:
    profile = tmp_path / "shelves.yaml"
    profile.write_text(
        "profile: shelves\ndefaults: { device: ibeacon, ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 } }\n"
        "beacons: [{ id: shelf, count: 6, ibeacon: { minor: 1..6 } }]\n"
    )
    result = beaconry("check", str(profile), "--assume", adapter, "--json")
    assert result.returncode == (1 if "cannot-carry" in codes else 0)
    fit, *findings = [json.loads(line) for line in result.stdout.splitlines()]
    assert fit == {"v": 1, "radio": adapter, "beacons": 6, "fitting": fitting}
    assert {finding["code"] for finding in findings} == codes
    both = beaconry("check", str(profile), "--assume", adapter, "--radio", "virtual")
    assert both.returncode == 64 and "exclude each other" in both.stderr


def test_check_compares_the_power_with_the_range_of_an_assumed_adapter(tmp_path: Path) -> None:
    profile = tmp_path / "loud.yaml"
    profile.write_text(
        "profile: loud\nbeacons:\n"
        "  - { id: a, device: ibeacon, tx-power: 10dBm, ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 } }\n"
    )
    _, finding = map(json.loads, beaconry("check", str(profile), "--assume", "ax200", "--json").stdout.splitlines())
    assert finding["code"] == "tx-power-changed" and "-34 to 7 dBm: 7 dBm instead" in finding["message"]
    assert len(beaconry("check", str(profile), "--assume", "mt7921", "--json").stdout.splitlines()) == 1


def test_doctor_without_bluetooth_reports_it() -> None:
    if kernel_has_bluetooth():
        pytest.skip("this kernel has Bluetooth: Tests/EndToEnd/bluez tests it with adapters")
    result = beaconry("doctor", "--json", DBUS_SYSTEM_BUS_ADDRESS="unix:path=/nowhere")
    findings = [json.loads(line) for line in result.stdout.splitlines()]
    problems = [each["check"] for each in findings if each.get("result") == "problem"]
    # Without kernel or bluetoothd there is no adapter to look for.
    assert (result.returncode, problems) == (1, ["kernel", "bluetoothd"])
    assert findings[-1]["event"] == "diagnosis" and findings[-1]["problems"] == 2
    text = beaconry("doctor", DBUS_SYSTEM_BUS_ADDRESS="unix:path=/nowhere").stdout
    assert text.startswith("problem  kernel ") and "Fix: sudo systemctl start dbus bluetooth" in text


def test_check_reports_problems_of_receivers(tmp_path: Path) -> None:
    profile = tmp_path / "odd.yaml"
    profile.write_text(
        "profile: odd\nbeacons:\n"
        "  - {id: a, device: ibeacon, flags: none, interval: 1s,"
        " ibeacon: {uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, measured-power: 0}}\n"
        "  - {id: b, device: ibeacon, services: [2173E519-9155-4862-AB64-7953AB146156],"
        " ibeacon: {uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, measured-power: 5}}\n"
    )
    result = beaconry("check", str(profile), "--json")
    assert result.returncode == 0
    codes = {json.loads(line)["code"] for line in result.stdout.splitlines()}
    assert codes == {
        "flags-missing", "interval-not-100ms", "measured-power-zero", "measured-power-positive", "service-needs-connection",
        "duplicate-identity",
    }  # fmt: skip
