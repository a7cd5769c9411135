// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import HCI

/// What a controller is and supports.
package struct LEHostCapabilities: Hashable, Sendable {
    /// The public device address; `nil` if the controller has none.
    package var address: BluetoothAddress?
    /// The version of HCI.
    package var version: CoreVersion
    /// The vendor's company identifier.
    package var manufacturer: CompanyIdentifier
    /// The vendor's own version number.
    package var subversion: UInt16
    /// The features of the link layer.
    package var features: LEFeatures
    /// Whether it has advertising sets. Otherwise it has one advertiser, which the host's sets share in turns.
    package var hasExtendedAdvertising: Bool
    /// Whether it can scan for extended advertising.
    var hasExtendedScanning: Bool
    /// Whether it can connect to extended advertisers.
    var hasExtendedConnecting: Bool
    /// The number of advertising sets.
    package var advertisingSets: Int
    /// The maximum length of advertising data, in bytes.
    package var maximumAdvertisingData: Int
    /// The range of transmit power; a single value if it is fixed, `nil` if it is not known.
    package var transmitPower: ClosedRange<TransmitPower>?
    /// The shortest interval of advertising that is not connectable.
    var shortestNonConnectableInterval: AdvertisingInterval
    /// The maximum payload of a link layer packet: 27 to 251 bytes.
    var maximumLinkPayload: Int
    /// The maximum payload of an ACL data packet that the controller takes, in bytes.
    package var dataLength: Int
    /// The number of ACL data packets that the controller can hold.
    var dataPackets: Int
    /// Whether it is at the position of the configuration.
    package var isAtPosition: Bool
    /// The family of controllers that report more than they do, for people: `an unbranded clone of …`.
    package var quirk: String?
    /// The command that it did not reply to when it started, so that the host does without it.
    package var silentCommand: HCIOpcode?

    /// The version as people know it: `5.4`.
    package var versionName: String {
        let names = [
            "1.0b", "1.1", "1.2", "2.0", "2.1", "3.0", "4.0", "4.1", "4.2", "5.0", "5.1", "5.2", "5.3", "5.4", "6.0",
        ]
        let number = version.rawValue
        return Int(number) < names.count ? names[Int(number)] : "HCI version \(number)"
    }

    /// The time on LE 1M of a packet with the maximum payload, including 14 bytes of frame and integrity check.
    var maximumLinkPayloadTime: Microseconds { Microseconds(UInt32(maximumLinkPayload + 14) * 8) }

    /// What every controller supports.
    package init() {
        version = CoreVersion(rawValue: 0)
        manufacturer = CompanyIdentifier(0xFFFF)
        subversion = 0
        features = []
        hasExtendedAdvertising = false
        hasExtendedScanning = false
        hasExtendedConnecting = false
        advertisingSets = 1
        maximumAdvertisingData = 31
        shortestNonConnectableInterval = AdvertisingInterval(0x00A0)
        maximumLinkPayload = 27
        dataLength = 27
        dataPackets = 1
        isAtPosition = false
    }
}
