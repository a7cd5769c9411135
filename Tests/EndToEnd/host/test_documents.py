# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The commands of all documents exist, name files that a reader has, and are accepted by the program; links lead somewhere."""

from __future__ import annotations

import glob
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from beaconry import CHECKOUT, Beaconry
from command_tree import command_tree
from documents import DOCUMENTS, Command, anchors, blocks, commands, links, name

EVERY = pytest.mark.parametrize("document", DOCUMENTS, ids=name)

FILE = re.compile(r"[^\s=,]+\.(?:yaml|yml|jsonl|csv|btsnoop|pcap|pcapng|key|sh)")
"""A word that is a file which the program reads or writes."""

WRITTEN = {"--capture", "--junit", "--output", "--plot", "--ready-file", "--trial"}
"""Options whose file the program writes; `record`, `init` and `clone` write their last argument."""

READERS = {
    "greet.sh": "a script of the reader; docs/receiving.md says what it gets",
    "proxy.key": "made by the command above it",
    "evening.yaml": "stands for any scenario",
    "museum.csv": "in packaging/ansible, a folder that the reader of docs/several-machines.md copies",
    "plant.yaml": "what the reader of docs/device-of-your-own.md writes, step by step; its result is profiles/plant.yaml",
    "shop-day.jsonl": "a recording of the reader",
}
"""Files that no document has and no command writes, each with the reason."""

UNTRIED = {
    "bench calibrate": "it reads values from a terminal",
    "demo": "it opens a browser",
    "doctor": "it looks at the adapters of the machine",
    "dotnet": "it runs ESPresense-companion",
    "sweep rooms-sweep.yaml --output": "test_document_outputs.py runs it",
    "vhci": "it makes an adapter in the kernel of the machine",
}
"""Words of commands that are not run, each with the reason."""

UNNAMED = {
    "rooms.yaml": ("docs/testing-with-physics.md", "scenario: rooms\n"),
    "walk.yaml": ("docs/testing-with-physics.md", "profile: walk\n"),
}
"""Files that a document has without a comment with their name, and how they begin."""

NEEDS = {
    "ctl act": "a phone that is connected",
    "ctl bench": "a bench",
    "ctl disconnect door": "a connection",
    "ctl events": "it ends with the run",
    "ctl forget lock": "a bond",
    "ctl pair lock": "a central that pairs",
    "ctl receiver follow": "it ends with the run",
    "ctl receiver notifications": "it ends with the connection",
    "ctl wait": "the events",
}
"""Commands that need more than a run, each with what they need."""

ASSUMED = {
    "docs/android.md": ("Pixel_7", "an emulator has joined"),
    "docs/phone-apps.md": ("phone", "the app makes its receiver"),
    "docs/virtual-air.md": ("phone", "a host with this name has joined"),
}
"""Documents whose commands for a run assume that something with this name is on the air, each with the reason."""

NOWHERE = "tcp-client:127.0.0.1:1"
"""A radio that cannot be opened: a command for it ends after its options were accepted."""

PLACES = {"$PWD": ".", "/data/": "./", "/var/lib/beaconry": "state", "/tmp/ready": "ready", "$air": "127.0.0.1:1", "$seed": "1", "$room": "1"}
"""Paths and variables of documents, and what they are in the folder of a test."""


def whole_commands(document: Path) -> list[Command]:
    return [command for command in commands(document, set(command_tree().below)) if command.is_whole]


@EVERY
def test_commands_and_options_exist(document: Path) -> None:
    faults = []
    for command in commands(document, set(command_tree().below)):
        if command.is_whole:
            faults += [f"{command}: {fault}" for fault in command_tree().faults(command.words)]
            continue
        found, rest = command_tree().find(command.words)
        unknown = [word for word in rest if re.match(r"--\w", word) and word.split("=")[0] not in found.all_options()]
        if unknown or not found.words and rest not in (["--help"], ["--version"]):
            faults.append(f"{command}: there is no {unknown[0] if unknown else 'such command'}")
    assert faults == []


def test_faults_of_commands_are_found() -> None:
    """What the tests above find: one row for each kind of fault."""
    for line, fault in {
        "skan": "no such command: skan",
        "ctl receiver lst": "no such command: ctl receiver lst",
        "manage list --timeout": "manage list has no option --timeout",
        "scan --duration": "--duration lacks its value",
        "record --duration 1s": "record lacks file",
        "monitor list shop": "monitor list does not take shop",
        "ctl battery door flet": "flet is none of full, flat",
    }.items():
        assert command_tree().faults(line.split()) == [fault], line
    for line in ("monitor regions.yaml --notify", "ctl clock", "scan --services 180F 1809 --duplicates", "bench calibrate -67 -69", "dbus -- sh -c x"):
        assert command_tree().faults(line.split()) == [], line


# Files


