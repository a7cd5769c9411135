# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Lists of beacons as profiles: `init --from`."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from beaconry import Beaconry

UUID = "3D1F7A60-6A0B-4C3F-9D0E-51A27C44E980"
PLAIN = UUID.replace("-", "")
HEADING = "label,uuid,major,minor,x,y\n"
DIGITS = "8b0ca750e7a7f6e3b0c2"


def feature(name: str, *coordinates: float, kind: str = "Point") -> dict[str, object]:
    return {"type": "Feature", "geometry": {"type": kind, "coordinates": list(coordinates)}, "properties": {"name": name, "minor": ord(name)}}


def features(*each: dict[str, object]) -> bytes:
    return json.dumps({"type": "FeatureCollection", "features": each}, indent=1).encode()


@dataclass(frozen=True)
class List:
    """A list, and what becomes of it."""

    content: bytes | str
    ids: tuple[str, ...]
    """Of the beacons of the profile, in their order."""
    lost: tuple[str, ...] = ()
    """Places of warnings, as `LINE` or `LINE:COLUMN`."""
    has: tuple[str, ...] = ()
    """Parts of the profile or of the output."""
    options: tuple[str, ...] = ()
    findings: frozenset[str] = frozenset()
    """Codes that `check` reports for the profile."""


LISTS = {
    "comma": List(HEADING + f"Hall,{UUID},1,1,0,2.5\nDoor,{UUID},1,2,3,4\n", ("hall", "door"), has=("position: [0, 2.5]", f"uuid: {UUID}", "UTF-8")),
    "semicolon, byte order mark, decimal commas": List(
        b"\xef\xbb\xbf" + f"Titel;UUID;Major;Minor;X (m);Y (m)\r\nHall;{UUID};1;1;0;2,5\r\nT\u00fcr;{UUID};1;2;1.234,5;4\r\n".encode(),
        ("hall", "tuer"), has=("position: [0, 2.5]", "position: [1234.5, 4]"),
    ),
    "Windows-1252": List(f"Titel;Minor;Höhe\nGemälde „A“;1;2,5\n".encode("cp1252"), ("gemaelde-a",), has=("Windows-1252", 'label: "Gemälde „A“"')),
    "Mac, carriage returns": List("Titel;Minor\rGröße;1\rTür;2\r".encode("mac_roman"), ("groesse", "tuer"), has=("Mac Roman", 'label: "Größe"')),
    "UTF-16 and tabs": List("\ufeffName\tMinor ID\nHall\t1\n名前\t2\n".encode("utf-16-le"), ("hall", "beacon-2"), has=("UTF-16", 'label: "名前"')),
    "pipe": List("| Minor | Name | x (ft) | y (ft) |\n|---|---|---|---|\n| 1 | Hall | 10 | 0 |\n", ("hall",), has=("position: [3.048, 0]",)),
    "declared separator": List("sep=;\nminor;label\n1;Hall\n", ("hall",)),
    "title, empty rows and another heading": List(
        "Beacons of the museum;;\n\n;;\nMinor;Name;\n1;Hall;\n;;\n\nMinor;Name;\n2;Door;\n", ("hall", "door"), has=("3 without values",)
    ),
    "quotes and line feeds": List('minor,label\n1,"Hall ""A"",\nfirst floor"\n2,12" screen\n', ("hall-a-first-floor", "12-screen"), has=(r'label: "Hall \"A\", first floor"',)),
    "texts that YAML would cut": List("minor;label\n1;Stele #4\n2;a: b\n3;yes\n4;0012\n5;${HOME}\n6;🗿\n", ("stele-4", "a-b", "yes", "0012", "home", "beacon-6"), has=('label: "Stele #4"', 'label: "$${HOME}"')),
    "UUIDs of all kinds": List(
        f"minor,uuid,label\n1,{PLAIN},a\n2,{{{UUID.lower()}}},b\n3,urn:uuid:{UUID},c\n4,{UUID}0,d\n", ("a", "b", "c"), lost=("5:3",), has=(f"uuid: {UUID}",)
    ),
    "hexadecimal": List("Minor (hex),Major,label\n00A1,0x10,a\n0012,1Fh,b\n", ("a", "b"), has=("minor: 161", "minor: 18", "major: 16", "major: 31")),
    "errors of formulas": List(
        "label;minor;x;y\na;1;1,5;2\nb;#REF!;1;1\nc;3;#N/A;1\n#NAME?;4;1;1\ne;01.02.2026;1;1\n", ("a", "c", "beacon-4"), lost=("3:3", "4:5", "5:1", "6:3")
    ),
    "numbers of spreadsheets": List("label;minor;x;y\na;4711.0;1e1;1'000,5\nb;1e3;−1,5;2\u202f000\nc;1,5;0;0\n", ("a", "b"), lost=("4:3",), has=("minor: 4711", "minor: 1000", "position: [10, 1000.5]", "position: [-1.5, 2000]")),
    "rows of other lengths": List("minor,label,x,y\n1,a\n2,b,1,2,,,\n3,c,1,2,3\n", ("a", "b"), lost=("2", "4:9")),
    "same ids and identities": List(f"id,uuid,major,minor\nhall,{UUID},1,1\nhall,{UUID},1,1\n,{UUID},1,3\n", ("hall", "hall-2", "beacon-3"), lost=("3", "3:1"), findings=frozenset({"duplicate-identity"})),
    "names only": List("Exponat\nMona Lisa\nDer Schrei\n", ("mona-lisa", "der-schrei"), has=("minor: 2", "numbered from 1", "uuid (a new one)")),
    "columns by name and number": List("Bemerkung;Nummer der Vitrine\nMona Lisa;17\n", ("mona-lisa",), has=("minor: 17",), options=("--columns", "label=Bemerkung,minor=2")),
    "units of an option": List("minor,x,y\n1,250,100 mm\n", ("beacon-1",), has=("position: [2.5, 0.1]",), options=("--units", "cm")),
    "powers and intervals": List("minor,measured power,interval (ms),Tx Power\n1,-65 dBm,200,-12\n2,197,0.5 s,4 dBm\n", ("beacon-1", "beacon-2"), has=("measured-power: -65", "measured-power: -59", "interval: 200ms", "interval: 500ms", "tx-power: -12dBm"), findings=frozenset({"interval-not-100ms"})),
    "Eddystone-UID": List(f"name,namespace,instance\na,{DIGITS},1\nb,{DIGITS.upper()},0123456789ab\n", ("a", "b"), has=(f'namespace: "{DIGITS}"', 'instance: "000000000001"')),
    "formats": List(f"format,id,uuid,major,minor,url\nAltBeacon,a,{UUID},1,2,\neddystone-url,b,,,,https://example.com/a\nbattery,c,,,,\nnone-such,d,,,,\n", ("a", "b", "c"), lost=("5:1",), findings=frozenset({"iphone-pairing-dialog"})),
    "JSON": List(json.dumps([{"name": "Hall", "minor": 1, "position": {"x": 1, "y": 2}}, {"name": "Door", "minor": 2}]), ("hall", "door"), has=("position: [1, 2]",)),
    "JSON in a key": List(json.dumps({"site": {"name": "x"}, "data": {"beacons": [{"id": "hall", "ibeacon": {"uuid": UUID, "major": 1, "minor": 1}}]}}), ("hall",), has=(f"uuid: {UUID}", "data.beacons")),
    "JSON lines": List('{"name":"Hall","minor":1}\n\n{"name":"Door","minor":2}\nbroken\n', ("hall", "door"), lost=("4",)),
    "GeoJSON": List(
        features(feature("a", 11.5755, 48.1374, 2.5), feature("b", 11.5765, 48.1384), feature("c", 0, 0, kind="LineString")), ("a", "b"), lost=("33",),
        has=("position: [0, 0, 2.5]", "position: [74.4", "lat: 48.1374, lon: 11.5755"),
    ),
    "an editor of maps": List(f"uuid,major,minor,x,y,z,floor,power\n{UUID},1,7,1.5,2.5,3,0,-12\n", ("beacon-7",), has=("position: [1.5, 2.5, 3]", "floor (profiles have no floors)", "power (it may be")),
    "a platform for phones": List(f"name,description,proximityId,major,minor,latitude,longitude\nGate,x,{UUID},1,7,52.51946,13.39851\n", ("gate",), has=("position: [0, 0]",)),
    "a manager of access points": List(
        json.dumps([{"eddystone_uid_instance": "0123456789ab", "eddystone_uid_namespace": DIGITS, "ibeacon_uuid": UUID, "ibeacon_major": 1, "ibeacon_minor": 2, "name": "b1", "x": 10, "y": 20, "x_m": 1, "y_m": 2, "mac": "5c5b35000001"}]),
        ("b1", "b1-eddystone-uid"), has=("position: [1, 2]", "mac (a host has static random addresses only"),
    ),
    "blanks of all kinds": List("\u00a0minor \u2009,\u200blabel\n\u202f1,\u00a0Hall\u3000A\u00a0\n", ("hall-a",), has=('label: "Hall A"',)),
}  # fmt: skip

