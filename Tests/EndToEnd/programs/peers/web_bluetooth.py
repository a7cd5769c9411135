# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A page with Web Bluetooth in Chromium, without a window: `web_bluetooth.py CHROMIUM`. The script answers the chooser of
devices through the browser's debugging protocol. Prints `ok` and the browser's version."""

from __future__ import annotations

import asyncio
import functools
import http.server
import json
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import websockets

PAGE = b"<!doctype html><title>test</title>"
AVAILABLE = "navigator.bluetooth.getAvailability()"
USE = """
(async () => {
  const service = "5a1e0001-8c1d-4e8b-9c55-0d0e8f6a1b01";
  const uuid = number => `5a1e000${number}-8c1d-4e8b-9c55-0d0e8f6a1b01`;
  const device = await navigator.bluetooth.requestDevice({filters: [{services: [0x181A]}], optionalServices: [service]});
  const server = await device.gatt.connect();
  const environment = await server.getPrimaryService(0x181A);
  const moisture = (await (await environment.getCharacteristic(0x2A6F)).readValue()).getUint16(0, true);
  const own = await server.getPrimaryService(service);
  const label = await own.getCharacteristic(uuid(3));
  await label.writeValueWithResponse(new TextEncoder().encode("Mint"));
  const written = new TextDecoder().decode(await label.readValue());
  const pump = await own.getCharacteristic(uuid(4));
  await pump.startNotifications();
  const notified = new Promise(resolve => pump.addEventListener("characteristicvaluechanged",
      event => resolve(new TextDecoder().decode(event.target.value)), {once: true}));
  await pump.writeValueWithResponse(new TextEncoder().encode("one"));
  const value = await notified;
  const secret = await own.getCharacteristic(uuid(7));
  const refused = await secret.writeValueWithResponse(new Uint8Array([2])).then(() => "no", error => error.name);
  device.gatt.disconnect();
  return [device.name, moisture, written, value, refused].join(" ");
})()
"""


class Page(http.server.BaseHTTPRequestHandler):
    """The empty page; Web Bluetooth needs an origin that is trusted, as localhost is."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *_: object) -> None:
        pass


class Tab:
    """A connection to a tab of the browser, with calls and events of the debugging protocol."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket
        self.number = 0
        self.answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.prompts: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.loaded = asyncio.Event()
        self.task = asyncio.create_task(self.receive())

    async def receive(self) -> None:
        async for text in self.socket:
            message = json.loads(text)
            if "id" in message:
                self.answers.pop(message["id"]).set_result(message)
            elif message["method"] == "Page.loadEventFired":
                self.loaded.set()
            elif message["method"] == "DeviceAccess.deviceRequestPrompted":
                self.prompts.put_nowait(message["params"])

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self.number += 1
        answer = self.answers[self.number] = asyncio.get_running_loop().create_future()
        await self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        result = await asyncio.wait_for(answer, 300)
        assert "result" in result, result
        return result["result"]

    async def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression, after its promise, as if a user had clicked."""
        result = await self.call("Runtime.evaluate", expression=expression, awaitPromise=True, userGesture=True, returnByValue=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    async def choose(self, name: str) -> None:
        """Chooses the device with this name, when the chooser lists it."""
        while True:
            prompt = await self.prompts.get()
            for device in prompt["devices"]:
                if device["name"].startswith(name):
                    await self.call("DeviceAccess.selectPrompt", id=prompt["id"], deviceId=device["id"])
                    return


def browser(folder: Path) -> tuple[subprocess.Popen[str], str]:
    """Starts the browser; returns it and the address of its debugging protocol."""
    process = subprocess.Popen(
        [sys.argv[1], "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--enable-features=WebBluetooth", "--remote-debugging-port=0", f"--user-data-dir={folder}", "about:blank"],
        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stderr
    for line in process.stderr:
        if line.startswith("DevTools listening on "):
            threading.Thread(target=functools.partial(list, process.stderr), daemon=True).start()
            return process, line.split()[-1]
    raise AssertionError("the browser did not start")


async def tab_address(debugging: str) -> str:
    """The address of the only tab."""
    async with websockets.connect(debugging) as socket:
        for number in range(1, 601):
            await socket.send(json.dumps({"id": number, "method": "Target.getTargets"}))
            targets = json.loads(await socket.recv())["result"]["targetInfos"]
            found = [each for each in targets if each["type"] == "page"]
            if found:
                return debugging.partition("/devtools/")[0] + "/devtools/page/" + found[0]["targetId"]
            await asyncio.sleep(0.1)
    raise AssertionError("the browser has no tab")


async def run(debugging: str, origin: str) -> None:
    async with websockets.connect(await tab_address(debugging), max_size=None) as socket:
        tab = Tab(socket)
        await tab.call("Page.enable")
        await tab.call("Page.navigate", url=origin)
        await asyncio.wait_for(tab.loaded.wait(), 300)
        await tab.call("DeviceAccess.enable")
        version = (await tab.call("Browser.getVersion"))["product"]
        if len(sys.argv) > 2:  # without a bus: the script itself
            print(await tab.evaluate(AVAILABLE), version)
            return
        assert await tab.evaluate(AVAILABLE), "Bluetooth is not available to the page"
        chosen = asyncio.create_task(tab.choose("Plant"))
        result = await tab.evaluate(USE)
        await chosen
        assert result == "Plant 6150 Mint one NotSupportedError", result
        print("ok", version)


def main() -> None:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    origin = f"http://localhost:{server.server_port}/"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        process, debugging = browser(Path(folder))
        try:
            asyncio.run(run(debugging, origin))
        finally:
            process.terminate()
            process.wait(300)


main()
