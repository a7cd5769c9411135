# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""docs/several-machines.md at a desk with three machines: all its commands, with SSH alone and with Ansible; and the role."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from beaconry import CHECKOUT, PATIENCE
from desk import ANSIBLE, OTHER_ADDRESS, Museum
from documents import blocks
from machine import Done, Machine, Packages

pytestmark = pytest.mark.timeout(6 * PATIENCE)
DOCUMENT = CHECKOUT / "docs" / "several-machines.md"
PACKAGE = "beaconry_0.1.0_arm64.deb"
"""The name of the package in the document; in the test it has this machine's architecture."""
FILES = {"[Service]": "options.conf", "pi-1.local": "machines", "- name: Beacons of the museum": "museum.yml"}
"""How the files begin that the document shows."""
ELSEWHERE = {"On the floor": "it needs an adapter; Tests/EndToEnd/host/test_documents.py tries it"}
"""Sections whose commands are not for the desk, each with the reason."""


def scripts() -> dict[str, list[str]]:
    """The scripts of the document by the headings above them, without their comments; those of a block of single lines are apart."""
    found: dict[str, list[str]] = {}
    text = DOCUMENT.read_text().splitlines()
    for block in blocks(DOCUMENT):
        heading = next(line.strip("# ") for line in reversed(text[: block.line]) if line.startswith("#"))
        if block.language == "":
            found.setdefault(heading, []).extend(re.sub(r" +# .*", "", line) for line in block.text.splitlines())
        elif block.language == "sh":
            found.setdefault(heading, []).append(block.text)
    return found


SCRIPTS = scripts()


def script(*words: str) -> str:
    """The script of the document with these words."""
    found = [each for several in SCRIPTS.values() for each in several if all(word in each for word in words)]
    assert len(found) == 1, (words, found)
    return found[0]


def minors(machine: Machine) -> list[int]:
    """The minors that a machine has on the air."""
    listed = machine.call("beaconry", "ctl", "list", "--json", "--control", "/run/beaconry/profile.sock")
    found = [json.loads(line) for line in listed.stdout.splitlines()]
    return sorted(each["settings"]["minor"] for each in found if each["state"] == "on-air")


def wait_for_minors(machine: Machine, *expected: int) -> None:
    machine.wait(f"minors {expected}", lambda: minors(machine) == list(expected))


MINORS = list(range(1, 21))
"""Those of each machine in the document, whose majors are the rooms."""
CHANGED = sorted({*MINORS, 107} - {7})
"""The same after a change of the seventh in each room."""


def change(museum: Museum, old: str = "minor: 7 }", new: str = "minor: 107 }") -> None:
    edit(museum, "profile/profile.yaml", old, new)


def edit(museum: Museum, file: str, old: str, new: str) -> None:
    """Changes a file at the desk."""
    path = museum.desk.place / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


@pytest.fixture
def folder(museum: Museum, packages: Packages) -> Museum:
    """The desk after the section "The folder"."""
    copied, entered, *rest = SCRIPTS["The folder"]
    museum.desk.run(copied)
    assert entered == "cd museum"
    museum.desk.place /= "museum"
    shutil.copy(packages.tested, museum.desk.place / PACKAGE)
    *_, written, checked = [museum.desk.run(each) for each in rest]
    assert written.startswith("profile/profile.yaml is written: 60 beacons of 60 rows of museum.csv")
    assert checked == "20 beacons: no problems found\n"
    assert (museum.desk.place / "token").stat().st_mode & 0o777 == 0o600
    return museum


def test_every_script_belongs_to_a_test() -> None:
    tested = {"The folder", "With SSH alone", "With Ansible", "From the desk", "Prometheus"}
    assert SCRIPTS.keys() == tested | ELSEWHERE.keys()


def test_files_of_the_folder_are_those_of_the_document() -> None:
    shown = [block.text for block in blocks(DOCUMENT) if block.language in ("text", "ini", "yaml") and "rule_files" not in block.text]
    found = {next(name for start, name in FILES.items() if text.startswith(start)): text for text in shown}
    assert found.keys() == set(FILES.values())
    for name, text in found.items():
        lines = (CHECKOUT / "packaging" / "ansible" / name).read_text().splitlines()
        assert text.splitlines() == [line for line in lines if not line.lstrip().startswith("#") and line], name


