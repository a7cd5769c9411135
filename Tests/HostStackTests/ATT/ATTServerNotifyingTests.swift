// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Testing

@testable import HostStack

@Suite struct ATTServerNotifyingTests {
    private static let battery = AttributeFixture.batteryValue
    private static let numbers = AttributeFixture.numbersValue

    private static func server(
        _ configurations: [AttributeHandle: ClientCharacteristicConfiguration],
        limits: ATTServer.Limits = ATTServer.Limits()
    ) throws -> ATTServer {
        ATTServer(
            database: try AttributeFixture.database(), client: ATTClientState(configurations: configurations),
            limits: limits)
    }

    /// A characteristic without a client characteristic configuration sends each client its values.
    @Test func valuesGoToAllClientsWithoutAConfiguration() throws {
        let characteristics = [CharacteristicProperties.notify, .indicate].map {
            GATTCharacteristic(
                uuid: .bit16(0x2A19), properties: $0, descriptors: [.userDescription("no")],
                hasClientConfiguration: false)
        }
        let services = [GATTService(uuid: .bit16(0x180F), characteristics: characteristics)]
        let database = try AttributeDatabase(services: services, genericAccess: GenericAccess(name: ""))
        let handles = database.valueHandles.filter { $0.characteristic.uuid == .bit16(0x2A19) }.map(\.handle)
        for handle in handles {
            #expect(database[AttributeHandle(handle.rawValue + 1)]?.type == .characteristicUserDescription)
        }
        var server = ATTServer(database: database)
        let codes = handles.flatMap { handle in
            server.notify([1], of: handle, at: .zero).compactMap { output -> UInt8? in
                if case .send(let pdu) = output { pdu.first } else { nil }
            }
        }
        #expect(codes == [0x1B, 0x1D])
    }

    @Test func notificationsGoToSubscribers() throws {
        var server = try Self.server([:])
        #expect(server.notify([99], of: Self.battery) == [])
        #expect(server.notify([99], of: Self.battery, at: .zero) == [])
        _ = server.receive([0x12, 0x11, 0, 1, 0], at: .zero)
        #expect(server.notify([99], of: Self.battery) == [.send([0x1B, 0x10, 0, 99])])
        #expect(server.notify([98], of: Self.battery, at: .zero) == [.send([0x1B, 0x10, 0, 98])])
        #expect(server.indicate([98], of: Self.battery, at: .zero) == [])
        _ = server.receive([0x12, 0x11, 0, 0, 0], at: .zero)
        #expect(server.notify([99], of: Self.battery) == [])
        #expect(server.nextDeadline == nil)
    }

    @Test func longValuesAreCut() throws {
        var server = try Self.server([Self.numbers: [.notification, .indication]])
        let value = [UInt8](repeating: 7, count: 600)
        #expect(server.notify(value, of: Self.numbers) == [.send([0x1B, 0x1A, 0] + value.prefix(20))])
        #expect(server.indicate(value, of: Self.numbers, at: .zero) == [.send([0x1D, 0x1A, 0] + value.prefix(20))])
        _ = server.receive([0x02, 0x05, 0x02], at: .zero)
        #expect(server.notify(value, of: Self.numbers) == [.send([0x1B, 0x1A, 0] + value.prefix(514))])
    }

    @Test func indicationsAreSentOneByOne() throws {
        var server = try Self.server([Self.numbers: .indication])
        #expect(server.notify([1], of: Self.numbers, at: .seconds(1)) == [.send([0x1D, 0x1A, 0, 1])])
        #expect(server.nextDeadline == .seconds(31))
        #expect(server.indicate([2], of: Self.numbers, at: .seconds(2)) == [])
        #expect(server.indicate([3], of: Self.numbers, at: .seconds(2)) == [])
        #expect(
            server.receive([0x1E], at: .seconds(3))
                == [.indicationEnded(Self.numbers, isConfirmed: true), .send([0x1D, 0x1A, 0, 2])])
        #expect(server.nextDeadline == .seconds(33))
        // A confirmation with extra bytes is ignored.
        #expect(server.receive([0x1E, 0], at: .seconds(3)) == [])
        _ = server.receive([0x1E], at: .seconds(4))
        #expect(server.receive([0x1E], at: .seconds(4)) == [.indicationEnded(Self.numbers, isConfirmed: true)])
        #expect(server.nextDeadline == nil)
        #expect(server.receive([0x1E], at: .seconds(4)) == [])
    }

    /// Indications do not wait for pending requests.
    @Test func confirmationDoesNotWaitForTheOwner() throws {
        var server = try Self.server([Self.numbers: .indication])
        _ = server.indicate([1], of: Self.numbers, at: .zero)
        let token = try #require(server.receive([0x0A, 0x18, 0], at: .zero).token)
        #expect(server.receive([0x1E], at: .zero) == [.indicationEnded(Self.numbers, isConfirmed: true)])
        #expect(server.respond(token, .success([]), at: .zero) == [.send([0x0B])])
    }

    @Test func waitingIndicationsAreBounded() throws {
        var server = try Self.server([Self.numbers: .indication], limits: ATTServer.Limits(waitingIndications: 2))
        for _ in 0..<3 { _ = server.indicate([1], of: Self.numbers, at: .zero) }
        for _ in 0..<100 {
            #expect(
                server.indicate([1], of: Self.numbers, at: .zero)
                    == [.indicationEnded(Self.numbers, isConfirmed: false)])
        }
        #expect(server.receive([0x1E], at: .zero).count == 2)
        #expect(server.receive([0x1E], at: .zero).count == 2)
        #expect(server.receive([0x1E], at: .zero).count == 1)
    }

    @Test func unsubscribedClientReceivesNothing() throws {
        var server = try Self.server([Self.numbers: .indication])
        _ = server.indicate([1], of: Self.numbers, at: .zero)
        _ = server.indicate([2], of: Self.numbers, at: .zero)
        _ = server.receive([0x12, 0x1B, 0, 0, 0], at: .zero)
        #expect(
            server.receive([0x1E], at: .zero) == [
                .indicationEnded(Self.numbers, isConfirmed: true), .indicationEnded(Self.numbers, isConfirmed: false),
            ])
        #expect(server.nextDeadline == nil)
    }

    @Test func unconfirmedIndicationEndsTheBearer() throws {
        var server = try Self.server([Self.numbers: [.indication, .notification]])
        _ = server.indicate([1], of: Self.numbers, at: .seconds(5))
        _ = server.indicate([2], of: Self.numbers, at: .seconds(6))
        #expect(server.advance(to: .milliseconds(34_999)) == [])
        #expect(
            server.advance(to: .seconds(35)) == [
                .indicationEnded(Self.numbers, isConfirmed: false), .indicationEnded(Self.numbers, isConfirmed: false),
                .failed,
            ])
        #expect(server.nextDeadline == nil)
        #expect(server.advance(to: .seconds(70)) == [])
        #expect(server.receive([0x0A, 0x05, 0], at: .seconds(36)) == [])
        #expect(server.receive([0x1E], at: .seconds(36)) == [])
        #expect(server.notify([1], of: Self.numbers) == [])
        #expect(server.indicate([1], of: Self.numbers, at: .seconds(36)) == [])
    }

    @Test func stateOfAClientIsRestored() throws {
        var server = try Self.server([Self.battery: .notification, 0x0003: .notification, 0x1234: .indication])
        // A handle without a configuration is ignored.
        #expect(server.client.configurations == [Self.battery: .notification])
        #expect(server.client.databaseHash == server.database.hash)
        #expect(server.notify([1], of: Self.battery) == [.send([0x1B, 0x10, 0, 1])])
    }
}
