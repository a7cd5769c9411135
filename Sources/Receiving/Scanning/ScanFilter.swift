// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import BluetoothCore

/// Which advertisements a scan is about. Every condition that is given must hold.
package struct ScanFilter: Hashable, Sendable {
    /// Services of which one must be named, in a list of UUIDs or by data of it; empty for any.
    package var services: Set<BluetoothUUID>
    /// Names of beacon formats (`BeaconFormats.names`) of which one must be there; empty for any data, also of no beacon.
    package var formats: Set<String>
    /// The minimum RSSI, which advertisements of unknown RSSI do not have; `nil` for any.
    package var minimumRSSI: RSSI?
    /// Text that the local name must have in it, in either case; `nil` for any name or none.
    package var name: String?

    /// By default everything passes.
    package init(
        services: Set<BluetoothUUID> = [], formats: Set<String> = [], minimumRSSI: RSSI? = nil,
        name: String? = nil
    ) {
        self.services = services
        self.formats = formats
        self.minimumRSSI = minimumRSSI
        self.name = name
    }

    /// Whether the latest data of an advertiser passes: data and scan response count together, the
    /// RSSI is that of the last packet.
    package func accepts(_ advertiser: Advertiser<some Hashable & Sendable>) -> Bool {
        accepts(
            advertiser.advertisingData, scanResponse: advertiser.scanResponse, rssi: advertiser.lastRSSI)
    }

    /// Whether it lets an advertisement through; a scan response counts together with it.
    package func accepts(_ data: AdvertisingData, scanResponse: AdvertisingData = [], rssi: RSSI?) -> Bool {
        if let minimumRSSI {
            guard let rssi = rssi.known, rssi >= minimumRSSI else { return false }
        }
        let structures = data.structures + scanResponse.structures
        if !services.isEmpty {
            guard structures.contains(where: { !services.isDisjoint(with: $0.services) }) else { return false }
        }
        if !formats.isEmpty {
            guard structures.contains(where: { BeaconFrame($0).map { formats.contains($0.format) } ?? false }) else {
                return false
            }
        }
        if let name {
            let localName = data.localName ?? scanResponse.localName
            guard let localName, localName.lowercased().contains(name.lowercased()) else { return false }
        }
        return true
    }
}
