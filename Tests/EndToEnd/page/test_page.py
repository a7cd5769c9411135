# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The page of a run, as people use it."""

from __future__ import annotations

import json
import math
import re
import signal
import threading
import time
from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.request import urlopen

import pytest
from axe_playwright_python.sync_playwright import Axe
from beaconry import PROFILES, Beaconry
from playwright.sync_api import expect
from viewer import Phone, Viewer, looks

UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
PHONE = ("--hci-server", "tcp:127.0.0.1:0?name=phone&at=1,0")
ROOM = f"""
profile: room
beacons:
  - id: door
    device: ibeacon
    position: [0, 0]
    address: C0:FF:EE:00:00:01
    ibeacon: {{ uuid: {UUID}, major: 1, minor: 7, measured-power: -59 }}
  - id: shelf
    device: ibeacon
    position: [8, 4]
    ibeacon: {{ uuid: {UUID}, major: 1, minor: 8, measured-power: -59 }}
  - id: spare
    device: ibeacon
    ibeacon: {{ uuid: {UUID}, major: 1, minor: 9, measured-power: -59 }}
"""
Show = Callable[..., Viewer]


@pytest.fixture
def room(beaconry: Beaconry) -> Path:
    return beaconry.profile(ROOM)


def drag(viewer: Viewer, name: str, by: tuple[float, float]) -> None:
    """Drags a mark by pixels, in steps as a hand does."""
    # It waits until the mark does not move, and nothing covers it.
    viewer.mark(name).hover()
    box = viewer.mark(name).bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    viewer.page.mouse.down()
    viewer.page.mouse.move(x + by[0], y + by[1], steps=10)
    viewer.page.mouse.up()


def eventually(condition: Callable[[], object], seconds: float = 300) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "the condition was not met"
        time.sleep(0.05)


def expect_silence(phone: Phone, address: str, other: str) -> None:
    """Waits until several packets of another advertiser arrive, and none of this one."""

    def is_silent() -> bool:
        phone.clear()
        eventually(lambda: len(phone.rssi(other)) >= 5)
        return phone.rssi(address) == []

    eventually(is_silent)


def test_a_dragged_beacon_is_received_with_another_rssi(show: Show, room: Path) -> None:
    viewer = show(room, *PHONE)
    with Phone(viewer.phones["phone"]) as phone:
        address = viewer.beacon("door")["effective"]["address"]
        viewer.page.get_by_role("searchbox", name="Filter beacons").fill("door")
        expect(viewer.page.locator("#beacon-table tbody tr")).to_have_count(1)
        expect(viewer.row("door")).to_contain_text("−59 dBm")
        eventually(lambda: phone.rssi(address))
        assert set(phone.rssi(address)) == {-59}

        drag(viewer, "door", (300, -60))

        def rssi_of_the_place() -> int:
            """That of the position that the API has, with the phone at 1, 0."""
            x, y = viewer.beacon("door")["position"][:2]
            return round(-59 - 20 * math.log10(math.dist((x, y), (1, 0))))

        # While the beacon is dragged, places in between are received, too.
        eventually(
            lambda: viewer.place("door") == viewer.beacon("door")["position"][:2]
            and phone.rssi(address)[-1] == rssi_of_the_place() < -62
        )
        weaker = rssi_of_the_place()
        expect(viewer.row("door")).to_contain_text(f"−{-weaker} dBm")
        expect(viewer.page.get_by_role("list", name="Links")).to_contain_text(f"−{-weaker} dBm")
    assert viewer.problems == []


