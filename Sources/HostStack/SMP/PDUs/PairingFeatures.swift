// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// The parameters of a Pairing Request or a Pairing Response (Core 5.4, Vol 3, Part H, 3.5.1 and 3.5.2).
package struct PairingFeatures: WireCodable, Hashable {
    /// The input and output of the sender.
    var inputOutput: InputOutputCapability
    /// 1 if the sender has out-of-band data of the receiver, else 0.
    var outOfBandData: UInt8
    /// The authentication requirements of the sender.
    var requirements: AuthenticationRequirements
    /// The longest key that the sender supports, in bytes: 7 to 16.
    var maximumKeySize: UInt8
    /// The keys that the initiator distributes.
    var initiatorKeys: KeyDistribution
    /// The keys that the responder distributes.
    var responderKeys: KeyDistribution

    /// Features of these values.
    init(
        inputOutput: InputOutputCapability, outOfBandData: UInt8 = 0, requirements: AuthenticationRequirements,
        maximumKeySize: UInt8 = 16, initiatorKeys: KeyDistribution, responderKeys: KeyDistribution
    ) {
        self.inputOutput = inputOutput
        self.outOfBandData = outOfBandData
        self.requirements = requirements
        self.maximumKeySize = maximumKeySize
        self.initiatorKeys = initiatorKeys
        self.responderKeys = responderKeys
    }

    init(parsing reader: inout ByteReader) throws(WireError) {
        inputOutput = try InputOutputCapability(parsing: &reader)
        outOfBandData = try reader.readUInt8()
        requirements = try AuthenticationRequirements(parsing: &reader)
        maximumKeySize = try reader.readUInt8()
        initiatorKeys = try KeyDistribution(parsing: &reader)
        responderKeys = try KeyDistribution(parsing: &reader)
    }

    func serialize(into writer: inout ByteWriter) {
        inputOutput.serialize(into: &writer)
        writer.write(outOfBandData)
        requirements.serialize(into: &writer)
        writer.write(maximumKeySize)
        initiatorKeys.serialize(into: &writer)
        responderKeys.serialize(into: &writer)
    }

    /// Whether every field has a value that the specification allows.
    var isAllowed: Bool { inputOutput.isKnown && outOfBandData <= 1 && 7...16 ~= maximumKeySize }
}

/// The code of a device's input and output in a Pairing Request or Response (Core 5.4, Vol 3, Part H, 2.3.2).
struct InputOutputCapability: HCICode {
    let rawValue: UInt8
    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A display for six digits.
    static let displayOnly = InputOutputCapability(rawValue: 0)
    /// A display for six digits, and yes and no.
    static let displayYesNo = InputOutputCapability(rawValue: 1)
    /// A keyboard for six digits.
    static let keyboardOnly = InputOutputCapability(rawValue: 2)
    /// No input and no output.
    static let noInputNoOutput = InputOutputCapability(rawValue: 3)
    /// A display and a keyboard for six digits.
    static let keyboardDisplay = InputOutputCapability(rawValue: 4)

    /// The code of a device's input and output.
    init(_ inputOutput: PairingSettings.InputOutput) {
        self =
            switch inputOutput {
            case .none: .noInputNoOutput
            case .display: .displayOnly
            case .displayYesNo: .displayYesNo
            case .keyboard: .keyboardOnly
            case .keyboardDisplay: .keyboardDisplay
            }
    }

    /// Whether the code is defined.
    var isKnown: Bool { rawValue <= 4 }
    /// Whether the user can enter six digits.
    var hasKeyboard: Bool { self == .keyboardOnly || self == .keyboardDisplay }
    /// Whether the user can compare numbers.
    var comparesNumbers: Bool { self == .displayYesNo || self == .keyboardDisplay }
}

/// The authentication requirements of a device (Core 5.4, Vol 3, Part H, 3.5.1, figure 3.3).
package struct AuthenticationRequirements: HCIFlags {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Bonding: keys are saved.
    static let bonding = AuthenticationRequirements(rawValue: 0x01)
    /// Protection against a machine in the middle.
    static let protection = AuthenticationRequirements(rawValue: 0x04)
    /// LE Secure Connections.
    static let secureConnections = AuthenticationRequirements(rawValue: 0x08)
    /// Keypress notifications.
    static let keypress = AuthenticationRequirements(rawValue: 0x10)
    /// The function h7 is supported.
    static let crossTransportFunction = AuthenticationRequirements(rawValue: 0x20)

    /// Whether the two bonding bits request bonding.
    var wantsBonding: Bool { rawValue & 0x03 == 0x01 }
}

/// The keys that a device distributes over the encrypted link (Core 5.4, Vol 3, Part H, 3.6.1).
struct KeyDistribution: HCIFlags {
    let rawValue: UInt8

    /// The long term key of legacy pairing.
    static let encryption = KeyDistribution(rawValue: 0x01)
    /// The key that resolves private addresses, and the identity address.
    static let identity = KeyDistribution(rawValue: 0x02)
    /// The key that signs data.
    static let signing = KeyDistribution(rawValue: 0x04)
    /// The key of BR/EDR, derived from the long term key.
    static let link = KeyDistribution(rawValue: 0x08)
}
