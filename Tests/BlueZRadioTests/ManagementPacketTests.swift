// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import TestSupport
import Testing

@testable import BlueZRadio
@testable import KernelBluetooth

@Suite struct ManagementPacketTests {
    /// Read Advertising Features of hci1.
    @Test func commandIsSerialized() throws {
        let packet = ManagementPacket(code: ManagementOpcode.readAdvertisingFeatures.rawValue, index: 1, parameters: [])
        #expect(packet.serialized() == [0x3D, 0, 1, 0, 0, 0])
        try checkWire(packet)
    }

    @Test func packetIsParsedAndSerialized() throws {
        // Command Complete of Remove Advertising, success, instance 5.
        let bytes = try Hexadecimal.bytes("0100 0000 0400 3f00 00 05")
        let packet = try checkWire(ManagementPacket.self, bytes: bytes)
        #expect(packet == ManagementPacket(code: 1, index: 0, parameters: [0x3F, 0, 0, 5]))
        try fuzzWire(ManagementPacket.self, samples: [bytes])
    }

    @Test func lengthMustMatch() {
        #expect(throws: WireError(.truncated(needed: 5, available: 1), offset: 6)) {
            _ = try ManagementPacket(parsing: [1, 0, 0, 0, 5, 0, 9])
        }
        #expect(throws: WireError(.trailingBytes(1), offset: 6)) {
            _ = try ManagementPacket(parsing: [1, 0, 0, 0, 0, 0, 9])
        }
    }

    /// mgmt-api, "Commands".
    @Test(
        arguments: [
            (ManagementOpcode.readCommands, 0x0002), (.readControllerInformation, 0x0004), (.disconnect, 0x0014),
            (.getConnections, 0x0015), (.readAdvertisingFeatures, 0x003D),
            (.removeAdvertising, 0x003F), (.addExtendedAdvertisingParameters, 0x0054),
            (.addExtendedAdvertisingData, 0x0055),
        ] as [(ManagementOpcode, UInt16)])
    func opcodeMatchesTheKernel(_ opcode: ManagementOpcode, code: UInt16) {
        #expect(opcode.rawValue == code)
    }

    private static let address = BluetoothAddress(octets: [0xC0, 0xFF, 0xEE, 0, 0, 1]) ?? .zero

    @Test(
        arguments: [
            (0x0001, "3d0000 1f00", .completed(.readAdvertisingFeatures, status: 0, returned: [0x1F, 0])),
            (0x0002, "54000d", .completed(.addExtendedAdvertisingParameters, status: 13, returned: [])),
            (0x0004, "", .indexAdded), (0x0005, "", .indexRemoved),
            (0x0006, "01020080", .newSettings(0x8000_0201)),
            (0x000B, "010000eeffc0 01 08000000 0300 020106", .deviceConnected(address, addressType: 1, flags: 8)),
            (0x000C, "010000eeffc0 00 03", .deviceDisconnected(address, addressType: 0)),
            (0x0011, "010000eeffc0 02 05", .authenticationFailed(address, addressType: 2, status: 5)),
            (0x0023, "07", .advertisingAdded(instance: 7)), (0x0024, "40", .advertisingRemoved(instance: 64)),
            (0x0012, "0102", .other(code: 0x12)), (0xFFFF, "", .other(code: 0xFFFF)),
        ] as [(UInt16, String, ManagementEvent)])
    func eventIsParsed(_ code: UInt16, parameters: String, event: ManagementEvent) throws {
        let bytes = try Hexadecimal.bytes(parameters)
        #expect(try ManagementEvent(ManagementPacket(code: code, index: 0, parameters: bytes)) == event)
    }

    @Test(
        arguments: [
            (0x0001, 3), (0x0002, 3), (0x0006, 4), (0x000B, 11), (0x000C, 7), (0x0023, 1), (0x0024, 1),
        ] as [(UInt16, Int)])
    func truncatedEventIsRefused(_ code: UInt16, shortest: Int) {
        for count in 0..<shortest {
            let packet = ManagementPacket(code: code, index: 0, parameters: [UInt8](repeating: 0, count: count))
            let error = #expect(throws: WireError.self) { try ManagementEvent(packet) }
            #expect(error.map { $0.offset <= count } == true)
        }
        let whole = ManagementPacket(code: code, index: 0, parameters: [UInt8](repeating: 0, count: shortest))
        #expect(throws: Never.self) { try ManagementEvent(whole) }
    }

    @Test func errorNamesCommandAndStatus() {
        let opcode = ManagementOpcode.removeAdvertising
        #expect(ManagementError.status(opcode, 0x14).description == "management command 63: permission denied")
        #expect(ManagementError.status(opcode, 0x77).description == "management command 63: status 119")
        #expect(
            ManagementError.status(opcode, 5).description == "management command 63: the controller does not answer")
        #expect(ManagementError.noAnswer(opcode).description == "management command 63: no answer from the kernel")
        #expect(ManagementError.status(opcode, 0x14).status == 0x14)
        #expect(ManagementError.noAnswer(opcode).status == nil)
    }
}

