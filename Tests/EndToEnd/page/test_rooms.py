# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Rooms on the map of the page, a floor at a time."""

from __future__ import annotations

from collections.abc import Callable

from axe_playwright_python.sync_playwright import Axe
from beaconry import PROFILES, Beaconry
from comings import UUID
from playwright.sync_api import expect
from viewer import Viewer, looks

Show = Callable[..., Viewer]
WIDTHS = [390, 1280, 1920]
HOUSE = f"""
profile: house
floors:
  - {{ id: ground, from: 0m }}
  - {{ id: upper, from: 3m, slab: {{ material: concrete }} }}
rooms:
  - id: kitchen
    label: Kitchen
    floor: ground
    outline: [[0, 0], [4, 0], [4, 3], [0, 3]]
    walls: brick
    doors: [{{ at: [4, 1], width: 1m }}]
  - {{ id: hall, floor: ground, outline: [[4, 0], [8, 0], [8, 3], [4, 3]], walls: plasterboard }}
  - {{ id: bedroom, floor: upper, outline: [[0, 0], [8, 0], [8, 3], [0, 3]], walls: plasterboard }}
beacons:
  - {{ id: oven, device: ibeacon, position: [1, 1, 1], ibeacon: {{ uuid: {UUID}, major: 1, minor: 1 }} }}
  - {{ id: bed, device: ibeacon, position: [1, 2, 4], ibeacon: {{ uuid: {UUID}, major: 1, minor: 2 }} }}
receivers:
  - {{ id: visitor, phone: exact, position: [2, 1, 1] }}
"""


def names(viewer: Viewer) -> list[str]:
    return viewer.page.locator("#map .rooms text").all_text_contents()


def drag_to_hall(viewer: Viewer) -> None:
    box = viewer.mark("visitor").bounding_box()
    assert box
    viewer.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    viewer.page.mouse.down()
    target = viewer.page.locator("#map .rooms text", has_text="hall").bounding_box()
    assert target
    viewer.page.mouse.move(target["x"] + target["width"] / 2, target["y"] + target["height"] / 2 - 30, steps=5)
    viewer.page.mouse.up()


def test_rooms_of_one_floor_are_drawn(show: Show, beaconry: Beaconry) -> None:
    viewer = show(beaconry.profile(HOUSE))
    page = viewer.page
    expect(page.locator("#map .rooms polygon")).to_have_count(2)
    expect(page.locator("#map .rooms .door")).to_have_count(1)
    expect(page.locator("#map .rooms text")).to_have_text(["Kitchen", "hall"])
    # Of the walls those of the floor: an edge that both rooms share is one, in two parts beside the door.
    expect(page.locator("#map .walls line")).to_have_count(8)
    expect(viewer.mark("oven")).to_have_attribute("aria-label", "Beacon oven, on the air, at 1, 1, 1 m in kitchen")
    expect(viewer.mark("visitor")).to_be_attached()
    expect(viewer.mark("bed")).to_have_count(0)
    page.get_by_label("Floor").select_option("upper")
    expect(page.locator("#map .rooms text")).to_have_text(["bedroom"])
    expect(viewer.mark("bed")).to_be_attached()
    expect(viewer.mark("oven")).to_have_count(0)
    expect(viewer.mark("visitor")).to_have_count(0)
    # What is selected in a table is shown on its floor.
    viewer.row("bed").get_by_role("button", name="bed").click()
    expect(page.get_by_label("Floor")).to_have_value("upper")
    viewer.row("oven").get_by_role("button", name="oven").click()
    expect(viewer.mark("oven")).to_be_attached()
    expect(page.get_by_label("Floor")).to_have_value("ground")
    assert viewer.problems == []


def test_the_detail_of_a_receiver_has_its_true_room(show: Show, beaconry: Beaconry) -> None:
    viewer = show(beaconry.profile(HOUSE))
    detail = viewer.page.locator("#detail")
    viewer.mark("visitor").click()
    expect(detail).to_contain_text("; in kitchen")
    drag_to_hall(viewer)
    expect(detail).to_contain_text("; in hall")
    expect(viewer.page.locator("#log")).to_contain_text("receiver visitor entered the room hall")
    assert viewer.problems == []


def test_without_floors_there_is_no_choice(show: Show, beaconry: Beaconry) -> None:
    viewer = show(beaconry.profile(f"profile: p\nbeacons:\n  - {{ id: a, device: ibeacon, position: [1, 1], ibeacon: {{ uuid: {UUID} }} }}\n"))
    expect(viewer.mark("a")).to_be_attached()
    expect(viewer.page.locator("#floor-choice")).to_be_hidden()


@looks(*WIDTHS)
def test_rules_of_accessibility_with_rooms(show: Show, width: int, scheme: str) -> None:
    viewer = show(
        PROFILES / "house.yaml", viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
    )
    expect(viewer.page.locator("#map .rooms polygon")).to_have_count(3)
    assert viewer.page.evaluate("document.documentElement.scrollWidth") == width
    found = [(each["id"], [node["html"] for node in each["nodes"]]) for each in Axe().run(viewer.page).response["violations"]]
    assert found == []
    assert viewer.problems == []


COAT = f"  - {{ id: coat, device: ibeacon, position: [7, 1, 1], ibeacon: {{ uuid: {UUID}, major: 1, minor: 3 }} }}\n"


@looks(*WIDTHS)
def test_estimated_room_is_shown_beside_the_true_one(show: Show, beaconry: Beaconry, width: int, scheme: str) -> None:
    profile = HOUSE.replace("receivers:", f"{COAT}receivers:").replace("phone: exact,", "phone: exact, estimator: strongest,")
    viewer = show(beaconry.profile(profile), viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce")
    detail = viewer.page.locator("#detail")
    viewer.mark("visitor").click()
    expect(detail).to_contain_text("; in kitchen; estimated in kitchen (strongest)")
    expect(viewer.page.locator("#map circle.estimate")).to_have_count(1)
    drag_to_hall(viewer)
    expect(detail).to_contain_text("; in hall; estimated in hall (strongest)")
    expect(viewer.page.locator("#log")).to_contain_text("receiver visitor is estimated in the room hall")
    found = [(each["id"], [node["html"] for node in each["nodes"]]) for each in Axe().run(viewer.page).response["violations"]]
    assert found == []
    assert viewer.problems == []
