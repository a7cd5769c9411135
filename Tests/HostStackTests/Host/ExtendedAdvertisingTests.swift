// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import HCI
import Testing

@testable import HostStack

@Suite struct ExtendedAdvertisingTests {
    private let set = AdvertisingSetIdentifier.number(2)
    private let address = OwnAddress.random(.random(1))

    @Test(arguments: [
        (AdvertisingPDU.connectableScannable, UInt16(0x13)), (.nonConnectable, 0x10), (.scannable, 0x12),
    ])
    func `an advertisement gets a set, an address and its interval`(pdu: AdvertisingPDU, properties: UInt16) throws {
        var bench = Bench.ready(.extended)
        let beacon = Advertisement.beacon(pdu, milliseconds: 1285, power: TransmitPower(-4))
        bench.perform { $0.setAdvertising(beacon, for: set, address: address) }
        var expected = [
            LESetExtendedAdvertisingParameters.opcode, LESetAdvertisingSetRandomAddress.opcode,
            LESetExtendedAdvertisingData.opcode,
        ]
        if pdu.isScannable { expected.append(LESetExtendedScanResponseData.opcode) }
        #expect(bench.opcodes == expected + [LESetExtendedAdvertisingEnable.opcode])
        let parameters = try #require(bench.commands(LESetExtendedAdvertisingParameters.self).first)
        #expect(parameters.advertisingHandle == 2)
        #expect(parameters.properties.rawValue == properties)
        #expect(parameters.minimumInterval == AdvertisingInterval(2056))
        #expect(parameters.maximumInterval == AdvertisingInterval(2056))
        #expect(parameters.transmitPower == TransmitPower(-4))
        #expect(parameters.ownAddressType == .random)
        let data = try #require(bench.commands(LESetExtendedAdvertisingData.self).first)
        #expect(data.operation == .complete && data.data == beacon.advertisingData.serialized())
        #expect(
            bench.events == [
                .advertising(
                    set,
                    EffectiveAdvertising(
                        parameters: AdvertiserParameters(
                            pdu: pdu, interval: AdvertisingInterval(2056), transmitPower: TransmitPower(-3),
                            ownAddressType: .random),
                        advertisingData: beacon.advertisingData.serialized(),
                        scanResponse: beacon.scanResponse.serialized(), address: .random(1), addressType: .random))
            ])
    }

    @Test func `a transmit power that the controller does not report is unknown`() {
        var bench = Bench.ready(.extended)
        bench.controller.silent = [LESetExtendedAdvertisingParameters.opcode]
        bench.perform { $0.setAdvertising(.beacon(milliseconds: 100), for: set, address: address) }
        bench.receive(
            HCICommandComplete(
                commandCredits: 1, opcode: LESetExtendedAdvertisingParameters.opcode, returnParameters: [0, 127]))
        #expect(bench.effective(set) != nil && bench.effective(set)?.transmitPower == nil)
    }

    @Test func `the public address is used on request`() throws {
        var bench = Bench.ready(.extended)
        bench.perform { $0.setAdvertising(.beacon(milliseconds: 100), for: set, address: .publicDevice) }
        #expect(!bench.opcodes.contains(LESetAdvertisingSetRandomAddress.opcode))
        #expect(bench.effective(set)?.address == bench.controller.publicAddress)
        #expect(bench.effective(set)?.addressType == .public)
    }

    /// A change to a set that is on the air, and the commands for it.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let beacon: Advertisement
        var address = OwnAddress.random(.random(1))
        let opcodes: [HCIOpcode]
    }

    static let changes = [
        Change(testDescription: "nothing", beacon: .beacon(.scannable, milliseconds: 100), opcodes: []),
        Change(
            testDescription: "data", beacon: .beacon(.scannable, milliseconds: 100, name: "two"),
            opcodes: [LESetExtendedAdvertisingData.opcode]),
        Change(
            testDescription: "interval", beacon: .beacon(.scannable, milliseconds: 200),
            opcodes: [
                LESetExtendedAdvertisingEnable.opcode, LESetExtendedAdvertisingParameters.opcode,
                LESetExtendedAdvertisingEnable.opcode,
            ]),
        Change(
            testDescription: "power", beacon: .beacon(.scannable, milliseconds: 100, power: TransmitPower(0)),
            opcodes: [
                LESetExtendedAdvertisingEnable.opcode, LESetExtendedAdvertisingParameters.opcode,
                LESetExtendedAdvertisingEnable.opcode,
            ]),
        Change(
            testDescription: "address", beacon: .beacon(.scannable, milliseconds: 100), address: .random(.random(2)),
            opcodes: [
                LESetExtendedAdvertisingEnable.opcode, LESetAdvertisingSetRandomAddress.opcode,
                LESetExtendedAdvertisingEnable.opcode,
            ]),
        Change(
            testDescription: "PDU", beacon: .beacon(.nonConnectable, milliseconds: 100),
            opcodes: [
                LESetExtendedAdvertisingEnable.opcode, LERemoveAdvertisingSet.opcode,
                LESetExtendedAdvertisingParameters.opcode, LESetAdvertisingSetRandomAddress.opcode,
                LESetExtendedAdvertisingData.opcode, LESetExtendedAdvertisingEnable.opcode,
            ]),
    ]

    @Test(arguments: changes) func `a change needs the fewest commands`(change: Change) {
        var bench = Bench.ready(.extended)
        bench.perform { $0.setAdvertising(.beacon(.scannable, milliseconds: 100), for: set, address: address) }
        bench.forget()
        bench.perform { $0.setAdvertising(change.beacon, for: set, address: change.address) }
        #expect(bench.opcodes == change.opcodes)
        let effective = bench.effective(set)
        #expect(bench.events.count == 1)
        #expect(effective?.pdu == change.beacon.pdu)
        #expect(effective?.interval == change.beacon.interval)
        #expect(effective?.advertisingData == change.beacon.advertisingData.serialized())
        #expect(effective?.address == change.address.randomAddress)
    }

    @Test func `a stopped set is removed`() {
        var bench = Bench.ready(.extended)
        bench.perform { $0.setAdvertising(.beacon(milliseconds: 100), for: set, address: address) }
        bench.forget()
        bench.perform { $0.stopAdvertising(set) }
        #expect(bench.opcodes == [LESetExtendedAdvertisingEnable.opcode, LERemoveAdvertisingSet.opcode])
        #expect(bench.commands(LESetExtendedAdvertisingEnable.self).first?.enable == 0)
        #expect(bench.events == [.advertisingStopped(set, .requested)])
        bench.forget()
        bench.perform { $0.stopAdvertising(set) }
        #expect(bench.events.isEmpty && bench.opcodes.isEmpty)
    }

    @Test func `a refusal is reported, and the next request is tried`() {
        var bench = Bench.ready(.extended)
        bench.controller.refusals[LESetExtendedAdvertisingParameters.opcode] = .invalidCommandParameters
        bench.perform { $0.setAdvertising(.beacon(milliseconds: 100), for: set, address: address) }
        let failure = LEHostFailure.command(LESetExtendedAdvertisingParameters.opcode, .invalidCommandParameters)
        #expect(bench.events == [.commandFailed(failure), .advertisingFailed(set, failure)])
        #expect(bench.opcodes.count == 1)
        bench.forget()
        bench.controller.refusals = [:]
        bench.perform { $0.setAdvertising(.beacon(milliseconds: 100), for: set, address: address) }
        #expect(bench.effective(set) != nil)
    }

    @Test func `a request during the refusal of an older one is not lost`() {
        var bench = Bench.ready(.extended)
        bench.controller.silent = [LESetExtendedAdvertisingParameters.opcode]
        bench.perform { $0.setAdvertising(.beacon(milliseconds: 100), for: set, address: address) }
        bench.perform { $0.setAdvertising(.beacon(milliseconds: 200), for: set, address: address) }
        bench.controller.silent = []
        bench.receive(
            HCICommandComplete(
                commandCredits: 1, opcode: LESetExtendedAdvertisingParameters.opcode, returnParameters: [0x12]))
        #expect(bench.effective(set)?.interval == AdvertisingInterval(320))
        #expect(!bench.events.contains { if case .advertisingFailed = $0 { true } else { false } })
    }

    @Test func `further advertisements are refused until a set is free`() {
        var bench = Bench.ready(.extended)
        for number in 0..<4 {
            bench.perform {
                $0.setAdvertising(
                    .beacon(milliseconds: 100), for: .number(UInt8(number)),
                    address: .random(.random(UInt8(number))))
            }
        }
        #expect(bench.events.last == .advertisingFailed(.number(3), .tooManyAdvertisingSets(limit: 3)))
        bench.forget()
        bench.perform {
            $0.stopAdvertising(.number(0))
            $0.setAdvertising(.beacon(milliseconds: 100), for: .number(3), address: .random(.random(3)))
        }
        #expect(bench.events.first == .advertisingStopped(.number(0), .requested))
        #expect(bench.effective(.number(3)) != nil)
    }

    @Test func `an advertisement that no controller can send is refused at once`() {
        var bench = Bench.ready(.extended)
        let long = Advertisement.beacon(milliseconds: 100, name: String(repeating: "x", count: 40))
        bench.perform { $0.setAdvertising(long, for: set, address: address) }
        #expect(bench.events == [.advertisingFailed(set, .malformed([.advertisingDataTooLong(42)]))])
        bench.forget()
        let resolvable = BluetoothAddress(octets: [0x40, 0, 0, 0, 0, 1]) ?? .zero
        bench.perform { $0.setAdvertising(.beacon(milliseconds: 100), for: set, address: .random(resolvable)) }
        #expect(bench.events == [.advertisingFailed(set, .notStaticRandom(resolvable))])
        #expect(bench.opcodes.isEmpty)
    }

    @Test func `a controller without a public address cannot advertise with it`() {
        var controller = ScriptedController.extended
        controller.publicAddress = .zero
        var bench = Bench.ready(controller)
        bench.perform { $0.setAdvertising(.beacon(milliseconds: 100), for: set, address: .publicDevice) }
        #expect(bench.events == [.advertisingFailed(set, .noPublicAddress)])
    }

    @Test func `sets requested before a start or a restart advertise after it`() {
        var bench = Bench(.extended)
        bench.perform { $0.setAdvertising(.beacon(milliseconds: 100), for: set, address: address) }
        #expect(bench.events.isEmpty && bench.opcodes.isEmpty)
        bench.perform { $0.start(at: .zero) }
        #expect(bench.effective(set) != nil)
        bench.forget()
        bench.perform { $0.start(at: .seconds(1)) }
        #expect(bench.effective(set) != nil)
    }

    @Test func `a set that the controller stopped is started again`() {
        var bench = Bench.ready(.extended)
        bench.perform { $0.setAdvertising(.beacon(milliseconds: 100), for: set, address: address) }
        bench.forget()
        bench.receive(
            LEAdvertisingSetTerminated(
                status: .limitReached, advertisingHandle: set.rawValue, connectionHandle: ConnectionHandle(0),
                completedExtendedAdvertisingEvents: 5))
        #expect(bench.opcodes == [LESetExtendedAdvertisingEnable.opcode])
        #expect(bench.events.first == .advertisingStopped(set, .controller(.limitReached)))
        #expect(bench.effective(set) != nil)
    }
}
