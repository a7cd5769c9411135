// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore
package import HCI

/// What a controller is and can do.
package struct LEHostCapabilities: Hashable, Sendable {
    /// Its public device address; `nil` when it has none.
    package var address: BluetoothAddress?
    /// The version of HCI that it has.
    package var version: CoreVersion
    /// The maker's company identifier.
    package var manufacturer: CompanyIdentifier
    /// The maker's own version number.
    package var subversion: UInt16
    /// What its link layer can do.
    package var features: LEFeatures
    /// Whether it has advertising sets of their own; one advertiser otherwise, which beacons share in turns.
    package var hasExtendedAdvertising: Bool
    /// Whether it scans for extended advertising too.
    package var hasExtendedScanning: Bool
    /// Whether it connects to extended advertisers too.
    package var hasExtendedConnecting: Bool
    /// How many advertisements it sends at once.
    package var advertisingSets: Int
    /// The longest advertising data in octets.
    package var maximumAdvertisingData: Int
    /// The powers that it can send with; one value where it has no choice, `nil` where it does not tell.
    package var transmitPower: ClosedRange<TransmitPower>?
    /// The shortest interval of PDUs that are not connectable.
    package var shortestNonConnectableInterval: AdvertisingInterval
    /// The longest payload of a link layer packet: 27 to 251 octets.
    package var maximumLinkPayload: Int
    /// The longest ACL payload that it takes.
    package var dataLength: Int
    /// How many ACL packets it takes before it has sent one.
    package var dataPackets: Int

    /// Bluetooth's number, for people: `5.4`.
    package var versionName: String {
        let names = [
            "1.0b", "1.1", "1.2", "2.0", "2.1", "3.0", "4.0", "4.1", "4.2", "5.0", "5.1", "5.2", "5.3", "5.4", "6.0",
        ]
        let number = version.rawValue
        return Int(number) < names.count ? names[Int(number)] : "HCI version \(number)"
    }

    /// What is assumed of a controller until it has told.
    init() {
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
    }
}
