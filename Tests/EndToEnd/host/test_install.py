# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The files that `make install` installs: the program, man pages, shell completions, and what messages name."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from beaconry import BINARY, CHECKOUT


def needed(program: str) -> str:
    if not shutil.which(program):
        pytest.fail(f"{program} is missing; Scripts/install-dependencies test installs it")
    return program


def called(*arguments: str | Path, **environment: str) -> str:
    result = subprocess.run(
        [str(each) for each in arguments], env={**os.environ, **environment}, capture_output=True, text=True, check=False,
        timeout=300,
    )  # fmt: skip
    assert (result.returncode, result.stderr) == (0, ""), result
    return result.stdout


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The installed files, as in a package."""
    destination = tmp_path_factory.mktemp("package")
    called("make", "-s", "-C", CHECKOUT, "install", "PREFIX=/usr", f"DESTDIR={destination}", f"BINARY={BINARY}")
    return destination / "usr"


@pytest.mark.slow
def test_program_and_its_profiles_are_installed(root: Path) -> None:
    program = root / "bin" / "beaconry"
    assert called(program, "--version") == called(BINARY, "--version")
    profiles = {path.relative_to(CHECKOUT / "profiles") for path in (CHECKOUT / "profiles").rglob("*.yaml")}
    installed = root / "share" / "beaconry" / "profiles"
    assert {path.relative_to(installed) for path in installed.rglob("*.yaml")} == profiles and profiles
    called(program, "check", installed / "museum.yaml")
    assert (root / "share" / "doc" / "beaconry" / "LICENSE").read_text() == (CHECKOUT / "LICENSE").read_text()
    assert program.stat().st_mode & 0o777 == 0o755 and (installed / "museum.yaml").stat().st_mode & 0o777 == 0o644


@pytest.mark.slow
def test_what_messages_name_is_installed(root: Path, tmp_path: Path) -> None:
    share, program = root / "share", root / "bin" / "beaconry"
    for folder, files in (("scenarios", "*.yaml"), ("profiles", "*"), ("packaging/schemas", "*.json"), ("packaging/prometheus", "*.yml"), ("packaging/ansible", "*"), ("packaging/sweep", "*")):
        names = {path.name for path in (CHECKOUT / folder).glob(files)}
        assert names and {path.name for path in (share / "beaconry" / Path(folder).name).glob(files)} == names, folder
    documents = {path.name for path in (CHECKOUT / "docs").glob("*.md")}
    assert {path.name for path in (share / "doc" / "beaconry").glob("*.md")} == documents | {"README.md", "SECURITY.md", "CHANGELOG.md"}
    missing = subprocess.run([program, "check", "nosuch.yaml"], capture_output=True, text=True, check=False)
    assert missing.stderr == f"nosuch.yaml: error: there is no such file; {share}/beaconry/profiles/ has examples\n"
    profile = tmp_path / "shop.yaml"
    called(program, "init", profile)
    first, second = profile.read_text().splitlines()[:2]
    assert first == f"# yaml-language-server: $schema={share}/beaconry/schemas/profile.schema.json"
    assert second.endswith("All keys: man 5 beaconry-profile")
    assert {path.name for path in (share / "man" / "man5").iterdir()} == {"beaconry-profile.5", "beaconry-scenario.5"}
    rendered = called(needed("groff"), "-mdoc", "-Tutf8", "-P-cbou", share / "man" / "man5" / "beaconry-profile.5")
    for words in ("FILE FORMATS MANUAL", "measured-power", "profile: shop", "through", "SHORT FORMS"):
        assert words.lower() in rendered.lower(), words


def test_alerts_are_rules_about_metrics_that_there_are() -> None:
    rules = CHECKOUT / "packaging" / "prometheus" / "beaconry.rules.yml"
    promtool = CHECKOUT / ".build" / "prometheus" / "usr" / "bin" / "promtool"
    assert "SUCCESS: 10 rules found" in called(promtool, "check", "rules", rules)
    metrics = set(re.findall(r"`(beaconry_\w+)", (CHECKOUT / "docs" / "http.md").read_text()))
    used = set(re.findall(r"\bbeaconry_\w+", rules.read_text()))
    assert used and used <= metrics


def test_every_state_that_is_missed_fires_an_alert() -> None:
    """The states of docs/control.md that should be on the air and are not."""
    rows = re.findall(r"^\| `([a-z-]+)` \|[^|]*\| (yes|no) \|", (CHECKOUT / "docs" / "control.md").read_text(), re.MULTILINE)
    missed = {state for state, expected in rows if expected == "yes"} - {"on-air"}
    rules = (CHECKOUT / "packaging" / "prometheus" / "beaconry.rules.yml").read_text()
    fired = set().union(*(set(states.split("|")) for states in re.findall(r'state=~?"([^"]*)"', rules)))
    # A radio that is lost has an alert of its own; a beacon that goes on starting is that of a run that is not ready.
    assert missed - fired == {"starting", "radio-off"} and fired <= missed
    assert "expr: beaconry_radio_up == 0" in rules and "expr: beaconry_ready == 0" in rules


def test_paths_of_the_rules_are_those_of_the_document() -> None:
    named = {
        tuple(re.findall(r"rule_files: (.*)", (CHECKOUT / file).read_text()))
        for file in ("docs/several-machines.md", "packaging/prometheus/beaconry.rules.yml")
    }
    assert named == {("[/etc/prometheus/beaconry.rules.yml]",)}


ALERT = """
rule_files: [RULES]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
      - { series: 'beaconry_profile_is_last_good{instance="pi-3"}', values: "0 1 1 0 0" }
      - { series: 'beaconry_beacons{instance="pi-3",state="refused"}', values: "1 1 1 1 0" }
    alert_rule_test:
      - { eval_time: 0m, alertname: BeaconryProfileIsLastGood, exp_alerts: [] }
      - eval_time: 2m
        alertname: BeaconryProfileIsLastGood
        exp_alerts:
          - exp_labels: { instance: pi-3, severity: warning }
            exp_annotations:
              summary: pi-3 cannot use its profile
              description: "It runs the profile that ran last: beaconry check FILE has the faults; correct it, then reload"
      - { eval_time: 3m, alertname: BeaconryProfileIsLastGood, exp_alerts: [] }
      - eval_time: 3m
        alertname: BeaconryBeaconsNotOnAir
        exp_alerts:
          - exp_labels: { instance: pi-3, severity: warning, state: refused }
            exp_annotations:
              summary: "1 beacons of pi-3 are not on the air: refused"
              description: beaconry ctl list has them, and beaconry ctl journal the reason
      - { eval_time: 4m, alertname: BeaconryBeaconsNotOnAir, exp_alerts: [] }
