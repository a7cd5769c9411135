// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

// MARK: - One procedure an event

extension Air {
    /// Settles the oldest of what the controllers have to settle.
    mutating func runProcedure(_ index: Int, atEvent number: Int64) {
        if case .requested(let question) = links[index].encryption { return askForKey(index, question) }
        if case .requested(let side, let parameters) = links[index].update {
            return negotiate(index, by: side, parameters, atEvent: number)
        }
        switch links[index].procedures.removeFirst() {
        case .dataLength: settleDataLength(index)
        case .features(let side): tellFeatures(index, to: side)
        case .version(let side): tellVersion(index, to: side)
        case .physical(let side, let transmit, let receive):
            settlePHY(index, by: side, transmit: transmit, receive: receive)
        }
    }

    private mutating func tellFeatures(_ index: Int, to side: LinkSide) {
        let end = links[index][side]
        emit(
            LEReadRemoteFeaturesComplete(connectionHandle: ConnectionHandle(end.handle), features: Controller.features),
            to: end.controller)
    }

    private mutating func tellVersion(_ index: Int, to side: LinkSide) {
        let end = links[index][side]
        emit(
            ReadRemoteVersionInformationComplete(
                connectionHandle: ConnectionHandle(end.handle), version: Controller.version,
                companyIdentifier: Controller.company, subversion: Controller.subversion), to: end.controller)
    }

    /// Data length update (Core 5.4, Vol 6, Part B, 5.1.9): hosts hear of it when something changed for them.
    private mutating func settleDataLength(_ index: Int) {
        let before = [links[index][.central].dataLength, links[index][.peripheral].dataLength]
        for side in [LinkSide.central, .peripheral] {
            let wanted = links[index][side].wantedDataLength
            links[index][side].dataLength = DataLength(
                octets: min(wanted.octets, DataLength.supported.octets),
                time: min(wanted.time, DataLength.supported.time))
        }
        let after = [links[index][.central].dataLength, links[index][.peripheral].dataLength]
        guard before != after else { return }
        for side in [LinkSide.central, .peripheral] {
            let transmit = links[index][side].dataLength
            let receive = links[index][side.other].dataLength
            emit(
                LEDataLengthChange(
                    connectionHandle: ConnectionHandle(links[index][side].handle),
                    maximumTransmitOctets: transmit.octets, maximumTransmitTime: Microseconds(UInt32(transmit.time)),
                    maximumReceiveOctets: receive.octets, maximumReceiveTime: Microseconds(UInt32(receive.time))),
                to: links[index][side].controller)
        }
    }

    /// PHY update (Core 5.4, Vol 6, Part B, 5.1.10): the fastest that both like, each way; none in common, no change.
    private mutating func settlePHY(_ index: Int, by side: LinkSide, transmit: UInt8, receive: UInt8) {
        let peer = controllers[links[index][side.other].controller].host
        let before = [links[index][side].transmitPHY, links[index][side.other].transmitPHY]
        if let phy = Self.fastestPHY(transmit & peer.receivePHYs) { links[index][side].transmitPHY = phy }
        if let phy = Self.fastestPHY(receive & peer.transmitPHYs) { links[index][side.other].transmitPHY = phy }
        let changed = before != [links[index][side].transmitPHY, links[index][side.other].transmitPHY]
        tellPHY(index, to: side)
        if changed { tellPHY(index, to: side.other) }
    }

    private static func fastestPHY(_ common: UInt8) -> UInt8? {
        if common & 0x02 != 0 { return 2 }
        return common & 0x01 != 0 ? 1 : nil
    }

    private mutating func tellPHY(_ index: Int, to side: LinkSide) {
        let end = links[index][side]
        emit(
            LEPHYUpdateComplete(
                connectionHandle: ConnectionHandle(end.handle), transmitPHY: PHY(rawValue: end.transmitPHY),
                receivePHY: PHY(rawValue: links[index][side.other].transmitPHY)), to: end.controller)
    }
}

// MARK: - Connection parameters

extension Air {
    /// Connection parameters request (Core 5.4, Vol 6, Part B, 5.1.7): the other host decides.
    ///
    /// Where its host masks the event, a peer rejects the request as an unsupported feature; a central that is rejected so
    /// has its way by the connection update procedure.
    private mutating func negotiate(
        _ index: Int, by side: LinkSide, _ parameters: ConnectionParameters, atEvent number: Int64
    ) {
        let peer = links[index][side.other]
        let masks = controllers[peer.controller].host.masks
        guard masks.allows(lowEnergy: LERemoteConnectionParameterRequest.subeventCode) else {
            if side == .central { return scheduleUpdate(index, by: side, parameters, afterEvent: number) }
            return rejectUpdate(index, by: side, .unsupportedRemoteFeature)
        }
        links[index].update = .asked(side, parameters, deadline: now + Link.responseTimeout)
        emit(
            LERemoteConnectionParameterRequest(
                connectionHandle: ConnectionHandle(peer.handle),
                minimumConnectionInterval: ConnectionInterval(UInt32(parameters.minimumInterval)),
                maximumConnectionInterval: ConnectionInterval(UInt32(parameters.maximumInterval)),
                maximumLatency: parameters.latency,
                supervisionTimeout: SupervisionTimeout(UInt32(parameters.supervisionTimeout))), to: peer.controller)
    }

