# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The page as visitors meet it: what comes and goes is shown, nothing moves under the pointer, phones, physics, floor plans and
scenarios are chosen on it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from axe_playwright_python.sync_playwright import Axe
from beaconry import PATIENCE, PROFILES, Beaconry
from comings import ROOM, ROWS, UUID
from pictures import BROWN, plan
from playwright.sync_api import Locator, expect
from viewer import Viewer, looks

Show = Callable[..., Viewer]
WIDTHS = [390, 1280, 1920]
HALL = "profile: hall\nbeacons:\n" + "".join(
    f"  - {{ id: tag-{number}, device: ibeacon, position: [{3 * number}, 0],"
    f" ibeacon: {{ uuid: {UUID}, major: 1, minor: {number}, measured-power: -59 }} }}\n"
    for number in range(8)
)
SHOWN = """(() => {
    const mark = (name) => document.querySelector(`#map .target[data-name="${name}"]`) !== null;
    const text = (id) => document.getElementById(id).textContent;
    const value = (id) => document.getElementById(id).value;
    return Boolean(%s);
})()"""
"""Whether the expression of a row holds. The policy of the page permits no `Function`, so it is in the text."""


def wait_for(viewer: Viewer, expression: str) -> None:
    """Waits until an expression of JavaScript holds."""
    end = time.monotonic() + PATIENCE
    while not viewer.page.evaluate(expression):
        assert time.monotonic() < end, expression
        time.sleep(0.05)


def send(viewer: Viewer, method: str, path: str, body: Any = None) -> None:
    """Performs an operation, as another client does."""
    kind = "application/yaml" if isinstance(body, str) else "application/json"
    if method == "PATCH":
        kind = "application/merge-patch+json"
    data = None if body is None else body.encode() if isinstance(body, str) else json.dumps(body).encode()
    with urlopen(Request(f"{viewer.url}{path}", data, {"Content-Type": kind}, method=method), timeout=300) as answer:
        assert answer.status in (200, 201, 204)


def air(viewer: Viewer) -> Any:
    with urlopen(f"{viewer.url}/v1/air", timeout=300) as answer:
        return json.load(answer)


def violations(viewer: Viewer) -> Any:
    return Axe().run(viewer.page).response["violations"]


def test_each_coming_and_going_is_shown(show: Show, beaconry: Beaconry) -> None:
    viewer = show(beaconry.profile(ROOM))
    for row in ROWS:
        if row.selects:
            viewer.mark(row.selects).focus()
            viewer.page.keyboard.press("Enter")
            expect(viewer.page.locator("#detail-title")).to_have_text(row.selects)
        send(viewer, row.method, row.path, row.body)
        wait_for(viewer, SHOWN % row.shown)
    # A reading that was on its way may be of something that has just been removed.
    assert [each for each in viewer.problems if "404" not in each] == []


def test_first_phone_of_a_run_appears_and_has_a_history(show: Show, beaconry: Beaconry) -> None:
    viewer = show(beaconry.profile(HALL))
    expect(viewer.page.locator("#figure-receivers")).to_have_text("0")
    send(viewer, "PUT", "/v1/receivers/phone", {"position": [1, 1]})
    expect(viewer.mark("phone")).to_be_visible()
    expect(viewer.page.locator("#figure-receivers")).to_have_text("1")
    viewer.mark("phone").click()
    points = "(document.querySelector('#signal .line-0.line')?.getAttribute('d') ?? '').split(/[ML]/).length > 4"
    wait_for(viewer, points)
    expect(viewer.page.locator("#receiver-table tbody tr")).to_contain_text("tag-0")


def tops(rows: Locator) -> list[tuple[str, float]]:
    """The names of rows and where they are."""
    return rows.evaluate_all(
        """(rows) => rows.map(
            (row) => [row.querySelector('.other, th')?.innerText ?? row.innerText, row.getBoundingClientRect().top]
        )"""
    )


