# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The report of a failed test has every run that was made for it. Each test here is a project of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_plugin import run

BODIES = {
    "with": "with Air(seed=5) as air: use(air)",
    "closed": "air = Air(seed=5); use(air); air.close()",
    "open": "air = Air(seed=5); use(air)",
    "dropped": "use(Air(seed=5))",
    "virtual": "with Air(time='virtual', seed=5) as air: use(air)",
    "asyncio": "asyncio.run(with_asyncio())",
    "thread": "thread = threading.Thread(target=lambda: use(Air(seed=5))); thread.start(); thread.join()",
    "fixture of the test": "use(own)",
    "fixture of the module": "use(shared)",
}
"""The ways in which a test may use an air that is not of the fixture `air`."""
PROJECT = """
import asyncio
import threading
import pytest
from beaconry import Air, aio

def use(air):
    air.beacon("door", ibeacon=("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", 1, 7))

async def with_asyncio():
    async with aio.Air(seed=5) as air:
        await air.beacon("door", ibeacon=("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", 1, 7))

@pytest.fixture
def own():
    with Air(seed=5) as air:
        yield air

@pytest.fixture(scope="module")
def shared():
    with Air(seed=5) as air:
        yield air
"""


@pytest.mark.parametrize("way", BODIES)
def test_every_air_of_a_failed_test_is_reported(pytester: pytest.Pytester, way: str) -> None:
    fixture = {"fixture of the test": "own", "fixture of the module": "shared"}.get(way, "")
    pytester.makepyfile(f"{PROJECT}\ndef test_before({fixture}):\n    pass\n\ndef test_app({fixture}):\n    {BODIES[way]}\n    assert False\n")
    result = run(pytester)
    result.assert_outcomes(passed=1, failed=1)
    name = "shared" if fixture == "shared" else "air"
    result.stdout.fnmatch_lines(
        [
            f"*- beaconry events ({name}) -*", "*radio-ready * seed=5 *", '*advertising-started *device="door"*', f"*- beaconry capture ({name}) -*",
            f"*test_app/{name}/capture.btsnoop *; seed=5 repeats it",
        ]
    )  # fmt: skip
    (folder,) = pytester.path.glob("beaconry-failures/*/*")
    assert folder.name == name and folder.parent.name.endswith("test_app")
    assert (folder / "capture.btsnoop").read_bytes().startswith(b"btsnoop\0")
    assert '"door"' in (folder / "air.yaml").read_text() and '"advertising-started"' in (folder / "events.jsonl").read_text()


