// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI

extension LEHost {
    /// Encrypts a link, as its central.
    mutating func encrypt(at index: Int, _ key: Bond.Key, _ source: LinkKey) {
        connections[index].keyInUse = source
        connections[index].isEncrypting = request(
            LEEnableEncryption(
                connectionHandle: connections[index].handle, randomNumber: key.name.randomNumber,
                encryptedDiversifier: key.name.encryptedDiversifier, longTermKey: key.value),
            then: .connection(connections[index].link.id, .encryption))
        if !connections[index].isEncrypting {
            receiveEncryptionFailure(.memoryCapacityExceeded, at: index)
        }
    }

    /// A central encrypts: gives the controller the key that is meant.
    mutating func receive(_ event: LELongTermKeyRequest) {
        guard let index = index(of: event.connectionHandle) else { return }
        let name = KeyName(encryptedDiversifier: event.encryptedDiversifier, randomNumber: event.randomNumber)
        let identifier = connections[index].link.id
        guard let key = longTermKey(name, at: index) else {
            _ = request(
                LELongTermKeyRequestNegativeReply(connectionHandle: event.connectionHandle),
                then: .connection(identifier, .longTermKey))
            return emit(.encryptionFailed(identifier, .keyMissing))
        }
        _ = request(
            LELongTermKeyRequestReply(connectionHandle: event.connectionHandle, longTermKey: key),
            then: .connection(identifier, .longTermKey))
    }

    private mutating func longTermKey(_ name: KeyName, at index: Int) -> Octets<16>? {
        if name == .none, let key = connections[index].securityManager.keyForLink {
            connections[index].keyInUse = .pairing
            return key
        }
        guard let bond = bond(named: name, at: index), let key = bond.peripheralKey else { return nil }
        connections[index].link.identity = bond.peer
        connections[index].keyInUse = .bond(bond.peer)
        return key.value
    }

    /// The bond whose key a central means: its own; or, where its address says nothing, the one of that name.
    private func bond(named name: KeyName, at index: Int) -> Bond? {
        let link = connections[index].link
        if let identity = link.identity {
            let own = bond(of: identity, for: link.advertisingSet)
            return own?.peripheralKey?.name == name ? own : nil
        }
        guard name != .none else { return nil }
        return scope(of: link.advertisingSet)?.bonds.first { $0.peripheralKey?.name == name }
    }

    /// Takes the beginning, the failure or the end of encryption.
    mutating func receive(_ event: EncryptionChange) {
        guard let index = index(of: event.connectionHandle) else { return }
        guard event.status == .success else { return receiveEncryptionFailure(event.status, at: index) }
        guard event.encryptionEnabled != 0 else {
            return setSecurity(LinkSecurity(hasKey: connections[index].link.identity != nil), at: index)
        }
        receiveEncryption(at: index)
    }

    /// Takes the word that an encrypted link has another key.
    mutating func receive(_ event: EncryptionKeyRefreshComplete) {
        guard let index = index(of: event.connectionHandle) else { return }
        guard event.status == .success else { return receiveEncryptionFailure(event.status, at: index) }
        receiveEncryption(at: index)
    }

    private mutating func receiveEncryption(at index: Int) {
        let link = connections[index].link
        let now = now
        connections[index].isEncrypting = false
        switch connections[index].keyInUse {
        case .pairing:
            setSecurity(connections[index].securityManager.securityOfLink ?? link.security, at: index)
            let outputs = connections[index].securityManager.receiveEncryption(at: now, random: &random)
            perform(outputs, of: link.id)
        case .bond(let peer):
            connections[index].securityManager.endRequest()
            guard let bond = self.bond(of: peer, for: link.advertisingSet) else { return }
            let isNew = !link.security.isEncrypted
            setSecurity(bond.security, at: index)
            guard isNew else { return }
            let outputs = connections[index].bearer.withServer { $0.restore(bond.client, at: now) }
            perform(outputs, of: link.id)
        case nil: setSecurity(LinkSecurity(isEncrypted: true), at: index)
        }
    }

    private mutating func setSecurity(_ security: LinkSecurity, at index: Int) {
        connections[index].link.security = security
        connections[index].bearer.setSecurity(security)
        emit(.securityChanged(connections[index].link.id, security))
    }

    /// Takes the word that a link could not be encrypted.
    mutating func receiveEncryptionFailure(_ status: HCIStatus, at index: Int) {
        let link = connections[index].link
        connections[index].isEncrypting = false
        switch connections[index].keyInUse {
        case .pairing: perform(connections[index].securityManager.abandon(.encryption(status)), of: link.id)
        case .bond(let peer):
            connections[index].keyInUse = nil
            let bond = self.bond(of: peer, for: link.advertisingSet)
            if status == .pinOrKeyMissing, let bond {
                emit(.encryptionFailed(link.id, .bondRejected(bond)))
            } else {
                emit(.encryptionFailed(link.id, .controller(status)))
            }
        case nil: emit(.encryptionFailed(link.id, .controller(status)))
        }
    }
}
