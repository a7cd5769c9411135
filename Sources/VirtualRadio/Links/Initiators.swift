// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// A controller that initiates a connection.
struct Initiator: Sendable {
    let receiver: Receiver
    let ownAddress: PackedAddress
    /// The advertiser to connect to; `nil` for any advertiser on the filter accept list.
    let peer: PackedAddress?
    let parameters: LinkParameters

    var controller: Int { receiver.controller }
}

/// The initiating state of all controllers (Core 5.4, Vol 6, Part B, 4.4.4).
struct Initiators: Sendable {
    /// The controllers that initiate: few, and searched in each connectable advertising event.
    private var initiators: [Initiator] = []

    /// Whether no controller initiates.
    var isEmpty: Bool { initiators.isEmpty }

    func isInitiating(_ controller: Int) -> Bool { initiators.contains { $0.controller == controller } }

    func usesAcceptList(_ controller: Int) -> Bool {
        initiators.contains { $0.controller == controller && $0.peer == nil }
    }

    mutating func stop(_ controller: Int) { initiators.removeAll { $0.controller == controller } }

    /// Removes and returns the first initiator that receives an event of a connectable set and requests a connection (Core
    /// 5.4, Vol 6, Part B, 4.3.5).
    ///
    /// A request to an extended advertiser that refuses it gets no AUX_CONNECT_RSP: the initiator continues as if it had not
    /// sent the request. A legacy advertiser may still refuse the returned initiator.
    mutating func takeRequest(
        to set: Int, _ advertising: inout AdvertisingSets, _ medium: inout Medium, _ links: inout Links,
        _ context: inout AirContext
    ) -> Initiator? {
        let event = advertising[set].event
        for place in initiators.indices {
            guard medium.rssi(of: event, at: initiators[place].receiver, now: context.now) != nil,
                requests(initiators[place], set, &advertising, &links, &context)
            else { continue }
            return initiators.remove(at: place)
        }
        return nil
    }

    private func requests(
        _ initiator: Initiator, _ set: Int, _ advertising: inout AdvertisingSets, _ links: inout Links,
        _ context: inout AirContext
    ) -> Bool {
        let properties = advertising[set].properties
        if properties.contains(.directed), advertising[set].target != initiator.ownAddress { return false }
        if let peer = initiator.peer {
            guard peer == advertising[set].address else { return false }
        } else if !context.controllers.accepts(advertising[set].address, on: initiator.controller) {
            return false
        }
        guard links.canAdd(to: initiator.controller) else { return false }
        return properties.contains(.legacy)
            || advertising.acceptsConnection(from: initiator.ownAddress, to: set, context.controllers)
                && links.canAdd(to: advertising[set].controller)
    }

    fileprivate mutating func start(_ initiator: Initiator) { initiators.append(initiator) }
}

/// The result of an attempt to connect, as events report it.
struct ConnectionOutcome {
    var status = HCIStatus.success
    var handle = ConnectionHandle(0)
    var role: ConnectionRole
    var peer = PackedAddress.zero
    /// In units of 1.25 ms.
    var interval: UInt16 = 0
    var latency: UInt16 = 0
    /// In units of 10 ms.
    var supervisionTimeout: UInt16 = 0
}

extension Controllers {
    /// Reports an attempt to connect: by the enhanced event if the host has enabled it, else by the other.
    mutating func emit(_ outcome: ConnectionOutcome, to controller: Int) {
        let type = AddressType(rawValue: outcome.peer.type)
        let interval = ConnectionInterval(UInt32(outcome.interval))
        let timeout = SupervisionTimeout(UInt32(outcome.supervisionTimeout))
        if allows(LEEnhancedConnectionComplete.self, to: controller) {
            emit(
                LEEnhancedConnectionComplete(
                    status: outcome.status, connectionHandle: outcome.handle, role: outcome.role, peerAddressType: type,
                    peerAddress: outcome.peer.address, connectionInterval: interval,
                    peripheralLatency: outcome.latency, supervisionTimeout: timeout), to: controller)
        } else {
            emit(
                LEConnectionComplete(
                    status: outcome.status, connectionHandle: outcome.handle, role: outcome.role, peerAddressType: type,
                    peerAddress: outcome.peer.address, connectionInterval: interval,
                    peripheralLatency: outcome.latency, supervisionTimeout: timeout), to: controller)
        }
    }
}