REFUSED = {
    "empty": (b"", "the list is empty"),
    "heading only": (b"minor,label\n", "the list has a heading, and no rows"),
    "workbook": (b"PK\x03\x04\x14\0\0\0\x08\0xl/workbook.xml", "a workbook of Excel (.xlsx); save the sheet as CSV"),
    "old workbook": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100), "(.xls)"),
    "bytes": (bytes(range(256)) * 8, ":1:1: error: the byte 0x00 is a control character"),
    "two encodings": ("minor,label\n1,ä\n2,ö\n".encode() + b"3,\xfc\n", ":4:3: error: the byte 0xFC is not UTF-8"),
    "unknown names": (b"foo,bar\n1,2\n", ':1:1: error: no column has a name that is known: foo, bar; write a heading such as label,uuid,major,minor,x,y'),
    "open quote": (b'minor,label\n1,"a\n2,b\n', ":2:3: error: the quote that opens this value is not closed"),
    "broken JSON": (b'[{"minor": 1},\n {"minor": }]', ":2:12: error: this is not JSON"),
    "JSON without objects": (b'["a", "b"]', ":1:1: error: there is no list of objects"),
    "HTML": (b"<html><table><tr><td>1</td></tr></table></html>", ":1: error: this is HTML or XML"),
    "rows without beacons": (b"minor,label\nx,a\ny,b\n", ':2:1: error: no row is a beacon: minor: "x" is not a whole number'),
}