LISTS = {
    "links": ("#signal ul.links li", "/v1/links"),
    "beacons": ("#beacon-table tbody tr", "/v1/links"),
    "ranging": ("[aria-label=Ranging] tbody tr", "/beacons"),
}


@pytest.mark.parametrize("name", LISTS)
def test_nothing_under_the_mouse_moves_by_itself(show: Show, beaconry: Beaconry, name: str) -> None:
    """While a phone moves to the other end, and a beacon is removed and another one added."""
    selector, reading = LISTS[name]
    viewer = show(beaconry.profile(HALL), viewport={"width": 1280, "height": 1600})
    page = viewer.page
    send(viewer, "PUT", "/v1/receivers/phone", {"position": [-1, 0]})
    viewer.mark("phone").click()
    page.locator("#beacon-table").get_by_role("button", name="Best RSSI").click()
    page.locator("#beacon-table").get_by_role("button", name="Best RSSI").click()
    rows = page.locator(selector)
    expect(rows.first).to_contain_text(re.compile("tag-0|1/0"))
    expect(rows).to_have_count(8)
    rows.nth(2).hover()
    before = tops(rows)
    send(viewer, "PATCH", "/v1/receivers/phone", {"position": [22, 0]})
    send(viewer, "DELETE", "/v1/beacons/tag-1")
    lamp = {"device": "ibeacon", "position": [22, 1], "ibeacon": {"uuid": UUID, "major": 1, "minor": 99}}
    send(viewer, "PUT", "/v1/beacons/lamp", lamp)
    expect(viewer.mark("lamp")).to_be_visible()
    # Several readings later.
    for _ in range(4):
        with page.expect_response(lambda response: response.url.split("?")[0].endswith(reading)):
            pass
    assert tops(rows)[:8] == before
    page.mouse.move(2, 2)
    expect(rows.first).to_contain_text(re.compile("tag-7|lamp|1/7|1/99"))
    expect(rows).to_have_count(8)


def test_events_stay_under_the_mouse(show: Show, beaconry: Beaconry) -> None:
    viewer = show(beaconry.profile(HALL), viewport={"width": 1280, "height": 1600})
    first = viewer.page.locator("#log li").first
    expect(first).to_contain_text("ready")
    # The parts above the list are complete.
    expect(viewer.page.locator("#detail-title")).to_have_text("tag-0")
    expect(viewer.page.get_by_label("Physics")).to_have_value("off")
    first.hover()
    send(viewer, "PATCH", "/v1/beacons/tag-0", {"muted": True})
    expect(viewer.row("tag-0")).to_contain_text("muted")
    expect(first).to_contain_text("ready")
    viewer.page.mouse.move(2, 2)
    expect(first).to_contain_text("muted")


@looks(*WIDTHS)
def test_floor_plan_is_under_the_map(show: Show, beaconry: Beaconry, width: int, scheme: str) -> None:
    profile = beaconry.profile("map: { image: plan.png, width: 30m, origin: [-3, -5] }\n" + HALL)
    (profile.parent / "plan.png").write_bytes(plan())
    viewer = show(profile, viewport={"width": width, "height": 900}, color_scheme=scheme)
    pixels = """() => {
        const canvas = document.querySelector("#map canvas");
        const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        let count = 0;
        const isNear = (at, value) => Math.abs(data[at] - value) < 9;
        for (let at = 0; at < data.length; at += 4) if (isNear(at, %d) && isNear(at + 2, %d)) count += 1;
        return count;
    }""" % (BROWN[0], BROWN[2])
    wait_for(viewer, f"({pixels})() > 100")
    assert float(viewer.page.locator("#map canvas").evaluate("(each) => getComputedStyle(each).opacity")) < 0.5
    assert violations(viewer) == []
    assert viewer.problems == []
    send(viewer, "PUT", "/v1/air/physics", "office")
    profile.write_text(HALL)
    send(viewer, "POST", "/v1/reload", {})
    wait_for(viewer, f"({pixels})() === 0")