def test_machines_with_ssh_alone(folder: Museum, packages: Packages, newer: Path) -> None:
    desk, (one, two, three) = folder.desk, folder.machines
    install, options, profile, back = SCRIPTS["With SSH alone"]
    listing, doubled, _ = SCRIPTS["From the desk"]

    desk.run(install)
    desk.run(options)
    desk.run(profile)
    for machine in folder.machines:
        wait_for_minors(machine, *MINORS)
        assert machine.call("systemctl", "is-enabled", "beaconry").stdout == "enabled\n"
    listed = desk.run(listing)
    assert re.findall("^pi-.*", listed, re.MULTILINE) == [f"pi-{room}.local BEACONRY_ONLY=room-{room}-*" for room in (1, 2, 3)]
    assert re.findall(r"^(room-\d-\d\d) +Stele #(\d+) ", listed, re.MULTILINE) == [
        (f"room-{room}-{number:02}", f"{room * 20 - 20 + number}") for room in (1, 2, 3) for number in MINORS
    ]
    files = re.findall(r"^profile +(\w+)", listed, re.MULTILINE)
    assert len(files) == 3 and len(set(files)) == 1
    assert desk.call(doubled).stdout == ""
    # By the other name of the machine, and from another address.
    desk.run("beaconry ctl list --url http://pi-1:8080 --http-token-file token")
    assert desk.call("curl --silent --max-time 300 http://pi-1.local:8080/v1/health").stdout.startswith('{"code":"no-token"')
    assert desk.call(f"curl --silent --max-time 2 --interface {OTHER_ADDRESS} http://pi-1.local:8080/v1/health").returncode == 28

    # A change, while a machine is off.
    two.kill()
    change(folder)
    changed = desk.call(profile)
    assert "pi-2.local" in changed.stderr and "pi-1.local" not in changed.stderr, changed
    wait_for_minors(one, *CHANGED)
    folder.boot(two)
    wait_for_minors(two, *MINORS)
    assert len(set(re.findall(r"^profile +(\w+)", desk.run(listing), re.MULTILINE))) == 2
    process = one.process("beaconry")
    assert desk.call(profile).stderr == ""
    wait_for_minors(two, *CHANGED)
    assert one.process("beaconry") == process, "a reload"

    # Back, on one of them; faults and findings; and a file that the profile names, which only the service may read.
    desk.run(back)
    wait_for_minors(three, *MINORS)
    change(folder, "\nbeacons:", "\nbeacon:")
    assert desk.call(profile).stderr.count('there is no key "beacon" here; did you mean "beacons"?') == 3
    change(folder, "\nbeacon:", "\ninclude: more.yaml\nbeacons:")
    more = desk.place / "profile" / "more.yaml"
    more.write_text("beacons:\n" + "".join(f"  - {{ id: room-{room}-more, ibeacon: {{ major: {room}, minor: 900 }} }}\n" for room in (1, 2, 3)))
    more.chmod(0o600)
    assert desk.call(profile).stderr == ""
    for machine in folder.machines:
        wait_for_minors(machine, *CHANGED, 900)
    two.run("systemctl", "restart", "beaconry")
    wait_for_minors(two, *CHANGED, 900)

    # Two machines with one room.
    edit(folder, "machines", "room-3-*", "room-2-*")
    desk.run(options)
    three.wait("room 2", lambda: "room-2-01" in three.beacons())
    assert desk.run(doubled).split() == [f'"id":"room-2-{each}"' for each in (*(f"{number:02}" for number in MINORS), "more")]

    # The rules of Prometheus.
    for each in SCRIPTS["Prometheus"]:
        desk.run(each)
    assert desk.run("cat /etc/prometheus/beaconry.rules.yml") == (CHECKOUT / "packaging/prometheus/beaconry.rules.yml").read_text()

    # Another version, and back.
    for package, suffix in ((newer, "+later"), (packages.tested, "")):
        shutil.copy(package, desk.place / PACKAGE)
        desk.run(install)
        version = one.run("dpkg-query", "--show", "--showformat=${Version}", "beaconry")
        assert version == packages.version + suffix
        wait_for_minors(one, *CHANGED, 900)