def ids(profile: Path) -> tuple[str, ...]:
    return tuple(each.strip('"') for each in re.findall(r'^  - \{ id: ([^,}]+)', profile.read_text(), re.MULTILINE))


def findings(done: subprocess.CompletedProcess[str]) -> set[str]:
    return {json.loads(line)["code"] for line in done.stdout.splitlines()}


@pytest.mark.parametrize("name", LISTS)
def test_list_becomes_a_profile(beaconry: Beaconry, name: str) -> None:
    each = LISTS[name]
    file, profile = beaconry.folder / "list.csv", beaconry.folder / "made.yaml"
    file.write_bytes(each.content.encode() if isinstance(each.content, str) else each.content)
    done = beaconry.call("init", str(profile), "--from", str(file), *each.options)
    assert done.returncode == 0, done
    assert ids(profile) == each.ids
    places = sorted(line.removeprefix(f"{file}:").split(": warning: ")[0] for line in done.stderr.splitlines())
    assert places == sorted(each.lost), done.stderr
    for part in each.has:
        assert part in profile.read_text() or part in done.stdout, part
    checked = beaconry.call("check", str(profile), "--json")
    assert checked.returncode == 0 and findings(checked) == each.findings, checked


@pytest.mark.parametrize("name", REFUSED)
def test_file_that_is_no_list_is_refused(beaconry: Beaconry, name: str) -> None:
    content, message = REFUSED[name]
    file = beaconry.folder / "list.csv"
    file.write_bytes(content)
    done = beaconry.call("init", str(beaconry.folder / "made.yaml"), "--from", str(file))
    assert done.returncode == 65 and done.stdout == "", done
    [line] = done.stderr.splitlines()
    assert line.startswith(f"{file}:") and message in line
    assert not (beaconry.folder / "made.yaml").exists()
    [error] = map(json.loads, beaconry.call("init", str(beaconry.folder / "made.yaml"), "--from", str(file), "--json").stdout.splitlines())
    assert (error["event"], error["code"], error["exitCode"], error["file"]) == ("error", "invalid", 65, str(file))
    place = re.search(r":(\d+):(\d+): error", message)
    assert place is None or (error["line"], error["column"]) == (int(place[1]), int(place[2]))


