// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus

/// The discovery sessions of an adapter's callers, and their filters (bluez 5.82 src/adapter.c).
///
/// A filter may be set before the session begins, and outlasts it; both end with the caller. With several sessions a report
/// is for everybody if it matches one of them, since signals are broadcast.
struct DiscoverySessions {
    private var filters: [String: DiscoveryFilter] = [:]
    private var active: Set<String> = []

    /// The number of filters that the callers without a session may have.
    private static let capacity = 1024

    /// Whether any caller discovers.
    var isActive: Bool { !active.isEmpty }

    /// Whether each report is to be signalled, changed or not.
    private(set) var hasDuplicates = false
    /// Whether any session has a filter.
    private var isFiltered = false
    /// Whether a caller requests that the adapter be discoverable.
    private(set) var isDiscoverable = false

    /// The least change of the RSSI that is signalled, in dB (bluez 5.66 src/adapter.c, `btd_adapter_device_found`;
    /// src/device.c, `RSSI_THRESHOLD`): with a filter, each report is signalled.
    var rssiThreshold: Int { isFiltered ? 0 : 8 }

    /// Begins a session.
    /// - Throws: `InProgress` if the caller has one.
    mutating func start(_ caller: String) throws(DBusError) {
        guard active.insert(caller).inserted else { throw BlueZError.busy }
        merge()
    }

    /// Ends a session.
    /// - Throws: `Failed` if the caller has none.
    mutating func stop(_ caller: String) throws(DBusError) {
        guard active.remove(caller) != nil else { throw BlueZError.failed("No discovery started") }
        merge()
    }

    /// Ends all sessions, because the adapter was switched off; filters remain.
    mutating func stopAll() {
        active = []
        merge()
    }

    /// Sets the filter of a caller; `nil` removes it.
    mutating func setFilter(_ filter: DiscoveryFilter?, of caller: String) throws(DBusError) {
        guard filter == nil || filters[caller] != nil || filters.count < Self.capacity else {
            throw BlueZError.failed("too many discovery filters")
        }
        filters[caller] = filter
        merge()
    }

    /// Forgets a caller that has left the bus.
    mutating func remove(_ caller: String) {
        active.remove(caller)
        filters[caller] = nil
        merge()
    }

    /// Whether a report is for one of the sessions (see `DiscoveryFilter.matches`).
    func accept(
        _ report: AdvertisingReport, _ related: AdvertisingReport? = nil, rssi: Int16?, name: String?
    ) -> Bool {
        active.contains { filters[$0]?.matches(report, related, rssi: rssi, name: name) ?? true }
    }

    /// Whether a session connects to the device with this address at once.
    func connectsAutomatically(to address: String) -> Bool {
        active.contains { caller in
            guard let filter = filters[caller] else { return false }
            return filter.connectsAutomatically && filter.pattern?.uppercased() == address
        }
    }

    private mutating func merge() {
        let current = active.compactMap { filters[$0] }
        hasDuplicates = current.contains(where: \.hasDuplicates)
        isFiltered = !current.isEmpty
        isDiscoverable = current.contains(where: \.isDiscoverable)
    }
}
