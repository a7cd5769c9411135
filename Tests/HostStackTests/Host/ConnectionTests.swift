// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import HCI
import Testing

@testable import HostStack

@Suite struct ConnectionTests {
    private let first = AdvertisingSetIdentifier.number(0)
    private let second = AdvertisingSetIdentifier.number(1)

    private func bench(_ pdus: [AdvertisingPDU], controller: ScriptedController = .extended) throws -> Bench {
        var bench = Bench.ready(controller)
        for (number, pdu) in pdus.enumerated() {
            let set = AdvertisingSetIdentifier.number(UInt8(number))
            let service = GATTService(
                uuid: .bit16(0x180F),
                characteristics: [GATTCharacteristic(uuid: .bit16(0x2A19), properties: [.read, .notify])])
            let database = try AttributeDatabase(
                services: [service], genericAccess: GenericAccess(name: "beacon \(number)"))
            bench.perform {
                $0.setDatabase(database, for: set)
                $0.setAdvertising(
                    .beacon(pdu, milliseconds: 100), for: set, address: .random(.random(UInt8(number))))
            }
        }
        bench.forget()
        return bench
    }

    @Test func `a connection to the only connectable set is reported at once`() throws {
        var bench = try bench([.connectableScannable, .nonConnectable])
        bench.receive(Bench.connectionComplete(1, role: .peripheral))
        #expect(bench.events.first == .advertisingStopped(first, .connected))
        #expect(bench.connected.map(\.advertisingSet) == [first])
        bench.receive(Bench.terminated(first, 1))
        #expect(bench.events.count == 2)
        bench.forget()
        bench.endConnection(1, reason: .connectionTimeout)
        #expect(bench.disconnected.map(\.link.advertisingSet) == [first])
        #expect(bench.disconnected.map(\.reason) == [.connectionTimeout])
        #expect(bench.opcodes == [LESetExtendedAdvertisingEnable.opcode])
        #expect(bench.effective(first) != nil)
    }

    @Test(arguments: [true, false])
    func `with several sets, an event before or after the connection has the set`(isBefore: Bool) throws {
        var bench = try bench([.connectableScannable, .connectableScannable])
        if isBefore { bench.receive(Bench.terminated(second, 1)) }
        bench.receive(Bench.connectionComplete(1, role: .peripheral))
        if !isBefore {
            #expect(bench.events.isEmpty)
            bench.receive(Bench.terminated(second, 1))
        }
        #expect(bench.connected.map(\.advertisingSet) == [second])
        #expect(bench.events.contains(.advertisingStopped(second, .connected)))
    }

    @Test func `data before the set is known is not lost`() throws {
        var bench = try bench([.connectableScannable, .connectableScannable])
        bench.receive(Bench.connectionComplete(1, role: .peripheral))
        // ATT_READ_REQ of the battery level.
        bench.receive(readRequest(bench), on: .attribute, of: 1)
        #expect(bench.events.isEmpty)
        bench.receive(Bench.terminated(second, 1))
        #expect(bench.requests.map(\.advertisingSet) == [second])
    }

    @Test func `a controller that does not report the set times out`() throws {
        var bench = try bench([.connectableScannable, .connectableScannable])
        bench.receive(Bench.connectionComplete(1, role: .peripheral))
        bench.advance(to: .milliseconds(500))
        #expect(bench.connected.map(\.advertisingSet) == [first])
    }

    @Test func `a set can be changed and stopped while it is connected`() throws {
        var bench = try bench([.connectableScannable])
        bench.connectCentral(1, set: first)
        bench.forget()
        bench.perform {
            $0.setAdvertising(
                .beacon(.connectableScannable, milliseconds: 500), for: first, address: .random(.random(9)))
        }
        #expect(!bench.opcodes.contains(LESetExtendedAdvertisingEnable.opcode))
        bench.endConnection(1)
        #expect(bench.effective(first)?.interval == AdvertisingInterval(800))
        bench.forget()
        bench.connectCentral(1, set: first)
        bench.perform { $0.stopAdvertising(first) }
        bench.endConnection(1)
        #expect(bench.effective(first) == nil)
    }