def test_several_airs_have_different_names(pytester: pytest.Pytester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    pytester.makepyfile(
        """
        from beaconry import Air

        def test_app(air, air_session):
            seeds = set()
            for _ in range(2):
                with Air() as own:
                    seeds.add(own.seed)
            assert seeds == {air.seed}, "the seed of the test"
            assert air_session.seed not in seeds
            assert False
        """
    )
    result = run(pytester)
    result.assert_outcomes(failed=1)
    for name in ("air", "air-2", "air-3", "air_session"):
        result.stdout.fnmatch_lines([f"*- beaconry events ({name}) -*"])
    assert {each.name for each in pytester.path.glob("beaconry-failures/*/*")} == {"air", "air-2", "air-3", "air_session"}
    assert list(tmp_path.glob("beaconry-*")) == [], "nothing is left in the temporary folder"


def test_a_passed_test_with_airs_of_its_own_leaves_nothing(
    pytester: pytest.Pytester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    pytester.makepyfile(f"{PROJECT}\ndef test_app():\n    {BODIES['with']}\n")
    run(pytester).assert_outcomes(passed=1)
    assert not (pytester.path / "beaconry-failures").exists() and list(tmp_path.glob("beaconry-*")) == []


def test_a_refused_reload_is_a_sentence(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_app(air):
            air.beacon("door", ibeacon=("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", 1, 70000))
        """
    )
    result = run(pytester)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(['*reload-failed *beacons?0?.ibeacon.minor: "70000" is not a whole number from 0 to 65535; fix the profile*'])
    result.stdout.no_fnmatch_line("*exitCode*")


def test_a_receiver_in_virtual_time_has_a_hint_for_the_place_of_the_time(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        def test_option(air):
            air.receiver("phone")

        @pytest.mark.beaconry_profile(time="virtual")
        def test_marker(air):
            air.receiver("phone")

        @pytest.mark.beaconry_profile(time="wall")
        def test_wall(air):
            air.receiver("phone")
        """
    )
    result = run(pytester, "--beaconry-time", "virtual")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(
        [
            "*virtual time has no receivers, *; the time is that of --beaconry-time; mark the test with "
            '@pytest.mark.beaconry_profile(time="wall"), or use phone(...), which receives within the run',
            '*virtual time has no receivers, *; the marker of the test has time="virtual"; *',
        ]
    )  # fmt: skip


def test_the_time_of_an_air_of_its_own_is_its_own(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("from beaconry import Air\n\ndef test_app():\n    Air(time='virtual').receiver('phone')\n")
    result = run(pytester)
    result.stdout.fnmatch_lines(['*virtual time has no receivers, *; write time="wall", or use phone(...), which receives within the run'])


# Markers


MARKS: dict[str, tuple[str, str]] = {
    "@pytest.mark.beaconry_seeds(range(1, 4), require='101%')": ("air", '*require="101%" is more than 100 %; write "0%" to "100%"'),
    "@pytest.mark.beaconry_seeds(range(1, 4), require=0.95)": ("air", '*require=0.95 is no per cent; write a text such as "95%"'),
    "@pytest.mark.beaconry_seeds(range(1, 4), require='95')": ("air", "*require='95' is no per cent; *"),
    "@pytest.mark.beaconry_seeds(range(1, 4), require='-5%')": ("air", "*require='-5%' is no per cent; *"),
    "@pytest.mark.beaconry_seeds(50)": ("air", "*50 is no list of seeds; write range(1, 51) or *"),
    "@pytest.mark.beaconry_seeds('1..50')": ("air", "*'1..50' is no list of seeds; *"),
    "@pytest.mark.beaconry_seeds([])": ("air", "*there are no seeds; *"),
    "@pytest.mark.beaconry_seeds([1, 2, 1])": ("air", "*the seed 1 is given twice; leave one out"),
    "@pytest.mark.beaconry_seeds([1, -2])": ("air", "*-2 is no seed; write whole numbers from 0"),
    "@pytest.mark.beaconry_seeds(range(20000))": ("air", "*at most 10000 seeds are possible; *"),
    "@pytest.mark.beaconry_seeds()": ("air", '*beaconry_seeds has seeds and require; write *'),
    "@pytest.mark.beaconry_seeds([1], need='5%')": ("air", '*beaconry_seeds has seeds and require; write *'),
    "@pytest.mark.beaconry_seeds([1, 2])": ("air_session", "*beaconry_seeds has no effect on air_session, which all tests share; use air"),
    "@pytest.mark.beaconry_seeds([1, 2])\n@pytest.mark.beaconry_profile(seed=5)": (
        "air", "*beaconry_seeds and beaconry_profile give different seeds; leave out seed="),
    "@pytest.mark.beaconry_seeds([1, 2])\n@pytest.mark.xfail": ("air", "*beaconry_seeds and xfail exclude each other; *"),
    "@pytest.mark.beaconry_profile('a.yaml', 'b.yaml')": ("air", "*beaconry_profile has one profile; write several beacons into it"),
    "@pytest.mark.beaconry_profile(sed=5)": ("air", '*beaconry_profile has no "sed"; did you mean "seed"? its settings are *'),
    "@pytest.mark.beaconry_profile({}, seed=5)": ("air_session", "*beaconry_profile has no effect on air_session, *; use air"),
    "@pytest.mark.beaconry_profile(time='virtual')": ("bluez", '*bluez has wall time, *; leave out time="virtual", or use air'),
    "@pytest.mark.beaconry_profile(physics='office')": ("air, bluez", "*beaconry_profile is for one air, and air and bluez are two, *"),
    "@pytest.mark.beaconry_profile(adapters=2)": ("air", "*adapters= is for bluez, and air has none; *"),
}  # fmt: skip
"""Markers that are wrong with a fixture, and the sentence."""


@pytest.mark.parametrize("mark", MARKS)
def test_wrong_markers_are_a_sentence_at_collection(pytester: pytest.Pytester, mark: str) -> None:
    fixtures, sentence = MARKS[mark]
    pytester.makepyfile(f"import pytest\n\n{mark}\ndef test_app({fixtures}):\n    pass\n")
    result = run(pytester)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"test_wrong*::test_app: {sentence}"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_wrong_markers_are_a_sentence_with_xdist_and_unittest(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import unittest
        import pytest

        class AppTest(unittest.TestCase):
            @pytest.mark.beaconry_seeds([1, 2])
            def test_app(self):
                pass
        """
    )
    result = run(pytester, "-n", "2")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*::AppTest::test_app: beaconry_seeds is for test functions; write the test without unittest"])
