// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// A change of the settings of an IoT Design Shop beacon; `nil` leaves a setting unchanged.
public struct SettingsChange: Hashable, Sendable {
    /// The proximity UUID.
    public var uuid: UUID128?
    /// The major number.
    public var major: UInt16?
    /// The minor number.
    public var minor: UInt16?
    /// The power code, 0 to 2.
    public var powerCode: UInt16?
    /// The advertising interval, 0 to 65535 ticks.
    public var interval: AdvertisingInterval?

    /// These settings.
    public init(
        uuid: UUID128? = nil, major: UInt16? = nil, minor: UInt16? = nil, powerCode: UInt16? = nil,
        interval: AdvertisingInterval? = nil
    ) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
        self.powerCode = powerCode
        self.interval = interval
    }

    /// The settings after the change.
    public func applied(to settings: IoTDesignShopClient.Settings) -> IoTDesignShopClient.Settings {
        IoTDesignShopClient.Settings(
            uuid: uuid ?? settings.uuid,
            numbers: IoTDesignShopService.MajorMinor(
                major: major ?? settings.numbers.major, minor: minor ?? settings.numbers.minor),
            transmit: IoTDesignShopService.TransmitSettings(
                powerCode: powerCode ?? settings.transmit.powerCode, interval: interval ?? settings.transmit.interval))
    }
}
