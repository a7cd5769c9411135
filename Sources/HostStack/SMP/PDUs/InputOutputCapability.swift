// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// What a device can show and be told (Core 5.4, Vol 3, Part H, 2.3.2); one octet of a Pairing Request or Response.
package struct InputOutputCapability: HCICode {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It shows six digits.
    package static let displayOnly = InputOutputCapability(rawValue: 0)
    /// It shows six digits, and takes a yes or a no.
    package static let displayYesNo = InputOutputCapability(rawValue: 1)
    /// It takes six digits.
    package static let keyboardOnly = InputOutputCapability(rawValue: 2)
    /// It neither shows nor takes anything.
    package static let noInputNoOutput = InputOutputCapability(rawValue: 3)
    /// It shows six digits, and takes six digits or a yes or a no.
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

    /// Whether the value has a meaning.
    var isKnown: Bool { rawValue <= 4 }
    /// Whether six digits can be entered.
    var hasKeyboard: Bool { self == .keyboardOnly || self == .keyboardDisplay }
    /// Whether it can show a number and be told whether it is right.
    var comparesNumbers: Bool { self == .displayYesNo || self == .keyboardDisplay }
}
