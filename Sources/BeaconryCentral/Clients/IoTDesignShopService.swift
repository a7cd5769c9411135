// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// The configuration service of the IoT Design Shop beacon.
public struct IoTDesignShopService: ServiceDescription {
    /// The value of `majorMinor`.
    public typealias MajorMinor = IoTDesignShop.MajorMinor
    /// The value of `transmitSettings`.
    public typealias TransmitSettings = IoTDesignShop.TransmitSettings

    public static let uuid = BluetoothUUID.bit128(IoTDesignShop.service)
    /// The proximity UUID.
    public let beaconUUID = CharacteristicDescription(IoTDesignShop.beaconUUID, .uuidInTextOrder)
    /// The major and the minor number.
    public let majorMinor = CharacteristicDescription(IoTDesignShop.majorMinor, ValueCodec<MajorMinor>.wire)
    /// The power and the interval.
    public let transmitSettings = CharacteristicDescription(
        IoTDesignShop.transmitSettings, ValueCodec<TransmitSettings>.wire)

    /// The description.
    public init() {}
}
