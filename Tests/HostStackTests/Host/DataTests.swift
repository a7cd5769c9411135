// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import HCI
import Testing

@testable import HostStack

@Suite struct DataTests {
    /// A bench with a number of connections as central, whose handles begin with 1.
    private func bench(connections: Int, controller: ScriptedController = .extended) -> Bench {
        var bench = Bench.ready(controller)
        for number in 1...connections {
            bench.perform { $0.connect(to: .random(UInt8(number)), type: .random) }
            bench.receive(Bench.connectionComplete(UInt16(number), role: .central, peer: .random(UInt8(number))))
        }
        return bench
    }

    private func completed(_ handle: UInt16, _ count: UInt16) -> NumberOfCompletedPackets {
        NumberOfCompletedPackets(completedPackets: [.init(connectionHandle: ConnectionHandle(handle), count: count)])
    }

    private func write(_ bench: inout Bench, _ connection: Int, bytes: Int) {
        let link = bench.connected[connection].id
        bench.perform {
            $0.start(
                .writeWithoutResponse(AttributeHandle(3), [UInt8](repeating: UInt8(connection), count: bytes)),
                on: link)
        }
    }

    @Test func `frames are fragmented, and wait for the controller's credits`() {
        var controller = ScriptedController.extended
        controller.bufferLength = 27
        controller.bufferCount = 2
        var bench = bench(connections: 1, controller: controller)
        bench.forget()
        let link = bench.host.currentConnections[0].id
        // 20 bytes, 3 of the PDU's header (within the MTU of 23) and 4 of the frame's: 27.
        for _ in 0..<3 {
            bench.perform {
                $0.start(.writeWithoutResponse(AttributeHandle(3), [UInt8](repeating: 1, count: 20)), on: link)
            }
        }
        #expect(bench.controller.data.map(\.payload.count) == [27, 27])
        bench.receive(completed(1, 1))
        #expect(bench.controller.data.count == 3)
        bench.receive(completed(1, 2))
        bench.receive(completed(1, 60000))
        bench.receive(completed(2, 7))
        for _ in 0..<4 { bench.perform { $0.start(.writeWithoutResponse(AttributeHandle(3), [1]), on: link) } }
        // Credits beyond the controller's buffers do not count.
        #expect(bench.controller.data.count == 5)
    }

    @Test func `only the first fragment of a frame starts it`() {
        var controller = ScriptedController.extended
        controller.bufferLength = 27
        var bench = bench(connections: 1, controller: controller)
        // The peer's ATT_EXCHANGE_MTU_RSP lets long writes pass.
        let link = bench.connected[0].id
        bench.perform { $0.start(.exchangeMTU, on: link) }
        bench.receive([0x03, 0xF7, 0x00], on: .attribute, of: 1)
        #expect(bench.events.contains(.mtuChanged(link, 247)))
        bench.receive(completed(1, 4))
        bench.forget()
        bench.perform {
            $0.start(.writeWithoutResponse(AttributeHandle(3), [UInt8](repeating: 1, count: 60)), on: link)
        }
        #expect(bench.controller.data.map(\.payload.count) == [27, 27, 13])
        #expect(bench.controller.data.map(\.boundary) == [.firstNonFlushable, .continuing, .continuing])
    }

    @Test func `connections take turns, and one that ends releases its credits`() throws {
        var controller = ScriptedController.extended
        controller.bufferCount = 2
        var bench = bench(connections: 3, controller: controller)
        let links = bench.connected.map(\.id)
        bench.controller.data = []
        for link in links.reversed() {
            for _ in 0..<3 {
                bench.perform { $0.start(.writeWithoutResponse(AttributeHandle(3), [1]), on: link) }
            }
        }
        #expect(bench.controller.data.map(\.handle.rawValue) == [3, 3])
        bench.receive(completed(3, 1))
        bench.receive(completed(3, 1))
        #expect(bench.controller.data.map(\.handle.rawValue) == [3, 3, 1, 2])
        bench.endConnection(1)
        bench.endConnection(2)
        #expect(bench.controller.data.map(\.handle.rawValue) == [3, 3, 1, 2, 3])
        bench.perform { $0.start(.writeWithoutResponse(AttributeHandle(3), [1]), on: links[0]) }
        #expect(bench.host.currentConnections.map(\.id) == [links[2]])
    }

    @Test func `a peer that receives nothing is disconnected`() throws {
        var controller = ScriptedController.extended
        controller.bufferCount = 1
        var bench = bench(connections: 1, controller: controller)
        // An unknown signal is rejected, with 10 bytes.
        for number in 0..<10_000 {
            bench.receive([0x40, UInt8(number % 255 + 1), 0, 0], on: .signalling, of: 1)
        }
        #expect(bench.commands(Disconnect.self).count == 1)
    }

