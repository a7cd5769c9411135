// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// The battery service (Battery Service 1.1).
public struct BatteryService: ServiceDescription {
    public static let uuid = BluetoothUUID.bit16(0x180F)
    /// The battery level, in per cent.
    public let level = CharacteristicDescription(.bit16(0x2A19), .percentage)

    /// The description.
    public init() {}
}

/// The text characteristics of the device information service (Device Information Service 1.2).
public struct DeviceInformationService: ServiceDescription {
    public static let uuid = BluetoothUUID.bit16(0x180A)
    /// The model number.
    public let modelNumber = CharacteristicDescription(.bit16(0x2A24), .text)
    /// The serial number.
    public let serialNumber = CharacteristicDescription(.bit16(0x2A25), .text)
    /// The firmware revision.
    public let firmwareRevision = CharacteristicDescription(.bit16(0x2A26), .text)
    /// The manufacturer.
    public let manufacturerName = CharacteristicDescription(.bit16(0x2A29), .text)

    /// The description.
    public init() {}
}

/// A sensor with a battery.
public struct BatteryClient: Sendable {
    /// The scan options.
    public static let scan = ScanOptions(services: [BatteryService.uuid])

    /// The sensor.
    public let peripheral: Peripheral
    private let battery: DescribedService<BatteryService>

    /// Connects to a sensor and discovers its battery service; the timeout applies to each step.
    public init(_ peripheral: Peripheral, timeout: Duration = Central.defaultTimeout) async throws(CentralError) {
        self.peripheral = peripheral
        battery = try await peripheral.connect(to: BatteryService.self, timeout: timeout)
    }

    /// The battery level: 0 to 100 per cent.
    public func level(timeout: Duration = Central.defaultTimeout) async throws(CentralError) -> UInt8 {
        try await battery.read(\.level, timeout: timeout)
    }

    /// The battery level, each time that the sensor notifies it.
    public func levels() throws(CentralError) -> DescribedNotifications<UInt8> {
        try battery.notifications(\.level)
    }

    /// The manufacturer of the sensor.
    public func manufacturer(timeout: Duration = Central.defaultTimeout) async throws(CentralError) -> String {
        try await peripheral.discover(DeviceInformationService.self, timeout: timeout)
            .read(\.manufacturerName, timeout: timeout)
    }
}