    @Test func `a connected set that becomes non-connectable advertises again`() throws {
        var bench = try bench([.connectableScannable])
        bench.connectCentral(1, set: first)
        bench.forget()
        bench.perform {
            $0.setAdvertising(.beacon(.nonConnectable, milliseconds: 500), for: first, address: .random(.random(9)))
        }
        #expect(bench.effective(first)?.pdu == .nonConnectable)
    }

    private func readRequest(_ bench: Bench) -> [UInt8] {
        let database = try? AttributeDatabase(
            services: [
                GATTService(
                    uuid: .bit16(0x180F),
                    characteristics: [GATTCharacteristic(uuid: .bit16(0x2A19), properties: [.read, .notify])])
            ], genericAccess: GenericAccess(name: "beacon"))
        let handle = database?.valueHandle(of: .bit16(0x2A19)) ?? .none
        return [0x0A] + handle.serialized()
    }

    @Test func `a central's request gets the owner's answer`() throws {
        var bench = try bench([.connectableScannable])
        bench.connectCentral(1, set: first)
        bench.receive(readRequest(bench), on: .attribute, of: 1)
        let request = try #require(bench.requests.last)
        #expect(request.operation == .read(offset: 0) && request.uuid == .bit16(0x2A19))
        bench.perform { $0.respond(to: request.token, of: request.connection, with: .success([77])) }
        #expect(bench.controller.data.map(\.payload) == [[2, 0, 4, 0, 0x0B, 77]])
        #expect(bench.controller.data.first?.boundary == .firstNonFlushable)
        // An answer for a connection that has ended is ignored.
        bench.endConnection(1)
        bench.perform { $0.respond(to: request.token, of: request.connection, with: .success([77])) }
        #expect(bench.controller.data.count == 1)
    }

    @Test func `without settings, pairing is refused`() throws {
        var bench = try bench([.connectableScannable])
        bench.connectCentral(1, set: first)
        bench.receive([0x01, 3, 0, 0, 16, 0, 0], on: .securityManager, of: 1)
        #expect(bench.controller.data.map(\.payload) == [[2, 0, 6, 0, 0x05, 0x05]])
        bench.receive(
            LELongTermKeyRequest(connectionHandle: ConnectionHandle(1), randomNumber: 0, encryptedDiversifier: 0))
        #expect(bench.opcodes.last == LELongTermKeyRequestNegativeReply.opcode)
    }

    @Test func `a connection is disconnected once`() throws {
        var bench = try bench([.connectableScannable])
        bench.connectCentral(1, set: first)
        let link = try #require(bench.connected.first)
        bench.forget()
        bench.perform {
            $0.disconnect(link.id)
            $0.disconnect(link.id)
        }
        #expect(bench.commands(Disconnect.self) == [Disconnect(connectionHandle: ConnectionHandle(1))])
        #expect(bench.events.isEmpty)
        bench.endConnection(1, reason: .connectionTerminatedByLocalHost)
        #expect(bench.events.first == .disconnected(link, .connectionTerminatedByLocalHost))
    }

    @Test func `a restart ends the connections`() throws {
        var bench = try bench([.connectableScannable])
        bench.connectCentral(1, set: first)
        let link = try #require(bench.connected.first)
        bench.forget()
        bench.perform { $0.start(at: .zero) }
        #expect(bench.events.first == .disconnected(link, .connectionTerminatedByLocalHost))
        #expect(bench.effective(first) != nil)
    }

    @Test func `a set that is refused during a connection is tried again after it`() throws {
        var bench = try bench([.connectableScannable])
        bench.connectCentral(1, set: first)
        bench.controller.refusals[LESetExtendedAdvertisingEnable.opcode] = .commandDisallowed
        bench.perform {
            $0.setAdvertising(
                .beacon(.connectableScannable, milliseconds: 100), for: second, address: .random(.random(2)))
        }
        let failure = LEHostFailure.conflict(
            LESetExtendedAdvertisingEnable.opcode, .commandDisallowed, with: .connection)
        #expect(bench.events.last == .advertisingFailed(second, failure))
        bench.controller.refusals = [:]
        bench.endConnection(1)
        #expect(bench.effective(first) != nil && bench.effective(second) != nil)
    }

