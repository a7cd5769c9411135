# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""`encode FORMAT` and `advertise FORMAT`, for every format that their help lists; no radio is needed."""

from __future__ import annotations

import json
import re
import shlex

import pytest
from test_command_line import beaconry

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
ALWAYS = {"ibeacon", "altbeacon", "eddystone-uid", "eddystone-url", "eddystone-tlm", "bthome"}


def formats(command: str) -> list[str]:
    """The formats that the help of a command lists."""
    listed = beaconry(command, "--help").stdout.split("SUBCOMMANDS:")[1].split("WITHOUT A SUBCOMMAND")[0]
    return re.findall(r"^  ([a-z0-9-]+)(?: \(default\))? {2,}\S", listed, re.MULTILINE)


def example(command: str, name: str) -> list[str]:
    """The arguments of the example in the help of a format."""
    text = beaconry(command, name, "--help", COLUMNS="1000").stdout
    words = re.search(rf"^Example: beaconry ({command} {name} .*)$", text, re.MULTILINE)
    assert words, text
    return shlex.split(words[1])


def test_encode_and_advertise_list_the_same_formats() -> None:
    assert set(formats("encode")) >= ALWAYS
    assert formats("advertise") == formats("encode")
    completions = beaconry("--generate-completion-script", "fish").stdout
    for name in formats("encode"):
        assert name in completions, name


@pytest.mark.slow
def test_what_encode_prints_is_decoded_with_the_same_fields() -> None:
    for name in formats("encode"):
        arguments = example("encode", name)
        printed = beaconry(*arguments)
        assert printed.returncode == 0, printed
        encoded = json.loads(beaconry(*arguments, "--json").stdout)
        lines = printed.stdout.splitlines()
        assert (encoded["v"], encoded["format"], encoded["advertisingData"]) == (1, name, lines[0])
        # Some devices have their frame in the scan response.
        response = encoded.get("scanResponse", "")
        assert lines[1:] == ([f"scan response: {response}"] if response else [])
        decoded = json.loads(beaconry("decode", response or encoded["advertisingData"], "--json").stdout)
        # The frame of a hydrometer is an iBeacon, too.
        assert [each for each in decoded["frames"] if name != "tilt" or each["format"] != "ibeacon"] == [{"format": name, **encoded["fields"]}]
        without_flags = json.loads(beaconry(*arguments, "--flags", "none", "--json").stdout)
        assert without_flags["fields"] == encoded["fields"]
        assert encoded["advertisingData"] == "020106" + without_flags["advertisingData"]


@pytest.mark.slow
def test_help_lists_each_key_once_with_its_meaning() -> None:
    for command in ("encode", "advertise"):
        for name in formats(command):
            text = beaconry(command, name, "--help", COLUMNS="1000").stdout
            listed = re.findall(r"^  (?:-h, )?(--[a-z0-9-]+)", text, re.MULTILINE)
            assert len(listed) == len(set(listed)), (command, name, listed)
            assert {word for word in example(command, name) if word.startswith("--")} <= set(listed)
            assert ("--telemetry" in listed) == (command == "advertise" and name in ("eddystone-uid", "eddystone-url"))
    text = " ".join(beaconry("encode", "eddystone-uid", "--help").stdout.split())
    assert "Namespace, the owner of the beacons: 10 bytes of two hexadecimal digits each (required)." in text
    assert "RSSI at 0 m: a power in whole dBm from -128 to 127, or the byte of a frame such as 0xEE (-18 dBm) (default: -18)." in text


@pytest.mark.parametrize("arguments", [("--major", "1", "--minor", "2"), ("--measured-power", "-60", "--flags", "none", "--json")])
def test_without_a_format_the_frame_is_an_ibeacon(arguments: tuple[str, ...]) -> None:
    short = beaconry("encode", "--uuid", UUID, *arguments)
    assert short.returncode == 0
    assert short.stdout == beaconry("encode", "ibeacon", "--uuid", UUID, *arguments).stdout


@pytest.mark.parametrize(
    "arguments,sentence",
    [
        ("encode", f"--uuid is missing; write it as in --uuid {UUID}"),
        ("encode --major 1", f"--uuid is missing; write it as in --uuid {UUID}"),
        ("advertise --major 1", f"--uuid is missing; write it as in --uuid {UUID}"),
        (
            "encode eddystone-urll --url https://a.com",
            'there is no command "beaconry encode eddystone-urll"; did you mean "eddystone-url"? commands are ibeacon, ',
        ),
        ("encode eddystone-eid", 'there is no command "beaconry encode eddystone-eid"; did you mean "eddystone-uid"?'),
        ("advertise bacon", 'there is no command "beaconry advertise bacon"'),
        ("encode eddystone-url --ulr https://a.com", "Unknown option '--ulr'. Did you mean '--url'?"),
        ("encode altbeacon --id1 x", '--id1: "x" is not a UUID; write 32 hexadecimal digits as '),
        ("encode eddystone-uid --namespace 8b0ca750e7a7f6e3b0c2", "--instance is missing; write it as in --instance 0123456789ab"),
        ("encode eddystone-url --url ftp://a.com", '--url: "ftp://a.com" begins with neither http:// nor https://, the only schemes of Eddystone-URL; write one'),
        ("encode eddystone-url --url HTTP://a.com", '--url: "HTTP://a.com" has its scheme in upper case; write http://'),
        ("encode eddystone-url --url 'https://a.com/a b'", '--url: "https://a.com/a b" has a blank; write %20'),
        ("encode eddystone-url --url https://a.com/€", "which is not ASCII; write %-escapes"),
        ("encode eddystone-url --url https://beacons.example.org/abcd", "takes 20 bytes when encoded, and a frame has room for 17"),
        ("encode eddystone-url --url https://a.com --flags x", '--flags: "x" is not a byte of flags'),
        ("encode eddystone-url --url https://a.com --telemetry", "Unknown option '--telemetry'"),
        (
            "encode bthome --temperature 1 --humidity 1 --pressure 1 --illuminance 1 --voltage 1 --battery 1 --motion 1"
            " --button 1 --device-type 1",
            "the advertising data takes 34 bytes, and a PDU carries 31; leave out keys, or the flags (--flags none)",
        ),
        ("advertise bthome --temperature 1 --telemetry", "bthome has no telemetry; formats with telemetry are eddystone-uid, "),
        (
            "advertise eddystone-url --url https://a.com --telemetry-every 1",
            '--telemetry-every: "1" is not a whole number from 2 to 1000',
        ),
        (
            "advertise eddystone-url --url https://a.com --telemetry-temperature 200",
            "--telemetry-temperature: 200 is out of range: write -127 to 127 °C",
        ),
        (
            "advertise eddystone-url --url https://a.com --name Sign --pdu ADV_NONCONN_IND",
            "ADV_NONCONN_IND has no scan response to carry the name; write ADV_SCAN_IND or ADV_IND, or leave --pdu out",
        ),
    ],
)  # fmt: skip
def test_mistakes_are_one_sentence(arguments: str, sentence: str) -> None:
    for options in ([], ["--json"]):
        result = beaconry(*shlex.split(arguments), *options)
        assert result.returncode == 64, result
        assert sentence in result.stderr, result
        if options:
            error = json.loads(result.stdout)
            assert (error["v"], error["code"], error["exitCode"]) == (1, "usage", 64) and sentence in error["message"]
