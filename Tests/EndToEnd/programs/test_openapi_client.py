# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A client that openapi-python-client generates from the description of the HTTP resources."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

from beaconry import CHECKOUT, PROFILES, Beaconry
from private_bus import PEERS

DESCRIPTION = CHECKOUT / "docs" / "openapi.json"
OF_YAML = (
    "PUT /v1/beacons/{beacon}", "GET /v1/profile", "PUT /v1/profile", "PUT /v1/scenario", "GET /v1/air/map", "PUT /v1/air/physics",
    "GET /v1/presets/scenarios/{file}",
)  # fmt: skip
PROGRAM = Path(__file__).parent / "peers" / "openapi_client.py"


def test_generated_client_has_typed_values(beaconry: Beaconry, tmp_path: Path) -> None:
    peer = PEERS / "openapi-python-client" / "bin"
    generator = peer / "openapi-python-client"
    assert generator.exists(), "openapi-python-client is missing: run Scripts/install-dependencies peers"
    client = tmp_path / "client"
    # The generated files are formatted by ruff, which is not needed.
    made = subprocess.run(
        [generator, "generate", "--path", DESCRIPTION, "--output-path", client],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    output = made.stdout + made.stderr
    operations = [
        re.sub(r"(?<!^)(?=[A-Z])", "_", each["operationId"]).lower()
        for path in json.loads(DESCRIPTION.read_text())["paths"].values() for each in path.values()
    ]  # fmt: skip
    modules = {file.stem for file in (client / "beaconry_control_client" / "api" / "default").glob("*.py")} - {"__init__"}
    assert modules == set(operations), output
    # It has no body of YAML, beside that of JSON, and no pictures.
    warned = [line for line in output.splitlines() if line.startswith(("WARNING", "ERROR")) and "/v1/" in line]
    assert {line.split("WARNING parsing ")[-1] for line in warned} <= {f"{each} within default." for each in OF_YAML}, output
    run = beaconry.run(PROFILES / "museum.yaml", "--ephemeral", "--http", "127.0.0.1:0", "--hci-server", "none", radio="virtual")
    url = run.wait("http-ready")["url"]
    run.wait_until_reported("ready")
    done = subprocess.run(
        [peer / "python3", PROGRAM, url], env={**os.environ, "PYTHONPATH": str(client)}, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "listed, changed, moved, verified\n"), done.stderr
    assert run.end() == 0
