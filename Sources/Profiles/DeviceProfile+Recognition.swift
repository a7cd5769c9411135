// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
package import Devices

extension DeviceProfile {
    /// The device that advertises these octets: one that is known, if it would advertise exactly them, else a raw one.
    package init(recognizing raw: RawAdvertiser.Configuration) {
        let known = [Self.iotDesignShop(raw), Self.plainIBeacon(raw)].compactMap(\.self)
        self = known.first { Self.advertisement(of: $0) == RawAdvertiser(raw).advertisement } ?? .raw(raw)
    }

    private static func plainIBeacon(_ raw: RawAdvertiser.Configuration) -> DeviceProfile? {
        let data = AdvertisingData(verbatim: raw.advertisingData)
        guard let frame = data.structures.lazy.compactMap(IBeacon.init).first else { return nil }
        let scanResponse = AdvertisingData(verbatim: raw.scanResponse)
        return .plainIBeacon(
            PlainIBeacon.Configuration(
                frame: frame, flags: data.flags, pdu: raw.pdu, interval: raw.interval,
                transmitPower: raw.transmitPower, address: raw.address, services: services(in: scanResponse),
                name: scanResponse.localName))
    }

    private static func iotDesignShop(_ raw: RawAdvertiser.Configuration) -> DeviceProfile? {
        let scanResponse = AdvertisingData(verbatim: raw.scanResponse)
        guard services(in: scanResponse).contains(IoTDesignShopWire.service),
            let frame = AdvertisingData(verbatim: raw.advertisingData).structures.lazy.compactMap(IBeacon.init).first,
            let ticks = UInt16(exactly: raw.interval.count)
        else { return nil }
        return .iotDesignShop(
            IoTDesignShopBeacon.Configuration(name: scanResponse.localName, address: raw.address),
            IoTDesignShopSettings(
                uuid: frame.uuid, major: frame.major, minor: frame.minor,
                powerCode: raw.transmitPower.flatMap(IoTDesignShopWire.code(of:)), intervalTicks: ticks,
                measuredPower: frame.measuredPower))
    }

    private static func services(in data: AdvertisingData) -> [UUID128] {
        data.structures.flatMap { if case .serviceUUIDs128(let uuids, true) = $0 { uuids } else { [UUID128]() } }
    }

    private static func advertisement(of device: DeviceProfile) -> Advertisement? {
        device.makeDevice().firstAdvertisement
    }
}
