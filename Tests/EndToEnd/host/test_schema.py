# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""`beaconry schema`: the JSON Schemas of profiles and scenarios, compared with what the parser accepts."""

from __future__ import annotations

import copy
import json
import operator
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

CHECKOUT = Path(__file__).resolve().parents[3]
BINARY = os.environ.get("BEACONRY_BINARY") or str(CHECKOUT / ".build" / "debug" / "beaconry")
SCENARIOS = sorted((CHECKOUT / "scenarios").glob("*.yaml"))
PROFILES = sorted((CHECKOUT / "profiles").glob("*.yaml"))
UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

# What the profiles of the checkout do not have.
MORE = f"""
profile: more
physics: {{ preset: office, shadowing: {{ sigma: 3dB, distance: 1m }}, fading: {{ k: 2 }} }}
walls: [{{ from: [0, 0], to: [1, 1], loss: 6dB }}]
beacons:
  - id: url
    device: beacon
    format: eddystone-url
    url: https://example.com/a
    telemetry: {{ every: 4, battery: {{ drain: {{ from: 3000, to: 2000, every: 1h }} }} }}
  - id: rotating
    device: ibeacon
    ibeacon: {{ uuid: {UUID} }}
    schedule: {{ between: 09:00-17:00, rotate: {{ every: 15m, minor: [1, 2] }} }}
  - id: device
    device: gatt
    services:
      - uuid: 180A
        characteristics:
          - uuid: 2A29
            properties: [read]
            value: "00"
            descriptors: [{{ uuid: 2901, value: "00" }}]
            read-error: {{ code: 0x80, time: 1 }}
    advertise: {{ manufacturer-data: {{ company: 0x0131, data: 0a0b }} }}
receivers:
  - {{ id: round, orbit: {{ centre: [1, 1], radius: 2, period: 10s }} }}
"""


def validate(value: Any, schema: Any, root: Any, place: str = "") -> list[str]:
    """The faults of a value: what the schemas use of JSON Schema, draft 7. An unknown keyword is an error."""
    if schema is True:
        return []
    faults: list[str] = []
    types: dict[str, Any] = {"object": dict, "array": list, "string": str, "number": (int, float), "integer": int, "boolean": bool}

    def fits(part: Any) -> bool:
        return not validate(value, part, root, place)

    for word, rule in schema.items():
        match word:
            case "$schema" | "title" | "description" | "definitions" | "then":
                pass
            case "$ref":
                faults += validate(value, root["definitions"][rule.removeprefix("#/definitions/")], root, place)
            case "type":
                names = rule if isinstance(rule, list) else [rule]
                if not any(isinstance(value, types[name]) and (name == "boolean" or not isinstance(value, bool)) for name in names):
                    faults.append(f"{place}: {rule} is expected")
            case "enum":
                faults += [] if value in rule else [f"{place}: not one of {rule}"]
            case "const":
                faults += [] if value == rule else [f"{place}: not {rule}"]
            case "pattern":
                faults += [] if not isinstance(value, str) or re.search(rule, value) else [f"{place}: not {rule}"]
            case "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum":
                beyond = {"minimum": operator.lt, "maximum": operator.gt, "exclusiveMinimum": operator.le, "exclusiveMaximum": operator.ge}
                is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
                faults += [f"{place}: {word} is {rule}"] if is_number and beyond[word](value, rule) else []
            case "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties":
                kinds: dict[str, Any] = {"Length": str, "Items": list, "Properties": dict}
                fitting = isinstance(value, kinds[word[3:]])
                wrong = fitting and (len(value) < rule if word.startswith("min") else len(value) > rule)
                faults += [f"{place}: {word} is {rule}"] if wrong else []
            case "anyOf":
                each_part: list[list[str]] = [validate(value, part, root, place) for part in rule]
                # Of a mapping, the part for mappings says what is wrong.
                wholes = [root["definitions"].get(part.get("$ref", "").removeprefix("#/definitions/"), part) for part in rule]
                about = [found for found, part in zip(each_part, wholes) if isinstance(value, dict) and part.get("type") == "object"]
                faults += [] if [] in each_part else min(about or each_part, key=lambda faults: len(list(faults)))
            case "allOf":
                faults += [fault for part in rule for fault in validate(value, part, root, place)]
            case "if":
                faults += validate(value, schema["then"], root, place) if fits(rule) else []
            case "required":
                faults += [f"{place}: {key} is missing" for key in rule if isinstance(value, dict) and key not in value]
            case "items":
                if isinstance(value, list):
                    for number, part in enumerate(value):
                        faults += validate(part, rule, root, f"{place}[{number}]")
            case "propertyNames":
                if isinstance(value, dict):
                    faults += [fault for key in value for fault in validate(str(key), rule, root, f"{place}.{key}")]
            case "properties" | "patternProperties" | "additionalProperties":
                pass
            case _:
                raise AssertionError(f"the keyword {word} is not known here")
    if isinstance(value, dict):
        patterns = schema.get("patternProperties", {})
        for key, part in value.items():
            found = [rule for pattern, rule in patterns.items() if re.search(pattern, str(key))]
            found += [schema["properties"][key]] if key in schema.get("properties", {}) else []
            for rule in found:
                faults += validate(part, rule, root, f"{place}.{key}")
            if not found and "additionalProperties" in schema:
                others = schema["additionalProperties"]
                faults += [f"{place}: there is no key {key}"] if others is False else validate(part, others, root, f"{place}.{key}")
    return faults


