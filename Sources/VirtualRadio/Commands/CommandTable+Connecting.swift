// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

extension CommandTable {
    /// Making connections (Core 5.4, Vol 4, Part E, 7.8.12, 7.8.13 and 7.8.66).
    static var connectingCommands: [CommandHandler] {
        [
            CommandHandler.starting(LECreateConnection.self) { air, controller, command throws(HCIStatus) in
                guard command.scanInterval <= ScanTime(0x4000) else { throw .invalidCommandParameters }
                try air.startInitiating(controller, InitiatingRequest(command), isExtended: false)
            }.of(.legacy),
            CommandHandler.starting(LEExtendedCreateConnection.self) { air, controller, command throws(HCIStatus) in
                let parameters = try mandatoryPHY(command.initiatingPHYs, command.parameters)
                // Those of 2M, on which nothing is scanned, are for connections that begin there.
                guard command.parameters.dropFirst().allSatisfy({ ConnectionParameters($0).isValid }) else {
                    throw .invalidCommandParameters
                }
                try air.startInitiating(controller, InitiatingRequest(command, parameters), isExtended: true)
            }.of(.extended),
            .completing(
                LECreateConnectionCancel.self,
                { air, controller, _ throws(HCIStatus) in
                    guard air.isInitiating(controller) else { throw .commandDisallowed }
                },
                then: { air, controller, _ in
                    air.stopInitiating(controller)
                    air.emitConnectionComplete(
                        .init(status: .unknownConnectionIdentifier, role: .central), to: controller)
                }),
        ]
    }
}

/// What both commands for connecting ask.
private struct InitiatingRequest {
    let scanInterval: ScanTime
    let scanWindow: ScanTime
    let policy: InitiatorFilterPolicy
    let peerType: AddressType
    let peer: BluetoothAddress
    let own: OwnAddressType
    let parameters: ConnectionParameters

    init(_ command: LECreateConnection) {
        scanInterval = command.scanInterval
        scanWindow = command.scanWindow
        policy = command.initiatorFilterPolicy
        peerType = command.peerAddressType
        peer = command.peerAddress
        own = command.ownAddressType
        parameters = ConnectionParameters(
            command.minimumConnectionInterval, command.maximumConnectionInterval, command.maximumLatency,
            command.supervisionTimeout)
    }

    init(_ command: LEExtendedCreateConnection, _ first: LEExtendedCreateConnection.Parameters) {
        scanInterval = first.scanInterval
        scanWindow = first.scanWindow
        policy = command.initiatorFilterPolicy
        peerType = command.peerAddressType
        peer = command.peerAddress
        own = command.ownAddressType
        parameters = ConnectionParameters(first)
    }

    func check() throws(HCIStatus) {
        guard policy.rawValue <= 1, own.rawValue <= 3, policy == .filterAcceptList || peerType.rawValue <= 3,
            parameters.isValid
        else { throw .invalidCommandParameters }
        try CommandTable.checkScanTimes(interval: scanInterval, window: scanWindow)
    }
}

extension ConnectionParameters {
    fileprivate init(_ parameters: LEExtendedCreateConnection.Parameters) {
        self.init(
            parameters.minimumConnectionInterval, parameters.maximumConnectionInterval, parameters.maximumLatency,
            parameters.supervisionTimeout)
    }

    /// The parameters of a command; what the wire carries fits.
    init(_ minimum: ConnectionInterval, _ maximum: ConnectionInterval, _ latency: UInt16, _ timeout: SupervisionTimeout)
    {
        self.init(
            minimumInterval: UInt16(truncatingIfNeeded: minimum.count),
            maximumInterval: UInt16(truncatingIfNeeded: maximum.count), latency: latency,
            supervisionTimeout: UInt16(truncatingIfNeeded: timeout.count))
    }
}

extension Air {
    fileprivate mutating func startInitiating(
        _ controller: Int, _ request: InitiatingRequest, isExtended: Bool
    ) throws(HCIStatus) {
        guard !isInitiating(controller) else { throw .commandDisallowed }
        try request.check()
        guard let own = ownAddress(of: controller, isRandom: request.own.isRandom) else {
            throw .invalidCommandParameters
        }
        let links = controllers[controller].host.links
        guard links.count < Controller.connectionLimit else { throw .connectionLimitExceeded }
        let peer = PackedAddress(onAir: request.peer, type: request.peerType)
        let usesList = request.policy == .filterAcceptList
        guard usesList || !links.contains(where: { isLink(Int($0), from: controller, to: peer) }) else {
            throw .connectionAlreadyExists
        }
        initiators.append(
            Initiator(
                controller: controller,
                schedule: ScanSchedule(
                    start: now, interval: Int64(request.scanInterval.count) * 625,
                    window: Int64(request.scanWindow.count) * 625),
                isExtended: isExtended, ownAddress: own, peer: usesList ? nil : peer, parameters: request.parameters))
    }

    private func isLink(_ index: Int, from controller: Int, to peer: PackedAddress) -> Bool {
        links[index][links[index].side(of: controller).other].address == peer
    }
}
