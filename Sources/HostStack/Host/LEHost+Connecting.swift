// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import BluetoothCore
package import HCI

extension LEHost {
    /// Connects to a peer, when the connections asked for before have come about or failed; `.connected` or
    /// `.connectionFailed` tells the outcome.
    /// - Parameter timeout: how long the peer may take; `nil` for the configuration's time.
    package mutating func connect(
        to address: BluetoothAddress, type: AddressType, parameters: ConnectionParameters = ConnectionParameters(),
        timeout: Duration? = nil
    ) {
        let peer = PeerAddress(address, type: type)
        guard parameters.isValid else { return emit(.connectionFailed(peer, .invalidParameters)) }
        guard initiator.waiting.count < Initiator.capacity else { return emit(.connectionFailed(peer, .busy)) }
        initiator.waiting.append(
            Initiator.Request(
                peer: peer, parameters: parameters, timeout: timeout ?? configuration.connectionTimeout))
        continueConnecting()
        flush()
    }

    /// What peripherals that are connected to find here; `nil` for nothing at all.
    ///
    /// Over connections that exist already peripherals are told that the services have changed, where there were any and
    /// they want to know.
    package mutating func setCentralDatabase(_ database: AttributeDatabase?) {
        centralDatabase = database
        guard let database else { return }
        let now = now
        for connection in connections where connection.link.role == .central {
            withServer(of: connection.link.id) { $0.replaceDatabase(database, changed: .all, at: now) }
        }
    }

    /// Takes back all that was asked for this peer; `.connectionFailed` follows for each, unless it comes too late.
    package mutating func cancelConnecting(to address: BluetoothAddress, type: AddressType) {
        let peer = PeerAddress(address, type: type)
        let count = initiator.waiting.count { $0.peer == peer }
        initiator.waiting.removeAll { $0.peer == peer }
        for _ in 0..<count { emit(.connectionFailed(peer, .cancelled)) }
        if initiator.current?.peer == peer { giveUpConnecting(.cancelled) }
        flush()
    }

    /// Begins the next connection.
    mutating func continueConnecting() {
        guard isReady, initiator.current == nil, !initiator.waiting.isEmpty else { return resumeScanning() }
        guard centralPrivacy.first?.isChanging != true else { return }
        guard !scanner.isPausedForConnecting || !scanner.isOn else { return }
        initiator.current = initiator.waiting.removeFirst()
        sendCreate()
    }

    private mutating func sendCreate() {
        guard let request = initiator.current else { return }
        initiator.state = .asking
        initiator.deadline = now + request.timeout
        let parameters = request.parameters
        let scan = ScanTime(96)
        if knownCapabilities.hasExtendedConnecting {
            let create = LEExtendedCreateConnection.Parameters(
                scanInterval: scan, scanWindow: scan, minimumConnectionInterval: parameters.interval.lowerBound,
                maximumConnectionInterval: parameters.interval.upperBound, maximumLatency: parameters.latency,
                supervisionTimeout: parameters.supervisionTimeout)
            send(
                LEExtendedCreateConnection(
                    ownAddressType: centralAddressType, peerAddressType: request.peer.type,
                    peerAddress: request.peer.address, parameters: [create]), then: .connecting(.create))
        } else {
            send(
                LECreateConnection(
                    scanInterval: scan, scanWindow: scan, peerAddressType: request.peer.type,
                    peerAddress: request.peer.address, ownAddressType: centralAddressType,
                    minimumConnectionInterval: parameters.interval.lowerBound,
                    maximumConnectionInterval: parameters.interval.upperBound, maximumLatency: parameters.latency,
                    supervisionTimeout: parameters.supervisionTimeout), then: .connecting(.create))
        }
    }

    private mutating func giveUpConnecting(_ reason: LEHostFailure) {
        switch initiator.state {
        case .idle, .cancelling: return
        case .asking, .connecting: break
        }
        initiator.state = .cancelling(reason)
        initiator.deadline = now + configuration.commandTimeout * 2
        send(LECreateConnectionCancel(), then: .connecting(.cancel))
    }

    /// Gives up on a peer that is silent for too long.
    mutating func advanceInitiator() {
        guard let deadline = initiator.deadline, deadline <= now else { return }
        if case .cancelling(let reason) = initiator.state { return endConnecting(reason) }
        giveUpConnecting(.timedOut)
    }

    /// Takes the answer to a command of the initiator.
    mutating func finish(_ step: InitiatorStep, _ reply: CommandReply) {
        switch (step, initiator.state, reply.failure) {
        case (.create, .asking, nil):
            initiator.state = .connecting
        case (.create, .asking, .some(let failure)):
            // Controllers need not scan and make a connection at the same time.
            if reply.status == .commandDisallowed, scanner.isOn, !scanner.isPausedForConnecting {
                if let current = initiator.current { initiator.waiting.insert(current, at: 0) }
                initiator.current = nil
                initiator.state = .idle
                initiator.deadline = nil
                scanner.isPausedForConnecting = true
                return continueScanning()
            }
            endConnecting(failure)
        case (.create, .cancelling(let reason), .some): endConnecting(reason)
        default: break
        }
    }

    /// Takes the end of the connection under way, without a connection.
    mutating func endConnecting(_ failure: LEHostFailure) {
        guard let request = initiator.current else { return }
        finishInitiator()
        emit(.connectionFailed(request.peer, failure))
        continueAfterConnecting()
    }

    /// Takes down that the initiator has nothing to do.
    mutating func finishInitiator() {
        initiator.current = nil
        initiator.state = .idle
        initiator.deadline = nil
    }

    /// Does what had to wait for the initiator.
    mutating func continueAfterConnecting() {
        continueCentralAddress()
        continueConnecting()
        continueAdvertising()
    }

    private mutating func resumeScanning() {
        guard initiator.current == nil, scanner.isPausedForConnecting else { return }
        scanner.isPausedForConnecting = false
        continueScanning()
    }
}
