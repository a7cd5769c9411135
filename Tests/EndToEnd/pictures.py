# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Pictures of floor plans."""

from __future__ import annotations

import io

from PIL import Image, ImageDraw

BROWN = (150, 90, 30)


def plan(width: int = 300, height: int = 200, kind: str = "PNG") -> bytes:
    """Two rooms with a door in between, in `BROWN` on white."""
    image = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(image)
    draw.rectangle((4, 4, width - 5, height - 5), outline=BROWN, width=8)
    for top, bottom in ((0, 0.4), (0.6, 1)):
        draw.line((width / 2, height * top, width / 2, height * bottom), fill=BROWN, width=8)
    data = io.BytesIO()
    image.save(data, kind)
    return data.getvalue()