def test_a_receiver_is_moved_with_the_keyboard(show: Show, room: Path) -> None:
    viewer = show(room, *PHONE)
    with Phone(viewer.phones["phone"]) as phone:
        address = viewer.beacon("door")["effective"]["address"]
        mark = viewer.mark("phone")
        expect(mark).to_have_attribute("aria-label", "Receiver phone, scanning (active), at 1, 0 m")
        mark.focus()
        for key in ("ArrowRight", "ArrowRight", "Shift+ArrowLeft", "Shift+ArrowRight"):
            viewer.page.keyboard.press(key)
        expect(mark).to_have_attribute("aria-label", "Receiver phone, scanning (active), at 2, 0 m")
        eventually(lambda: phone.rssi(address)[-1:] == [-65])
        viewer.page.keyboard.press("Enter")
        expect(viewer.page.get_by_role("heading", name="RSSI at phone")).to_be_visible()
        expect(viewer.page.get_by_role("img", name=re.compile("door −65 dBm"))).to_be_visible()


HELD_READINGS = """
    const fetched = window.fetch;
    window.held = [];
    window.fetch = async (...request) => {
        const answer = await fetched(...request);
        if (/v1\\/receivers$/.test(String(request[0]))) await new Promise((release) => window.held.push(release));
        return answer;
    };
"""


def test_a_reading_that_was_on_its_way_moves_nothing_back(show: Show, room: Path) -> None:
    viewer = show(room, *PHONE)
    with Phone(viewer.phones["phone"]):
        page = viewer.page
        page.add_init_script(HELD_READINGS)
        page.reload()
        mark = viewer.mark("phone")
        label = "Receiver phone, scanning (active), at {:g}, 0 m"
        eventually(lambda: page.evaluate("held.length"))
        page.evaluate("held.shift()()")
        expect(mark).to_have_attribute("aria-label", label.format(1))
        mark.focus()
        for step in range(1, 11):
            eventually(lambda: page.evaluate("held.length"))
            with page.expect_response(lambda response: response.request.method != "GET") as answer:
                page.keyboard.press("Shift+ArrowRight")
            answer.value.finished()
            expect(mark).to_have_attribute("aria-label", label.format(1 + step / 10))
            page.evaluate("held.shift()()")
            # The next reading begins when this one, from before the key, has been used.
            eventually(lambda: page.evaluate("held.length"))
            expect(mark).to_have_attribute("aria-label", label.format(1 + step / 10))


def test_a_beacon_without_a_position_gets_one(show: Show, room: Path) -> None:
    viewer = show(room)
    mark = viewer.mark("spare")
    expect(mark).to_have_attribute("aria-label", "Beacon spare, on the air, no position")
    # From then on the layout stays as it is.
    expect(viewer.page.get_by_role("region", name="First steps")).to_be_visible()
    drag(viewer, "spare", (0, -150))
    expect(mark).to_have_attribute("aria-label", re.compile(r"^Beacon spare, on the air, at "))
    assert "position" in viewer.beacon("spare")


def test_a_beacon_is_switched_off_and_on(show: Show, room: Path) -> None:
    viewer = show(room, *PHONE)
    with Phone(viewer.phones["phone"]) as phone:
        address = viewer.beacon("door")["effective"]["address"]
        eventually(lambda: phone.rssi(address))
        # From then on the layout stays as it is.
        expect(viewer.row("door")).to_contain_text("−59 dBm")
        switch = viewer.page.get_by_role("switch", name="door on")
        expect(switch).to_be_checked()
        switch.click()
        expect(switch).not_to_be_checked()
        expect(viewer.mark("door")).to_have_attribute("aria-label", "Beacon door, off, at 0, 0 m")
        expect(viewer.page.locator("#air")).to_have_text("2 of 3 on the air, 1 off")
        expect(viewer.page.locator("#air")).to_have_attribute("data-state", "good")
        expect(viewer.page.get_by_role("region", name="Event log")).to_contain_text("advertising-stopped")
        viewer.run.wait("advertising-stopped", device="door")
        expect_silence(phone, address, viewer.beacon("shelf")["effective"]["address"])
        switch.click()
        expect(switch).to_be_checked()
        eventually(lambda: phone.rssi(address))


