// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// What a link offers of what attributes may ask for (Core 5.4, Vol 3, Part C, 10.3).
package struct LinkSecurity: Hashable, Sendable {
    /// Whether it is encrypted.
    package var isEncrypted: Bool
    /// Whether its key was made with protection against a person in the middle.
    package var isAuthenticated: Bool
    /// Whether the peer has been allowed what needs authorization.
    package var isAuthorized: Bool
    /// Whether there is a key, so that it could be encrypted at once.
    package var hasKey: Bool
    /// The length of the key, in octets.
    package var keySize: UInt8

    /// A link that nobody has paired over.
    package static let open = LinkSecurity()

    /// A link that offers nothing unless it is said.
    package init(
        isEncrypted: Bool = false, isAuthenticated: Bool = false, isAuthorized: Bool = false, hasKey: Bool = false,
        keySize: UInt8 = 16
    ) {
        self.isEncrypted = isEncrypted
        self.isAuthenticated = isAuthenticated
        self.isAuthorized = isAuthorized
        self.hasKey = hasKey
        self.keySize = keySize
    }

    /// Why the link is not good enough; `nil` when it is (Core 5.4, Vol 3, Part C, 10.3.1).
    package func refusal(of needed: AttributeSecurity, minimumKeySize: UInt8 = 7) -> ATTError? {
        if needed.contains(.authorization), !isAuthorized { return .insufficientAuthorization }
        guard !needed.isDisjoint(with: [.encryption, .authentication]) else { return nil }
        guard isEncrypted else { return hasKey ? .insufficientEncryption : .insufficientAuthentication }
        if needed.contains(.authentication), !isAuthenticated { return .insufficientAuthentication }
        return keySize < minimumKeySize ? .encryptionKeySizeTooShort : nil
    }

    /// Why an attribute cannot be read over the link; `nil` when it can.
    func refusalToRead(_ attribute: Attribute) -> ATTError? {
        guard attribute.isReadable else { return .readNotPermitted }
        return refusal(of: attribute.permissions.read, minimumKeySize: attribute.permissions.minimumKeySize)
    }

    /// Why an attribute cannot be written over the link; `nil` when it can.
    func refusalToWrite(_ attribute: Attribute) -> ATTError? {
        guard attribute.isWritable else { return .writeNotPermitted }
        return refusal(of: attribute.permissions.write, minimumKeySize: attribute.permissions.minimumKeySize)
    }
}
