// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import KernelBluetooth
import Radio

/// A scan of a central, with what is reported of each device.
///
/// With the monitor channel, its packets are the sightings, and nothing here makes any. Without it, a device is reported when
/// bluetoothd signals that properties have changed that come from advertisements. A monitor in bluetoothd calls
/// DeviceFound for each advertisement, too, after the signals of its changes: what was reported by a signal is not reported again by
/// the call that follows. Calls and signals may be handled in another order than that in which they were sent; then a sighting may
/// have the data of the one before, and their number stays the same.
struct RunningScan {
    /// Whether it sends scan requests.
    let isActive: Bool
    let filtersDuplicates: Bool
    let continuation: AsyncStream<Sighting>.Continuation
    /// The monitor channel; `nil` without CAP_NET_RAW.
    var monitor: BluetoothSocket?
    /// Whether each advertisement is followed by a report of the monitors.
    private let hasReports: Bool
    /// The devices found so far; unused with the monitor channel.
    private var devices: [ObjectPath: Device] = [:]
    /// Unknown devices and the monitors that have found them: the signal with their properties is still to come.
    private var expected: [ObjectPath: Set<Int>] = [:]

    /// What is known of a device.
    private struct Device {
        var properties: DeviceProperties
        /// The monitors that have reported the last advertisement. Several report the same one, and none does so twice.
        var monitors: Set<Int> = []
        /// Whether a signal has reported the next advertisement of the monitors already.
        var isReported = false
    }

    /// The maximum number of devices, to limit memory; bluetoothd finds fewer in practice.
    private static let maximumDevices = 16_384

    /// - Parameter support: what scans passively; irrelevant for an active scan.
    init(
        _ settings: ScanParameters, _ support: PassiveScanSupport, _ continuation: AsyncStream<Sighting>.Continuation
    ) {
        isActive = settings.isActive
        filtersDuplicates = settings.filtersDuplicates
        self.continuation = continuation
        hasReports = !settings.isActive && support == .inDaemon
    }

    /// Whether the properties of known devices are to be read and stored.
    var needsDevices: Bool { monitor == nil && devices.isEmpty }

    /// Stores what bluetoothd has found before.
    mutating func store(_ properties: DeviceProperties, at path: ObjectPath) {
        guard monitor == nil, devices.count < Self.maximumDevices || devices[path] != nil else { return }
        devices[path, default: Device(properties: properties)].properties = properties
    }

    /// Stores a device that bluetoothd added, and reports it if it is in range.
    mutating func noteAdded(_ path: ObjectPath, _ properties: DeviceProperties) {
        store(properties, at: path)
        let monitors = expected.removeValue(forKey: path)
        guard monitor == nil, properties.isInRange else { return }
        if var device = devices[path] {
            device.isReported = hasReports && monitors == nil
            device.monitors = monitors ?? []
            devices[path] = device
        }
        report(properties)
    }

    /// Stores changed properties of a device, and reports the device if they result from an advertisement. Where monitors report
    /// each advertisement, a changed RSSI waits for that.
    mutating func noteChanged(_ path: ObjectPath, _ changed: [String: DBusValue], invalidated: [String]) {
        guard monitor == nil, var device = devices[path] else { return }
        device.properties.change(changed, invalidated: invalidated)
        let isSighting = DeviceProperties.isSighting(changed) && !(hasReports && Set(changed.keys) == ["RSSI"])
        if isSighting { device.isReported = hasReports }
        devices[path] = device
        if isSighting { report(device.properties) }
    }

    /// Takes the report of a monitor, and reports the device, unless a signal or another monitor has reported this advertisement.
    mutating func noteFound(_ path: ObjectPath, by monitor: Int) {
        guard self.monitor == nil, hasReports else { return }
        guard var device = devices[path] else {
            if expected.count < Self.maximumDevices { expected[path, default: []].insert(monitor) }
            return
        }
        defer { devices[path] = device }
        guard device.monitors.isEmpty || device.monitors.contains(monitor) else {
            device.monitors.insert(monitor)
            return
        }
        device.monitors = [monitor]
        let isReported = device.isReported
        device.isReported = false
        if !isReported { report(device.properties) }
    }

    /// Drops a device that bluetoothd removed.
    mutating func noteRemoved(_ path: ObjectPath) {
        devices[path] = nil
        expected[path] = nil
    }

    private func report(_ device: DeviceProperties) {
        if let sighting = device.sighting { continuation.yield(sighting) }
    }
}
