// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import TestSupport
import Testing

@testable import BlueZRadio

@Suite struct ManagementPacketTests {
    /// Read Advertising Features of hci1.
    @Test func commandIsWritten() throws {
        let packet = ManagementPacket(code: ManagementOpcode.readAdvertisingFeatures.rawValue, index: 1, parameters: [])
        #expect(packet.serialized() == [0x3D, 0, 1, 0, 0, 0])
        try checkWire(packet)
    }

    @Test func packetIsReadAndWritten() throws {
        // Command Complete of Remove Advertising, success, instance 5.
        let bytes = try Hexadecimal.bytes("0100 0000 0400 3f00 00 05")
        let packet = try checkWire(ManagementPacket.self, bytes: bytes)
        #expect(packet == ManagementPacket(code: 1, index: 0, parameters: [0x3F, 0, 0, 5]))
        try fuzzWire(ManagementPacket.self, samples: [bytes])
    }

    @Test func lengthMustBeThere() {
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
            (ManagementOpcode.readCommands, 0x0002), (.disconnect, 0x0014), (.readAdvertisingFeatures, 0x003D),
            (.removeAdvertising, 0x003F), (.addExtendedAdvertisingParameters, 0x0054),
            (.addExtendedAdvertisingData, 0x0055),
        ] as [(ManagementOpcode, UInt16)])
    func opcodesAreTheKernels(_ opcode: ManagementOpcode, code: UInt16) {
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
    func eventIsRead(_ code: UInt16, parameters: String, event: ManagementEvent) throws {
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

    @Test func errorsNameTheCommandAndTheStatus() {
        let opcode = ManagementOpcode.removeAdvertising
        #expect(ManagementError.status(opcode, 0x14).description == "management command 63: permission denied")
        #expect(ManagementError.status(opcode, 0x77).description == "management command 63: status 119")
        #expect(ManagementError.noAnswer(opcode).description == "management command 63: no answer from the kernel")
        #expect(ManagementError.status(opcode, 0x14).status == 0x14)
        #expect(ManagementError.noAnswer(opcode).status == nil)
    }
}