    /// The peer rejects a connection parameters request: nothing changes, and the host that asked gets the reason.
    mutating func rejectUpdate(_ index: Int, by side: LinkSide, _ reason: HCIStatus) {
        links[index].update = nil
        tellParameters(index, to: side, status: reason)
    }

    /// Connection update with its instant (Core 5.4, Vol 6, Part B, 5.1.1).
    mutating func scheduleUpdate(
        _ index: Int, by side: LinkSide, _ parameters: ConnectionParameters, afterEvent number: Int64
    ) {
        let distance = configuration.timing == .immediate ? 0 : Link.instantDistance
        links[index].update = .scheduled(side, parameters, instant: number + distance)
        if distance == 0 { applyUpdate(index, atEvent: number) }
    }

    /// Takes new parameters when their instant has come.
    mutating func applyUpdate(_ index: Int, atEvent number: Int64) {
        guard case .scheduled(let side, let parameters, let instant) = links[index].update, number >= instant else {
            return
        }
        links[index].update = nil
        let before = links[index].parameters
        links[index].anchor = now
        links[index].anchorEvent = number
        links[index].interval = parameters.minimumInterval
        links[index].latency = parameters.latency
        links[index].supervisionTimeout = parameters.supervisionTimeout
        tellParameters(index, to: side)
        if links[index].parameters != before { tellParameters(index, to: side.other) }
    }

    /// LE Connection Update Complete, with what is in force.
    mutating func tellParameters(_ index: Int, to side: LinkSide, status: HCIStatus = .success) {
        emit(
            LEConnectionUpdateComplete(
                status: status, connectionHandle: ConnectionHandle(links[index][side].handle),
                connectionInterval: ConnectionInterval(UInt32(links[index].interval)),
                peripheralLatency: links[index].latency,
                supervisionTimeout: SupervisionTimeout(UInt32(links[index].supervisionTimeout))),
            to: links[index][side].controller)
    }
}

// MARK: - Encryption

extension Air {
    /// Encryption start (Core 5.4, Vol 6, Part B, 5.1.3.1): the peripheral's host is asked for the key.
    private mutating func askForKey(_ index: Int, _ question: LongTermKeyQuestion) {
        let peripheral = links[index][.peripheral]
        let masks = controllers[peripheral.controller].host.masks
        guard masks.allows(lowEnergy: LELongTermKeyRequest.subeventCode) else { return refuseKey(index) }
        links[index].encryption = .asked(question, deadline: now + Link.responseTimeout)
        emit(
            LELongTermKeyRequest(
                connectionHandle: ConnectionHandle(peripheral.handle), randomNumber: question.random,
                encryptedDiversifier: question.diversifier), to: peripheral.controller)
    }

    /// The peripheral's host has the key, or another: what is enciphered with that cannot be read, and the message
    /// integrity check that fails ends the connection at once. A central on a radio may also notice by its supervision
    /// timeout only; here it hears the reason.
    mutating func answerKey(_ index: Int, _ key: [UInt8]) {
        guard case .asked(let question, _) = links[index].encryption else { return }
        guard key == question.key else { return closeBoth(index, reason: .connectionTerminatedMICFailure) }
        links[index].encryption = .on
        for side in [LinkSide.central, .peripheral] {
            let handle = ConnectionHandle(links[index][side].handle)
            if question.isRefresh {
                emit(EncryptionKeyRefreshComplete(connectionHandle: handle), to: links[index][side].controller)
            } else {
                emit(
                    EncryptionChange(connectionHandle: handle, encryptionEnabled: 1),
                    to: links[index][side].controller)
            }
        }
    }

    /// The peripheral's host has no key. A link that was encrypted already does not outlive that.
    mutating func refuseKey(_ index: Int) {
        switch links[index].encryption {
        case .requested(let question), .asked(let question, _):
            if question.isRefresh { return closeBoth(index, reason: .pinOrKeyMissing) }
        case .off, .on: return
        }
        links[index].encryption = .off
        let central = links[index][.central]
        emit(
            EncryptionChange(
                status: .pinOrKeyMissing, connectionHandle: ConnectionHandle(central.handle), encryptionEnabled: 0),
            to: central.controller)
    }
}