def test_faults_are_made_and_ended(show: Show, room: Path) -> None:
    viewer = show(room, *PHONE)
    with Phone(viewer.phones["phone"]) as phone:
        address = viewer.beacon("door")["effective"]["address"]
        viewer.row("door").get_by_role("button", name="door").click()
        for name, state in (("Mute", "muted"), ("Flat battery", "battery flat")):
            button = viewer.page.get_by_role("button", name=name, exact=True)
            button.click()
            expect(viewer.row("door")).to_contain_text(state)
            expect(button).to_have_attribute("aria-pressed", "true")
            button.click()
            expect(viewer.row("door")).to_contain_text("on the air")
        viewer.page.get_by_role("button", name="Block the link with phone").click()
        reset = viewer.page.get_by_role("button", name="Reset the link with phone")
        expect(reset).to_be_visible()
        expect_silence(phone, address, viewer.beacon("shelf")["effective"]["address"])
        reset.click()
        eventually(lambda: phone.rssi(address))


def test_a_setting_is_requested_and_effective(show: Show, room: Path) -> None:
    viewer = show(room)
    page = viewer.page
    viewer.row("door").get_by_role("button", name="door").click()
    interval = page.get_by_role("textbox", name="Interval")
    expect(interval).to_have_value("100ms")
    interval.fill("250ms")
    page.get_by_role("button", name="Set Interval").click()
    effective = page.locator(".effective tr").filter(has_text="Interval").locator("td")
    expect(effective).to_have_text(["250 ms", "250 ms"])
    assert viewer.beacon("door")["settings"]["interval"] == "250ms"

    page.get_by_role("textbox", name="Minor").fill("99999")
    page.get_by_role("button", name="Set Minor").click()
    expect(page.get_by_role("alert")).to_contain_text("is not a whole number from 0 to 65535")
    page.get_by_role("textbox", name="Minor").press("Escape")
    expect(page.get_by_role("textbox", name="Minor")).to_have_value("7")


def test_virtual_time_is_advanced(show: Show, room: Path) -> None:
    viewer = show(room, "--rate", "manual")
    page = viewer.page
    clock = page.get_by_role("timer", name="Run time")
    expect(clock).to_have_text(re.compile(r"^0:00:00"))
    before = clock.inner_text()
    page.get_by_role("button", name="+1 m", exact=True).click()
    expect(clock).to_have_text(before.replace("0:00:", "0:01:"))
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("button", name="+1 m", exact=True)).to_be_disabled()
    page.get_by_role("button", name="Pause", exact=True).first.click()
    expect(page.get_by_role("button", name="+1 m", exact=True)).to_be_enabled()


def test_a_scenario_is_run_stopped_and_reset(show: Show, room: Path, tmp_path: Path) -> None:
    viewer = show(room, "--rate", "manual")
    page = viewer.page
    scenario = tmp_path / "evening.yaml"
    scenario.write_text(
        "scenario: evening\nduration: 5m\ntimeline:\n  - { at: 30s, do: [off door, battery shelf flat] }\n"
        "  - { at: 50s, do: on shelf }\n  - { at: 3m, do: off spare }\n"
    )
    page.get_by_label("Scenario", exact=True).set_input_files(scenario)
    progress = page.get_by_role("progressbar", name="Changes of the scenario")
    expect(page.get_by_text("evening: running, 0 of 4 changes; next at 0:00:30: off door")).to_be_visible()
    page.get_by_role("button", name="+1 m", exact=True).click()
    expect(page.get_by_text("evening: running, 3 of 4 changes; next at 0:03:00: off spare")).to_be_visible()
    expect(page.get_by_text("on shelf: the battery of shelf is flat")).to_be_visible()
    assert progress.get_attribute("value") == "3"
    assert [viewer.beacon(name)["enabled"] for name in ("door", "shelf", "spare")] == [False, False, True]
    page.get_by_role("button", name="Stop scenario").click()
    expect(page.get_by_text("evening: stopped, 3 of 4 changes; after 0:01:00")).to_be_visible()
    expect(page.get_by_role("button", name="Stop scenario")).to_be_disabled()
    page.get_by_role("button", name="Reset").click()
    page.get_by_role("alertdialog", name="Reset the run?").get_by_role("button", name="Reset").click()
    eventually(lambda: viewer.beacon("door")["enabled"] and viewer.beacon("shelf")["enabled"])
    scenario.write_text("scenario: evening\ntimeline: [{ at: 1s, do: off lift }]\n")
    page.get_by_label("Scenario", exact=True).set_input_files(scenario)
    expect(page.get_by_role("alert").filter(has_text="evening.yaml:2:").filter(has_text='there is no beacon "lift"')).to_be_visible()


