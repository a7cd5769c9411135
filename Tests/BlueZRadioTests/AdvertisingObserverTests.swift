// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import HCI
import TestSupport
import Testing

@testable import BlueZRadio

@Suite struct AdvertisingObserverTests {
    private static let first: [UInt8] = [2, 1, 6, 3, 0xFF, 1, 1]
    private static let second: [UInt8] = [2, 1, 6, 3, 0xFF, 2, 2]
    private static let response: [UInt8] = [3, 9, 65, 66]

    private static func ticks(_ range: ClosedRange<UInt32>) -> ClosedRange<AdvertisingInterval> {
        AdvertisingInterval(range.lowerBound)...AdvertisingInterval(range.upperBound)
    }

    // MARK: - Legacy advertising

    @Test func legacyInstancesAreObservedInTurn() throws {
        let controller = MonitoredController()
        controller.turn(data: Self.first, response: Self.response)
        let start = controller.observer.sequence
        controller.turn(data: Self.second, interval: 160...240, type: 3)
        let second = try #require(controller.observer.observation(after: start) { $0 == Self.second })
        #expect(second.scanResponse == [])
        #expect(second.pdu == .nonConnectable)
        #expect(second.interval == Self.ticks(160...240))
        #expect(second.transmitPower == nil)
        #expect(second.randomAddress == nil)
        // The first is remembered while the second is advertised, but it is not a new observation.
        #expect(controller.observer.observation(after: start) { $0 == Self.first } == nil)
        let first = try #require(controller.observer.observation(after: 0) { $0 == Self.first })
        #expect(first.scanResponse == Self.response)
        #expect(first.pdu == .connectableScannable)
        #expect(first.interval == Self.ticks(160...160))
        #expect(first.sequence < second.sequence)
        controller.turn(data: Self.first, response: Self.response)
        #expect(controller.observer.observation(after: second.sequence) { $0 == Self.first } != nil)
    }

    @Test func advertisementsWithOtherScanResponsesAreDistinguished() {
        let controller = MonitoredController()
        let other: [UInt8] = [3, 9, 67, 68]
        func observed(_ excluded: [UInt8]) -> AdvertisingObserver.Observation? {
            controller.observer.observation(
                after: 0, except: { $0.scanResponse == excluded }, where: { $0 == Self.first })
        }
        controller.turn(data: Self.first, response: Self.response)
        #expect(observed(Self.response) == nil)
        controller.turn(data: Self.first, response: other)
        #expect(observed(other)?.scanResponse == Self.response)
        #expect(observed(Self.response)?.scanResponse == other)
    }

    @Test(
        arguments: [(0, .connectableScannable), (2, .scannable), (3, .nonConnectable), (1, nil), (4, nil), (9, nil)]
            as [(UInt8, AdvertisingPDU?)])
    func legacyTypeIsMappedToPDU(_ type: UInt8, pdu: AdvertisingPDU?) {
        let controller = MonitoredController()
        controller.turn(data: Self.first, type: type)
        let observation = controller.observer.observation(after: 0) { $0 == Self.first }
        #expect(observation != nil)
        #expect(observation?.pdu == pdu)
    }

    @Test func onlyEnabledAdvertisingIsObserved() {
        let controller = MonitoredController()
        #expect(!controller.run(LESetAdvertisingData(data: Self.first, padding: [UInt8](repeating: 0, count: 24))))
        #expect(!controller.run(LESetAdvertisingEnable.opcode, [0]))
        #expect(controller.observer.sequence == 0)
        #expect(controller.run(LESetAdvertisingEnable.opcode, [1]))
        #expect(controller.observer.observation(after: 0) { $0 == Self.first } != nil)
        // The kernel sets the next data while the old parameters still apply: the data counts once it is enabled.
        #expect(!controller.run(LESetAdvertisingData(data: Self.second, padding: [UInt8](repeating: 0, count: 24))))
        #expect(controller.observer.observation(after: 0) { $0 == Self.second } == nil)
        #expect(!controller.run(LESetAdvertisingEnable.opcode, [0]))
        #expect(controller.run(LESetAdvertisingEnable.opcode, [1]))
        #expect(controller.observer.observation(after: 0) { $0 == Self.second } != nil)
    }

    @Test func dataSetBeforeTheObserverIsUnknown() throws {
        let controller = MonitoredController()
        controller.turn(data: nil, response: nil)
        let unseen = try #require(controller.observer.observation(after: 0) { $0 == nil })
        #expect(unseen.scanResponse == nil)
        #expect(unseen.pdu == .connectableScannable)
        controller.turn(data: Self.first, response: nil)
        #expect(controller.observer.observation(after: 0) { $0 == Self.first }?.scanResponse == .some(nil))
        // A controller has no data after a reset.
        controller.run(HCIReset())
        controller.turn(data: nil, response: nil)
        #expect(controller.observer.observation(after: unseen.sequence) { $0 == [] }?.scanResponse == [])
    }