def test_result_is_an_object(beaconry: Beaconry) -> None:
    file = beaconry.folder / "Museum 2.csv"
    file.write_text("Nr.;Titel;Minor;X (cm);Y (cm);Farbe;Etage\n1;Hall;1;100;200;red;1\n2;Door;x;100;200;;1\n;;;;;;\n")
    done = beaconry.call("init", str(beaconry.folder / "made.yaml"), "--from", str(file), "--json")
    assert done.returncode == 0, done
    result, warning = map(json.loads, done.stdout.splitlines())
    assert (result["profile"], result["beacons"], result["rows"], result["emptyRows"], result["rowsNotTaken"]) == ("made", 1, 2, 1, 1)
    assert (result["encoding"], result["form"]) == ("UTF-8", 'separated by ";"')
    assert {"column": "X (cm)", "key": "x", "unit": "cm"} in result["columns"] and {"column": "Titel", "key": "label"} in result["columns"]
    assert {each["column"]: each.get("reason") for each in result["columnsNotTaken"]}.keys() == {"Farbe", "Etage", "Nr."}
    assert [each["key"] for each in result["notInList"]] == ["uuid", "major", "measured-power", "interval"]
    assert (warning["code"], warning["file"], warning["line"], warning["column"]) == ("row-not-taken", str(file), 3, 8)


