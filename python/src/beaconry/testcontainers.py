# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A container for testcontainers: the air of the image of Beaconry; needs `pip install beaconry[testcontainers]`.

    with BeaconryContainer("beaconry", profile="shop.yaml") as container:
        transport = f"tcp-client:{container.h4}"
"""

from __future__ import annotations

import os
from typing import Any

from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import LogMessageWaitStrategy

PORT = 6402
"""The port of the server in the container (H4 over TCP)."""


class BeaconryContainer(DockerContainer):  # type: ignore[misc]
    """A container in which the beacons of a profile are on a virtual air, with a server for hosts."""

    def __init__(self, image: str = "beaconry", *, profile: str | os.PathLike[str], seed: int | None = None, **keys: Any) -> None:
        super().__init__(image, **keys)
        self.with_volume_mapping(os.path.abspath(profile), "/profile.yaml", "ro")
        self.with_exposed_ports(PORT)
        seeded = [] if seed is None else ["--seed", str(seed)]
        self.with_command(
            ["run", "/profile.yaml", "--radio", "virtual", "--hci-server", f"tcp:0.0.0.0:{PORT}", "--ephemeral", "--json", *seeded]
        )
        # The events are on standard output.
        self.waiting_for(LogMessageWaitStrategy('"event":"ready"').with_startup_timeout(60))

    @property
    def h4(self) -> str:
        """`HOST:PORT` of the server for hosts."""
        return f"{self.get_container_host_ip()}:{self.get_exposed_port(PORT)}"
