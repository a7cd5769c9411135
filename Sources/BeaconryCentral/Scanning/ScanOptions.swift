// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore
import Radio

/// What a scan is for.
public struct ScanOptions: Sendable {
    /// Devices that advertise one of these services, be it in their scan response; empty for all.
    public var services: [BluetoothUUID]
    /// Devices that are heard at least so strongly; `nil` for all.
    public var minimumRSSI: RSSI?
    /// Whether to ask devices for their scan responses. While one consumer wants it, it is done for all.
    public var isActive: Bool
    /// Whether a device is told each time that it is heard, and not only when it says something new.
    public var includesRepetitions: Bool
    /// How long to listen from the first element on; `nil` until the consumer ends.
    public var duration: Duration?
    /// What else must be true of a discovery.
    public var condition: @Sendable (Discovery) -> Bool

    /// All that can be heard, unless told otherwise.
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

    /// Whether a discovery is wanted.
    func wants(_ discovery: Discovery) -> Bool {
        if let minimumRSSI, discovery.sighting.rssi.map({ $0 < minimumRSSI }) ?? true { return false }
        if !services.isEmpty {
            let offered = discovery.advertisement.serviceUUIDs
            guard services.contains(where: offered.contains) else { return false }
        }
        return condition(discovery)
    }
}
