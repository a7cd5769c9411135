# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The files for distribution: the service, the image, the notices and the bill of materials."""

from __future__ import annotations

import fnmatch
import functools
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from beaconry import BINARY, CHECKOUT, PROFILES

SERVICE = CHECKOUT / "packaging" / "beaconry.service"
SERVICES = [SERVICE, CHECKOUT / "packaging" / "beaconry@.service"]
DOCKERFILE = (CHECKOUT / "Dockerfile").read_text()
NOTICE = (CHECKOUT / "NOTICE").read_text()
NETWORK_RIGHTS = 1 << 12 | 1 << 13  # CAP_NET_ADMIN, CAP_NET_RAW
Record = dict[str, Any]


def run(*command: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=900, **options)


# The service


@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.name)
def test_service_has_no_faults(tmp_path: Path, unit: Path) -> None:
    # The program need not be installed: another existing program replaces it.
    text = unit.read_text().replace("/usr/bin/beaconry", "/bin/true")
    assert "/bin/true run" in text
    service = tmp_path / unit.name
    service.write_text(text)
    verified = run("systemd-analyze", "verify", "--man=no", "--recursive-errors=no", service)
    assert (verified.returncode, verified.stderr) == (0, "")


@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.name)
def test_exposure_of_the_service_is_low(unit: Path) -> None:
    checked = run("systemd-analyze", "security", "--offline=true", "--threshold=30", unit)
    assert checked.returncode == 0, checked.stdout
    exposure = re.search(r"Overall exposure level for beaconry(?:@i)?\.service: (\d+\.\d)", checked.stdout)
    assert exposure
    assert float(exposure[1]) <= 3.0


def test_both_services_differ_in_the_profile_only() -> None:
    plain, instance = ([line for line in unit.read_text().splitlines() if not line.startswith("#")] for unit in SERVICES)
    assert [line.replace("%i", "profile") for line in instance if "Description=" not in line] == [
        line for line in plain if "Description=" not in line
    ]


def test_service_may_do_what_the_program_needs() -> None:
    settings: dict[str, set[str]] = {}
    for line in SERVICE.read_text().splitlines():
        if "=" in line and not line.startswith("#"):
            key, value = line.split("=", 1)
            settings.setdefault(key, set()).update(value.split())
    assert {"AF_UNIX", "AF_BLUETOOTH"} <= settings["RestrictAddressFamilies"]
    assert settings["AmbientCapabilities"] == settings["CapabilityBoundingSet"] == {"CAP_NET_ADMIN", "CAP_NET_RAW"}
    # The kernel has Bluetooth sockets only in the initial namespaces, and /proc shows the arguments of bluetoothd.
    assert not {"PrivateNetwork", "PrivateUsers", "ProtectProc"} & settings.keys()


# The rights of the program's file


