# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Each operation of a run and each client that has it: what docs/clients.md says is what the clients have."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path

import pytest
from beaconry import CHECKOUT
from command_tree import command_tree

PACKAGE = CHECKOUT / "python" / "src" / "beaconry"
LACKS = "–"
OPERATIONS = {
    operation["operationId"]: (method.upper(), re.sub(r"\{\w+\}", "{}", path))
    for path, item in json.loads((CHECKOUT / "docs" / "openapi.json").read_text())["paths"].items()
    for method, operation in item.items()
    if method != "parameters"
}
"""The method and the path of each operation, with `{}` for each parameter."""


@functools.cache
def rows() -> dict[str, list[str]]:
    """The cells of each operation: ctl, page, Swift, reason."""
    lines = (CHECKOUT / "docs" / "clients.md").read_text().splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| `")]
    return {name.strip("`"): rest for name, *rest in cells}


def text(folder: Path, pattern: str) -> str:
    return "\n".join(file.read_text() for file in sorted(folder.rglob(pattern)))


def joined(words: str) -> str:
    """The path of the arguments of `path` in the scripts of the page."""
    parts = [part.strip() for part in words.split(",")]
    return "/v1/" + "/".join(part.strip('"') if part.startswith('"') else "{}" for part in parts)


@functools.cache
def requests_of_page() -> set[tuple[str, str]]:
    """The methods and paths that the scripts of the page request."""
    scripts = text(CHECKOUT / "Sources" / "RunServer" / "Resources", "*.js")
    methods = {"get": "GET", "getBlob": "GET", "post": "POST", "put": "PUT", "patch": "PATCH", "remove": "DELETE"}
    found = set()
    for function, path in re.findall(r'api\.(\w+)\(\s*[`"](v1/[^`"]*)[`"]', scripts):
        found.add((methods[function], "/" + re.sub(r"\$\{[^}]*\}", "{}", path.partition("?")[0])))
    for function, words, end in re.findall(r"api\.(\w+)\(\s*(?:`\$\{)?(?:api\.)?path\(([^()]*)\)(?:\}(/\w+)`)?", scripts):
        found.add((methods[function], joined(words) + end))
    # A request for each of a list of names.
    for names, function, words in re.findall(r"\[([^\[\]]*)\]\.map\(\(each\) => api\.(\w+)\(api\.path\(([^()]*), each\)\)", scripts):
        found.discard((methods[function], joined(words) + "/{}"))
        found |= {(methods[function], f"{joined(words)}/{name}") for name in re.findall(r'"(\w+)"', names)}
    if "v1/events?text=true" in scripts:
        found.add(("GET", "/v1/events"))
    return found


def test_each_operation_has_a_row() -> None:
    assert sorted(rows()) == sorted(OPERATIONS)


@pytest.mark.parametrize("name", OPERATIONS)
def test_row_is_what_the_clients_have(name: str) -> None:
    control, page, swift, reason = rows()[name]
    if control != LACKS:
        words = control.strip("`").split()
        command, rest = command_tree().find(words)
        assert not rest and command.words, f"there is no command {control}"
    if swift != LACKS:
        member = swift.strip("`").partition("(")[0]
        sources = text(CHECKOUT / "Sources" / "BeaconryTesting", "*.swift")
        assert re.search(rf"public (?:func|var) {member}\b", sources), f"BeaconryTesting has no {member}"
    assert page in ("yes", LACKS)
    assert (OPERATIONS[name] in requests_of_page()) == (page == "yes"), (OPERATIONS[name], sorted(requests_of_page()))
    assert (LACKS in (control, page, swift)) == bool(reason), "a client that lacks it has a reason, and only then is there one"


@pytest.mark.parametrize("module", ["_client.py", "aio/_client.py"])
def test_python_has_every_operation(module: str) -> None:
    source = (PACKAGE / module).read_text()
    for name in OPERATIONS:
        method = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
        assert re.search(rf"def {method}\(", source), f"{module} has no {method}"


def test_page_requests_operations_only() -> None:
    assert requests_of_page() <= set(OPERATIONS.values())