    @Test func legacyRandomAddressIsThatOfTheDevice() throws {
        let address = try #require(BluetoothAddress("C0:FF:EE:00:00:01"))
        let controller = MonitoredController()
        controller.run(LESetRandomAddress.opcode, address.serialized())
        controller.turn(data: Self.first, ownAddressType: 1)
        controller.turn(data: Self.second, ownAddressType: 0)
        #expect(controller.observer.observation(after: 0) { $0 == Self.first }?.randomAddress == address)
        #expect(controller.observer.observation(after: 0) { $0 == Self.second }?.randomAddress == .some(nil))
    }

    // MARK: - Commands that failed

    @Test(arguments: [[0x0C], [0x12], []] as [[UInt8]])
    func failedCommandIsIgnored(_ returned: [UInt8]) {
        let controller = MonitoredController()
        controller.turn(data: Self.first)
        let before = controller.observer.sequence
        let data = LESetAdvertisingData(data: Self.second, padding: [UInt8](repeating: 0, count: 24))
        #expect(!controller.run(data, returning: returned))
        #expect(!controller.run(LESetAdvertisingEnable.opcode, [1], returning: returned))
        #expect(controller.observer.sequence == before)
        #expect(controller.observer.observation(after: 0) { $0 == Self.second } == nil)
    }

    @Test func commandWithoutReplyIsIgnored() {
        let controller = MonitoredController()
        #expect(!controller.observe(MonitoredController.command(LESetAdvertisingEnable.opcode, [1])))
        #expect(controller.observer.sequence == 0)
        #expect(controller.observe(MonitoredController.complete(LESetAdvertisingEnable.opcode, [0])))
        // A reply counts once, and a reply without a command does not count.
        #expect(!controller.observe(MonitoredController.complete(LESetAdvertisingEnable.opcode, [0])))
        #expect(!controller.observe(MonitoredController.complete(LESetAdvertisingData.opcode, [0])))
    }

    // MARK: - Extended advertising

    @Test func setsAreObservedSideBySide() throws {
        let address = try #require(BluetoothAddress("C0:FF:EE:00:00:02"))
        let controller = MonitoredController()
        controller.setParameters(handle: 1, interval: 160, selectedPower: -7)
        controller.setData(handle: 1, Self.first)
        controller.setResponse(handle: 1, Self.response)
        controller.setParameters(handle: 2, properties: 0x0010, interval: 1600, ownAddressType: 1, selectedPower: 4)
        controller.run(LESetAdvertisingSetRandomAddress.opcode, [2] + address.serialized())
        controller.setData(handle: 2, Self.second)
        #expect(controller.observer.sequence == 0)
        #expect(controller.enable(handles: [1]))
        #expect(controller.enable(handles: [2]))
        let first = try #require(controller.observer.observation(after: 0) { $0 == Self.first })
        #expect(first.scanResponse == Self.response)
        #expect(first.pdu == .connectableScannable)
        #expect(first.interval == Self.ticks(160...160))
        #expect(first.transmitPower == TransmitPower(-7))
        #expect(first.randomAddress == nil)
        let second = try #require(controller.observer.observation(after: 0) { $0 == Self.second })
        #expect(second.scanResponse == [])
        #expect(second.pdu == .nonConnectable)
        #expect(second.interval == Self.ticks(1600...1600))
        #expect(second.transmitPower == TransmitPower(4))
        #expect(second.randomAddress == address)
    }

    @Test(
        arguments: [
            (0x0013, .connectableScannable), (0x0012, .scannable), (0x0010, .nonConnectable), (0x0000, nil),
            (0x0001, nil),
            (0x001D, nil), (0x0053, .connectableScannable),
        ] as [(UInt16, AdvertisingPDU?)])
    func legacyPropertiesAreMappedToPDU(_ properties: UInt16, pdu: AdvertisingPDU?) {
        let controller = MonitoredController()
        controller.setParameters(handle: 0, properties: properties)
        controller.setData(handle: 0, Self.first)
        controller.enable(handles: [0])
        #expect(controller.observer.observation(after: 0) { $0 == Self.first }?.pdu == .some(pdu))
    }

    @Test func powerIsThatSelectedByTheController() {
        let controller = MonitoredController()
        controller.setData(handle: 1, Self.first)
        controller.setParameters(handle: 1, selectedPower: -20)
        controller.enable(handles: [1])
        #expect(controller.observer.observation(after: 0) { _ in true }?.transmitPower == TransmitPower(-20))
        controller.setParameters(handle: 1, selectedPower: 10)
        controller.enable(handles: [1])
        #expect(controller.observer.observation(after: 0) { _ in true }?.transmitPower == TransmitPower(10))
    }