@Suite struct ManagementParameterTests {
    @Test func commandListIsParsedAndSerialized() throws {
        let bytes = try Hexadecimal.bytes("0300 0200 0200 5400 5500 0100 0600")
        let list = try checkWire(ManagementCommandList.self, bytes: bytes)
        #expect(
            list.opcodes == [.readCommands, .addExtendedAdvertisingParameters, .addExtendedAdvertisingData])
        #expect(list.events == [1, 6])
        #expect(try checkWire(ManagementCommandList.self, bytes: [0, 0, 0, 0]).opcodes.isEmpty)
        try fuzzWire(ManagementCommandList.self, samples: [bytes])
    }

    @Test func truncatedCommandListIsRefused() {
        #expect(throws: WireError(.truncated(needed: 2, available: 1), offset: 6)) {
            _ = try ManagementCommandList(parsing: [0xFF, 0xFF, 0xFF, 0xFF, 2, 0, 5])
        }
    }

    @Test(
        arguments: [
            // A legacy controller of Linux 6.1, and one with extended advertising.
            ("3fc00000 1f 1f 05 02 01 05", false, [1, 5]), ("bff30000 1f 1f 05 00", true, []),
            ("80000000 fb fb 10 01 03", true, [3]),
        ] as [(String, Bool, [UInt8])])
    func featuresAreParsedAndSerialized(_ text: String, isExtended: Bool, instances: [UInt8]) throws {
        let bytes = try Hexadecimal.bytes(text)
        let features = try checkWire(AdvertisingFeatures.self, bytes: bytes)
        #expect(features.isExtended == isExtended)
        #expect(features.instances == instances)
        #expect(features.maximumAdvertisingData == bytes[4])
        #expect(features.maximumScanResponse == bytes[5])
        #expect(features.maximumInstances == bytes[6])
        try fuzzWire(AdvertisingFeatures.self, samples: [bytes])
    }

    @Test func truncatedFeaturesAreRefused() {
        #expect(throws: WireError(.truncated(needed: 255, available: 1), offset: 8)) {
            _ = try AdvertisingFeatures(parsing: [0, 0, 0, 0, 31, 31, 5, 255, 1])
        }
    }

    @Test func parametersHaveIntervalAndPower() throws {
        let adding = AddExtendedAdvertisingParameters(
            instance: 5, flags: [.hasIntervals, .connectable], interval: AdvertisingInterval(160),
            transmitPower: TransmitPower(-7))
        let bytes = try Hexadecimal.bytes("05 01c00000 0000 0000 a0000000 a0000000 f9")
        #expect(adding.serialized() == bytes)
        #expect(try checkWire(AddExtendedAdvertisingParameters.self, bytes: bytes) == adding)
        try fuzzWire(AddExtendedAdvertisingParameters.self, samples: [bytes])
    }

    /// K4: a turn of its own has a flag.
    @Test func parametersHaveATurn() throws {
        let adding = AddExtendedAdvertisingParameters(
            instance: 5, flags: [.hasIntervals], turn: 1, interval: AdvertisingInterval(160), transmitPower: nil)
        let bytes = try Hexadecimal.bytes("05 00500000 0100 0000 a0000000 a0000000 7f")
        #expect(adding.serialized() == bytes)
        #expect(try checkWire(AddExtendedAdvertisingParameters.self, bytes: bytes) == adding)
    }

    /// The flags of Linux 6.1 (`get_supported_adv_flags`), and those of one that has no turns.
    @Test(arguments: [("3ff00100 1f 1f 05 00", true), ("3fc00000 1f 1f 05 00", false)])
    func turnCanBeSetWithItsFlag(_ text: String, canSetTurn: Bool) throws {
        #expect(try AdvertisingFeatures(parsing: Hexadecimal.bytes(text)).canSetTurn == canSetTurn)
    }

    @Test func controllerInformationIsParsedAndSerialized() throws {
        let bytes =
            try Hexadecimal.bytes("000000 01aa00 08 0200 ffff0100 8b060000") + [UInt8](repeating: 7, count: 263)
        let information = try checkWire(ControllerInformation.self, bytes: bytes)
        #expect(information.address.description == "00:AA:01:00:00:00")
        #expect(information.version == 8 && information.manufacturer == 2)
        #expect(
            information.currentSettings.isSuperset(of: [.powered, .connectable, .discoverable, .classic, .advertising]))
        #expect(information.supportedSettings.rawValue == 0x1FFFF)
        try fuzzWire(ControllerInformation.self, samples: [bytes])
    }

    @Test func parametersWithoutPowerHaveNoPreference() throws {
        let adding = AddExtendedAdvertisingParameters(
            instance: 1, flags: [.hasIntervals], interval: AdvertisingInterval(16384), transmitPower: nil)
        #expect(adding.serialized() == (try Hexadecimal.bytes("01 00400000 0000 0000 00400000 00400000 7f")))
        try checkWire(adding)
    }
}

@Suite struct MonitorPacketTests {
    @Test func isParsedAndSerialized() throws {
        // LE Set Advertising Enable for hci0.
        let bytes = try Hexadecimal.bytes("0200 0000 0400 0a20 01 01")
        let packet = try checkWire(MonitorPacket.self, bytes: bytes)
        #expect(packet == MonitorPacket(kind: MonitorPacket.command, index: 0, data: [0x0A, 0x20, 1, 1]))
        try fuzzWire(MonitorPacket.self, samples: [bytes])
    }

    /// The kernel's `HCI_MON_…` numbers.
    @Test func kindsMatchTheKernel() {
        #expect(MonitorPacket.indexRemoved == 1)
        #expect(MonitorPacket.command == 2)
        #expect(MonitorPacket.event == 3)
    }
}