    @Test func `a connection reported in both events is one connection`() throws {
        var bench = try bench([.connectableScannable])
        bench.connectCentral(1, set: first)
        bench.receive(
            LEEnhancedConnectionComplete(
                connectionHandle: ConnectionHandle(1), role: .peripheral, peerAddressType: .random,
                peerAddress: .peer, connectionInterval: ConnectionInterval(24), peripheralLatency: 0,
                supervisionTimeout: SupervisionTimeout(420)))
        #expect(bench.connected.count == 1 && bench.disconnected.isEmpty)
        bench.endConnection(1)
        // The enhanced event alone suffices.
        bench.receive(
            LEEnhancedConnectionComplete(
                connectionHandle: ConnectionHandle(1), role: .peripheral, peerAddressType: .random,
                peerAddress: .peer, connectionInterval: ConnectionInterval(24), peripheralLatency: 0,
                supervisionTimeout: SupervisionTimeout(420)))
        #expect(bench.connected.count == 2)
    }

    /// Clients that subscribed to Service Changed get an indication of the affected handles (Core 5.4, Vol 3, Part G,
    /// 7.1).
    @Test func `connected centrals get a new database at once`() throws {
        var bench = try bench([.connectableScannable])
        bench.connectCentral(1, set: first)
        let link = try #require(bench.connected.first)
        func table(_ uuid: UInt16, _ permissions: AttributePermissions) throws -> AttributeDatabase {
            let characteristic = GATTCharacteristic(
                uuid: .bit16(uuid), properties: [.read, .notify], permissions: permissions)
            return try AttributeDatabase(
                services: [GATTService(uuid: .bit16(0x1809), characteristics: [characteristic])],
                genericAccess: GenericAccess(name: "beacon 0"))
        }
        let open = try table(0x2A1C, .open)
        let serviceChanged = try #require(open.valueHandle(of: .serviceChanged))
        let value = try #require(open.valueHandle(of: .bit16(0x2A1C)))
        bench.perform { $0.setDatabase(open, for: first) }
        // Subscriptions to Service Changed and to the value.
        bench.receive(
            [0x12] + AttributeHandle(serviceChanged.rawValue + 1).serialized() + [2, 0], on: .attribute, of: 1)
        bench.receive([0x12] + AttributeHandle(value.rawValue + 1).serialized() + [1, 0], on: .attribute, of: 1)
        bench.receive([0x0A] + value.serialized(), on: .attribute, of: 1)
        bench.receive(
            NumberOfCompletedPackets(completedPackets: [.init(connectionHandle: ConnectionHandle(1), count: 2)]))
        let pending = try #require(bench.requests.last)
        #expect(pending.uuid == .bit16(0x2A1C))
        bench.forget()

        let closed = try table(0x2A1D, AttributePermissions(read: .encryption))
        #expect(closed.valueHandle(of: .bit16(0x2A1D)) == value)
        var ended: [EndedSubscription] = []
        bench.perform { ended = $0.setDatabase(closed, for: first) }
        #expect(ended == [EndedSubscription(connection: link.id, handle: value)])
        #expect(bench.host.subscription(to: value, of: link.id).isEmpty)
        bench.perform { $0.respond(to: pending.token, of: pending.connection, with: .success([77])) }
        bench.receive([0x0A] + value.serialized(), on: .attribute, of: 1)
        #expect(
            bench.controller.data.map(\.payload) == [
                [5, 0, 4, 0, 0x01, 0x0A] + value.serialized() + [0x0E],
                [7, 0, 4, 0, 0x1D] + serviceChanged.serialized() + [14, 0, 17, 0],
                [5, 0, 4, 0, 0x01, 0x0A] + value.serialized() + [0x05],
            ])
        #expect(bench.requests.isEmpty)
        // Without services, there is nothing left to read.
        bench.controller.data = []
        bench.receive(
            NumberOfCompletedPackets(completedPackets: [.init(connectionHandle: ConnectionHandle(1), count: 3)]))
        bench.perform { $0.setDatabase(nil, for: first) }
        bench.receive([0x0A] + value.serialized(), on: .attribute, of: 1)
        #expect(bench.controller.data.last?.payload == [5, 0, 4, 0, 0x01, 0x0A] + value.serialized() + [0x01])
    }
}
