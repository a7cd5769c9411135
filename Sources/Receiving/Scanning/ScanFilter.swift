// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth

/// The advertisements that a scan reports: those that meet all given conditions.
package struct ScanFilter: Sendable {
    /// Service UUIDs of which the data must contain one, in a list or with service data; empty for any data.
    package var services: Set<BluetoothUUID>
    /// Beacon formats of which the data must contain a frame of one; empty for any data, with or without frames.
    package var formats: [any BeaconFormat.Type]
    /// The minimum RSSI; an advertisement without an RSSI does not meet it. `nil` for any RSSI.
    package var minimumRSSI: RSSI?
    /// Text that the local name must contain, in upper or lower case; `nil` for any name, and for no name.
    package var name: String?

    /// By default all advertisements are accepted.
    package init(
        services: Set<BluetoothUUID> = [], formats: [any BeaconFormat.Type] = [], minimumRSSI: RSSI? = nil,
        name: String? = nil
    ) {
        self.services = services
        self.formats = formats
        self.minimumRSSI = minimumRSSI
        self.name = name
    }

    /// Whether the latest data of an advertiser is accepted. Advertising data and scan response are examined together;
    /// the RSSI is from the last packet.
    package func accepts(_ advertiser: Advertiser<some Hashable & Sendable>) -> Bool {
        accepts(
            advertiser.advertisingData, scanResponse: advertiser.scanResponse, rssi: advertiser.lastRSSI)
    }

    /// Whether an advertisement is accepted. Advertising data and scan response are examined together.
    package func accepts(_ data: AdvertisingData, scanResponse: AdvertisingData = [], rssi: RSSI?) -> Bool {
        if let minimumRSSI {
            guard let rssi = rssi.known, rssi >= minimumRSSI else { return false }
        }
        let structures = data.structures + scanResponse.structures
        if !services.isEmpty {
            guard structures.contains(where: { !services.isDisjoint(with: $0.services) }) else { return false }
        }
        if !formats.isEmpty {
            let found = structures.compactMap { BeaconFrame($0).map { type(of: $0.content) } }
            guard found.contains(where: { format in formats.contains { $0 == format } }) else { return false }
        }
        if let name {
            let localName = data.localName ?? scanResponse.localName
            guard let localName, localName.lowercased().contains(name.lowercased()) else { return false }
        }
        return true
    }
}
