# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""A device with ESPHome's API, made of the messages of aioesphomeapi and the handshake of noiseprotocol.

It records what its clients send, byte for byte.
"""

from __future__ import annotations

import base64
import socketserver
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aioesphomeapi import api_pb2
from aioesphomeapi.core import MESSAGE_TYPE_TO_PROTO
from noise.connection import NoiseConnection

TYPES = {proto: number for number, proto in MESSAGE_TYPE_TO_PROTO.items()}
PROXY_FEATURES = 0xFF
Message = Any


@dataclass
class Device:
    """What the device is, and what was sent to it.

    As of ESPHome 2026.10, the newest: API 1.19.
    """

    key: str | None = None
    features: int = PROXY_FEATURES
    api: tuple[int, int] = (1, 19)
    advertisement: bytes = b""
    """The data of an advertisement, which a subscriber gets with a ping behind it."""
    leaves: bool = False
    """Whether it closes the connection after a subscription, as when it loses power."""
    sessions: list[list[tuple[Message, bytes]]] = field(default_factory=list)
    """For each client, the messages and their bytes."""

    def __enter__(self) -> Device:
        device = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                device._serve(self.request.makefile("rwb"))

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = False
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def port(self) -> int:
        return self._server.server_address[1]

    def _serve(self, stream: Any) -> None:
        try:
            read, write = self._noise(stream, self.key) if self.key else self._plaintext(stream)
            session: list[tuple[Message, bytes]] = []
            self.sessions.append(session)
            while True:
                number, body = read()
                message = MESSAGE_TYPE_TO_PROTO[number].FromString(body)
                session.append((message, body))
                for answer in self._answers(message):
                    write(TYPES[type(answer)], answer.SerializeToString())
                stream.flush()
                is_subscribed = isinstance(message, api_pb2.SubscribeBluetoothLEAdvertisementsRequest)
                if isinstance(message, api_pb2.DisconnectRequest) or (self.leaves and is_subscribed):
                    return
        except (EOFError, ConnectionError):
            return

    def _answers(self, message: Message) -> list[Message]:
        proxy = api_pb2.BluetoothProxyCapabilities(feature_flags=self.features, mac_address="06:BE:AC:01:02:03")
        match message:
            case api_pb2.HelloRequest():
                return [
                    api_pb2.HelloResponse(
                        api_version_major=self.api[0], api_version_minor=self.api[1], server_info="2026.10.0", name="kitchen"
                    )
                ]
            case api_pb2.DeviceInfoRequest():
                # The features are among the capabilities since API 1.15.
                features = 0 if self.api >= (1, 15) else self.features
                return [
                    api_pb2.DeviceInfoResponse(
                        name="kitchen", esphome_version="2026.10.0", bluetooth_proxy_feature_flags=features
                    )
                ]
            case api_pb2.DeviceCapabilitiesRequest():
                return [api_pb2.DeviceCapabilitiesResponse(bluetooth_proxy=proxy)]
            case api_pb2.SubscribeBluetoothLEAdvertisementsRequest():
                entry = api_pb2.BluetoothLERawAdvertisement(
                    address=0xC0FFEE000001, rssi=-59, address_type=1, data=self.advertisement
                )
                return [
                    api_pb2.BluetoothScannerStateResponse(state=2, mode=1, configured_mode=1),
                    api_pb2.PingRequest(),
                    api_pb2.BluetoothLERawAdvertisementsResponse(advertisements=[entry] * 16),
                ]
            case api_pb2.PingRequest():
                return [api_pb2.PingResponse()]
            case api_pb2.DisconnectRequest():
                return [api_pb2.DisconnectResponse()]
        return []

    @staticmethod
    def _exactly(stream: Any, count: int) -> bytes:
        data: bytes = stream.read(count)
        if len(data) < count:
            raise EOFError
        return data

    Reader = Callable[[], tuple[int, bytes]]
    Writer = Callable[[int, bytes], None]

    def _plaintext(self, stream: Any) -> tuple[Reader, Writer]:
        def number() -> int:
            value = shift = 0
            while True:
                byte = self._exactly(stream, 1)[0]
                value |= (byte & 0x7F) << shift
                shift += 7
                if byte < 0x80:
                    return value

        def varint(value: int) -> bytes:
            return bytes([value]) if value < 0x80 else bytes([value & 0x7F | 0x80]) + varint(value >> 7)

        def read() -> tuple[int, bytes]:
            if self._exactly(stream, 1) != b"\0":
                raise EOFError
            length, kind = number(), number()
            return kind, self._exactly(stream, length)

        return read, lambda kind, body: stream.write(b"\0" + varint(len(body)) + varint(kind) + body)

    def _noise(self, stream: Any, key: str) -> tuple[Reader, Writer]:
        def frame() -> bytes:
            if self._exactly(stream, 1) != b"\1":
                raise EOFError
            return self._exactly(stream, int.from_bytes(self._exactly(stream, 2), "big"))

        def put(content: bytes) -> None:
            stream.write(b"\1" + len(content).to_bytes(2, "big") + content)
            stream.flush()

        noise = NoiseConnection.from_name(b"Noise_NNpsk0_25519_ChaChaPoly_SHA256")
        noise.set_as_responder()
        noise.set_psks(base64.b64decode(key))
        hello = frame()
        noise.set_prologue(b"NoiseAPIInit" + len(hello).to_bytes(2, "big") + hello)
        noise.start_handshake()
        put(b"\1kitchen\x0006beac010203\0")
        handshake = frame()
        assert handshake[0] == 0
        noise.read_message(handshake[1:])
        put(b"\0" + noise.write_message())

        def read() -> tuple[int, bytes]:
            message = noise.decrypt(frame())
            kind, length = int.from_bytes(message[:2], "big"), int.from_bytes(message[2:4], "big")
            assert length == len(message) - 4
            return kind, message[4:]

        def write(kind: int, body: bytes) -> None:
            put(noise.encrypt(kind.to_bytes(2, "big") + len(body).to_bytes(2, "big") + body))

        return read, write
