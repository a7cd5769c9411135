// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
package import BluetoothCore
import HCI

/// The parameters of a Pairing Request or a Pairing Response (Core 5.4, Vol 3, Part H, 3.5.1 and 3.5.2).
package struct PairingFeatures: WireCodable, Hashable {
    /// The input and output of the sender.
    package var inputOutput: InputOutputCapability
    /// 1 if the sender has out-of-band data of the receiver, else 0.
    package var outOfBandData: UInt8
    /// The authentication requirements of the sender.
    package var requirements: AuthenticationRequirements
    /// The longest key that the sender supports, in bytes: 7 to 16.
    package var maximumKeySize: UInt8
    /// The keys that the initiator distributes.
    package var initiatorKeys: KeyDistribution
    /// The keys that the responder distributes.
    package var responderKeys: KeyDistribution

    /// Features of these values.
    package init(
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

    package init(parsing reader: inout ByteReader) throws(WireError) {
        inputOutput = try InputOutputCapability(parsing: &reader)
        outOfBandData = try reader.readUInt8()
        requirements = try AuthenticationRequirements(parsing: &reader)
        maximumKeySize = try reader.readUInt8()
        initiatorKeys = try KeyDistribution(parsing: &reader)
        responderKeys = try KeyDistribution(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
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
package struct InputOutputCapability: HCICode {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A display for six digits.
    package static let displayOnly = InputOutputCapability(rawValue: 0)
    /// A display for six digits, and yes and no.
    package static let displayYesNo = InputOutputCapability(rawValue: 1)
    /// A keyboard for six digits.
    package static let keyboardOnly = InputOutputCapability(rawValue: 2)
    /// No input and no output.
    package static let noInputNoOutput = InputOutputCapability(rawValue: 3)
    /// A display and a keyboard for six digits.
    package static let keyboardDisplay = InputOutputCapability(rawValue: 4)

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
    package static let bonding = AuthenticationRequirements(rawValue: 0x01)
    /// Protection against a machine in the middle.
    package static let protection = AuthenticationRequirements(rawValue: 0x04)
    /// LE Secure Connections.
    package static let secureConnections = AuthenticationRequirements(rawValue: 0x08)
    /// Keypress notifications.
    package static let keypress = AuthenticationRequirements(rawValue: 0x10)
    /// The function h7 is supported.
    package static let crossTransportFunction = AuthenticationRequirements(rawValue: 0x20)

    /// Whether the two bonding bits request bonding.
    var wantsBonding: Bool { rawValue & 0x03 == 0x01 }
}

/// The keys that a device distributes over the encrypted link (Core 5.4, Vol 3, Part H, 3.6.1).
package struct KeyDistribution: HCIFlags {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The long term key of legacy pairing.
    package static let encryption = KeyDistribution(rawValue: 0x01)
    /// The key that resolves private addresses, and the identity address.
    package static let identity = KeyDistribution(rawValue: 0x02)
    /// The key that signs data.
    package static let signing = KeyDistribution(rawValue: 0x04)
    /// The key of BR/EDR, derived from the long term key.
    package static let link = KeyDistribution(rawValue: 0x08)
}