class Loader(yaml.SafeLoader):
    """YAML 1.2, as the parser and editors read it: `on` and `off` are texts, and so is a time of the day."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in found if tag.rpartition(":")[2] not in ("bool", "int", "timestamp")]
    for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("true|false"), list("tf"))
Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile("[-+]?[0-9]+$|0x[0-9A-Fa-f]+$"), list("-+0123456789"))


def schema(kind: str) -> Any:
    return json.loads(subprocess.run([BINARY, "schema", kind], capture_output=True, check=True, timeout=300).stdout)


def mappings(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of all mappings in a document."""
    if isinstance(value, dict):
        yield path
        for key, part in value.items():
            yield from mappings(part, (*path, key))
    if isinstance(value, list):
        for number, part in enumerate(value):
            yield from mappings(part, (*path, number))


def at(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


@pytest.mark.parametrize("kind", ["profile", "scenario", "sweep"])
def test_checked_in_schema_is_that_of_the_program(kind: str) -> None:
    file = CHECKOUT / "packaging" / "schemas" / f"{kind}.schema.json"
    printed = subprocess.run([BINARY, "schema", kind], capture_output=True, text=True, check=True, timeout=300).stdout
    assert file.read_text() == printed, f"write it again: beaconry schema {kind} > packaging/schemas/{file.name}"


def test_description_and_table_of_the_requests_are_those_of_the_program() -> None:
    done = subprocess.run([CHECKOUT / "Scripts" / "api", "--check"], env={**os.environ, "BEACONRY_BINARY": str(BINARY)}, timeout=300)
    assert done.returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("path", [*PROFILES, *SCENARIOS], ids=lambda path: path.stem)
def test_files_are_valid(path: Path) -> None:
    root = schema("scenario" if path in SCENARIOS else "profile")
    assert validate(yaml.load(path.read_text(), Loader), root, root) == []


@pytest.mark.slow
def test_keys_of_the_schema_are_those_of_the_parser(tmp_path: Path) -> None:
    """In each kind of mapping, an unknown key is refused by both, and the parser's list of its keys is that of the schema."""
    seen: set[tuple[Any, ...]] = set()
    documents = [(yaml.load(path.read_text(), yaml.BaseLoader), path.parent) for path in [*PROFILES, *SCENARIOS]]
    documents.append((yaml.load(MORE, yaml.BaseLoader), CHECKOUT / "profiles"))
    for document, folder in documents:
        root = schema("scenario" if "scenario" in document else "profile")
        for path in mappings(document):
            names = ("scenario" in document, *("[]" if isinstance(step, int) else step for step in path))
            if path[:1] == ("beacons",):
                kind = {**document.get("defaults", {}), **at(document, path[:2])}["device"]
                names = (kind, *names)
            # Numbers of points are keys, too; the keys of an expectation depend on what is expected.
            if names in seen or names[-1:] == ("pauses",) or "defaults" in names:
                continue
            seen.add(names)
            wrong = copy.deepcopy(document)
            at(wrong, path)["zzz"] = "1"
            if path[:1] == ("beacons",):
                wrong["beacons"][path[1]] = {**document.get("defaults", {}), **wrong["beacons"][path[1]]}
            refused = [fault for fault in validate(wrong, root, root) if "no key zzz" in fault or ".zzz: not one of" in fault]
            assert refused, f"the schema accepts zzz in {names}"
            file = tmp_path / "wrong.yaml"
            file.write_text(json.dumps(wrong))
            for other in folder.iterdir():
                if other.suffix == ".csv" and not (tmp_path / other.name).exists():
                    (tmp_path / other.name).symlink_to(other)
            command = ["test"] if "scenario" in document else ["check"]
            printed = subprocess.run([BINARY, *command, file], capture_output=True, text=True, timeout=300).stderr
            # All keys that the parser names are valid for the schema.
            found = re.search(r'there is no key "zzz" here; keys are (.*)', printed)
            assert found, (names, printed)
            for key in found[1].split(", "):
                right = copy.deepcopy(wrong)
                del at(right, path)["zzz"]
                at(right, path).setdefault(key, "1")
                unknown = [fault for fault in validate(right, root, root) if f"there is no key {key}" in fault]
                assert not unknown, (names, key)
    assert len(seen) > 60


def test_keys_of_sweeps_are_those_of_the_parser(tmp_path: Path) -> None:
    root = schema("sweep")
    scenario = str(CHECKOUT / "scenarios" / "two-rooms.yaml")
    spec = {
        "sweep": "rooms", "scenario": scenario, "seeds": "1..3", "zip": True, "baseline": {"a": "1s"}, "x-any": [1],
        "variants": {"a": {"beacons.*.interval": ["1s", "2s"]}, "b": {"walls.0.loss": ["3dB", "4dB"]}},
    }  # fmt: skip
    assert validate(spec, root, root) == []
    assert set(root["properties"]) - {"include"} == {*spec} - {"x-any"} | {"estimator"}
    file = tmp_path / "spec.yaml"
    for change in (
        {"zzz": 1}, {"seeds": [1]}, {"variants": [1]}, {"variants": {"a": [1]}}, {"variants": {"a": {"b": "1s"}}}, {"zip": 1}, {"baseline": [1]},
        {"variants": {"a": {"b": []}}}, {"scenario": ""}, {"sweep": None}, {"seeds": None}, {"scenario": None},
    ):  # fmt: skip
        wrong = {key: value for key, value in {**spec, **change}.items() if value is not None}
        assert validate(wrong, root, root), change
        file.write_text(json.dumps(wrong))
        assert subprocess.run([BINARY, "sweep", file], capture_output=True, timeout=300, check=False).returncode == 65, change
    file.write_text(json.dumps(spec))
    assert subprocess.run([BINARY, "sweep", file], capture_output=True, timeout=300, check=False).returncode == 0


def test_wrong_files_are_not_valid() -> None:
    root = schema("profile")
    beacon = {"id": "a", "device": "ibeacon", "ibeacon": {"uuid": UUID}}
    for wrong in (
        {"beacons": [beacon]}, {"profile": "p"}, {"profile": "p", "beacons": [{**beacon, "mayor": 1}]},
        {"profile": "p", "beacons": [{"device": "ibeacon"}]}, {"profile": "p", "beacons": [{**beacon, "device": "iBeacon"}]},
        {"profile": "p", "beacons": [{**beacon, "ibeacon": {"uid": UUID}}]}, {"profile": "p", "beacons": [beacon], "wals": []},
        {"profile": "p", "beacons": [{**beacon, "firmware": 1}]}, {"profile": "p", "beacons": [{**beacon, "position": 1}]},
    ):  # fmt: skip
        assert validate(wrong, root, root), wrong
    assert validate({"profile": "p", "beacons": [beacon, {**beacon, "count": 3, "id": "b{n}"}], "x-a": 1}, root, root) == []