def block_files() -> dict[str, str]:
    """The files that documents have: blocks whose first line is a comment with the name of a file, such as `# shop.yaml`, or `# strongest.py`."""
    found: dict[str, str] = {}
    for document in DOCUMENTS:
        for block in blocks(document):
            named = re.match(r"# ([\w-]+\.(?:yaml|csv|py))$", block.text.split("\n", 1)[0])
            if named:
                assert found.setdefault(named[1], block.text) == block.text, f"{name(document)}:{block.line}: another {named[1]}"
    for file, (document_name, beginning) in UNNAMED.items():
        found[file] = next(block.text for block in blocks(CHECKOUT / document_name) if block.text.startswith(beginning))
    return found


def written_files(command: Command) -> set[str]:
    words = list(command.words)
    files = {value for option, value in zip(words, words[1:]) if option in WRITTEN} | set(command.written)
    positionals = [word for word in words[1:] if FILE.fullmatch(word)]
    if words[0] in ("record", "init") and positionals:
        files.add(positionals[0])
    if words[0] == "clone" and len(positionals) > 1:
        files.add(positionals[1])
    return files


def test_files_of_commands_are_there() -> None:
    """Each file in a command is in the repository, in a block of a document, or written by a command of a document."""
    every = [command for document in DOCUMENTS for command in commands(document, set(command_tree().below))]
    known = {*block_files(), *READERS}.union(*map(written_files, every))
    missing = []
    for command in every:
        for word in command.words:
            path = word.replace("/data/", "").replace("/usr/share/beaconry/", "").removeprefix("./")
            if FILE.fullmatch(word) and path not in known and not glob.glob(str(CHECKOUT / path)):
                missing.append(f"{command}: {word}")
    assert missing == []


# The program accepts the commands