// MARK: - Commands

extension CommandTable {
    /// Creating connections (Core 5.4, Vol 4, Part E, 7.8.12, 7.8.13 and 7.8.66).
    static var initiatingCommands: [CommandHandler] {
        [
            CommandHandler.starting(LECreateConnection.self) { air, controller, command throws(HCIStatus) in
                guard command.scanInterval <= ScanTime(0x4000) else { throw .invalidCommandParameters }
                try air.startInitiating(controller, InitiatingRequest(command), isExtended: false)
            }.of(.legacy),
            CommandHandler.starting(LEExtendedCreateConnection.self) { air, controller, command throws(HCIStatus) in
                let parameters = try mandatoryPHY(command.initiatingPHYs, command.parameters)
                // Parameters of LE 2M, which is not scanned, are for connections that start on it.
                guard command.parameters.dropFirst().allSatisfy({ LinkParameters($0).isValid }) else {
                    throw .invalidCommandParameters
                }
                try air.startInitiating(controller, InitiatingRequest(command, parameters), isExtended: true)
            }.of(.extended),
            .completing(
                LECreateConnectionCancel.self,
                { air, controller, _ throws(HCIStatus) in
                    guard air.initiators.isInitiating(controller) else { throw .commandDisallowed }
                },
                then: { air, controller, _ in
                    air.initiators.stop(controller)
                    air.context.controllers.emit(
                        ConnectionOutcome(status: .unknownConnectionIdentifier, role: .central), to: controller)
                }),
        ]
    }
}

/// The common parameters of both commands for connecting.
private struct InitiatingRequest {
    let scanInterval: ScanTime
    let scanWindow: ScanTime
    let policy: InitiatorFilterPolicy
    let peerType: AddressType
    let peer: BluetoothAddress
    let own: OwnAddressType
    let parameters: LinkParameters

    init(_ command: LECreateConnection) {
        scanInterval = command.scanInterval
        scanWindow = command.scanWindow
        policy = command.initiatorFilterPolicy
        peerType = command.peerAddressType
        peer = command.peerAddress
        own = command.ownAddressType
        parameters = LinkParameters(
            command.minimumConnectionInterval, command.maximumConnectionInterval, command.maximumLatency,
            command.supervisionTimeout, command.maximumEventLength)
    }

    init(_ command: LEExtendedCreateConnection, _ first: LEExtendedCreateConnection.Parameters) {
        scanInterval = first.scanInterval
        scanWindow = first.scanWindow
        policy = command.initiatorFilterPolicy
        peerType = command.peerAddressType
        peer = command.peerAddress
        own = command.ownAddressType
        parameters = LinkParameters(first)
    }

    func check() throws(HCIStatus) {
        guard policy.rawValue <= 1, own.rawValue <= 3, policy == .filterAcceptList || peerType.rawValue <= 3,
            parameters.isValid
        else { throw .invalidCommandParameters }
        try CommandTable.checkScanTimes(interval: scanInterval, window: scanWindow)
    }
}

extension LinkParameters {
    fileprivate init(_ parameters: LEExtendedCreateConnection.Parameters) {
        self.init(
            parameters.minimumConnectionInterval, parameters.maximumConnectionInterval, parameters.maximumLatency,
            parameters.supervisionTimeout, parameters.maximumEventLength)
    }
}

extension Air {
    fileprivate mutating func startInitiating(
        _ controller: Int, _ request: InitiatingRequest, isExtended: Bool
    ) throws(HCIStatus) {
        guard !initiators.isInitiating(controller) else { throw .commandDisallowed }
        try request.check()
        guard let own = context.controllers.ownAddress(of: controller, isRandom: request.own.isRandom) else {
            throw .invalidCommandParameters
        }
        guard links.canAdd(to: controller) else { throw .connectionLimitExceeded }
        let peer = PackedAddress(onAir: request.peer, type: request.peerType)
        let usesList = request.policy == .filterAcceptList
        guard usesList || !links.isConnected(controller, to: peer) else { throw .connectionAlreadyExists }
        let receiver = Receiver(
            controller: controller, isExtended: isExtended, start: now,
            interval: Int64(request.scanInterval.count) * 625, window: Int64(request.scanWindow.count) * 625)
        initiators.start(
            Initiator(
                receiver: receiver, ownAddress: own, peer: usesList ? nil : peer, parameters: request.parameters))
    }
}