def test_the_clock_of_real_time_has_no_controls(show: Show, room: Path) -> None:
    page = show(room).page
    expect(page.get_by_text("real time; start the run with --rate manual or max to control the clock")).to_be_visible()
    expect(page.get_by_role("button", name="+1 s", exact=True)).to_be_hidden()


def test_the_end_of_the_run_is_shown(show: Show, room: Path) -> None:
    viewer = show(room)
    status = viewer.page.get_by_role("status").filter(has_text=re.compile("Live|lost"))
    expect(status).to_have_text("Live")
    assert viewer.run.end() == 0
    expect(status).to_have_text("Connection lost, connecting again")


def test_a_run_that_does_not_answer_is_not_live(show: Show, room: Path) -> None:
    viewer = show(room)
    viewer.page.clock.install()
    viewer.page.reload()
    status = viewer.page.get_by_role("status").filter(has_text=re.compile("Live|lost"))
    expect(status).to_have_text("Live")
    viewer.run.process.send_signal(signal.SIGSTOP)
    viewer.page.clock.fast_forward(30_000)
    expect(status).to_have_text("Connection lost, connecting again")
    viewer.run.process.send_signal(signal.SIGCONT)
    viewer.page.clock.fast_forward(2_000)
    expect(status).to_have_text("Live")


def test_an_interval_that_is_not_as_requested_is_marked(show: Show, room: Path) -> None:
    """The virtual air sends what is requested, so the event is one of another radio."""
    viewer = show(room)
    event = {"event": "advertising-changed", "device": "door", "intervalTicks": 240, "different": ["interval"], "sequence": 1}
    body = f"id: 1\ndata: {json.dumps(event | {'text': 'door: advertising changed'})}\n\n"
    viewer.page.route("**/v1/events*", lambda route: route.fulfill(content_type="text/event-stream", body=body))
    viewer.page.reload()
    expect(viewer.row("door")).to_contain_text("100 ms (100 ms requested)")
    viewer.row("door").get_by_role("button", name="door").click()
    expect(viewer.page.get_by_role("row", name=re.compile("^Interval 100 ms 100 ms"))).to_contain_text("differs")


