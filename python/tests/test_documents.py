# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The examples of the documents pass as they are printed, and the members that tables name exist."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
from test_plugin import run

import beaconry
from beaconry._client import Client
from beaconry._program import find_program

CHECKOUT = Path(__file__).resolve().parents[2]
DOCUMENTS = ["README.md", "python/README.md", "docs/python.md", "docs/bluez-apps.md"]
APP = '''
import asyncio
import threading
import pytest
from bumble.device import Device
from bumble.transport import open_transport

class App:
    # Connects to the first beacon that it receives.
    is_connected = threading.Event()

    def start(self, h4):
        threading.Thread(target=lambda: asyncio.run(self.connect(h4)), daemon=True).start()
        assert self.is_connected.wait(300)

    async def connect(self, h4):
        async with await open_transport(f"tcp-client:{h4}") as transport:
            device = Device.with_hci("phone", "F0:F1:F2:F3:F4:F5", transport.source, transport.sink)
            await device.power_on()
            found = asyncio.get_running_loop().create_future()
            device.on("advertisement", lambda each: found.done() or found.set_result(each.address))
            await device.start_scanning()
            await device.connect(await found)
            self.is_connected.set()
            await asyncio.Event().wait()

@pytest.fixture
def my_app():
    return App()

def pytest_collection_modifyitems(items):
    for item in items:
        if "my_app" in item.fixturenames:
            # 20 s of the document are two here.
            item.add_marker(pytest.mark.beaconry_profile(rate=10))
'''
"""What stands for the reader's own code."""
EXAMPLES = [
    pytest.param(text, id=f"{name}-{number}")
    for name in DOCUMENTS
    for number, text in enumerate(re.findall(r"```python\n(.*?)```", (CHECKOUT / name).read_text(), re.DOTALL))
    if "def test_" in text
]


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 9


@pytest.mark.parametrize("text", EXAMPLES)
def test_an_example_passes_as_it_is_printed(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("PATH", f"{find_program().parent}:{os.environ['PATH']}")
    pytester.makeconftest(APP)
    pytester.makepyfile(test_example=text)
    result = run(pytester, "--strict-markers")
    result.assert_outcomes(passed=len(re.findall(r"^(?:async )?def test_", text, re.MULTILINE)))


def test_the_example_of_a_project_passes(pytester: pytest.Pytester) -> None:
    shutil.copytree(CHECKOUT / "examples" / "pytest", pytester.path / "shop")
    run(pytester, "--strict-markers").assert_outcomes(passed=4)


MEMBERS = {
    "air": beaconry.Air, "bluez": beaconry.BlueZ, "beacon": beaconry.Beacon, "phone": beaconry.Phone,
    "connection": beaconry.PhoneConnection, "subscription": beaconry.Subscription, "air.journal": beaconry.Journal,
    "air.client": Client, "air.clock": beaconry.Clock,
}  # fmt: skip


def test_the_members_of_the_tables_exist() -> None:
    instance = {"journal", "mtu", "address", "adapters"}
    files = {"air.yaml"}
    checked = 0
    for name in ("docs/python.md", "docs/bluez-apps.md"):
        rows = [line for line in (CHECKOUT / name).read_text().splitlines() if line.startswith("|")]
        for row in rows:
            for code in re.findall(r"`([^`]*)`", row):
                for owner in sorted(MEMBERS, key=len, reverse=True):
                    if code not in files and (found := re.match(rf"{re.escape(owner)}\.(\w+)", code)):
                        assert hasattr(MEMBERS[owner], found[1]) or found[1] in instance, (name, code)
                        checked += 1
                        break
    assert checked > 40


def test_the_methods_of_the_client_are_all_in_the_table() -> None:
    text = (CHECKOUT / "docs" / "python.md").read_text()
    table = text[text.index("| noun |") : text.index("end of the methods")]
    assert set(re.findall(r"`(\w+)`", table)) == {name for name in vars(Client) if not name.startswith("_")}
