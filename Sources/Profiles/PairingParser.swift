// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import Devices

extension PairingSettings {
    /// Reads the `pairing` mapping of a beacon; `nil` when a value has a fault. Faults are added to the reader.
    init?(from reader: inout ProfileReader) {
        self.init()
        inputOutput = reader.value("io", Self.choice) ?? .none
        passkey = reader.value("passkey", ValueText.passkey)
        comparison = reader.value("comparison", Self.choice) ?? .ask
        isBonding = reader.value("bonding", ValueText.boolean) ?? true
        requiresAuthentication = reader.value("mitm", ValueText.boolean) ?? false
        secureConnections = reader.value("secure-connections", Self.choice) ?? .preferred
        minimumKeySize = reader.value("minimum-key-size", Self.keySize) ?? 7
        hidesAddress = reader.value("private-address", ValueText.boolean) ?? false
        asksOnConnection = reader.value("request", ValueText.boolean) ?? false
        // A combination is checked only if each of its values is valid.
        guard reader.faults.isEmpty else { return nil }
        checkCombinations(&reader)
    }

    /// Checks combinations of values that are valid on their own.
    private func checkCombinations(_ reader: inout ProfileReader) {
        func add(_ message: String, _ key: String) { reader.add(message, field: key, at: reader.place(of: key)) }
        if inputOutput == .none, passkey != nil {
            add(
                "a device with io: none neither shows nor accepts a passkey; write io: display or io: keyboard",
                "passkey")
        }
        if inputOutput == .none, requiresAuthentication {
            add("a device with io: none cannot be protected against a person in the middle; write io: display", "mitm")
        }
        let compares = [.displayYesNo, .keyboardDisplay].contains(inputOutput)
        if comparison != .ask, !compares || secureConnections == .off {
            add(
                "numbers are compared only with secure connections and io: display-yes-no or keyboard-display; leave "
                    + "comparison out", "comparison")
        }
    }

    private static func choice<Choice: RawRepresentable & CaseIterable>(
        _ text: String
    ) throws(ValueFault) -> Choice where Choice.RawValue == String {
        try ValueText.choice(text, of: Choice.self)
    }

    private static func keySize(_ text: String) throws(ValueFault) -> UInt8 {
        guard let octets = UInt8(text), keySizeRange.contains(octets) else {
            throw ValueFault("\"\(text)\" is not a key size from 7 to 16 bytes")
        }
        return octets
    }
}

extension ValueShape {
    /// Six digits.
    package static let passkey = ValueShape.pattern("[0-9]{6}", looksLike: .digits)
    /// The size of a key, in bytes.
    package static let keySize = ValueShape.integer(
        Int(PairingSettings.keySizeRange.lowerBound)...Int(PairingSettings.keySizeRange.upperBound))
}

extension ValueText {
    /// Six digits.
    package static func passkey(_ text: String) throws(ValueFault) -> UInt32 {
        guard text.utf8.count == 6, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            let passkey = UInt32(text)
        else { throw ValueFault("\"\(text)\" is not a passkey; write six digits, such as 123456") }
        return passkey
    }

    /// Six digits, with leading zeros.
    package static func digits(of passkey: UInt32) -> String {
        let digits = "\(passkey)"
        return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }
}
