// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Testing

@testable import BlueZRadio
@testable import KernelBluetooth

@Suite struct ForeignInstancesTests {
    /// The parameters of Add Advertising, or the first ones of Add Extended Advertising Parameters.
    static func parameters(_ instance: UInt8, duration: UInt16) -> [UInt8] {
        [instance, 1, 0, 0, 0, UInt8(duration & 0xFF), UInt8(duration >> 8), 0, 0]
    }

    /// A management command of the socket with this number, as the monitor channel shows it.
    static func command(_ opcode: ManagementOpcode, _ parameters: [UInt8], socket: UInt32 = 7) -> MonitorPacket {
        var writer = ByteWriter()
        writer.writeLittleEndian(socket)
        writer.writeLittleEndian(opcode.rawValue)
        writer.write(parameters)
        return MonitorPacket(kind: MonitorPacket.controlCommand, index: 0, data: writer.bytes)
    }

    /// Its event Command Complete.
    static func complete(_ opcode: ManagementOpcode, status: UInt8 = 0, socket: UInt32 = 7) -> MonitorPacket {
        var writer = ByteWriter()
        writer.writeLittleEndian(socket)
        writer.writeLittleEndian(ManagementEvent.commandComplete)
        writer.writeLittleEndian(opcode.rawValue)
        writer.write(status)
        return MonitorPacket(kind: MonitorPacket.controlEvent, index: 0, data: writer.bytes)
    }

    @Test(arguments: [ManagementOpcode.addAdvertising, .addExtendedAdvertisingParameters])
    func successfulAdditionIsForeign(_ opcode: ManagementOpcode) {
        var foreign = ForeignInstances()
        #expect(foreign.observe(Self.command(opcode, Self.parameters(1, duration: 4))) { _, _ in false } == nil)
        #expect(foreign.turns(of: 1) == [2])
        #expect(foreign.observe(Self.complete(opcode)) { _, _ in false } == 1)
        #expect(foreign.turns(of: 1) == [4])
        // One that was added before the observation.
        #expect(foreign.turns(of: 2) == [4, 2])
        foreign.noteRemoval(of: 1)
        #expect(foreign.turns(of: 1) == [2])
    }

    @Test func durationOfZeroIsTheDefaultOfTheKernel() {
        var foreign = ForeignInstances()
        _ = foreign.observe(Self.command(.addAdvertising, Self.parameters(1, duration: 0))) { _, _ in false }
        #expect(foreign.observe(Self.complete(.addAdvertising)) { _, _ in false } == 1)
        #expect(foreign.turns(of: 1) == [2])
    }

    @Test func ownRefusedAndOtherCommandsAreNotForeign() {
        var foreign = ForeignInstances()
        let parameters = Self.parameters(5, duration: 1)
        let opcode = ManagementOpcode.addExtendedAdvertisingParameters
        _ = foreign.observe(Self.command(opcode, parameters)) { $0 == parameters && $1 == 5 }
        #expect(foreign.observe(Self.complete(opcode)) { _, _ in false } == nil)
        _ = foreign.observe(Self.command(opcode, parameters)) { _, _ in false }
        #expect(foreign.observe(Self.complete(opcode, socket: 8)) { _, _ in false } == nil)
        #expect(foreign.observe(Self.complete(opcode, status: 0x0D)) { _, _ in false } == nil)
        #expect(foreign.observe(Self.complete(opcode)) { _, _ in false } == nil)
        _ = foreign.observe(Self.command(.removeAdvertising, [5])) { _, _ in false }
        #expect(foreign.observe(Self.complete(.removeAdvertising)) { _, _ in false } == nil)
    }

    @Test func truncatedPacketsAreIgnored() {
        for packet in [
            Self.command(.addAdvertising, Self.parameters(1, duration: 4)), Self.complete(.addAdvertising),
        ] {
            for count in 0..<packet.data.count {
                var foreign = ForeignInstances()
                let part = MonitorPacket(kind: packet.kind, index: 0, data: Array(packet.data.prefix(count)))
                #expect(foreign.observe(part) { _, _ in false } == nil)
            }
        }
    }
}
