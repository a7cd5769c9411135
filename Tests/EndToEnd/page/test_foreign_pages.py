# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""Pages of other origins: what they contain has no effect on a run, and links to its page work."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.request import Request, urlopen

import lock
import pytest
from beaconry import Beaconry
from lock import CONNECTION, NOTIFICATIONS, VALUE
from playwright.sync_api import expect
from viewer import Viewer

TARGETS = (VALUE, NOTIFICATIONS, "/v1/events", "/v1/beacons")
PAGE = """<!DOCTYPE html><title>elsewhere</title><a href="{run}/">the page of the run</a>{elements}<script>
const targets = {targets};
window.done = Promise.allSettled(targets.flatMap(target => [
    fetch(target, {{mode: "no-cors"}}), fetch(target), fetch(target, {{method: "POST", mode: "no-cors", body: "{{}}"}})
]).map(request => Promise.race([request, new Promise(resolve => setTimeout(resolve, 5000))])));
</script>"""


@pytest.fixture
def serve() -> Iterator[Callable[[str], int]]:
    """A server of one page, at a port of this machine."""
    servers: list[ThreadingHTTPServer] = []

    def start(page: str) -> int:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(page.encode())

            def log_message(self, *_: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return int(server.server_address[1])

    yield start
    for server in servers:
        server.shutdown()


def put(url: str, body: dict[str, Any]) -> None:
    request = Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"}, method="PUT")
    with urlopen(request, timeout=300) as answer:
        assert answer.status == 201


@pytest.mark.parametrize("origin", ["http://localhost", "http://127.0.0.1"])
@pytest.mark.parametrize("pairs", [False, True])
def test_foreign_page_has_no_effect(
    show: Callable[..., Viewer], beaconry: Beaconry, serve: Callable[[str], int], origin: str, pairs: bool
) -> None:
    """By images, frames, scripts, styles and requests; also where the connection may pair."""
    viewer = show(beaconry.profile(lock.PROFILE))
    put(f"{viewer.url}/v1/receivers/app", {})
    put(f"{viewer.url}{CONNECTION}", {"pair": pairs})
    targets = [f"{viewer.url}{path}" for path in TARGETS]
    elements = "".join(
        f'<img src="{each}"><iframe src="{each}"></iframe><script src="{each}"></script><link rel="stylesheet" href="{each}">'
        f'<object data="{each}"></object><video src="{each}"></video>'
        for each in targets
    )
    port = serve(PAGE.format(run=viewer.url, elements=elements, targets=json.dumps(targets)))
    responses: list[tuple[str, int]] = []
    # In a tab of its own: the page of the run has requests under way.
    foreign = viewer.page.context.new_page()
    foreign.on("response", lambda response: responses.append((response.url, response.status)))
    foreign.goto(f"{origin}:{port}/", wait_until="commit")
    foreign.wait_for_function("window.done", timeout=300_000)
    foreign.evaluate("window.done")
    answered = [status for url, status in responses if url in targets]
    assert len(answered) >= len(targets) and set(answered) == {403}, responses
    with urlopen(f"{viewer.url}/v1/bonds", timeout=300) as answer:
        assert json.load(answer) == {"bonds": []}
    assert not [each for each in viewer.run.events if each["event"] in ("paired", "subscribed")]
    foreign.get_by_text("the page of the run").click()
    expect(replace(viewer, page=foreign).row("lock")).to_be_visible()