def test_a_token_comes_with_the_address(show: Show, room: Path, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("correct-horse-battery-staple\n")
    file.chmod(0o600)
    viewer = show(room, "--http-token-file", str(file))
    expect(viewer.page.get_by_text("A token is required")).to_be_visible()
    viewer.page.goto("about:blank")
    viewer.page.goto(f"{viewer.url}/#token=correct-horse-battery-staple")
    expect(viewer.row("door")).to_be_visible()
    assert viewer.page.url == f"{viewer.url}/"


def test_text_of_a_profile_is_not_markup(show: Show, beaconry: Beaconry) -> None:
    name = "<img src=x>"
    viewer = show(beaconry.profile(f"profile: room\nbeacons:\n  - {{ id: door, device: battery, name: '{name}', level: 5 }}\n"))
    expect(viewer.page.locator(".facts")).to_contain_text(name)
    assert viewer.page.locator("img").count() == 0
    with urlopen(f"{viewer.url}/", timeout=300) as answer:
        assert answer.headers["Content-Security-Policy"].startswith("default-src 'self'; ")
        assert b"<script type=" in answer.read()
    assert viewer.problems == []


@looks(360, 1280, 1920)
def test_accessibility_rules_are_kept_at_each_width(show: Show, width: int, scheme: str) -> None:
    viewer = show(
        PROFILES / "museum.yaml", *PHONE, viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
    )
    with Phone(viewer.phones["phone"]):
        expect(viewer.row("entrance")).to_contain_text("dBm")
        expect(viewer.mark("phone")).to_be_visible()
        expect(viewer.page.get_by_role("button", name="Start scenario")).to_be_visible()
        assert viewer.page.evaluate("document.documentElement.scrollWidth") == width
        found = Axe().run(viewer.page).response
    assert found["violations"] == [] and len(found["passes"]) > 20
    assert viewer.problems == []


def test_of_many_beacons_only_what_changes_is_drawn(show: Show, beaconry: Beaconry) -> None:
    beacons = "".join(
        f"  - {{ id: tag-{number}, device: ibeacon, interval: 1s, position: [{number % 25}, {number // 25}],"
        f" ibeacon: {{ uuid: {UUID}, major: 1, minor: {number}, measured-power: -59 }} }}\n"
        for number in range(500)
    )
    viewer = show(beaconry.profile(f"profile: crowd\nbeacons:\n{beacons}"), *PHONE)
    page = viewer.page
    expect(page.locator("#map .node")).to_have_count(501)
    expect(page.locator("#beacon-table tbody tr")).to_have_count(25)
    # The clock is read after the beacons, the receivers and the walls, with which the map is drawn anew.
    expect(page.get_by_role("timer")).not_to_be_empty()
    viewer.mark("tag-7").focus()
    page.evaluate("""() => {
        window.touched = new Set();
        new MutationObserver((list) => list.forEach(({ target }) => {
            const node = target.closest?.(".node");
            if (node) window.touched.add(node.querySelector(".target").dataset.name);
        })).observe(document.querySelector("#map"), { attributes: true, childList: true, subtree: true });
    }""")
    page.keyboard.press("ArrowUp")
    expect(viewer.mark("tag-7")).to_have_attribute("aria-label", "Beacon tag-7, on the air, at 7, 0.5 m")
    assert page.evaluate("[...window.touched]") == ["tag-7"]
    page.get_by_role("button", name="Next page").first.click()
    expect(page.locator("#beacon-pages")).to_contain_text("26–50 of 500")
    assert page.locator("#log li").count() <= 150


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_frame_of_another_origin_shows_nothing(show: Show, room: Path, tmp_path: Path, host: str) -> None:
    viewer = show(room)
    assert urlopen(viewer.url, timeout=300).headers["X-Frame-Options"] == "DENY"
    (tmp_path / "evil.html").write_text(f'<iframe src="{viewer.url}/"></iframe>')
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with viewer.page.expect_event(
            "console", lambda message: message.type == "error" and "frame" in message.text.lower()
        ):
            viewer.page.goto(f"http://{host}:{server.server_port}/evil.html")
        (frame,) = viewer.page.main_frame.child_frames
        assert not frame.url.startswith(viewer.url)
        server.shutdown()


def test_reset_and_radio_off_are_confirmed(show: Show, room: Path) -> None:
    viewer = show(room)
    page, sent = viewer.page, []
    page.on("request", lambda request: request.method != "GET" and sent.append(request.method + request.url.removeprefix(viewer.url)))
    reset = page.get_by_role("button", name="Reset", exact=True)
    reset.click()
    dialog = page.get_by_role("alertdialog", name="Reset the run?")
    expect(dialog).to_contain_text("This cannot be undone.")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    assert Axe().run(page).response["violations"] == []
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(reset).to_be_focused()
    assert sent == []
    page.get_by_role("switch", name="Radio").click()
    page.get_by_role("alertdialog", name="Switch the radio off?").get_by_role("button", name="Switch off").click()
    air = page.locator("#air")
    expect(air).to_have_text("0 of 3 on the air: the radio is off")
    expect(air).to_have_attribute("data-state", "wrong")
    expect(page.locator("#status")).to_have_text("Live")
    assert sent == ["PUT/v1/radio"]
    # What is not on the air has no effective interval and power.
    viewer.row("door").get_by_role("button", name="door").click()
    effective = page.locator(".effective tr").filter(has_text="Interval").locator("td")
    expect(effective).to_have_text(["100 ms", "–"])
    page.get_by_role("switch", name="Radio").click()
    expect(air).to_have_attribute("data-state", "good")
    assert sent == ["PUT/v1/radio"] * 2


def test_flat_battery_is_wrong(show: Show, room: Path) -> None:
    viewer = show(room)
    viewer.row("door").get_by_role("button", name="door").click()
    viewer.page.get_by_role("button", name="Flat battery", exact=True).click()
    expect(viewer.page.locator("#air")).to_have_text("2 of 3 on the air: battery of door flat")
    expect(viewer.row("door").locator(".badge")).to_have_attribute("data-state", "wrong")
    expect(viewer.mark("door")).to_have_attribute("aria-label", re.compile("battery flat"))


def touch(viewer: Viewer, name: str, by: tuple[float, float]) -> None:
    """Puts a finger on a mark, and swipes as a browser gets it from a touch screen."""
    box = viewer.mark(name).bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    session = viewer.page.context.new_cdp_session(viewer.page)
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for part in range(1, 11):
        point = {"x": x + by[0] * part / 10, "y": y + by[1] * part / 10}
        session.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def scroll_to(viewer: Viewer, top: int) -> None:
    """Scrolls, and waits until the page is at rest: a finger that comes down while a swipe still scrolls only stops it."""
    viewer.page.evaluate(
        """(top) => new Promise((resolve) => {
            let [last, frames] = [NaN, 0];
            const look = () => {
                frames = scrollY === last && scrollY === top ? frames + 1 : 0;
                last = scrollY;
                if (frames === 0) scrollTo(0, top);
                if (frames > 20) resolve(); else requestAnimationFrame(look);
            };
            look();
        })""",
        top,
    )


def test_swipe_on_a_beacon_scrolls_until_it_was_tapped(show: Show, room: Path) -> None:
    viewer = show(room, viewport={"width": 360, "height": 700}, has_touch=True, is_mobile=True)
    page, sent = viewer.page, []
    page.on("request", lambda request: request.method == "PATCH" and sent.append(request.url))
    expect(viewer.mark("shelf")).to_be_visible()
    for name in ("shelf", "door"):
        scroll_to(viewer, 200)
        touch(viewer, name, (0, -150))
        eventually(lambda: page.evaluate("window.scrollY") > 250)
    assert sent == []
    scroll_to(viewer, 200)
    viewer.mark("shelf").tap()
    expect(viewer.mark("shelf")).to_have_attribute("aria-pressed", "true")
    before = page.evaluate("window.scrollY")
    touch(viewer, "shelf", (-60, 40))
    undo = page.get_by_role("button", name="Undo")
    expect(undo).to_be_visible()
    assert page.evaluate("window.scrollY") == before and sent
    eventually(lambda: viewer.beacon("shelf")["position"] != [8, 4, 0])
    undo.tap()
    eventually(lambda: viewer.beacon("shelf")["position"] == [8, 4, 0])
    expect(page.locator("#moved")).to_have_text("shelf is back at 8, 4.")


def test_walls_bend_the_ranges(show: Show, beaconry: Beaconry) -> None:
    text = ROOM + "physics: { exponent: 3 }\nwalls:\n  - { from: [-9, 2], to: [9, 2], loss: 10dB }\n"
    viewer = show(beaconry.profile(text), *PHONE)
    page = viewer.page
    viewer.row("door").get_by_role("button", name="door").click()
    expect(page.locator("#map .walls line")).to_have_count(1)
    expect(page.locator("#map .walls text")).to_have_text("10 dB")
    # -70 dBm is at 10^(11/30) m; upwards the wall at 2 m is farther for -60, and nearer for -70, which ends there.
    eventually(lambda: any(
        "−70 dBm · 2 m" in label for label in page.locator("#map .ranges text").all_text_contents()
    ))  # fmt: skip
    # A receiver that has not joined is where its hosts will be.
    expect(viewer.mark("phone")).to_have_attribute("aria-label", "Receiver phone, not joined, at 1, 0 m")
    assert viewer.problems == []


def test_history_survives_a_reload_and_the_end_of_a_battery(show: Show, room: Path) -> None:
    viewer = show(room, *PHONE)
    page = viewer.page
    points = "document.querySelector('#signal .line-0.line')?.getAttribute('d').split(/[ML]/).length ?? 0"
    with Phone(viewer.phones["phone"]):
        viewer.row("door").get_by_role("button", name="door").click()
        eventually(lambda: page.evaluate(points) > 5)
    # Without a receiver there are no new samples: after the reload, all are those that the run has kept.
    expect(viewer.mark("phone")).to_have_attribute("aria-label", "Receiver phone, not joined, at 1, 0 m")
    page.reload()
    viewer.row("door").get_by_role("button", name="door").click()
    eventually(lambda: page.evaluate(points) > 5)
    with Phone(viewer.phones["phone"]):
        expect(page.get_by_role("list", name="Links")).to_contain_text("phone")
        page.get_by_role("button", name="Flat battery", exact=True).click()
        expect(page.get_by_text("Not received now: battery flat.")).to_be_visible()
        assert page.evaluate(points) > 5
        expect(page.locator("#signal svg.chart")).to_be_visible()


def test_faults_of_a_reload_are_lines_until_they_are_fixed(show: Show, room: Path) -> None:
    viewer = show(room)
    page = viewer.page
    good = room.read_text()
    room.write_text(good.replace("device: ibeacon", "device: ibecon", 2))
    page.get_by_role("button", name="Reload profile").click()
    fault = page.get_by_role("alert").filter(has_text="The profile was not read again:")
    expect(fault.get_by_role("listitem")).to_have_count(2)
    page.evaluate("window.scrollTo(0, 0)")
    assert fault.bounding_box()["y"] + fault.bounding_box()["height"] <= page.locator("main").bounding_box()["y"] + 1
    room.write_text(good)
    page.get_by_role("button", name="Reload profile").click()
    expect(fault).to_be_hidden()


def test_events_are_sentences(show: Show, room: Path) -> None:
    viewer = show(room)
    viewer.row("door").get_by_role("button", name="door").click()
    viewer.page.get_by_role("button", name="Mute", exact=True).click()
    log = viewer.page.get_by_role("region", name="Event log")
    expect(log).to_contain_text("muted: nothing that it sends is received")
    assert "{" not in log.inner_text()


@pytest.mark.parametrize("width", [360, 1280])
def test_names_do_not_overlap_and_tables_fit(show: Show, width: int) -> None:
    viewer = show(PROFILES / "museum.yaml", viewport={"width": width, "height": 900})
    names = viewer.page.locator("#map .node:not(.unnamed) text")
    eventually(lambda: names.count() > 6)
    boxes = viewer.page.evaluate("""() => [...document.querySelectorAll("#map .node:not(.unnamed) text")]
        .map((each) => each.getBoundingClientRect()).map(({ left, top, right, bottom }) => [left, top + 2, right, bottom - 2])""")
    for index, one in enumerate(boxes):
        for two in boxes[:index]:
            assert one[0] >= two[2] or two[0] >= one[2] or one[1] >= two[3] or two[1] >= one[3], (one, two)
    if width >= 1280:
        assert viewer.page.locator("#beacon-table").evaluate("(each) => each.scrollWidth <= each.clientWidth")


LISTENING = ROOM + f"""
receivers:
  - {{ id: phone, position: [1, 0], phone: exact, regions: [{{ id: shop, uuid: {UUID}, exit-after: 1s }}] }}
"""


def test_ranging_of_a_listening_receiver_is_shown(show: Show, beaconry: Beaconry) -> None:
    viewer = show(beaconry.profile(LISTENING))
    viewer.mark("phone").click()
    ranging = viewer.page.get_by_role("table", name="Beacons that the app ranges")
    expect(ranging.locator("tbody tr")).to_have_count(3)
    door = ranging.get_by_role("row", name="1/7")
    expect(door).to_contain_text("−59 dBm")
    expect(door).to_contain_text("0.97 m")
    expect(viewer.page.get_by_role("row", name="shop")).to_contain_text("inside")
    results = Axe().run(viewer.page)
    assert results.violations_count == 0, results.generate_report()
    drag(viewer, "phone", (250, 0))
    expect(door).not_to_contain_text("−59 dBm")
    viewer.page.get_by_role("switch", name="Listening").click()
    expect(viewer.page.get_by_role("switch", name="Listening")).to_have_attribute("aria-checked", "false")
    expect(viewer.page.get_by_text("No beacon is in range.")).to_be_visible()
    # Its Bluetooth is off: nothing is known of the region.
    expect(viewer.page.get_by_role("row", name="shop")).to_contain_text("inside")
    viewer.page.get_by_role("switch", name="Screen").click()
    expect(viewer.page.get_by_role("switch", name="Screen")).to_have_attribute("aria-checked", "false")
    for name, words in (("Bluetooth", "Bluetooth off"), ("Permission", "permission denied")):
        viewer.page.get_by_role("switch", name=name).click()
        expect(viewer.page.locator("p.state").filter(has_text=words)).to_be_visible()
    viewer.page.get_by_label("RSSI offset").fill("-7")
    viewer.page.get_by_role("button", name="Set", exact=True).click()
    expect(viewer.page.get_by_text("RSSI -7 dB")).to_be_visible()
    viewer.mark("door").click()
    expect(ranging).to_have_count(0)
    assert viewer.problems == []


def test_switches_show_their_state_and_have_a_name_that_is_none(show: Show, beaconry: Beaconry) -> None:
    viewer = show(beaconry.profile(LISTENING))
    viewer.mark("phone").click()
    listening = viewer.page.get_by_role("switch", name="Listening")

    def switches() -> list[tuple[str, str, str]]:
        found = viewer.page.get_by_role("switch").evaluate_all(
            "all => all.map(each => [each.innerText.trim(), each.getAttribute('aria-checked'),"
            " getComputedStyle(each.querySelector('.knob'), '::after').content])"
        )
        return [(name, state, shown) for name, state, shown in found]

    expect(listening).to_be_checked()
    on = switches()
    listening.click()
    expect(listening).not_to_be_checked()
    off = switches()
    assert ("Listening", "true", '"on"') in on and ("Listening", "false", '"off"') in off
    for name, state, shown in on + off:
        assert shown == ('"on"' if state == "true" else '"off"')
        assert name.casefold() not in ("on", "off")


BENCH = ROOM + """
receivers:
  - { id: visitor, position: [1, 0] }
"""


def test_the_receiver_of_a_bench_is_dragged(show: Show, beaconry: Beaconry) -> None:
    viewer = show(
        beaconry.profile(BENCH), "--bench", "visitor", "--bench-rssi", "-59", "--bench-app", "log-distance", "--hci-server", "none"
    )

    def power() -> int:
        """The measured power of the door on the radio, which the app of the phone computes with."""
        return json.loads(beaconry.call("ctl", "bench", "--json").stdout)["beacons"][0]["benchPower"]

    assert power() == -59
    drag(viewer, "visitor", (250, 0))
    eventually(lambda: -55 < power() and abs(power() - (-59 + 20 * math.log10(math.hypot(*viewer.place("visitor"))))) <= 1)
    assert viewer.problems == []
