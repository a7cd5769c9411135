# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""What commands write to: every output, with every kind of file in its place."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from beaconry import BINARY

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
PROFILE = f"profile: shop\nbeacons: [{{ id: door, device: ibeacon, ibeacon: {{ uuid: {UUID} }} }}]\n"
SCENARIO = f"""
scenario: seen
beacons: [{{ id: door, device: ibeacon, position: [0, 0], ibeacon: {{ uuid: {UUID} }} }}]
receivers: [{{ id: phone, position: [1, 0] }}]
expect: [{{ on-air: door, by: 2s }}]
"""
RECORDING = "recording.jsonl"
"""A recording that there is before the command."""
RUN = ("run", "shop.yaml", "--radio", "virtual", "--hci-server", "none", "--control", "none", "--ephemeral", "--duration", "1ms")
AIR = ("--profile", "shop.yaml", "--rate", "max", "--duration", "2s")


@dataclass(frozen=True)
class Output:
    """A file that a command writes."""

    command: tuple[str, ...]
    """With `{}` for the path."""
    begins: str
    """What the content begins with; empty for an empty file."""
    names: tuple[str, ...] = field(default=())
    """The options that have the path in other commands as well; a positional argument is `command name`."""
    codes: tuple[int, ...] = (0,)
    """Exit codes of a command that has written the file."""
    is_long: bool = False
    """Whether the command is slow, and is tried with one kind of file only."""


SWEEP = "sweep: seen\nscenario: seen.yaml\nseeds: 1..2\n"
OUTPUTS = {
    "metrics": Output((*RUN, "--metrics-file", "{}"), "# HELP beaconry_build_info", ("metrics-file",)),
    "ready": Output((*RUN, "--ready-file", "{}"), "", ("ready-file",)),
    "capture": Output((*RUN, "--capture", "{}"), "btsnoop", ("capture",)),
    "results of a test": Output(("test", "seen.yaml", "--junit", "{}"), "<?xml", ("junit",)),
    "capture of a test": Output(("test", "seen.yaml", "--capture", "{}"), "btsnoop"),
    "results of expect": Output(("expect", "--uuid", UUID, "--within", "5s", *AIR[:4], "--junit", "{}"), "<?xml"),
    "recording": Output(("record", "{}", "--force", *AIR), '{"', ("record file",)),
    "chart of a recording": Output(("record", "other.jsonl", "--force", *AIR, "--plot", "{}"), "<?xml", ("plot",)),
    "chart of ranging": Output(("range", "--uuid", UUID, *AIR, "--force", "--plot", "{}"), "<?xml"),
    "plot": Output(("plot", RECORDING, "--force", "-o", "{}"), "<?xml", ("output",)),
    "first profile": Output(("init", "{}", "--force"), "# The beacons of one place", ("init file",)),
    "profile of a list": Output(("init", "{}", "--from", "beacons.csv", "--force"), "# The beacons of beacons.csv"),
    "clone": Output(("clone", RECORDING, "{}", "--name", "copy", "--force"), "profile: copy", ("clone profile",)),
    "drawing of a survey": Output(("survey", "seen.yaml", "--force", "--plot", "{}"), "<?xml", ("plot",)),
    "results of a sweep": Output(("sweep", "seen-sweep.yaml", "--output", "{}"), '{"baselines"'),
    "merged results": Output(("merge", "seen.jsonl", "--force", "--output", "{}"), '{"baselines"'),
    "trial": Output(("doctor", "--radio", "virtual", "--trial", "{}", "--force"), "{", ("trial",), codes=(0, 1), is_long=True),  # Or there is a problem of this machine.
}
OTHERS = {
    "save file": "ctl capture save, as the others: test_captures.py",
    "write": "calibrate: a profile, which is read before",
}
"""Outputs that are no rows of that table, with the reason."""
INPUTS = {
    "bind-key-file", "esphome-key-file", "replay", "http-token-file", "profile", "run profiles", "check profiles", "dbus profiles", "radios profiles",
    "put entry", "esphome-key", "radio", "expect file", "watch file", "phone profile", "test scenarios", "decode input", "clone recording", "plot recordings",
    "schema kind", "sweep spec", "merge files", "survey file", "baseline", "from", "name", "reset devices", "bench", "control", "receiver", "within", "interval", "tx-power", "address",
}  # fmt: skip
"""Options and arguments whose descriptions have the word file or profile, and that are only read."""


@dataclass
class Place:
    """A path with a file of some kind, or none."""

    path: Path
    check: Callable[[subprocess.CompletedProcess[str], str], None]
    """Compares what the place has after the command."""


def absent(folder: Path) -> Place:
    path = folder / "out"
    return Place(path, lambda _, begins: check_regular(path, begins))


def regular(folder: Path) -> Place:
    path = folder / "out"
    path.write_text("")
    return Place(path, lambda _, begins: check_regular(path, begins))


def fifo(folder: Path) -> Place:
    path = folder / "out"
    os.mkfifo(path)
    content: list[str] = []
    # Opened here, so that there is a reader whenever the command opens it.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(descriptor, True)
    keeper = os.open(path, os.O_WRONLY)

    def read() -> None:
        with open(descriptor, errors="replace") as reader:
            content.append(reader.read())

    reading = threading.Thread(target=read)
    reading.start()

    def check(_: subprocess.CompletedProcess[str], begins: str) -> None:
        os.close(keeper)
        reading.join(timeout=300)
        assert stat.S_ISFIFO(path.lstat().st_mode)
        assert content and content[0].startswith(begins)

    return Place(path, check)


