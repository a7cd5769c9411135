# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A client that openapi-python-client generates from the description of the HTTP resources."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from beaconry import CHECKOUT, PROFILES, Beaconry
from private_bus import PEERS

PROGRAM = Path(__file__).parent / "peers" / "openapi_client.py"


def test_generated_client_has_typed_values(beaconry: Beaconry, tmp_path: Path) -> None:
    peer = PEERS / "openapi-python-client" / "bin"
    generator = peer / "openapi-python-client"
    assert generator.exists(), "openapi-python-client is missing: run Scripts/install-dependencies peers"
    client = tmp_path / "client"
    # The generated files are formatted by ruff, which is not needed.
    made = subprocess.run(
        [generator, "generate", "--path", CHECKOUT / "docs" / "openapi.json", "--output-path", client],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert (client / "beaconry_control_client").is_dir(), made.stdout + made.stderr
    assert "Unable to" not in made.stdout and "ERROR" not in made.stdout, made.stdout
    run = beaconry.run(PROFILES / "museum.yaml", "--ephemeral", "--http", "127.0.0.1:0", "--hci-server", "none", radio="virtual")
    url = run.wait("http-ready")["url"]
    run.wait_until_reported("ready")
    done = subprocess.run(
        [peer / "python3", PROGRAM, url], env={**os.environ, "PYTHONPATH": str(client)}, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "listed, changed, moved, verified\n"), done.stderr
    assert run.end() == 0
