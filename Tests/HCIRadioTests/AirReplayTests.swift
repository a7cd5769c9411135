// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import NIOEmbedded
import Radio
import Receiving
import Testing
import VirtualRadio

@testable import HCIRadio

@Suite struct AirReplayTests {
    private static func sighting(
        _ milliseconds: Int, _ pdu: Sighting.PDU?, _ number: UInt8 = 1, isRandom: Bool = true
    ) -> RecordedSighting {
        let address = BluetoothAddress(octets: [0xC0, 0, 0, 0, 0, number]) ?? .zero
        return RecordedSighting(
            offset: .milliseconds(milliseconds),
            sighting: Sighting(device: RemoteAddress(address, isRandom: isRandom), pdu: pdu, data: [], rssi: nil))
    }

    @Test func packetsAreInTheOrderOfTheirTimesWithTheirTypes() {
        let replay = AirReplay([
            Self.sighting(50, .scanResponse), Self.sighting(20, .connectableScannable), Self.sighting(60, .directed),
            Self.sighting(70, .scannable, 2), Self.sighting(70, .scanResponse, 2), Self.sighting(80, nil, 3),
            Self.sighting(-5, .extended, 4), Self.sighting(90, .extendedScanResponse, 4),
        ])
        #expect(replay.leftOut == 1 && replay.warnings.map(\.code) == ["replay-incomplete"])
        var air = Air()
        let controller = air.addController(ControllerConfiguration(publicAddress: .zero))
        let packets = replay.packets { _ in controller }
        #expect(packets.map(\.time) == [0, 20_000, 50_000, 70_000, 70_000, 80_000, 90_000])
        #expect(packets.map(\.isScanResponse) == [false, false, true, false, true, false, true])
        #expect(
            packets.map(\.properties) == [
                [], .legacyConnectable, .legacyConnectable, .legacyScannable, .legacyScannable, .legacyNonConnectable,
                .scannable,
            ])
    }

    @Test func advertisersHaveTheirAddressesAsNames() {
        let air = LiveAir(Air(), clock: LoopClock(EmbeddedEventLoop()))
        let replay = AirReplay([
            Self.sighting(0, .scannable), Self.sighting(1, .scannable), Self.sighting(2, .scannable, 2),
            Self.sighting(3, .scannable, 2, isRandom: false),
        ])
        #expect(replay.warnings.isEmpty)
        #expect(AirReplay([], hasRepetitions: false).warnings.map(\.code) == ["replay-thinned"])
        air.replay(replay)
        let names = ["C0:00:00:00:00:01", "C0:00:00:00:00:02", "C0:00:00:00:00:02-2", "C0:00:00:00:00:01-2"]
        #expect(names.map { air.setMotion(nil, of: $0) } == [true, true, true, false])
    }
}