@contextmanager
def running_as_ordinary_user(folder: Path, bounds: str) -> Iterator[tuple[subprocess.Popen[str], list[Record]]]:
    """Runs the program on the virtual air, as a user with only the rights that the package gives its file, within bounds; yields
    it and its events until it is ready."""
    assert "setcap cap_net_admin,cap_net_raw+p " in (CHECKOUT / "packaging" / "debian" / "postinst").read_text()
    program = folder / "beaconry"
    shutil.copy2(BINARY, program)
    # VFS_CAP_REVISION_2, not effective; permitted and inheritable capabilities 0 to 31; the same for 32 to 63.
    attribute = struct.pack("<5I", 0x0200_0000, NETWORK_RIGHTS, 0, 0, 0).hex()
    setting = "import os, sys; os.setxattr(sys.argv[1], 'security.capability', bytes.fromhex(sys.argv[2]))"
    # User 0, but without the rights that the kernel gives to user 0.
    script = f"""
        python3 -c "{setting}" "$0" {attribute}
        exec setpriv --securebits +noroot,+noroot_locked --inh-caps=-all --bounding-set={bounds} "$0" "$@"
    """
    arguments = [
        "run", PROFILES / "iot-design-shop.yaml", "--radio", "virtual", "--hci-server", "tcp:127.0.0.1:0", "--ephemeral",
        "--json", "--control", folder / "control.sock",
    ]  # fmt: skip
    alone = [] if os.geteuid() == 0 else ["unshare", "--map-root-user"]
    program_run = subprocess.Popen(
        [*alone, "bash", "-ec", script, program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    )
    try:
        assert program_run.stdout
        events: list[Record] = []
        while not events or events[-1]["event"] != "ready":
            line = program_run.stdout.readline()
            assert line, events
            events.append(json.loads(line))
        yield program_run, events
    finally:
        program_run.send_signal(signal.SIGTERM)
        program_run.communicate(timeout=300)
    assert program_run.returncode == 0


@pytest.mark.parametrize(
    "bounds,rights", [("-all,+net_admin,+net_raw", NETWORK_RIGHTS), ("-all", 0)], ids=["in bounds", "out of bounds"]
)
def test_program_uses_the_rights_of_its_file(tmp_path: Path, bounds: str, rights: int) -> None:
    with running_as_ordinary_user(tmp_path, bounds) as (program_run, _):
        threads = list(Path(f"/proc/{program_run.pid}/task").glob("*/status"))
        effective = [re.search(r"CapEff:\s*(\w+)", thread.read_text()) for thread in threads]
    assert {int(each[1], 16) for each in effective if each} == {rights}


def test_ordinary_user_serves_the_air(tmp_path: Path) -> None:
    with running_as_ordinary_user(tmp_path, "-all") as (_, events):
        servers = next(event["servers"] for event in events if event["event"] == "radio-ready")
        port = servers[0].rsplit(":", 1)[1]
        uuid = "2173E519-9155-4862-AB64-7953AB146156"
        found = run(BINARY, "expect", "--uuid", uuid, "--within", "300s", "--radio", f"tcp-client:127.0.0.1:{port}")
    assert found.returncode == 0, found.stderr


# The image


def image_instructions() -> list[list[str]]:
    return [line.split() for line in re.sub(r"\\\n", " ", DOCKERFILE).splitlines() if line and line[0] not in "# "]


@functools.cache
def manifest() -> Record:
    return json.loads(run("swift", "package", "--ignore-lock", "dump-package", cwd=CHECKOUT, check=True).stdout)


def is_in_context(path: str) -> bool:
    """Whether a path of the repository is sent to the build, by the patterns of .dockerignore; the last match decides."""
    is_sent = True
    for pattern in (CHECKOUT / ".dockerignore").read_text().splitlines():
        if not pattern or pattern.startswith("#"):
            continue
        patterns, parts = pattern.removeprefix("!").split("/"), Path(path).parts
        # A pattern of a folder is one of what is in it.
        if len(patterns) <= len(parts) and all(fnmatch.fnmatchcase(*pair) for pair in zip(parts, patterns)):
            is_sent = pattern.startswith("!")
    return is_sent


def copied_into_the_image() -> list[str]:
    copies = [words[1:-1] for words in image_instructions() if words[0] == "COPY"]
    return [source for sources in copies for source in sources]


@pytest.mark.parametrize("architecture", ["amd64", "arm64"])
def test_image_is_built_from_the_package(architecture: str) -> None:
    package, script = f".build/package/beaconry_1.2.3_{architecture}.deb", "packaging/docker/entrypoint"
    sources = [source.replace("${TARGETARCH}", architecture) for source in copied_into_the_image()]
    assert len(sources) == 2 and fnmatch.fnmatchcase(package, sources[0]) and sources[1] == script
    assert is_in_context(package) and is_in_context(script) and (CHECKOUT / script).stat().st_mode & 0o111


@pytest.mark.parametrize("path", [".git/HEAD", ".build/debug/beaconry", ".build/package/SHA256SUMS", "docs/events.md", "Sources/HCI/a.swift"])
def test_image_is_built_without_unneeded_files(path: str) -> None:
    assert not is_in_context(path)


def test_image_runs_as_an_ordinary_user_who_owns_its_state() -> None:
    instructions = image_instructions()
    last = instructions[max(number for number, words in enumerate(instructions) if words[0] == "FROM") :]
    assert [words[1] for words in last if words[0] == "USER"] == ["10001:10001"]
    installed = next(" ".join(words) for words in last if words[0] == "RUN")
    assert "useradd --uid 10001 --gid 10001 " in installed
    # Members of the group root: other users of a container, as some clusters have them.
    assert re.search(r"install -d -o beaconry -g root -m 0770 /state\b", installed)
    assert re.search(r"install -d -o beaconry -g beaconry -m 0700 /run/beaconry\b", installed)
    assert ["VOLUME", "/state"] in last


def test_images_are_named_by_version() -> None:
    bases = [words[1] for words in image_instructions() if words[0] == "FROM"]
    assert len(bases) == 1
    assert all(re.search(r":\d+", base) for base in bases), bases


# The notices and the bill of materials


@pytest.fixture(scope="module")
def bill() -> Iterator[Record]:
    script = CHECKOUT / "Scripts" / "sbom"
    written = run(sys.executable, script, "--build", BINARY, "--program", BINARY, env={**os.environ, "SOURCE_DATE_EPOCH": "1750000000"})
    assert written.returncode == 0, written.stderr
    yield json.loads(written.stdout)


@pytest.mark.package
def test_bill_of_materials_is_an_spdx_document(bill: Record) -> None:
    assert (bill["spdxVersion"], bill["dataLicense"], bill["SPDXID"]) == ("SPDX-2.3", "CC0-1.0", "SPDXRef-DOCUMENT")
    assert bill["creationInfo"]["created"] == "2025-06-15T15:06:40Z"
    assert re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", bill["documentNamespace"])
    identifiers = [package["SPDXID"] for package in bill["packages"]]
    assert len(set(identifiers)) == len(identifiers)
    for package in bill["packages"]:
        assert re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", package["SPDXID"])
        assert package["name"] and package["downloadLocation"] and package["licenseConcluded"] != "NOASSERTION"
        assert package["filesAnalyzed"] is False
    ends = {each[end] for each in bill["relationships"] for end in ("spdxElementId", "relatedSpdxElement")}
    assert ends == {*identifiers, "SPDXRef-DOCUMENT"}, "each part has a relationship"
    described = [each["relatedSpdxElement"] for each in bill["relationships"] if each["relationshipType"] == "DESCRIBES"]
    assert described == ["SPDXRef-beaconry"]


@pytest.mark.package
def test_bill_of_materials_has_versions_in_the_ranges_of_the_manifest(bill: Record) -> None:
    ranges = {
        source["identity"]: source["requirement"]["range"][0]
        for dependency in manifest()["dependencies"]
        for source in dependency["sourceControl"]
    }
    linked = {
        each["relatedSpdxElement"].removeprefix("SPDXRef-")
        for each in bill["relationships"]
        if each["relationshipType"] == "STATIC_LINK"
    }
    versions = {package["name"]: package.get("versionInfo") for package in bill["packages"]}
    assert ranges.keys() <= linked >= {"libyaml", "swift-asn1"}, "each package of the manifest is used"
    for name in ranges:
        least, limit, version = (
            tuple(map(int, text.split("."))) for text in (ranges[name]["lowerBound"], ranges[name]["upperBound"], versions[name])
        )
        assert least <= version < limit, name


@pytest.mark.package
def test_every_part_is_in_the_notices(bill: Record) -> None:
    headings = set(re.findall(r"^={79}\n(\S+)\n", NOTICE, re.MULTILINE))
    assert {package["name"] for package in bill["packages"]} - {"beaconry"} <= headings


@pytest.mark.package
def test_notices_of_packages_are_complete(bill: Record) -> None:
    def squeezed(text: str) -> str:
        return " ".join(text.split())

    carried = squeezed(NOTICE)
    checkouts = {folder.name.lower(): folder for folder in (BINARY.resolve().parents[2] / "checkouts").iterdir()}
    notices = [
        notice
        for package in bill["packages"]
        if (folder := checkouts.get(package["name"]))
        for notice in [*folder.glob("NOTICE*"), *(folder.glob("LICENSE*") if package["licenseConcluded"] == "MIT" else [])]
    ]
    assert len(notices) >= 6
    for notice in notices:
        assert squeezed(notice.read_text()) in carried, notice