def test_floor_plan_comes_with_the_token(show: Show, beaconry: Beaconry, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("0123456789abcdef0123")
    token.chmod(0o600)
    profile = beaconry.profile("map: { image: plan.png, width: 30m }\n" + HALL)
    (profile.parent / "plan.png").write_bytes(plan())
    viewer = show(profile, "--http-token-file", str(token), fragment="#token=0123456789abcdef0123")
    drawn = "document.querySelector('#map canvas').getContext('2d').getImageData(0, 0, 2000, 2000).data.some((each) => each)"
    wait_for(viewer, drawn)


def test_muted_is_muted_everywhere(show: Show, beaconry: Beaconry) -> None:
    viewer = show(beaconry.profile(HALL))
    page = viewer.page
    send(viewer, "PUT", "/v1/receivers/phone", {"position": [0, 1]})
    viewer.mark("phone").click()
    links = page.get_by_role("list", name="Links").get_by_role("listitem")
    expect(links.filter(has_text="tag-0")).to_contain_text("dBm")
    expect(page.locator("#air")).to_have_text("8 of 8 on the air")
    expect(page.locator("#receiver-table tbody tr")).to_contain_text("tag-0")
    send(viewer, "PATCH", "/v1/beacons/tag-0", {"muted": True})
    expect(page.locator("#air")).to_have_text("7 of 8 on the air, 1 muted")
    expect(page.locator("#air")).to_have_attribute("data-state", "good")
    row = viewer.row("tag-0")
    expect(row.locator(".badge")).to_have_attribute("data-state", "muted")
    expect(row.locator(".rssi")).to_have_text("–")
    expect(links.filter(has_text="tag-0")).to_contain_text("muted")
    expect(links.filter(has_text="tag-0").locator("strong")).to_have_text("–")
    expect(page.locator("#receiver-table tbody tr")).to_contain_text("tag-1")
    node = page.locator("#map .node", has=page.locator("[data-name='tag-0']"))
    expect(node).to_have_class(re.compile("muted"))
    assert node.locator(".muted-mark").evaluate("(each) => getComputedStyle(each).visibility") == "visible"
    expect(page.get_by_role("list", name="Legend")).to_contain_text("muted")
    viewer.mark("tag-0").click()
    expect(page.get_by_text("Not received now: muted.")).to_be_hidden()
    expect(page.get_by_role("list", name="Links")).to_contain_text("muted")


def test_symbols_of_the_map_are_those_of_the_legend(show: Show, beaconry: Beaconry) -> None:
    page = show(beaconry.profile(HALL)).page
    mark, legend = (page.locator(f"{each} path.alert").first.get_attribute("d") for each in ("#map", ".legend"))
    assert mark == legend
    for kind in ("muted-mark", "wrong-mark"):
        assert page.locator(f".legend .{kind}").count() == 1 and page.locator(f"#map .{kind}").count() == 8


def test_bars_are_filled_by_their_level(show: Show, beaconry: Beaconry) -> None:
    viewer = show(beaconry.profile(HALL))
    send(viewer, "PUT", "/v1/receivers/phone", {"position": [0, 1]})
    expect(viewer.row("tag-0")).to_contain_text("−59 dBm")
    track, fill = (viewer.row("tag-0").locator(each).bounding_box() for each in (".bar-track", ".bar-fill"))
    assert track and fill and fill["height"] >= track["height"] - 3
    assert abs(fill["width"] / (track["width"] - 2) - 41 / 70) < 0.03


def test_trace_of_a_walk_has_no_jumps(show: Show, beaconry: Beaconry) -> None:
    viewer = show(beaconry.profile(HALL))
    send(viewer, "PUT", "/v1/receivers/phone", {"position": [0, 1]})
    expect(viewer.mark("phone")).to_have_attribute("aria-label", re.compile("at 0, 1 m"))
    trails = viewer.page.locator("#map .trail")
    send(viewer, "PATCH", "/v1/receivers/phone", {"position": [20, 1]})
    expect(viewer.mark("phone")).to_have_attribute("aria-label", re.compile("at 20, 1 m"))
    assert trails.count() == 0
    send(viewer, "POST", "/v1/air/phone/walk", {"path": [[20, 1], [12, 1]], "over": "8s"})
    expect(trails).to_have_count(1)


def test_physics_are_chosen(show: Show, beaconry: Beaconry) -> None:
    viewer = show(beaconry.profile(HALL))
    physics = viewer.page.get_by_label("Physics")
    expect(physics).to_have_value("off")
    physics.select_option("office")
    expect(viewer.page.get_by_role("region", name="Event log")).to_contain_text("physics-changed")
    assert air(viewer)["physics"]["preset"] == "office"
    send(viewer, "PUT", "/v1/air/physics", {"exponent": 2.7})
    viewer.page.mouse.click(2, 2)
    expect(physics).to_have_value("own")
    expect(physics.locator("option:checked")).to_have_text("values of its own")


def test_scenarios_that_fit_the_run_are_offered_and_started(show: Show) -> None:
    viewer = show(PROFILES / "museum.yaml", "--rate", "manual")
    page = viewer.page
    offer = page.get_by_label("Scenario of the program")
    # Others have no timeline, or beacons that this run does not have; of the first, the radio of any run fails.
    expect(offer.locator("option")).to_have_text(["commute: 2 changes in 0:03:40", "museum-evening: 8 changes in 0:00:50"])
    offer.select_option("museum-evening.yaml")
    expect(page.get_by_text("An evening at the museum")).to_be_visible()
    page.get_by_role("button", name="Start scenario").click()
    expect(page.get_by_text("museum-evening: running, 0 of 8 changes")).to_be_visible()
    page.get_by_role("button", name="+10 s", exact=True).click()
    expect(page.get_by_text("museum-evening: running, 2 of 8 changes")).to_be_visible()
    expect(viewer.row("egypt-mummy")).to_contain_text("battery flat")


def test_run_without_fitting_scenarios_offers_none(show: Show, beaconry: Beaconry) -> None:
    viewer = show(beaconry.profile(HALL))
    expect(viewer.page.get_by_role("button", name="Add a phone")).to_be_visible()
    expect(viewer.page.get_by_label("Scenario of the program")).to_be_hidden()
    expect(viewer.page.get_by_role("button", name="Choose a scenario")).to_be_hidden()


def test_phone_is_added_moved_and_removed_with_the_keyboard(show: Show, beaconry: Beaconry) -> None:
    viewer = show(beaconry.profile(HALL))
    page = viewer.page
    welcome = page.get_by_role("region", name="First steps")
    expect(welcome).to_contain_text("8 beacons are on a virtual air, and nothing receives them yet.")
    page.get_by_role("button", name="Add a phone").focus()
    page.keyboard.press("Enter")
    expect(welcome).to_be_hidden()
    expect(page.locator("#detail-title")).to_have_text("phone")
    expect(page.locator("#signal ul.links")).to_contain_text("dBm")
    page.get_by_label("Name of the phone").focus()
    page.keyboard.type("visitor")
    page.get_by_label("Model of the phone").select_option("iphone")
    page.get_by_role("button", name="Add phone").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#detail")).to_contain_text("iphone")
    x = viewer.place("visitor")[0]
    viewer.mark("visitor").focus()
    page.keyboard.press("ArrowRight")
    expect(viewer.mark("visitor")).to_have_attribute("aria-label", re.compile(rf"at {x + 0.5:g}, "))
    page.get_by_role("button", name="Remove").focus()
    page.keyboard.press("Enter")
    expect(viewer.mark("visitor")).to_have_count(0)
    expect(viewer.mark("phone")).to_be_visible()
    # A name that is taken is a sentence.
    page.get_by_label("Name of the phone").fill("tag-0")
    page.get_by_role("button", name="Add phone").click()
    expect(page.get_by_role("alert")).to_contain_text('A beacon is named "tag-0" already')


def test_ranging_has_the_true_distance_beside_the_estimate(show: Show, beaconry: Beaconry) -> None:
    viewer = show(beaconry.profile("walls: [{ from: [4.5, -5], to: [4.5, 5], loss: 12dB }]\n" + HALL))
    send(viewer, "PUT", "/v1/receivers/phone", {"position": [0, 0], "phone": "exact"})
    viewer.mark("phone").click()
    ranging = viewer.page.get_by_role("table", name="Beacons that the app ranges")
    far = ranging.get_by_role("row", name="tag-2 1/2").get_by_role("cell")
    expect(far.nth(1)).to_have_text("6 m away")
    expect(far.nth(2)).to_have_text("6.80 m, far")
    expect(viewer.page.get_by_text("A phone computes distances from the RSSI.")).to_be_visible()


@looks(*WIDTHS)
def test_rules_of_accessibility_with_a_phone(show: Show, beaconry: Beaconry, width: int, scheme: str) -> None:
    """Of the first steps, and with all parts that a phone has."""
    viewer = show(
        PROFILES / "museum.yaml", viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
    )
    expect(viewer.page.get_by_role("button", name="Choose a scenario")).to_be_visible()
    assert violations(viewer) == []
    send(viewer, "PATCH", "/v1/beacons/lobby-cafe", {"muted": True})
    viewer.page.get_by_role("button", name="Add a phone").click()
    expect(viewer.page.get_by_role("table", name="Beacons that the app ranges").locator("tbody tr")).to_have_count(11)
    assert viewer.page.evaluate("document.documentElement.scrollWidth") == width
    assert violations(viewer) == []
    assert viewer.problems == []


@pytest.mark.parametrize("width", WIDTHS)
def test_all_beacons_are_named(show: Show, width: int) -> None:
    viewer = show(PROFILES / "museum.yaml", viewport={"width": width, "height": 900})
    expect(viewer.page.locator("#map .node:not(.unnamed)")).to_have_count(13)
    if width > 400:
        send(viewer, "PUT", "/v1/receivers/visitor", {"position": [9, 4]})
        expect(viewer.page.locator("#receiver-table tbody tr")).to_contain_text("dBm")
        for table in ("#beacon-table", "#receiver-table"):
            assert viewer.page.locator(table).evaluate("(each) => each.scrollWidth <= each.clientWidth"), table


def test_touch_screens_have_no_hints_for_keys(show: Show, beaconry: Beaconry) -> None:
    viewer = show(beaconry.profile(HALL), viewport={"width": 390, "height": 900}, has_touch=True, is_mobile=True)
    assert viewer.page.locator("#map-help").inner_text().strip() == "Tap to select; then drag it."


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("room.yaml is no profile", "room.yaml is no profile."),
        ("beaconry ctl reset does it", "beaconry ctl reset does it."),
        ("tag-1 is muted", "tag-1 is muted."),
        ("nothing is on the air.", "Nothing is on the air."),
        ("iPhone", "iPhone."),
    ],
)
def test_names_keep_their_case_in_sentences(show: Show, beaconry: Beaconry, words: str, sentence: str) -> None:
    page = show(beaconry.profile(HALL)).page
    assert page.evaluate("async (words) => (await import('/format.js')).sentence(words)", words) == sentence


def test_weaker_ones_are_counted(show: Show, beaconry: Beaconry) -> None:
    many = HALL + "".join(
        f"  - {{ id: more-{number}, device: ibeacon, position: [{number}, 5],"
        f" ibeacon: {{ uuid: {UUID}, major: 2, minor: {number} }} }}\n"
        for number in range(5)
    )
    viewer = show(beaconry.profile(many))
    send(viewer, "PUT", "/v1/receivers/phone", {"position": [0, 1]})
    viewer.mark("phone").click()
    # One line, as wide as the list: the row may be drawn anew at any time.
    viewer.page.wait_for_function(
        "() => { const more = document.querySelector('#signal li.more');"
        " return more?.textContent === 'and 1 weaker one' && more.getBoundingClientRect().width > 200; }",
        timeout=300_000,
    )
