// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// The values of the three characteristics as they are saved: as written, valid or not.
package struct IoTDesignShopSettings: Hashable, Sendable {
    /// The proximity UUID.
    package var uuid: UUID128
    /// The iBeacon major.
    package var major: UInt16
    /// The iBeacon minor.
    package var minor: UInt16
    /// The power code as written; only 0, 1 and 2 mean a power.
    package var powerCode: UInt16
    /// The interval as written, in 0.625 ms ticks; only 0x0020...0x4000 can be radiated.
    package var intervalTicks: UInt16
    /// The last code that means a power, which is the one on the air; `nil` until one is chosen.
    package var lastValidPowerCode: UInt16?
    /// The RSSI at 1 m that the frame claims; no characteristic has it.
    package var measuredPower: MeasuredPower

    /// The settings of a profile; without a power code, 2 is read and the radio chooses the power.
    package init(
        uuid: UUID128 = IoTDesignShop.service, major: UInt16 = 1, minor: UInt16 = 1, powerCode: UInt16? = nil,
        intervalTicks: UInt16 = 160, measuredPower: MeasuredPower = MeasuredPower(-59)
    ) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
        self.powerCode = powerCode ?? 2
        self.intervalTicks = intervalTicks
        self.measuredPower = measuredPower
        lastValidPowerCode = powerCode.flatMap {
            IoTDesignShop.TransmitSettings.transmitPower(code: $0) == nil ? nil : $0
        }
    }

    /// The interval as written, in range or not; at most 65535 ticks.
    package var interval: AdvertisingInterval {
        get { AdvertisingInterval(UInt32(intervalTicks)) }
        set { intervalTicks = UInt16(truncatingIfNeeded: newValue.count) }
    }

    /// The power on the air, one that the hardware has; `nil` until a code that means a power is chosen.
    package var transmitPower: TransmitPower? {
        get { lastValidPowerCode.flatMap(IoTDesignShop.TransmitSettings.transmitPower(code:)) }
        set {
            lastValidPowerCode = newValue.flatMap(IoTDesignShop.TransmitSettings.powerCode(of:))
            powerCode = lastValidPowerCode ?? 2
        }
    }

    /// The value of a characteristic, as it is read; `nil` for one that the service does not have.
    package func value(of characteristic: BluetoothUUID) -> [UInt8]? {
        var writer = ByteWriter()
        switch characteristic {
        case IoTDesignShop.beaconUUID:
            writer.write(uuid.octets)
        case IoTDesignShop.majorMinor:
            IoTDesignShop.MajorMinor(major: major, minor: minor).serialize(into: &writer)
        case IoTDesignShop.transmitSettings:
            transmitSettings.serialize(into: &writer)
        default:
            return nil
        }
        return writer.bytes
    }

    private var transmitSettings: IoTDesignShop.TransmitSettings {
        IoTDesignShop.TransmitSettings(powerCode: powerCode, interval: AdvertisingInterval(UInt32(intervalTicks)))
    }

    /// Stores a written value of a characteristic, valid or not.
    /// - Throws: `WireError` when its length differs from the characteristic's length.
    package mutating func store(_ value: [UInt8], in characteristic: BluetoothUUID) throws(WireError) {
        guard let length = self.value(of: characteristic)?.count, value.count == length else {
            throw WireError(.badLength(value.count), offset: 0)
        }
        var reader = ByteReader(value)
        switch characteristic {
        case IoTDesignShop.beaconUUID:
            uuid = UUID128(octets: reader.readAll()) ?? uuid
        case IoTDesignShop.majorMinor:
            let numbers = try IoTDesignShop.MajorMinor(parsing: &reader)
            (major, minor) = (numbers.major, numbers.minor)
        default:
            let settings = try IoTDesignShop.TransmitSettings(parsing: &reader)
            powerCode = settings.powerCode
            intervalTicks = UInt16(truncatingIfNeeded: settings.interval.count)
            if IoTDesignShop.TransmitSettings.transmitPower(code: powerCode) != nil { lastValidPowerCode = powerCode }
        }
    }
}

extension IoTDesignShopSettings {
    /// The settings as they are saved.
    package var flash: FlashImage {
        var image = FlashImage([
            "uuid": .text(uuid.description), "major": .integer(Int(major)), "minor": .integer(Int(minor)),
            "power-code": .integer(Int(powerCode)), "interval-ticks": .integer(Int(intervalTicks)),
            "measured-power": .integer(Int(measuredPower.decibelMilliwatts)),
        ])
        image.values["last-valid-power-code"] = lastValidPowerCode.map { .integer(Int($0)) }
        return image
    }

    /// Saved settings.
    /// - Throws: `FlashFault` with the first value that is missing or out of range.
    package init(flash: FlashImage) throws(FlashFault) {
        guard let uuid = UUID128(try flash.text("uuid")) else { throw FlashFault(name: "uuid") }
        self.uuid = uuid
        major = try flash.integer("major")
        minor = try flash.integer("minor")
        powerCode = try flash.integer("power-code")
        intervalTicks = try flash.integer("interval-ticks")
        if flash.values["last-valid-power-code"] != nil {
            let code: UInt16 = try flash.integer("last-valid-power-code")
            guard IoTDesignShop.TransmitSettings.transmitPower(code: code) != nil else {
                throw FlashFault(name: "last-valid-power-code")
            }
            lastValidPowerCode = code
        }
        measuredPower = MeasuredPower(try flash.integer("measured-power"))
    }
}
