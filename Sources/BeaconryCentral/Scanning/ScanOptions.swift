// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore
import Radio

/// The conditions of a scan.
public struct ScanOptions: Sendable {
    /// Devices that advertise one of these services, also in their scan response; empty for all.
    public var services: [BluetoothUUID]
    /// The minimum RSSI; `nil` for any.
    public var minimumRSSI: RSSI?
    /// Whether to send scan requests. While one consumer needs scan responses, all receive them.
    public var isActive: Bool
    /// Whether every advertisement is a discovery, not only those with new data.
    public var includesRepetitions: Bool
    /// The time from the first element to the end of the sequence; `nil` for no limit.
    public var duration: Duration?
    /// Another condition.
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
    func include(_ discovery: Discovery) -> Bool {
        if let minimumRSSI, discovery.sighting.rssi.map({ $0 < minimumRSSI }) ?? true { return false }
        if !services.isEmpty {
            let offered = discovery.advertisement.serviceUUIDs
            guard services.contains(where: offered.contains) else { return false }
        }
        return condition(discovery)
    }
}