    @Test func `the owner and the peripheral can request connection parameters`() throws {
        var bench = bench(connections: 1)
        let link = try #require(bench.connected.first)
        bench.forget()
        let requested = ConnectionParameters(interval: ConnectionInterval(80)...ConnectionInterval(100), latency: 2)
        bench.perform { $0.updateConnection(link.id, to: requested) }
        #expect(bench.commands(LEConnectionUpdate.self).map(\.minimumConnectionInterval) == [ConnectionInterval(80)])
        // L2CAP_CONNECTION_PARAMETER_UPDATE_REQ: 20 to 30 ms, no latency, 2 s; accepted, set after the other.
        bench.receive([0x12, 1, 8, 0, 16, 0, 24, 0, 0, 0, 200, 0], on: .signalling, of: 1)
        #expect(bench.controller.data.last?.payload == [6, 0, 5, 0, 0x13, 1, 2, 0, 0, 0])
        #expect(bench.commands(LEConnectionUpdate.self).count == 1)
        bench.receive(
            LEConnectionUpdateComplete(
                status: .success, connectionHandle: ConnectionHandle(1), connectionInterval: ConnectionInterval(90),
                peripheralLatency: 2, supervisionTimeout: SupervisionTimeout(420)))
        var updated = link
        updated = try #require(bench.host.currentConnections.first)
        #expect(updated.interval == ConnectionInterval(90) && updated.latency == 2)
        #expect(bench.events == [.connectionUpdated(updated)])
        #expect(bench.commands(LEConnectionUpdate.self).map(\.minimumConnectionInterval).last == ConnectionInterval(16))
        bench.receive(
            LEConnectionUpdateComplete(
                status: .unsupportedRemoteFeature, connectionHandle: ConnectionHandle(1),
                connectionInterval: ConnectionInterval(0), peripheralLatency: 0,
                supervisionTimeout: SupervisionTimeout(0)))
        #expect(bench.events.last == .connectionUpdateFailed(link.id, .connection(.unsupportedRemoteFeature)))
        // A request for invalid parameters is rejected.
        bench.receive([0x12, 2, 8, 0, 16, 0, 8, 0, 0, 0, 200, 0], on: .signalling, of: 1)
        #expect(bench.controller.data.last?.payload == [6, 0, 5, 0, 0x13, 2, 2, 0, 1, 0])
        #expect(bench.commands(LEConnectionUpdate.self).count == 2)
    }

    @Test(arguments: [(UInt32(24), true), (5, false)])
    func `a link layer request for valid parameters is accepted`(interval: UInt32, isAccepted: Bool) {
        var bench = bench(connections: 1)
        bench.forget()
        bench.receive(
            LERemoteConnectionParameterRequest(
                connectionHandle: ConnectionHandle(1), minimumConnectionInterval: ConnectionInterval(interval),
                maximumConnectionInterval: ConnectionInterval(interval), maximumLatency: 0,
                supervisionTimeout: SupervisionTimeout(400)))
        #expect(
            bench.opcodes == [
                isAccepted
                    ? LERemoteConnectionParameterRequestReply.opcode
                    : LERemoteConnectionParameterRequestNegativeReply.opcode
            ])
    }

    @Test func `a peripheral asks its central for parameters`() throws {
        var bench = Bench.ready(.extended)
        bench.perform {
            $0.setAdvertising(
                .beacon(.connectableScannable, milliseconds: 100), for: .number(0), address: .random(.random(1)))
        }
        bench.connectCentral(1, set: .number(0))
        let link = try #require(bench.connected.first)
        bench.forget()
        bench.perform { $0.updateConnection(link.id, to: ConnectionParameters()) }
        #expect(bench.controller.data.map(\.payload) == [[12, 0, 5, 0, 0x12, 1, 8, 0, 24, 0, 40, 0, 0, 0, 164, 1]])
        bench.perform { $0.updateConnection(link.id, to: ConnectionParameters()) }
        #expect(bench.events == [.connectionUpdateFailed(link.id, .busy)])
        bench.receive([0x13, 1, 2, 0, 1, 0], on: .signalling, of: 1)
        #expect(bench.events.last == .connectionUpdateFailed(link.id, .connection(.unacceptableConnectionParameters)))
        bench.forget()
        bench.perform { $0.updateConnection(link.id, to: ConnectionParameters()) }
        bench.advance(to: .seconds(31))
        #expect(bench.events == [.connectionUpdateFailed(link.id, .timedOut)])
    }
}