def test_profile_has_the_name_of_the_list(beaconry: Beaconry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(beaconry.folder)
    Path("lists").mkdir()
    Path("lists/Räume 2.csv").write_text("minor\n1\n")
    assert beaconry.call("init", "--from", "lists/Räume 2.csv").returncode == 0
    assert Path("Raume-2.yaml").read_text().count("profile: Raume-2\n") == 1


def test_existing_file_is_kept(beaconry: Beaconry) -> None:
    file, profile = beaconry.folder / "list.csv", beaconry.folder / "made.yaml"
    file.write_text("minor\n1\n")
    profile.write_text("precious")
    for options in ((), ("--from", str(file))):
        done = beaconry.call("init", str(profile), *options)
        assert done.returncode == 73 and "--force replaces it" in done.stderr and profile.read_text() == "precious"
    assert beaconry.call("init", str(profile), "--from", str(file), "--force").returncode == 0
    assert ids(profile) == ("beacon-1",)
    done = beaconry.call("init", str(file), "--from", str(file), "--force")
    assert done.returncode == 64 and "is the list itself" in done.stderr and file.read_text() == "minor\n1\n"


@pytest.mark.parametrize(
    "options,message",
    [
        (("--columns", "minr=Nr"), '--columns: there is no key "minr"; did you mean "minor"?'),
        (("--columns", "minor"), '"minor" is not KEY=COLUMN'),
        (("--units", "parsec"), "--units"),
        (("--origin", "here"), '"here" is not LAT,LON'),
    ],
)
def test_wrong_options_are_refused(beaconry: Beaconry, options: tuple[str, ...], message: str) -> None:
    file = beaconry.folder / "list.csv"
    file.write_text("minor\n1\n")
    done = beaconry.call("init", str(beaconry.folder / "made.yaml"), "--from", str(file), *options)
    assert done.returncode == 64 and message in done.stderr, done


def test_options_of_lists_need_a_list(beaconry: Beaconry) -> None:
    for options in (("--columns", "minor=Nr"), ("--units", "cm"), ("--origin", "48,11")):
        done = beaconry.call("init", str(beaconry.folder / "made.yaml"), *options)
        assert done.returncode == 64 and "--from" in done.stderr, done


def test_unknown_column_has_a_suggestion(beaconry: Beaconry) -> None:
    file = beaconry.folder / "list.csv"
    file.write_text("Nummer,Titel\n1,Hall\n")
    done = beaconry.call("init", str(beaconry.folder / "made.yaml"), "--from", str(file), "--columns", "minor=Numer")
    assert done.returncode == 64 and '--columns: there is no column "Numer" for minor; did you mean "Nummer"? columns are Nummer, Titel' in done.stderr


@pytest.mark.statistics
def test_ten_thousand_rows_are_a_profile(beaconry: Beaconry) -> None:
    file, profile = beaconry.folder / "list.csv", beaconry.folder / "made.yaml"
    rows = (f"Exhibit number {number} of the collection of the museum,{UUID},{number // 5000},{number % 5000},{number % 100},{number // 100}\n" for number in range(10_000))
    file.write_text(HEADING + "".join(rows))
    done = beaconry.call("init", str(profile), "--from", str(file))
    assert done.returncode == 0 and "10000 beacons of 10000 rows" in done.stdout and done.stderr == "", done
    parts = sorted(each.name for each in beaconry.folder.glob("made-beacons-*.yaml"))
    assert len(parts) > 1 and all(each in profile.read_text() for each in parts)
    checked = beaconry.call("check", str(profile))
    assert checked.returncode == 0 and "10000 beacons: no problems found" in checked.stdout, checked


# Texts that YAML takes for comments

CUT = f"""profile: shop
beacons:
  - id: door
    device: ibeacon  # as on the shelf
    name: Stele #4
    interval: 100ms # every tenth of a second
    ibeacon: {{ uuid: {UUID} }} #of the shop
"""


def test_text_that_a_comment_cuts_is_reported(beaconry: Beaconry) -> None:
    profile = beaconry.profile(CUT)
    expected = f'{profile}:5:11: warning: beacons[0].name: the text is "Stele", since YAML takes " #4" for a comment [text-cut; affects: people]; '
    checked = beaconry.call("check", str(profile))
    assert checked.returncode == 0 and [line for line in checked.stdout.splitlines() if line.startswith(expected)], checked
    [finding] = map(json.loads, beaconry.call("check", str(profile), "--json").stdout.splitlines())
    assert (finding["code"], finding["file"], finding["line"], finding["column"]) == ("text-cut", str(profile), 5, 11)
    assert f"file={profile},line=5,col=11" in beaconry.call("check", str(profile), "--format", "github").stdout
    sarif = json.loads(beaconry.call("check", str(profile), "--format", "sarif").stdout)
    assert sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"] == {"startLine": 5, "startColumn": 11}
    profile.write_text(CUT.replace("Stele #4", '"Stele #4"'))
    assert "no problems found" in beaconry.call("check", str(profile)).stdout


def test_run_reports_it_at_the_start_and_after_a_reload(beaconry: Beaconry) -> None:
    profile = beaconry.profile(CUT)
    run = beaconry.run(profile, "--hci-server", "none", "--ephemeral", radio="virtual")
    run.wait("ready")
    assert "text-cut" in run.warnings()
    profile.write_text(CUT.replace("#4", "#5"))
    assert beaconry.call("ctl", "reload").returncode == 0
    warning = run.wait("warning", message=f'{profile}:5:11: beacons[0].name: the text is "Stele", since YAML takes " #5" for a comment')
    assert warning["code"] == "text-cut"


def test_scenarios_report_it(beaconry: Beaconry) -> None:
    beaconry.profile(CUT, "shop.yaml")
    scenario = beaconry.profile("scenario: seen #2\nprofile: shop.yaml\nexpect: [{ on-air: door, by: 2s }]\n", "seen.yaml")
    done = beaconry.call("test", str(scenario))
    assert done.returncode == 0, done
    assert f"{scenario}:1:11: scenario:" in done.stderr and "shop.yaml:5:11: beacons[0].name:" in done.stderr
