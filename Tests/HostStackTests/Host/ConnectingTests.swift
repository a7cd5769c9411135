// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Testing

@testable import HostStack

@Suite struct ConnectingTests {
    private let peer = PeerAddress(.peer, type: .random)

    @Test func `an extended controller gets the extended command`() throws {
        var bench = Bench.ready(.extended)
        bench.perform { $0.connect(to: .peer, type: .random) }
        let command = try #require(bench.commands(LEExtendedCreateConnection.self).first)
        #expect(command.peerAddress == .peer && command.peerAddressType == .random)
        #expect(command.parameters.first?.minimumConnectionInterval == ConnectionInterval(24))
        bench.receive(Bench.connectionComplete(5, role: .central))
        let link = try #require(bench.connected.first)
        #expect(link.role == .central && link.advertisingSet == nil && link.interval == ConnectionInterval(24))
        #expect(bench.opcodes.last == LESetDataLength.opcode)
        #expect(bench.host.nextDeadline.map { $0 > .seconds(100) } != true)
    }

    @Test func `a legacy controller gets the legacy command`() throws {
        var bench = Bench.ready(.legacy)
        bench.perform { $0.connect(to: .peer, type: .random) }
        let command = try #require(bench.commands(LECreateConnection.self).first)
        #expect(command.peerAddress == .peer && command.supervisionTimeout == SupervisionTimeout(420))
        bench.receive(Bench.connectionComplete(5, role: .central))
        #expect(bench.connected.count == 1)
        #expect(!bench.opcodes.contains(LESetDataLength.opcode))
    }

    @Test func `the central uses a legacy controller's random address until a set advertises`() throws {
        let configuration = LEHostConfiguration(centralAddress: .random(.random(7)))
        var bench = Bench.ready(.legacy, configuration: configuration)
        bench.perform { $0.connect(to: .peer, type: .random) }
        #expect(bench.commands(LECreateConnection.self).map(\.ownAddressType) == [.random])

        bench = Bench.ready(.legacy, configuration: configuration)
        bench.perform { $0.setAdvertising(.beacon(milliseconds: 100), for: .number(0), address: .random(.random(1))) }
        bench.perform { $0.stopAdvertising(.number(0)) }
        bench.perform { $0.connect(to: .peer, type: .random) }
        #expect(bench.commands(LECreateConnection.self).map(\.ownAddressType) == [.public])
    }

    @Test func `a silent peer times out`() {
        var bench = Bench.ready(.extended)
        bench.perform { $0.connect(to: .peer, type: .random, timeout: .seconds(3)) }
        bench.advance(to: .milliseconds(2999))
        #expect(!bench.opcodes.contains(LECreateConnectionCancel.opcode))
        bench.advance(to: .seconds(3))
        #expect(bench.opcodes.last == LECreateConnectionCancel.opcode)
        #expect(bench.events.isEmpty)
        bench.receive(Bench.connectionComplete(0, role: .central, status: .unknownConnectionIdentifier))
        #expect(bench.events == [.connectionFailed(peer, .timedOut)])
        #expect(bench.host.nextDeadline == nil)
    }

    @Test func `a controller that does not confirm the cancellation times out`() {
        var bench = Bench.ready(.extended)
        bench.perform { $0.connect(to: .peer, type: .random, timeout: .seconds(3)) }
        bench.advance(to: .seconds(14))
        #expect(bench.events == [.connectionFailed(peer, .timedOut)])
    }

    /// A bench with three requests, which the controller has on its accept list.
    private func benchWithGroup() -> Bench {
        var bench = Bench.ready(.extended)
        bench.perform {
            $0.connect(to: .peer, type: .random, timeout: .seconds(3))
            $0.connect(to: .random(1), type: .random, timeout: .seconds(5))
            $0.connect(to: .random(2), type: .random)
        }
        bench.cancelled()
        return bench
    }