    @Test func terminatedSetIsNotObserved() {
        let controller = MonitoredController()
        controller.setParameters(handle: 1)
        controller.setData(handle: 1, Self.first)
        controller.enable(handles: [1])
        // LE Advertising Set Terminated: status, set, connection, completed events.
        _ = controller.observe(MonitorPacket(kind: 3, index: 0, data: [0x3E, 6, 0x12, 0, 1, 0x40, 0, 0]))
        let before = controller.observer.sequence
        controller.setData(handle: 1, Self.second)
        #expect(controller.observer.sequence == before)
    }

    @Test func fragmentsAreJoined() {
        let controller = MonitoredController()
        controller.setParameters(handle: 1)
        let half = Self.first.count / 2
        let fragments: [(AdvertisingDataOperation, ArraySlice<UInt8>)] = [
            (.firstFragment, Self.first[..<half]), (.lastFragment, Self.first[half...]), (.unchanged, []),
        ]
        for (operation, data) in fragments {
            _ = controller.run(
                LESetExtendedAdvertisingData(
                    advertisingHandle: 1, operation: operation, fragmentPreference: 1, data: Array(data)))
        }
        controller.enable(handles: [1])
        #expect(controller.observer.observation(after: 0) { $0 == Self.first } != nil)
    }

    @Test func failedEnableOfSetIsIgnored() {
        let controller = MonitoredController()
        controller.setParameters(handle: 1)
        controller.setData(handle: 1, Self.first)
        #expect(!controller.enable(handles: [1], returning: [0x42]))
        #expect(controller.observer.sequence == 0)
    }

    @Test func disablingWithoutHandlesDisablesAllSets() {
        let controller = MonitoredController()
        for handle: UInt8 in [1, 2] {
            controller.setParameters(handle: handle)
            controller.setData(handle: handle, handle == 1 ? Self.first : Self.second)
        }
        controller.enable(handles: [1, 2])
        let before = controller.observer.sequence
        #expect(before == 2)
        #expect(!controller.enable(false, handles: []))
        controller.setData(handle: 1, Self.second)
        #expect(controller.observer.sequence == before)
    }

    @Test func removedSetIsForgotten() {
        let controller = MonitoredController()
        for remove in [
            { (controller: MonitoredController) in _ = controller.run(LERemoveAdvertisingSet.opcode, [1]) },
            { controller in _ = controller.run(LEClearAdvertisingSets()) },
            { controller in _ = controller.run(HCIReset()) },
            { controller in
                _ = controller.observe(MonitorPacket(kind: MonitorPacket.indexRemoved, index: 0, data: []))
            },
        ] as [(MonitoredController) -> Void] {
            controller.setData(handle: 1, Self.first)
            controller.setResponse(handle: 1, Self.response)
            controller.enable(handles: [1])
            let before = controller.observer.sequence
            #expect(controller.observer.observation(after: before - 1) { $0 == Self.first } != nil)
            remove(controller)
            controller.enable(handles: [1])
            #expect(controller.observer.observation(after: before) { $0 == [] }?.scanResponse == [])
        }
    }

    // MARK: - Limits and random input

    @Test func oldestObservationsAreForgotten() {
        let controller = MonitoredController()
        for number in 0...200 { controller.turn(data: [2, 0xFF, UInt8(number)]) }
        #expect(controller.observer.observation(after: 0) { $0 == [2, 0xFF, 0] } == nil)
        #expect(controller.observer.observation(after: 0) { $0 == [2, 0xFF, 200] } != nil)
        let remembered = (0...200).count { number in
            controller.observer.observation(after: 0) { $0 == [2, 0xFF, UInt8(number)] } != nil
        }
        #expect(remembered == 64)
    }

    @Test func randomPacketsNeverTrap() {
        var generator = SplitMix64(seed: 11)
        // Commands and the lengths of their parameters, without Reset and Clear, which would discard too much.
        let commands: [(UInt16, Int)] = [
            (0x2005, 6), (0x2006, 15), (0x2008, 32), (0x2009, 32), (0x200A, 1), (0x2035, 7), (0x2036, 25), (0x2037, 7),
            (0x2038, 7), (0x2039, 6), (0x203C, 1),
        ]
        let controller = MonitoredController()
        for _ in 0..<5000 {
            let (code, length) = commands[Int.random(in: 0..<commands.count, using: &generator)]
            let isValid = Int.random(in: 0...3, using: &generator) > 0
            var parameters = generator.bytes(isValid ? length : Int.random(in: 0...40, using: &generator))
            // Small numbers, so that flags, handles and lengths are often valid.
            for index in parameters.indices.prefix(4) { parameters[index] &= 3 }
            let returned = isValid ? [0] : generator.bytes(Int.random(in: 0...2, using: &generator))
            controller.run(HCIOpcode(rawValue: code), parameters, returning: returned)
            let kind = UInt16.random(in: 2...5, using: &generator)
            let data = generator.bytes(Int.random(in: 0...8, using: &generator))
            _ = controller.observe(MonitorPacket(kind: kind, index: 0, data: data))
        }
        #expect(controller.observer.sequence > 100)
        #expect(controller.observer.observation(after: 0) { _ in true }?.sequence == controller.observer.sequence)
    }
}
