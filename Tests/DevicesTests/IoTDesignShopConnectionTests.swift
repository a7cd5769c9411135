// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import TestSupport
import Testing

/// An input of a beacon, and the effects that are expected.
struct ConnectionStep: Sendable {
    enum Air { case unsaid, silent, advertising }

    let input: DeviceInput
    let air: Air
    var dropped: Central?

    init(_ input: DeviceInput, _ air: Air, dropped: Central? = nil) {
        self.input = input
        self.air = air
        self.dropped = dropped
    }
}

struct ConnectionTable: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let advertisesWhileConnected: Bool
    let steps: [ConnectionStep]

    static let all = [
        ConnectionTable(
            testDescription: "silent while connected", advertisesWhileConnected: false,
            steps: [
                ConnectionStep(.poweredOn, .advertising), ConnectionStep(.connected(Bench.alice), .silent),
                ConnectionStep(.set([.major(7)]), .silent),
                ConnectionStep(.wrote(Bench.majorMinor, offset: 0, value: [1, 0, 2, 0]), .silent),
                ConnectionStep(.readAnswered(CharacteristicIdentifier(Bench.majorMinor)), .unsaid),
                ConnectionStep(.disconnected(Bench.alice), .advertising),
                ConnectionStep(.wrote(Bench.majorMinor, offset: 0, value: [1, 0, 2, 0]), .advertising),
            ]),
        ConnectionTable(
            testDescription: "on the air while connected", advertisesWhileConnected: true,
            steps: [
                ConnectionStep(.poweredOn, .advertising), ConnectionStep(.connected(Bench.alice), .advertising),
                ConnectionStep(.wrote(Bench.majorMinor, offset: 0, value: [1, 0, 2, 0]), .advertising),
                ConnectionStep(.connected(Bench.bob), .unsaid, dropped: Bench.bob),
                ConnectionStep(.disconnected(Bench.alice), .advertising),
            ]),
        ConnectionTable(
            testDescription: "second central", advertisesWhileConnected: false,
            steps: [
                ConnectionStep(.poweredOn, .advertising), ConnectionStep(.connected(Bench.alice), .silent),
                ConnectionStep(.connected(Bench.bob), .unsaid, dropped: Bench.bob),
                ConnectionStep(.disconnected(Bench.bob), .unsaid),
                ConnectionStep(.connected(Bench.alice), .silent),
                ConnectionStep(.disconnected(Bench.alice), .advertising),
                ConnectionStep(.connected(Bench.bob), .silent), ConnectionStep(.disconnected(Bench.bob), .advertising),
            ]),
        ConnectionTable(
            testDescription: "one that never connected leaves", advertisesWhileConnected: false,
            steps: [
                ConnectionStep(.poweredOn, .advertising), ConnectionStep(.disconnected(Bench.alice), .unsaid),
                ConnectionStep(.connected(Bench.bob), .silent), ConnectionStep(.disconnected(Bench.alice), .unsaid),
                ConnectionStep(.disconnected(Bench.bob), .advertising),
                ConnectionStep(.disconnected(Bench.bob), .unsaid),
            ]),
        ConnectionTable(
            testDescription: "power comes back", advertisesWhileConnected: false,
            steps: [
                ConnectionStep(.connected(Bench.alice), .silent), ConnectionStep(.poweredOn, .advertising),
                ConnectionStep(.connected(Bench.bob), .silent),
                ConnectionStep(.disconnected(Bench.bob), .advertising),
            ]),
    ]
}

@Suite struct IoTDesignShopConnectionTests {
    @Test(arguments: ConnectionTable.all)
    func centralsComeAndGo(_ table: ConnectionTable) {
        var beacon = Bench.beacon(
            IoTDesignShopBeacon.Configuration(advertisesWhileConnected: table.advertisesWhileConnected))
        for (number, step) in table.steps.enumerated() {
            let outputs = beacon.handle(step.input)
            let expected: Advertisement?? =
                switch step.air {
                case .unsaid: nil
                case .silent: .some(nil)
                case .advertising: .some(beacon.advertisement)
                }
            #expect(outputs.advertised == expected, "step \(number)")
            if let dropped = step.dropped {
                #expect(outputs.effects.first == .disconnect(dropped), "step \(number)")
                #expect(outputs.warningCodes == ["second-central"], "step \(number)")
            } else {
                #expect(outputs.warningCodes.isEmpty, "step \(number)")
                #expect(
                    !outputs.effects.contains { if case .disconnect = $0 { true } else { false } }, "step \(number)")
            }
        }
    }

    @Test func warningNamesTheSecondCentral() throws {
        var beacon = Bench.beacon()
        _ = beacon.handle(.connected(Bench.alice))
        guard case .warn(let warning) = beacon.handle(.connected(Bench.bob)).effects.last else {
            Issue.record("there is no warning")
            return
        }
        #expect(warning.message.contains(Bench.bob.name))
        #expect(!warning.message.contains(Bench.alice.name))
        #expect(!warning.hint.isEmpty)
    }

    /// After any inputs, the owner is not locked out, and nothing was acknowledged before it was saved.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func nothingLocksTheOwnerOut(_ seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var beacon = Bench.beacon(
            IoTDesignShopBeacon.Configuration(
                name: "Entrance", badIntervalPolicy: seed.isMultiple(of: 2) ? .fail : .clamp,
                advertisesWhileConnected: seed > 2))
        var flash: FlashImage?
        var acknowledged = 0
        for _ in 0..<3000 {
            let outputs = beacon.handle(Self.randomInput(&generator))
            if outputs.reply == .done {
                acknowledged += 1
                flash = outputs.flash
                #expect(flash != nil, "acknowledged without being saved")
            } else {
                #expect(outputs.flash == nil)
            }
            let advertisement = beacon.advertisement
            #expect(advertisement.problems.isEmpty)
            #expect(advertisement.pdu == .connectableScannable)
            #expect(advertisement.advertisingData.flags == .beacon)
            let structures = advertisement.advertisingData.structures + advertisement.scanResponse.structures
            #expect(structures.contains(.serviceUUIDs128([IoTDesignShop.service], isComplete: true)))
            if let said = outputs.advertised, let said { #expect(said == advertisement) }
        }
        #expect(acknowledged > 100)
        var restored = Bench.beacon()
        try restored.restore(from: try #require(flash))
        #expect(restored.settings == beacon.settings)
    }

    private static func randomInput(_ generator: inout SplitMix64) -> DeviceInput {
        let characteristics = IoTDesignShopBeacon.service.characteristics.map(\.uuid) + [.bit16(0x2A00)]
        let characteristic = characteristics[Int.random(in: 0..<4, using: &generator)]
        let central = Bool.random(using: &generator) ? Bench.alice : Bench.bob
        let offset = Bool.random(using: &generator) ? 0 : Int.random(in: -1...20, using: &generator)
        switch Int.random(in: 0...9, using: &generator) {
        case 0: return .connected(central)
        case 1: return .disconnected(central)
        case 2: return .poweredOn
        case 3: return .readAnswered(CharacteristicIdentifier(characteristic))
        case 4: return .set([.interval(AdvertisingInterval(.random(in: 0...100_000, using: &generator)))])
        case 5: return .set([.transmitPower(TransmitPower(.random(in: -24...1, using: &generator)))])
        default:
            let count = [4, 16, Int.random(in: 0...20, using: &generator)][Int.random(in: 0..<3, using: &generator)]
            return .wrote(characteristic, offset: offset, value: generator.bytes(count))
        }
    }
}
