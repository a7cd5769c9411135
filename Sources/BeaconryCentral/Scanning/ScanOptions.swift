// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth
import Radio

/// The options of a scan: the conditions of a discovery, active or passive scanning, and the duration.
public struct ScanOptions: Sendable {
    /// Only devices that advertise one of these services, in advertising data or scan response; empty for all devices.
    public var services: [BluetoothUUID]
    /// The minimum RSSI, which a discovery without RSSI does not meet; `nil` for any RSSI, known or not.
    public var minimumRSSI: RSSI?
    /// Whether to send scan requests. While any consumer scans actively, all consumers receive scan responses.
    public var isActive: Bool
    /// Whether every advertisement is a discovery, not only those with new data.
    public var includesRepetitions: Bool
    /// The time limit, from the start of the scan at the first call of `next()`; `nil` for no limit.
    public var duration: Duration?
    /// A further condition that a discovery must meet.
    public var condition: @Sendable (Discovery) -> Bool

    /// By default all advertisements, with active scanning.
    public init(
        services: [BluetoothUUID] = [], minimumRSSI: RSSI? = nil, isActive: Bool = true,
        includesRepetitions: Bool = true, duration: Duration? = nil,
        where condition: @escaping @Sendable (Discovery) -> Bool = { _ in true }
    ) {
        self.services = services
        self.minimumRSSI = minimumRSSI
        self.isActive = isActive
        self.includesRepetitions = includesRepetitions
        self.duration = duration
        self.condition = condition
    }

    /// Whether a discovery meets the conditions.
    func includes(_ discovery: Discovery) -> Bool {
        if let minimumRSSI, discovery.sighting.rssi.map({ $0 < minimumRSSI }) ?? true { return false }
        if !services.isEmpty {
            let offered = discovery.advertisement.serviceUUIDs
            guard services.contains(where: offered.contains) else { return false }
        }
        return condition(discovery)
    }
}