def recap(done: Done) -> dict[str, dict[str, int]]:
    """The numbers of each machine in the recap of a playbook."""
    lines = re.findall(r"^(pi-\d)\.local +: (.*)$", done.stdout.split("PLAY RECAP")[-1], re.MULTILINE)
    return {name: {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", numbers)} for name, numbers in lines}


def changes(done: Done) -> list[int]:
    """The numbers of changes of the machines, after a playbook that has no faults."""
    numbers = recap(done)
    assert done.returncode == 0 and len(numbers) == 3, f"{done.stdout}\n{done.stderr}"
    assert not any(each["failed"] or each["unreachable"] for each in numbers.values())
    return [each["changed"] for each in numbers.values()]


PROFILE = """\
profile: museum
defaults:
  device: ibeacon
  ibeacon: { uuid: 8F0C1B52-6D1A-4B7E-9C7E-2F7D3A1E5B90, major: "${ROOM}" }
beacons:
  - { id: "room-${ROOM}-{n}", count: 4, ibeacon: { minor: 1..4 } }
"""
"""With a variable, beside which the files of single rooms may be."""
STORY = """
- name: Story
  hosts: all
  gather_facts: false
  become: true
  roles:
    - role: beaconry
      vars:
        beaconry_package: "{{ package | default('beaconry_0.1.0_arm64.deb') }}"
        beaconry_install_recommends: false
        beaconry_profile: profile
        beaconry_environment: { ROOM: "{{ ROOM }}", TEXT: "{{ text | default('') }}" }
        beaconry_token: "{{ token | default(lookup('ansible.builtin.file', 'token')) }}"
        beaconry_allowed_addresses: [192.0.2.10]
        beaconry_wait: 120
"""
"""A playbook in which the inventory chooses for each machine."""


def write_machines(museum: Museum, *variables: str) -> None:
    """Writes the inventory, with further variables of each machine."""
    lines = [f"pi-{number}.local ROOM={number} {each}\n" for number, each in enumerate([*variables, "", "", ""][:3], 1)]
    (museum.desk.place / "machines").write_text("".join(lines))


def versions(machine: Machine) -> list[str]:
    """The versions of the profile that a machine has, the one in use and the one before."""
    names = "current", "previous"
    return [machine.call("readlink", f"/etc/beaconry/versions/{name}").stdout.strip() for name in names]


def test_machines_with_ansible(folder: Museum, packages: Packages) -> None:
    """The commands of the document, with the version of Debian 12, and twice with the newest."""
    desk, (one, two, three) = folder.desk, folder.machines
    try_it, do_it, back = SCRIPTS["With Ansible"]
    *_, ask = SCRIPTS["From the desk"]
    token = (desk.place / "token").read_text().strip()

    # On machines without the package, nothing is done.
    tried = desk.call(try_it)
    assert min(changes(tried)) > 5 and "+  - { id: room-1-01, " in tried.stdout and token not in tried.stdout
    assert not any(machine.exists(path) for machine in folder.machines for path in ("/usr/bin/beaconry", "/etc/beaconry", "/var/cache/beaconry.deb"))

    # A machine that is off is done when it comes back, and nothing else then.
    three.kill()
    done = recap(desk.call(do_it))
    assert [done[name]["unreachable"] for name in ("pi-1", "pi-2", "pi-3")] == [0, 0, 1] and not any(each["failed"] for each in done.values())
    folder.boot(three)
    done = desk.call(do_it, ansible="newest")
    assert changes(done)[:2] == [0, 0] and changes(done)[2] > 5 and not re.search("WARN|DEPRECAT", done.stdout + done.stderr)
    assert "20 of 20 beacons on the air" in done.stdout
    for machine in folder.machines:
        assert minors(machine) == MINORS
        assert machine.run("stat", "--format=%U %G %a", "/etc/beaconry/token").split() == ["root", "beaconry", "640"]
    assert desk.run(ask).count("StatusText=20 beacons on the air") == 3
    for name in ("pi-1.local", "pi-2"):
        desk.run(f"beaconry ctl list --url http://{name}:8080 --http-token-file token")
    assert desk.call(f"curl --silent --max-time 2 --interface {OTHER_ADDRESS} http://pi-1.local:8080/v1/health").returncode == 28

    # A change, which is shown before, is a reload.
    processes = [machine.process("beaconry") for machine in folder.machines]
    before = versions(one)[0]
    change(folder)
    assert "+  - { id: room-1-07, " in desk.call(try_it, ansible="newest").stdout
    assert minors(one) == MINORS
    done = desk.call(do_it)
    assert min(changes(done)) > 0 and "reloaded: changed room-1-07" in done.stdout
    assert [minors(machine) for machine in folder.machines] == [CHANGED] * 3
    assert [machine.process("beaconry") for machine in folder.machines] == processes and versions(one)[1] == before

    # The way back, while a machine is off, and again for this one.
    two.kill()
    done = recap(desk.call(back))
    assert [done[name]["changed"] > 0 for name in ("pi-1", "pi-2", "pi-3")] == [True, False, True] and done["pi-2"]["unreachable"]
    assert minors(one) == minors(three) == MINORS and one.process("beaconry") == processes[0]
    folder.boot(two)
    wait_for_minors(two, *CHANGED)
    returned = changes(desk.call(back))
    assert returned[0] == returned[2] == 0 < returned[1] and minors(two) == MINORS


def another_build(root: Path) -> None:
    """Changes a file of an unpacked package."""
    file = "usr/share/doc/beaconry/README.md"
    (root / file).write_text("Another build.\n")
    sums = root / "DEBIAN" / "md5sums"
    sums.write_text(re.sub(f"^\\w+(?=  {file}$)", hashlib.md5(b"Another build.\n").hexdigest(), sums.read_text(), flags=re.MULTILINE))


def test_role_does_what_is_needed(folder: Museum, packages: Packages, newer: Path) -> None:
    """What differs between machines is done on each of them: reload, restart, other packages."""
    desk, (one, two, three) = folder.desk, folder.machines
    (desk.place / "story.yml").write_text(STORY)
    profile = desk.place / "profile"
    (profile / "profile.yaml").write_text(PROFILE)
    shutil.copy(newer, desk.place / "newer.deb")

    def play(options: str = "") -> Done:
        return desk.call(f"ansible-playbook story.yml {options}")

    def installed(machine: Machine) -> str:
        return machine.run("dpkg-query", "--show", "--showformat=${Version}", "beaconry")

    # One has a profile of its own, and another gets the package from a repository.
    two.install(packages.tested)
    two.write("/etc/beaconry/profile.yaml", "profile: mine\nbeacons: []\n")
    two.run("systemctl", "enable", "--now", "beaconry")
    three.write("/repository/beaconry.deb", packages.tested.read_bytes())
    three.write("/repository/Packages", packages.entry("beaconry.deb"))
    three.write("/etc/apt/sources.list", "deb [trusted=yes] file:/repository ./\n")
    three.shell("rm -rf /etc/apt/sources.list.d")
    write_machines(folder, "", "", f"package=beaconry={packages.version}")
    assert min(changes(play())) > 5
    assert [minors(machine) for machine in folder.machines] == [[1, 2, 3, 4]] * 3
    assert two.read("/etc/beaconry/profile.yaml~") == "profile: mine\nbeacons: []\n"

    # A profile with files, in which one machine has a fault, is used by none.
    (profile / "rooms").mkdir()
    change(folder, "\nbeacons:", '\ninclude: "rooms/${ROOM}.yaml"\nbeacons:')
    for room in (1, 2):
        (profile / "rooms" / f"{room}.yaml").write_text("beacons:\n  - { id: more, ibeacon: { minor: 20 } }\n")
    states = [(versions(machine), machine.process("beaconry")) for machine in folder.machines]
    refused = play()
    assert refused.returncode != 0 and 'there is no file \\"/etc/beaconry/versions/' in refused.stdout, refused.stdout
    assert refused.stdout.count("no machine gets this profile, which has faults on pi-3.local") == 2
    assert [(versions(machine), machine.process("beaconry")) for machine in folder.machines] == states

    # Files with secrets are not shown. New files are a reload, a new variable is a restart, and a new package, too.
    (profile / "rooms" / "3.yaml").write_text("beacons: []\n")
    (profile / "secret.key").write_text("0123456789abcdef0123456789abcdef\n")
    write_machines(folder, "", 'text="a \\"b\\" 5% \\\\ $c"', "package=newer.deb")
    done = play("--diff -vvv")
    assert min(changes(done)) > 0, done
    assert "0123456789abcdef" not in done.stdout and "+include" in done.stdout and "+  - { id: more" in done.stdout
    assert (desk.place / "token").read_text().strip() not in done.stdout
    assert [minors(machine) for machine in folder.machines] == [[1, 2, 3, 4, 20], [1, 2, 3, 4, 20], [1, 2, 3, 4]]
    assert [machine.process("beaconry") == process for machine, (_, process) in zip(folder.machines, states)] == [True, False, False]
    environment = two.run("cat", f"/proc/{two.process('beaconry')}/environ").split("\0")
    assert 'TEXT=a "b" 5% \\ $c' in environment and "ROOM=2" in environment
    assert installed(three) == packages.version + "+later"
    assert one.run("stat", "--format=%U %G %a", "/etc/beaconry/secret.key", "--dereference").split() == ["root", "beaconry", "640"]

    # A token that the program refuses ends the run with its reason, and the next run completes it. A run that was interrupted is
    # completed, what was edited on a machine is replaced, and a package is an earlier one.
    write_machines(folder, "token=short")
    two.run("rm", "/etc/beaconry/versions/applied")
    two.shell("rm /etc/beaconry/profile.yaml; echo 'profile: edited' >/etc/beaconry/profile.yaml")
    shutil.rmtree(profile / "rooms")
    (profile / "secret.key").unlink()
    change(folder, '\ninclude: "rooms/${ROOM}.yaml"', "")
    failed = play()
    numbers = recap(failed)
    assert [numbers[name]["failed"] for name in ("pi-1", "pi-2", "pi-3")] == [1, 0, 0] and "it must have one word of at least 16 bytes" in failed.stdout, failed.stdout
    assert minors(two) == minors(three) == [1, 2, 3, 4] and installed(three) == packages.version
    assert two.run("ls", "/etc/beaconry").split() == ["profile.yaml", "profile.yaml~", "token", "versions"]
    assert len(two.run("ls", "/etc/beaconry/versions").split()) == 5, "two versions, two links, and what the service runs with"

    # Another build of the same version.
    write_machines(folder, "", "", "package=other.deb")
    shutil.copy(packages.repacked("", another_build), desk.place / "other.deb")
    mended = changes(play())
    assert mended[0] > 0 == mended[1] and minors(one) == [1, 2, 3, 4]
    assert three.read("/usr/share/doc/beaconry/README.md") == "Another build.\n"
    assert changes(play()) == [0, 0, 0]


def test_role_has_no_faults(tmp_path: Path) -> None:
    """By ansible-lint, with its strictest rules; and it needs no collections."""
    folder = CHECKOUT / "packaging" / "ansible"
    command = [f"{ANSIBLE['newest']}/ansible-lint", "--offline", "--profile", "production", "--nocolor", "-q", "museum.yml", "roles"]
    environment = {**os.environ, "PATH": f"{ANSIBLE['newest']}:{os.environ['PATH']}", "ANSIBLE_HOME": str(tmp_path)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done
    modules = {
        name for file in (folder / "roles").rglob("tasks/*.yml") for name in re.findall(r"^ +(?:- )?(\w+\.\w+\.\w+):", file.read_text(), re.MULTILINE)
    }  # fmt: skip
    assert {name.rpartition(".")[0] for name in modules} == {"ansible.builtin"}


def test_variables_of_the_role_are_documented() -> None:
    role = CHECKOUT / "packaging" / "ansible" / "roles" / "beaconry"
    specified = set(re.findall(r"^      (beaconry_\w+):$", (role / "meta" / "argument_specs.yml").read_text(), re.MULTILINE))
    defaults = set(re.findall(r"^(beaconry_\w+):", (role / "defaults" / "main.yml").read_text(), re.MULTILINE))
    documented = set(re.findall(r"^\| `(beaconry_\w+)` \|", (role.parents[1] / "README.md").read_text(), re.MULTILINE))
    assert specified == documented == defaults | {"beaconry_profile"}
