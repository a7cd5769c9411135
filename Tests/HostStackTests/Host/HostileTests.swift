// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import CMalloc
import FoundationEssentials
import HCI
import TestSupport
import Testing

@testable import HostStack

@Suite struct HostileTests {
    /// A host with advertising sets, a scan and a connection in each role.
    private func busyBench(_ controller: ScriptedController) throws -> Bench {
        var bench = Bench.ready(controller)
        let service = GATTService(
            uuid: .bit16(0x180F),
            characteristics: [GATTCharacteristic(uuid: .bit16(0x2A19), properties: [.read, .write, .notify])])
        let database = try AttributeDatabase(services: [service], genericAccess: GenericAccess(name: "beacon"))
        for number in UInt8(0)..<3 {
            bench.perform {
                $0.setDatabase(database, for: .number(number))
                $0.setAdvertising(
                    .beacon(number == 2 ? .nonConnectable : .connectableScannable, milliseconds: 100),
                    for: .number(number), address: .random(.random(number)))
            }
        }
        bench.perform { $0.startScanning() }
        bench.connectCentral(1, set: .number(0))
        bench.perform { $0.connect(to: .peer, type: .random) }
        bench.receive(Bench.connectionComplete(2, role: .central))
        return bench
    }

    /// Valid events of a controller, to be corrupted.
    private static let samples: [HCIEventPacket] = [
        HCIEventPacket(Bench.connectionComplete(1, role: .peripheral)),
        HCIEventPacket(Bench.connectionComplete(2, role: .central)),
        HCIEventPacket(Bench.connectionComplete(3, role: .central, status: .connectionTimeout)),
        HCIEventPacket(Bench.terminated(.number(0), 1)), HCIEventPacket(Bench.terminated(.number(1), 2)),
        HCIEventPacket(
            DisconnectionComplete(
                status: .success, connectionHandle: ConnectionHandle(1), reason: .connectionTimeout)),
        HCIEventPacket(
            NumberOfCompletedPackets(completedPackets: [.init(connectionHandle: ConnectionHandle(1), count: 3)])),
        HCIEventPacket(
            HCICommandComplete(
                commandCredits: 1, opcode: LESetExtendedAdvertisingEnable.opcode, returnParameters: [0])),
        HCIEventPacket(CommandStatus(status: .success, commandCredits: 0, opcode: Disconnect.opcode)),
        HCIEventPacket(
            LEConnectionUpdateComplete(
                status: .success, connectionHandle: ConnectionHandle(2), connectionInterval: ConnectionInterval(9),
                peripheralLatency: 0, supervisionTimeout: SupervisionTimeout(99))),
        HCIEventPacket(
            LELongTermKeyRequest(connectionHandle: ConnectionHandle(1), randomNumber: 0, encryptedDiversifier: 0)),
    ]

    @Test(arguments: [true, false]) func `no bytes from a controller or peer trap`(isExtended: Bool) throws {
        var generator = SplitMix64(seed: isExtended ? 1 : 2)
        var bench = try busyBench(isExtended ? .extended : .legacy)
        for round in 0..<20_000 {
            bench.time += .milliseconds(Int.random(in: 0...30, using: &generator))
            bench.host.advance(to: bench.time)
            bench.settle()
            if round % 3 == 0 {
                let payload = generator.bytes(Int.random(in: 0...40, using: &generator))
                let handle = ConnectionHandle(UInt16.random(in: 0...4, using: &generator))
                let boundary = PacketBoundary(rawValue: UInt8.random(in: 0...3, using: &generator)) ?? .complete
                bench.host.receive(
                    .acl(ACLDataPacket(handle: handle, boundary: boundary, payload: payload)), at: bench.time)
                bench.settle()
            } else {
                bench.receive(bent(&generator))
            }
            if round % 64 == 0 { bench.forget() }
        }
        // The host can still be restarted and used.
        let time = bench.time
        bench.perform { $0.start(at: time) }
        #expect(bench.host.capabilities != nil)
        #expect(bench.host.currentConnections.isEmpty)
    }

    private func bent(_ generator: inout SplitMix64) -> HCIEventPacket {
        guard let sample = Self.samples.randomElement(using: &generator), Bool.random(using: &generator) else {
            return HCIEventPacket(
                code: [0x05, 0x0E, 0x0F, 0x13, 0x3E].randomElement(using: &generator) ?? 0x3E,
                parameters: generator.bytes(Int.random(in: 0...40, using: &generator)))
        }
        var parameters = sample.parameters
        if Bool.random(using: &generator), let index = parameters.indices.randomElement(using: &generator) {
            parameters[index] = UInt8.random(in: 0...8, using: &generator)
        }
        return HCIEventPacket(code: sample.code, parameters: parameters)
    }

    @Test func `unknown events and channels are ignored`() {
        var bench = Bench.ready(.extended)
        for code in UInt8(0)...UInt8(255) where ![0x0E, 0x0F, 0x10].contains(code) {
            bench.receive(HCIEventPacket(code: code, parameters: [0xFE, 1, 2, 3]))
        }
        bench.endConnection(7)
        #expect(bench.events.isEmpty && bench.opcodes.isEmpty)
    }

    @Test func `the number of connections is bounded`() {
        var bench = Bench.ready(.legacy)
        for handle in UInt16(0)..<1000 { bench.receive(Bench.connectionComplete(handle, role: .peripheral)) }
        #expect(bench.host.currentConnections.count == 256)
    }

    @Test(.disabled(if: Sanitizer.isWatching, "a sanitizer needs additional memory"))
    func `a host that only advertises needs little memory`() async {
        await #expect(processExitsWith: .success) {
            // The first ones are not measured: they allocate memory that is used again.
            var hosts = (0..<500).map(advertisingHost)
            let before = allocatedBytes()
            hosts += (0..<5000).map(advertisingHost)
            let each = (allocatedBytes() - before) / 5000
            precondition(hosts.count == 5500 && each < 1100, "\(each) bytes")
        }
    }
}

/// A host with one advertising set and nothing else.
private func advertisingHost(_ number: Int) -> LEHost {
    var bench = Bench(.extended)
    bench.perform { $0.start(at: .zero) }
    let address = BluetoothAddress(octets: [0xC0, 0, 0, 0, UInt8(number >> 8), UInt8(number & 0xFF)])
    bench.perform {
        $0.setAdvertising(
            .beacon(.connectableScannable, milliseconds: 100), for: .number(0), address: .random(address ?? .zero))
    }
    return bench.host
}

/// The bytes that this process has allocated and not freed. The resident size is not used: the kernel may reclaim pages
/// of a process that waits for a processor.
private func allocatedBytes() -> Int { { Int($0.uordblks + $0.hblkhd) }(mallinfo2()) }