"""


def test_alerts_fire_until_the_cause_has_ended(tmp_path: Path) -> None:
    rules = CHECKOUT / "packaging" / "prometheus" / "beaconry.rules.yml"
    promtool = CHECKOUT / ".build" / "prometheus" / "usr" / "bin" / "promtool"
    (tmp_path / "alerts.yml").write_text(ALERT.replace("RULES", str(rules)))
    assert "SUCCESS" in called(promtool, "test", "rules", tmp_path / "alerts.yml")


def queries_of_dashboard(title: str = "") -> list[str]:
    """The queries of one panel or of all, with values for the variables of Grafana."""
    dashboard = json.loads((CHECKOUT / "packaging" / "grafana" / "beaconry.json").read_text())
    panels = [panel for panel in dashboard["panels"] if title in ("", panel["title"])]
    queries = [target["expr"] for panel in panels for target in panel["targets"]]
    assert queries, title
    return [query.replace("$instance", ".*").replace("$__rate_interval", "5m") for query in queries]


def test_queries_of_the_dashboard_are_valid(tmp_path: Path) -> None:
    rules = [{"record": f"query:{number}", "expr": query} for number, query in enumerate(queries_of_dashboard())]
    (tmp_path / "queries.yml").write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    promtool = CHECKOUT / ".build" / "prometheus" / "usr" / "bin" / "promtool"
    assert f"SUCCESS: {len(rules)} rules found" in called(promtool, "check", "rules", tmp_path / "queries.yml")


def test_dashboard_has_a_row_for_each_machine(tmp_path: Path) -> None:
    """Also for one that does not answer: each query of the table has one sample for each machine that has values."""
    metrics = {
        "beaconry_ready": 1, "beaconry_radio_up": 1, 'beaconry_beacons{state="on-air"}': 1, 'beaconry_beacons{state="refused"}': 0,
        "beaconry_beacons_missing": 0, "beaconry_profile_is_last_good": 0, 'beaconry_build_info{version="0.1.0"}': 1,
        'beaconry_profile_info{profile="museum",files="94fd0a530a275cc6",effective="c77fc91e5f7940dd"}': 1,
    }  # fmt: skip
    series = [{"series": f'up{{job="beaconry",instance="{name}"}}', "values": value} for name, value in (("pi-1", "1"), ("pi-2", "1"), ("pi-3", "0"))]
    for instance in ("pi-1", "pi-2"):
        for metric, value in metrics.items():
            name, _, labels = metric.rstrip("}").partition("{")
            text = ",".join(filter(None, [labels, f'job="beaconry",instance="{instance}"']))
            series.append({"series": f"{name}{{{text}}}", "values": str(value)})
    expected = []
    for query in queries_of_dashboard("Machines"):
        machines = {"pi-1": 1, "pi-2": 1, "pi-3": 0} if "up{" in query else {"pi-1": 1, "pi-2": 1}
        values = {name: 0 if re.search("missing|last_good", query) else value for name, value in machines.items()}
        version = ',version="0.1.0"' if "version" in query else ',files="94fd0a530a275cc6"' if "files" in query else ""
        samples = [{"labels": f'{{instance="{name}"{version}}}', "value": value} for name, value in values.items()]
        expected.append({"expr": query, "eval_time": "0m", "exp_samples": samples})
    tests = {"tests": [{"interval": "1m", "input_series": series, "promql_expr_test": expected}]}
    (tmp_path / "machines.yml").write_text(json.dumps(tests))
    promtool = CHECKOUT / ".build" / "prometheus" / "usr" / "bin" / "promtool"
    assert "SUCCESS" in called(promtool, "test", "rules", tmp_path / "machines.yml")


def test_profile_of_several_machines_has_no_findings(tmp_path: Path) -> None:
    """On each machine; and how many of its beacons an adapter can carry."""
    profile = tmp_path / "profile.yaml"
    called(BINARY, "init", profile, "--from", CHECKOUT / "packaging" / "ansible" / "museum.csv", "--columns", "major=Room,minor=Nr")
    for room in (1, 2, 3):
        printed = called(BINARY, "check", profile, "--fail-on", "advice", BEACONRY_ONLY=f"room-{room}-*").splitlines()
        assert printed == ["20 beacons: no problems found"]
        assumed = subprocess.run([BINARY, "check", profile, "--assume", "ax200", "--only", f"room-{room}-*"], capture_output=True, text=True)
        assert assumed.stdout.startswith("12 of 20 fit on ax200\n")


def test_every_command_has_a_man_page(root: Path) -> None:
    pages = {path.name for path in (root / "share" / "man" / "man1").iterdir()}
    assert {"beaconry.1", "beaconry-run.1", "beaconry-ctl-set.1", "beaconry-monitor-add.1", "beaconry-scan.1"} <= pages
    assert not any("help" in page for page in pages)


@pytest.mark.slow
def test_man_pages_are_rendered_without_warnings(root: Path) -> None:
    pages = sorted([*(root / "share" / "man" / "man1").iterdir(), *(root / "share" / "man" / "man5").iterdir()])
    rendered = {page.name: called(needed("groff"), "-mdoc", "-Tutf8", "-ww", "-P-cbou", page) for page in pages}
    run = " ".join(rendered["beaconry-run.1"].split())
    for words in ("beaconry-run", "--hci-server", "(default: tcp:127.0.0.1:6402)", "Example:", "beaconry run profiles/museum.yaml"):
        assert words in run, run
    whole = rendered["beaconry.1"]
    assert "COMMANDS" in whole and "List radios and their capabilities." in whole and "beaconry-radios(1)" in whole
    for page in pages:
        called(needed("mandoc"), "-Tlint", "-Wwarning", page)


def test_completions_load(root: Path) -> None:
    bash = root / "share" / "bash-completion" / "completions" / "beaconry"
    called("bash", "-n", bash)
    words = called("bash", "-c", f"source '{bash}'; complete -p beaconry")
    assert "beaconry" in words
    zsh = root / "share" / "zsh" / "site-functions" / "_beaconry"
    assert zsh.read_text().startswith("#compdef beaconry")
    fish = root / "share" / "fish" / "vendor_completions.d" / "beaconry.fish"
    assert "complete -c 'beaconry'" in fish.read_text()
    for shell, script in (("zsh", zsh), ("fish", fish)):
        called(needed(shell), "-n", script)
