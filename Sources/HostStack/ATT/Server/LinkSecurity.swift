// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// The security properties of a link that attributes can require (Core 5.4, Vol 3, Part C, 10.3).
package struct LinkSecurity: Hashable, Sendable {
    /// Whether the link is encrypted.
    package var isEncrypted: Bool
    /// Whether its key was made with protection against a machine in the middle.
    package var isAuthenticated: Bool
    /// Whether the peer is authorized.
    package var isAuthorized: Bool
    /// Whether there is a key, so that the link could be encrypted at once.
    package var hasKey: Bool
    /// The length of the key, in bytes.
    package var keySize: UInt8

    /// A link between devices that have not paired.
    package static let open = LinkSecurity()

    /// The security of a link; by default none.
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

    /// The error for a link that does not offer what is required; `nil` if it does (Core 5.4, Vol 3, Part C, 10.3.1).
    package func refusal(of required: AttributeSecurity, minimumKeySize: UInt8 = 7) -> ATTError? {
        if required.contains(.authorization), !isAuthorized { return .insufficientAuthorization }
        guard !required.isDisjoint(with: [.encryption, .authentication]) else { return nil }
        guard isEncrypted else { return hasKey ? .insufficientEncryption : .insufficientAuthentication }
        if required.contains(.authentication), !isAuthenticated { return .insufficientAuthentication }
        return keySize < minimumKeySize ? .encryptionKeySizeTooShort : nil
    }

    /// The error for reading an attribute over the link; `nil` if that is allowed.
    func refusalToRead(_ attribute: Attribute) -> ATTError? {
        guard attribute.isReadable else { return .readNotPermitted }
        return refusal(of: attribute.permissions.read, minimumKeySize: attribute.permissions.minimumKeySize)
    }

    /// The error for writing an attribute over the link; `nil` if that is allowed.
    func refusalToWrite(_ attribute: Attribute) -> ATTError? {
        guard attribute.isWritable else { return .writeNotPermitted }
        return refusal(of: attribute.permissions.write, minimumKeySize: attribute.permissions.minimumKeySize)
    }
}
