// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI

extension CommandTable {
    /// Encryption (Core 5.4, Vol 4, Part E, 7.8.24 to 7.8.26).
    static var encryptionCommands: [CommandHandler] {
        [
            .starting(LEEnableEncryption.self) { air, controller, command throws(HCIStatus) in
                let (index, side) = try air.link(of: command, controller)
                guard side == .central else { throw .commandDisallowed }
                let isRefresh = air.links[index].encryption == .on
                guard isRefresh || air.links[index].encryption == .off else { throw .commandDisallowed }
                air.links[index].encryption = .requested(
                    LongTermKeyQuestion(
                        random: command.randomNumber, diversifier: command.encryptedDiversifier,
                        key: command.longTermKey.bytes, isRefresh: isRefresh))
                air.scheduleLink(index)
            },
            .returning(
                LELongTermKeyRequestReply.self,
                { air, controller, command throws(HCIStatus) in
                    try air.checkKeyIsAwaited(command, controller)
                    return .init(connectionHandle: command.connectionHandle)
                },
                then: { air, controller, command in
                    guard let (index, _) = air.findLink(command.connectionHandle, of: controller) else { return }
                    air.answerKey(index, command.longTermKey.bytes)
                    air.scheduleLink(index)
                }),
            .returning(
                LELongTermKeyRequestNegativeReply.self,
                { air, controller, command throws(HCIStatus) in
                    try air.checkKeyIsAwaited(command, controller)
                    return .init(connectionHandle: command.connectionHandle)
                },
                then: { air, controller, command in
                    guard let (index, _) = air.findLink(command.connectionHandle, of: controller) else { return }
                    air.refuseKey(index)
                    air.scheduleLink(index)
                }),
        ]
    }

    /// LE Secure Connections, for hosts that do not reckon themselves (Core 5.4, Vol 4, Part E, 7.8.36 and 7.8.37).
    static var keyAgreementCommands: [CommandHandler] {
        [
            .starting(LEReadLocalP256PublicKey.self) { air, controller, _ in
                air.controllers[controller].host.secret = KeyAgreement.makeSecret(from: &air.numbers)
            } then: { air, controller, _ in
                guard let secret = air.controllers[controller].host.secret else { return }
                let (x, y) = KeyAgreement.point(of: secret)
                air.emit(LEReadLocalP256PublicKeyComplete(keyXCoordinate: x, keyYCoordinate: y), to: controller)
            },
            .starting(LEGenerateDHKey.self) { air, controller, _ throws(HCIStatus) in
                guard air.controllers[controller].host.secret != nil else { throw .commandDisallowed }
            } then: { air, controller, command in
                guard let secret = air.controllers[controller].host.secret else { return }
                air.tellShared(secret, command.keyXCoordinate, command.keyYCoordinate, to: controller)
            },
            .starting(LEGenerateDHKeyVersion2.self) { air, controller, command throws(HCIStatus) in
                guard command.keyType <= 1 else { throw .invalidCommandParameters }
                guard command.keyType == 1 || air.controllers[controller].host.secret != nil else {
                    throw .commandDisallowed
                }
            } then: { air, controller, command in
                let own = air.controllers[controller].host.secret
                guard let secret = command.keyType == 1 ? KeyAgreement.debugSecret : own else { return }
                air.tellShared(secret, command.keyXCoordinate, command.keyYCoordinate, to: controller)
            },
        ]
    }
}

extension Air {
    /// What is shared with the peer of this public key, or that the key is none.
    fileprivate mutating func tellShared(
        _ secret: KeyAgreement.Secret, _ x: Octets<32>, _ y: Octets<32>, to controller: Int
    ) {
        let shared = KeyAgreement.shared(secret, x, y)
        emit(
            shared.map { LEGenerateDHKeyComplete(dhKey: $0) }
                ?? LEGenerateDHKeyComplete(
                    status: .invalidCommandParameters, dhKey: Octets(padding: [UInt8](repeating: 0xFF, count: 32))),
            to: controller)
    }

    fileprivate func checkKeyIsAwaited(_ command: some ConnectionCommand, _ controller: Int) throws(HCIStatus) {
        let (index, side) = try link(of: command, controller)
        guard side == .peripheral, case .asked = links[index].encryption else { throw .commandDisallowed }
    }
}
