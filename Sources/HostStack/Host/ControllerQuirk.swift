// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// A family of controllers that report more than they do, by what they say about their version.
///
/// The kernel corrects such controllers in its own initialisation only, which a host on the user channel or on a serial
/// line does not get. A command that a controller refuses as unknown, or does not answer, needs no entry here: the host
/// does without it (`LEHost`, `ControllerInitialisation`).
struct ControllerQuirk: Sendable {
    /// Its name for people, with its article.
    let name: String
    /// The vendor that it reports.
    let manufacturer: CompanyIdentifier
    /// The latest version that is credible.
    let version: CoreVersion
    /// Whether real controllers of the vendor report the same number for HCI and link layer.
    let hasOneSubversion: Bool
    /// The commands that it may report, and that are not sent.
    let avoided: Set<HCIOpcode>

    /// The known families.
    static let all = [
        // Clones with the USB id 0A12:0001. CSR's own firmware has one number, and its last version is 4.0 (Linux,
        // btusb_setup_csr); clones report, for instance, version 5.0 with 0x0810 and 0x2312.
        ControllerQuirk(
            name: "an unbranded clone of a CSR controller", manufacturer: CompanyIdentifier(0x000A), version: .core40,
            hasOneSubversion: true, avoided: laterThanVersion40)
    ]

    /// The optional commands of this host that came after version 4.0.
    private static let laterThanVersion40: Set<HCIOpcode> = [
        LERemoteConnectionParameterRequestReply.opcode, LESetDataLength.opcode, LEReadMaximumDataLength.opcode,
        LEWriteSuggestedDefaultDataLength.opcode, LEReadNumberOfSupportedAdvertisingSets.opcode,
        LEReadMaximumAdvertisingDataLength.opcode, LEReadTransmitPower.opcode,
        LESetExtendedAdvertisingParameters.opcode, LESetExtendedScanParameters.opcode,
        LESetExtendedScanEnable.opcode, LEExtendedCreateConnection.opcode,
    ]

    /// The family of a controller; `nil` for one whose reports are credible.
    static func of(_ returned: ReadLocalVersionInformation.Returned) -> ControllerQuirk? {
        all.first { quirk in
            quirk.manufacturer == returned.companyIdentifier
                && (returned.hciVersion.rawValue > quirk.version.rawValue
                    || quirk.hasOneSubversion && returned.hciSubversion != returned.lmpSubversion)
        }
    }
}