    @Test func `several requests use the accept list`() {
        var bench = benchWithGroup()
        #expect(
            bench.opcodes.suffix(7) == [
                LEExtendedCreateConnection.opcode, LECreateConnectionCancel.opcode, LEClearFilterAcceptList.opcode,
                LEAddDeviceToFilterAcceptList.opcode, LEAddDeviceToFilterAcceptList.opcode,
                LEAddDeviceToFilterAcceptList.opcode, LEExtendedCreateConnection.opcode,
            ])
        #expect(bench.commands(LEAddDeviceToFilterAcceptList.self).map(\.address) == [.peer, .random(1), .random(2)])
        #expect(
            bench.commands(LEExtendedCreateConnection.self).map(\.initiatorFilterPolicy) == [
                .peerAddress, .filterAcceptList,
            ])
        #expect(bench.events.isEmpty)

        bench.forget()
        bench.receive(Bench.connectionComplete(1, role: .central, peer: .random(1)))
        #expect(bench.connected.map(\.peerAddress) == [.random(1)])
        #expect(bench.commands(LEAddDeviceToFilterAcceptList.self).map(\.address) == [.peer, .random(2)])
        bench.forget()
        bench.receive(Bench.connectionComplete(2, role: .central, peer: .random(2)))
        // The last one needs no list.
        #expect(bench.commands(LEExtendedCreateConnection.self).map(\.peerAddress) == [.peer])
        #expect(bench.commands(LEExtendedCreateConnection.self).map(\.initiatorFilterPolicy) == [.peerAddress])
    }

    @Test func `each request of a group has its own time limit`() {
        var bench = benchWithGroup()
        bench.forget()
        bench.advance(to: .seconds(3))
        #expect(bench.opcodes == [LECreateConnectionCancel.opcode])
        bench.cancelled()
        #expect(bench.events == [.connectionFailed(peer, .timedOut)])
        #expect(bench.commands(LEAddDeviceToFilterAcceptList.self).map(\.address) == [.random(1), .random(2)])
        bench.advance(to: .seconds(5))
        bench.cancelled()
        #expect(bench.events.last == .connectionFailed(PeerAddress(.random(1), type: .random), .timedOut))
        #expect(bench.commands(LEExtendedCreateConnection.self).last?.peerAddress == .random(2))
    }

    @Test func `a request that is cancelled leaves the others of its group`() {
        var bench = benchWithGroup()
        bench.forget()
        bench.perform { $0.cancelConnecting(to: .random(1), type: .random) }
        // A connection that is made before the controller cancels is that of another request.
        bench.receive(Bench.connectionComplete(1, role: .central))
        #expect(bench.connected.map(\.peerAddress) == [.peer])
        #expect(bench.events.contains(.connectionFailed(PeerAddress(.random(1), type: .random), .cancelled)))
        #expect(bench.commands(LEExtendedCreateConnection.self).map(\.peerAddress) == [.random(2)])
    }

    @Test func `a connection with a cancelled peer of a group is ended`() {
        var bench = benchWithGroup()
        bench.perform { $0.cancelConnecting(to: .random(1), type: .random) }
        bench.receive(Bench.connectionComplete(1, role: .central, peer: .random(1)))
        #expect(bench.connected.isEmpty)
        #expect(bench.opcodes.contains(Disconnect.opcode))
        #expect(bench.commands(LEAddDeviceToFilterAcceptList.self).suffix(2).map(\.address) == [.peer, .random(2)])
    }

    @Test func `requests that the accept list has no room for have their turn later`() {
        var bench = Bench.ready(.extended)
        bench.controller.acceptListCapacity = 2
        bench.perform { host in
            for number in 1...4 { host.connect(to: .random(UInt8(number)), type: .random) }
        }
        bench.cancelled()
        #expect(bench.events.isEmpty)
        #expect(bench.controller.acceptList == [.random(1), .random(2)])
        bench.receive(Bench.connectionComplete(1, role: .central, peer: .random(2)))
        #expect(bench.controller.acceptList == [.random(1), .random(3)])
        bench.perform { $0.connect(to: .random(5), type: .random) }
        #expect(bench.opcodes.last == LEExtendedCreateConnection.opcode)
    }

    @Test func `without an accept list connections are made one at a time`() {
        var bench = Bench.ready(.extended)
        bench.controller.refusals[LEAddDeviceToFilterAcceptList.opcode] = .unknownCommand
        bench.perform {
            $0.connect(to: .peer, type: .random)
            $0.connect(to: .random(1), type: .random)
        }
        bench.cancelled()
        bench.cancelled()
        #expect(bench.commands(LEExtendedCreateConnection.self).last?.peerAddress == .peer)
        bench.forget()
        bench.perform { $0.connect(to: .random(2), type: .random) }
        bench.receive(Bench.connectionComplete(1, role: .central))
        bench.receive(Bench.connectionComplete(2, role: .central, peer: .random(1)))
        #expect(bench.connected.map(\.peerAddress) == [.peer, .random(1)])
        #expect(bench.commands(LEExtendedCreateConnection.self).map(\.peerAddress) == [.random(1), .random(2)])
        #expect(!bench.opcodes.contains(LECreateConnectionCancel.opcode))
    }

    @Test func `requests with other parameters wait`() {
        var bench = Bench.ready(.extended)
        bench.perform {
            $0.connect(to: .peer, type: .random)
            $0.connect(to: .random(1), type: .random, parameters: ConnectionParameters(latency: 1))
        }
        #expect(bench.commands(LEExtendedCreateConnection.self).map(\.peerAddress) == [.peer])
        bench.receive(Bench.connectionComplete(1, role: .central))
        #expect(bench.commands(LEExtendedCreateConnection.self).map(\.peerAddress) == [.peer, .random(1)])
    }

    @Test func `a connection made after its cancellation is ended and not reported`() {
        var bench = Bench.ready(.extended)
        bench.perform { $0.connect(to: .peer, type: .random) }
        bench.perform { $0.cancelConnecting(to: .peer, type: .random) }
        bench.receive(Bench.connectionComplete(1, role: .central))
        #expect(bench.events == [.connectionFailed(peer, .cancelled)])
        #expect(bench.opcodes.last == Disconnect.opcode)
        #expect(bench.host.currentConnections.isEmpty)
        bench.endConnection(1)
        #expect(bench.events.count == 1)
    }

    @Test func `a refused command fails the connection`() {
        var bench = Bench.ready(.extended)
        bench.controller.refusals[LEExtendedCreateConnection.opcode] = .connectionLimitExceeded
        bench.perform { $0.connect(to: .peer, type: .random) }
        let failure = LEHostFailure.command(LEExtendedCreateConnection.opcode, .connectionLimitExceeded)
        #expect(bench.events == [.commandFailed(failure), .connectionFailed(peer, failure)])
    }

    @Test func `a scan rests while a controller that cannot do both connects`() {
        var bench = Bench.ready(.extended)
        bench.perform { $0.startScanning() }
        bench.forget()
        bench.controller.refusals[LEExtendedCreateConnection.opcode] = .commandDisallowed
        bench.perform { $0.connect(to: .peer, type: .random) }
        // With the scan off, the command is sent once more; another refusal is final.
        #expect(
            bench.opcodes == [
                LEExtendedCreateConnection.opcode, LESetExtendedScanEnable.opcode, LEExtendedCreateConnection.opcode,
                LESetExtendedScanEnable.opcode,
            ])
        #expect(bench.commands(LESetExtendedScanEnable.self).map(\.enable) == [0, 1])
        #expect(
            bench.events.last
                == .connectionFailed(peer, .command(LEExtendedCreateConnection.opcode, .commandDisallowed)))
    }

    @Test func `too many requests, and invalid parameters, are refused`() {
        var bench = Bench.ready(.extended)
        bench.perform { host in
            for _ in 0..<66 { host.connect(to: .peer, type: .random) }
        }
        #expect(bench.events == [.connectionFailed(peer, .busy)])
        bench.forget()
        let parameters = ConnectionParameters(supervisionTimeout: SupervisionTimeout(10))
        #expect(parameters.interval.upperBound.duration * 2 == .milliseconds(100))
        bench.perform { $0.connect(to: .peer, type: .random, parameters: parameters) }
        #expect(bench.events == [.connectionFailed(peer, .invalidParameters)])
    }

    @Test func `a restart begins the requested connections again`() {
        var bench = Bench.ready(.extended)
        bench.perform { $0.connect(to: .peer, type: .random) }
        bench.forget()
        bench.perform { $0.start(at: .seconds(1)) }
        #expect(bench.opcodes.last == LEExtendedCreateConnection.opcode)
    }
}