def link(folder: Path, target: str) -> Path:
    path = folder / "out"
    path.symlink_to(target)
    return path


def link_to_a_device(folder: Path) -> Place:
    path = link(folder, "/dev/null")

    def check(_: subprocess.CompletedProcess[str], __: str) -> None:
        assert os.readlink(path) == "/dev/null" and stat.S_ISCHR(path.stat().st_mode)

    return Place(path, check)


def standard_output(folder: Path) -> Place:
    path = link(folder, "/dev/stdout")

    def check(done: subprocess.CompletedProcess[str], begins: str) -> None:
        assert os.readlink(path) == "/dev/stdout"
        assert begins in done.stdout

    return Place(path, check)


def check_regular(path: Path, begins: str) -> None:
    # The file that shows that a run is ready is removed at its end.
    if not begins:
        assert not path.exists()
    else:
        assert path.is_file() and not path.is_symlink()
        assert path.read_text(errors="replace").startswith(begins)


PLACES = [absent, regular, fifo, link_to_a_device, standard_output]


@pytest.fixture(scope="session")
def recording(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The text of a recording."""
    folder = tmp_path_factory.mktemp("recording")
    (folder / "shop.yaml").write_text(PROFILE)
    subprocess.run([BINARY, "record", RECORDING, *AIR], cwd=folder, capture_output=True, timeout=600, check=True)
    return (folder / RECORDING).read_text()


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The text of the results of a sweep."""
    folder = tmp_path_factory.mktemp("results")
    for name, text in {"seen.yaml": SCENARIO, "shop.yaml": PROFILE, "seen-sweep.yaml": SWEEP}.items():
        (folder / name).write_text(text)
    subprocess.run([BINARY, "sweep", "seen-sweep.yaml", "--output", "seen.jsonl"], cwd=folder, capture_output=True, timeout=600, check=True)
    return (folder / "seen.jsonl").read_text()


@pytest.fixture
def folder(tmp_path: Path, recording: str, results: str) -> Path:
    """A folder with what the commands read, and an empty one for what they write."""
    files = {"seen-sweep.yaml": SWEEP, "seen.jsonl": results, "shop.yaml": PROFILE, "seen.yaml": SCENARIO, RECORDING: recording, "beacons.csv": "label,minor\nHall,1\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "place").mkdir()
    return tmp_path


def perform(folder: Path, output: Output, path: Path) -> subprocess.CompletedProcess[str]:
    command = [str(path) if word == "{}" else word for word in output.command]
    return subprocess.run([BINARY, *command], cwd=folder, capture_output=True, text=True, errors="replace", timeout=600, check=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name,place",
    [(name, place) for name, output in OUTPUTS.items() for place in PLACES if not output.is_long or place is link_to_a_device],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_output_is_written_where_it_is(folder: Path, name: str, place: Callable[[Path], Place]) -> None:
    output = OUTPUTS[name]
    there = place(folder / "place")
    done = perform(folder, output, there.path)
    assert done.returncode in output.codes, done
    there.check(done, output.begins)
    assert [each.name for each in (folder / "place").iterdir()] in ([], ["out"]), "nothing else is left"


@pytest.mark.parametrize("name", [name for name, output in OUTPUTS.items() if output.begins and not output.is_long])
def test_output_that_cannot_be_written_is_reported(folder: Path, name: str) -> None:
    path = link(folder / "place", "/dev/full")
    done = perform(folder, OUTPUTS[name], path)
    assert done.returncode in (73, 74) and "No space left on device" in done.stderr, done
    assert os.readlink(path) == "/dev/full"


@pytest.mark.parametrize("name", [name for name, output in OUTPUTS.items() if not output.is_long])
def test_target_of_a_link_is_not_written(folder: Path, name: str) -> None:
    """Another user may have made it, in a folder that all may write to."""
    target = folder / "precious"
    target.write_text("precious")
    perform(folder, OUTPUTS[name], link(folder / "place", str(target)))
    assert target.read_text() == "precious"


def test_ready_file_with_content_is_kept(folder: Path) -> None:
    path = folder / "place" / "out"
    path.write_text("precious")
    done = perform(folder, OUTPUTS["ready"], path)
    assert done.returncode == 73 and f"the ready file {path} exists, and is not empty" in done.stderr, done
    assert path.read_text() == "precious"


def described(command: dict[str, object]) -> Iterator[str]:
    """The names of the options and arguments of a command whose descriptions mention files, and those of its subcommands."""
    for argument in command.get("arguments", []):  # type: ignore[attr-defined]
        about = argument.get("abstract") or ""
        if argument["kind"] == "flag" or not (re.search(r"\b[Ff]ile|to write\b", about) or "file" in str(argument.get("completionKind"))):
            continue
        names = [name["name"] for name in argument.get("names", []) if name["kind"] == "long"]
        yield names[0] if names else f"{command['commandName']} {argument['valueName']}"
    for each in command.get("subcommands") or []:  # type: ignore[attr-defined]
        yield from described(each)


def test_table_has_every_output() -> None:
    """An option or an argument that is a file is a row of the table, or known to be read only."""
    dump = subprocess.run([BINARY, "--experimental-dump-help"], capture_output=True, text=True, timeout=300, check=True)
    rows = {name for output in OUTPUTS.values() for name in output.names}
    missing = set(described(json.loads(dump.stdout)["command"])) - rows - INPUTS - OTHERS.keys()
    assert not missing
    assert rows <= set(described(json.loads(dump.stdout)["command"]))