@pytest.fixture
def folder(beaconry: Beaconry, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what a reader has: profiles and scenarios, the files of the documents, and a recording."""
    for part in ("profiles", "scenarios", "examples", "packaging"):
        (beaconry.folder / part).symlink_to(CHECKOUT / part)
    for file, text in {**block_files(), "plant.yaml": (CHECKOUT / "profiles" / "plant.yaml").read_text()}.items():
        (beaconry.folder / file).write_text(text)
    (beaconry.folder / "plant-moisture.csv").symlink_to(CHECKOUT / "profiles" / "plant-moisture.csv")
    (beaconry.folder / "museum.csv").symlink_to(CHECKOUT / "packaging" / "ansible" / "museum.csv")
    for each in ("walks", "profile"):
        (beaconry.folder / each).mkdir()
    for file in ("token", "http.token", "proxy.key"):
        (beaconry.folder / file).write_text("YSBrZXkgb2YgZXhhY3RseSAzMiBieXRlcyAuLi4uLi4=\n")
        (beaconry.folder / file).chmod(0o600)
    monkeypatch.chdir(beaconry.folder)
    beaconry.environment |= {"ROOM": "3", "HOME": str(beaconry.folder), "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere"}
    for recording in ("shop.jsonl", "shop-2.jsonl"):
        done = beaconry.call("record", recording, "--profile", "shop.yaml", "--rate", "max", "--duration", "1s")
        assert done.returncode == 0, done
    return beaconry.folder


def replaced(words: list[str], option: str, value: str) -> list[str]:
    """Words with this value of an option that they have."""
    return [value if before == option else word for before, word in zip(["", *words], words)]


def without(words: list[str] | None, *options: str) -> list[str]:
    """Words without these options and their values."""
    rest, kept = list(words or []), list[str]()
    known = command_tree().find(rest)[0].all_options()
    while rest:
        word = rest.pop(0)
        if word not in options:
            kept.append(word)
        elif known[word]["kind"] == "option":
            rest.pop(0)
    return kept


def tried(command: Command) -> list[str] | None:
    """The words of a command that ends soon and touches nothing outside of the test's folder; None if it must not be run."""
    words = list(command.words)
    for text, place in PLACES.items():
        words = [word.replace(text, place) for word in words]
    words = [path for word in words for path in (sorted(glob.glob(word))[:2] if word.endswith("*.yaml") else [word])]
    if any(part in " ".join(words) for part in UNTRIED):
        return None
    options = command_tree().find(words)[0].all_options()
    if words[0] == "ctl":
        patience = ["--timeout", "60s"] if "--timeout" in options and "--timeout" not in words else []
        return [*without(words, "--control", "--url", "--http-token-file"), *patience, "--control", "nowhere.sock"]
    if words[0] in ("run", "dbus"):
        words = [re.sub(r"^(tcp:)?(127\.0\.0\.1|0\.0\.0\.0):\d+", r"\g<1>\2:0", word) for word in words]
        if words[0] == "dbus":
            return [*words[: words.index("--") if "--" in words else None], "--", "true"]
        if "--bench" not in words:
            words = [*without(words, "--radio", "--duration", "--control"), "--radio", "virtual", "--duration", "1ms", "--control", "none"]
            # A clock that stands still would never come to the end.
            words = replaced(words, "--rate", "max")
            return words if "--hci-server" in words else [*words, "--hci-server", "none"]
    if words[0] == "test":
        # `test_scenarios.py` runs them all; here one that is short.
        words = ["scenarios/beacon-swapped.yaml" if word.startswith("scenarios/") else word for word in words]
    words = replaced(replaced(words, "--duration", "1s"), "--seeds", "1..2")
    if "--force" in options:
        words.append("--force")
    if "--radio" in options and "--profile" not in words and words[0] not in ("check", "radios", "plot"):
        words = [*without(words, "--radio"), "--radio", NOWHERE]
    return words


@EVERY
def test_commands_are_accepted(document: Path, beaconry: Beaconry, folder: Path) -> None:
    """Each command that is shown whole ends as it should without the radio, the run or the beacons that it is for."""
    refused = []
    for command in whole_commands(document):
        words = tried(command)
        done = beaconry.call(*words) if words else None
        # Done; not met or with findings; no radio; no run; `reset` without anything to erase.
        if done and done.returncode not in (0, 1, 69, 74) and "nothing was ever saved for" not in done.stderr:
            refused.append(f"{command}: {done.returncode} of {' '.join(done.args)}: {done.stderr}")
    assert refused == [], "\n".join(refused)


# Runs and their control


def sessions(document: Path) -> Iterator[tuple[Command, list[Command]]]:
    """Each run of a document with the commands for it that follow; those before the first run are for `shop.yaml`."""
    run, control = Command(name(document), ("run", "shop.yaml"), True), list[Command]()
    for command in whole_commands(document):
        if command.words[0] == "run" and not command.is_completed:
            if control:
                yield run, control
            run, control = command, []
        elif command.words[0] == "ctl":
            control.append(command)
    if control:
        yield run, control


@EVERY
def test_commands_for_a_run_succeed(document: Path, beaconry: Beaconry, folder: Path) -> None:
    """Commands of `ctl`, with the run that the document has before them."""
    failed = []
    for command, control in sessions(document):
        rate = ["--rate", "manual"] if "manual" in command.words else []
        words = without(tried(command), "--duration", "--control", "--json", "--rate", "--bench", "--bench-rssi", "--radio", "--ephemeral")
        server = [] if "--hci-server" in words else ["--hci-server", "none"]
        run = beaconry.start(*words, "--radio", "virtual", "--json", "--ephemeral", "--control", "run.sock", *rate, *server)
        run.wait("ready")
        if name(document) in ASSUMED:
            assumed, _ = ASSUMED[name(document)]
            assert beaconry.call("ctl", "receiver", "listen", assumed, "9", "0", "--control", "run.sock").returncode == 0
        for each in control:
            if any(text in " ".join(each.words) for text in NEEDS):
                continue
            done = beaconry.call(*without(tried(each), "--control"), "--control", "run.sock")
            if done.returncode != 0:
                failed.append(f"{each}: {done.returncode}: {done.stderr}")
        run.end()
    assert failed == [], "\n".join(failed)


# Links


@pytest.mark.parametrize("document", [*DOCUMENTS, CHECKOUT / "ARCHITECTURE.md", CHECKOUT / "CHANGELOG.md"], ids=name)
def test_links_lead_somewhere(document: Path) -> None:
    dead = []
    for target in links(document):
        path, _, anchor = target.partition("#")
        file = document.parent / path if path else document
        if not file.exists() or anchor and anchor not in anchors(file):
            dead.append(target)
    assert dead == []


REPOSITORY_ONLY = {
    "ARCHITECTURE.md": "for contributors",
    "CONTRIBUTING.md": "for contributors",
    "LICENSE": "the package has it as `copyright`",
    "NOTICE": "the package has it in `copyright`",
    "clients/": "sources of apps",
    "examples/": "sources of tests",
    "docs/page-1920.png": "the package has at most 14 MB, and another picture shows the same",
}
"""Targets of links that are not installed, each with the reason: the text of the link is left."""


@pytest.fixture(scope="module")
def share(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder `share` as the packages and the wheel have it, made by the script that they use."""
    share = tmp_path_factory.mktemp("share")
    subprocess.run([CHECKOUT / "Scripts" / "install-files", share], check=True)
    return share


def test_links_of_installed_documents_lead_somewhere(share: Path) -> None:
    dead, documents = [], sorted((share / "doc" / "beaconry").rglob("*.md"))
    for document in documents:
        for target in links(document):
            path, _, anchor = target.partition("#")
            file = (document.parent / path if path else document).resolve()
            if not file.is_relative_to(share) or not file.exists() or anchor and anchor not in anchors(file):
                dead.append(f"{document.name}: {target}")
    assert dead == [] and len(documents) > 30


def test_installed_documents_keep_their_links(share: Path) -> None:
    """All but those to files that are not installed."""
    for document in sorted((share / "doc" / "beaconry").rglob("*.md")):
        source = next(path for path in (CHECKOUT / document.name, CHECKOUT / "docs" / document.name) if path.exists())
        targets = [(source.parent / target).resolve().relative_to(CHECKOUT).as_posix() for target in links(source)]
        kept = [target for target in targets if not target.startswith(tuple(REPOSITORY_ONLY))]
        assert len(links(document)) == len(kept), source

