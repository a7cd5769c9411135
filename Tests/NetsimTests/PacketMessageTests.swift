// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Testing

@testable import Netsim

/// Messages of netsim's `PacketStreamer`, as Google's protobuf library writes them.
@Suite struct PacketMessageTests {
    private static func request(_ digits: String) throws -> PacketRequest {
        try PacketRequest(parsing: Hexadecimal.bytes(digits)[...])
    }

    @Test func chipOfAnEmulatorIsRead() throws {
        let request = try Self.request(
            "0a44122708011201311a06476f6f676c652205506978656c4a1141413a42423a43433a30303a31313a32321a190a07506978656c20371208"
                + "454d554c41544f521a0433352e31")
        let address = try #require(BluetoothAddress("AA:BB:CC:00:11:22"))
        #expect(
            request
                == .chip(
                    ChipInformation(.bluetooth, address: address, deviceName: "Pixel 7", deviceKind: "EMULATOR")))
        guard case .chip(let chip) = request else { return }
        #expect(chip.hostName == "Pixel-7" && chip.hostKind == "emulator" && chip.givenAddress == address)
        #expect(try PacketRequest(parsing: PacketRequest.chip(chip).bytes[...]) == request)
    }

    /// Before netsim had `device_info`, the name of the device was the name of the chip.
    @Test func chipOfAnOldEmulatorIsRead() throws {
        let chip = ChipInformation(.init(rawValue: 2), deviceName: "old")
        #expect(try Self.request("0a090a036f6c6412020802") == .chip(chip))
        #expect(chip.kind.name == "Wi-Fi" && chip.hostKind == nil)
    }

    @Test func packetsAreReadAndWritten() throws {
        let reset = HCIPacket.command(HCICommandPacket(HCIReset()))
        #expect(try Self.request("120708011203030c00") == .hci(reset))
        #expect(PacketRequest.hci(reset).bytes == (try Hexadecimal.bytes("120708011203030c00")))
        let complete = HCIPacket.event(HCIEventPacket(HCICommandComplete(opcode: HCIReset.opcode, status: .success)))
        #expect(PacketResponse.bytes(of: complete) == (try Hexadecimal.bytes("120a080412060e0401030c00")))
        #expect(try Self.request("1a03000000") == .other(3))
        #expect(try Self.request("") == .empty)
    }

    @Test(arguments: [
        // A length beyond the end, a packet of type 9, a packet that is longer and one that is shorter than it says.
        "12ff08", "120708091203030c00", "120808011204030c0000", "120708011203030c02",
    ])
    func malformedMessagesAreRefused(_ digits: String) {
        #expect(throws: WireError.self) { try Self.request(digits) }
    }

    /// The names of devices become names on the air; no two characters of other scripts make them invalid.
    @Test(arguments: [
        ("Pixel 7 API 34", "Pixel-7-API-34"), ("", "emulator"), ("...", "emulator"), ("../../x", "x"), ("Ölüm", "l-m"),
        ("a/b\u{0}c", "a-b-c"), (String(repeating: "x", count: 500), String(repeating: "x", count: 48)),
    ])
    func namesOfDevicesBecomeNamesOnTheAir(_ device: String, _ name: String) {
        #expect(ChipInformation(.bluetooth, deviceName: device).hostName == name)
    }

    /// What the address of an emulator follows from: its folder, else its name, unless it was given one.
    @Test func addressesFollowFromDevices() {
        #expect(ChipInformation(.bluetooth, deviceName: "a b").identity == "a-b")
        #expect(ChipInformation(.bluetooth, deviceName: "a", devicePath: "/avd/1").identity == "/avd/1")
        for address in ["00:00:00:00:00:00", "FF:FF:FF:FF:FF:FF"] {
            #expect(ChipInformation(.bluetooth, address: BluetoothAddress(address)).givenAddress == nil)
        }
    }
}
