// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth
package import BluetoothCore
package import Devices

/// An installation: beacons, by name.
package struct Profile: Sendable {
    /// Its name; with a beacon's id, the key of persisted settings.
    package let name: String
    /// Its beacons in the order of the file.
    package let beacons: [BeaconDefinition]

    /// A profile of these beacons.
    package init(name: String, beacons: [BeaconDefinition]) {
        self.name = name
        self.beacons = beacons
    }
}

/// One beacon of a profile.
package struct BeaconDefinition: Hashable, Sendable {
    /// Its name within the profile.
    package let id: String
    /// Which device it is, with its values.
    package let device: DeviceProfile
    /// Where it is, in metres; it counts where the air is emulated.
    package let position: Position?
    /// How it pairs; `nil` says that it does not.
    package let pairing: PairingSettings?

    /// A beacon of this name.
    package init(id: String, device: DeviceProfile, position: Position? = nil, pairing: PairingSettings? = nil) {
        self.id = id
        self.device = device
        self.position = position
        self.pairing = pairing
    }
}

/// A device as a profile describes it.
package enum DeviceProfile: Hashable, Sendable {
    /// A beacon that only advertises.
    case plainIBeacon(PlainIBeacon.Configuration)
    /// The configurable beacon.
    case iotDesignShop(IoTDesignShopBeacon.Configuration, IoTDesignShopSettings)
    /// What is given octet for octet.
    case raw(RawAdvertiser.Configuration)
    // The rest is indirect: most beacons are plain, and each would have the room of the largest.
    /// A peripheral whose services are declared.
    indirect case gatt(GATTPeripheral.Configuration)
    /// The module that tells a battery's level.
    indirect case battery(BatteryMonitor.Configuration)
    /// The tag of six sensors.
    indirect case sensorTag(SensorTag.Configuration)
    /// A display for a phone's notifications.
    indirect case ancsAccessory(ANCSAccessory.Configuration)

    /// The device's name in profiles.
    package var kind: String {
        switch self {
        case .plainIBeacon: PlainIBeacon.kind
        case .iotDesignShop: IoTDesignShopBeacon.kind
        case .raw: RawAdvertiser.kind
        case .gatt: GATTPeripheral.kind
        case .battery: BatteryMonitor.kind
        case .sensorTag: SensorTag.kind
        case .ancsAccessory: ANCSAccessory.kind
        }
    }

    /// The address that the profile gives it, if it does.
    package var address: BluetoothAddress? {
        switch self {
        case .plainIBeacon(let configuration): configuration.address
        case .iotDesignShop(let configuration, _): configuration.address
        case .raw(let configuration): configuration.address
        case .gatt(let configuration): configuration.content.address
        case .battery(let configuration): configuration.address
        case .sensorTag(let configuration): configuration.address
        case .ancsAccessory(let configuration): configuration.address
        }
    }

    /// The name that it advertises, all of it, if it has one.
    package var advertisedName: String? {
        switch self {
        case .plainIBeacon(let configuration): configuration.name
        case .iotDesignShop(let configuration, _): configuration.name
        case .raw(let configuration):
            AdvertisingData(verbatim: configuration.advertisingData).localName
                ?? AdvertisingData(verbatim: configuration.scanResponse).localName
        case .gatt(let configuration): configuration.content.name
        case .battery(let configuration): configuration.name
        case .sensorTag: SensorTagWire.advertisedName
        case .ancsAccessory(let configuration): configuration.name
        }
    }

    /// The iBeacon frame that it advertises, if it does.
    package var frame: IBeacon? {
        switch self {
        case .plainIBeacon(let configuration): configuration.frame
        case .iotDesignShop(_, let settings):
            IBeacon(
                uuid: settings.uuid, major: settings.major, minor: settings.minor,
                measuredPower: settings.measuredPower)
        case .raw(let configuration):
            AdvertisingData(verbatim: configuration.advertisingData).structures.lazy.compactMap(IBeacon.init).first
        case .gatt, .battery, .sensorTag, .ancsAccessory: nil
        }
    }

    /// The PDU that the profile gives it; `nil` where the device has its own.
    var pdu: AdvertisingPDU? {
        switch self {
        case .plainIBeacon(let configuration): configuration.pdu
        case .iotDesignShop, .battery, .sensorTag, .ancsAccessory: nil
        case .raw(let configuration): configuration.pdu
        case .gatt(let configuration): configuration.content.pdu
        }
    }

    /// How the hardware pairs; `nil` where it does not, or leaves it to the profile.
    var hardwarePairing: PairingSettings? {
        if case .sensorTag = self { SensorTag.pairing } else { nil }
    }

    /// The strength at 1 m that the profile names, if it does.
    package var measuredPower: MeasuredPower? { frame?.measuredPower }

    /// The radiated power that the profile names, if it does.
    package var transmitPower: TransmitPower? {
        switch self {
        case .plainIBeacon(let configuration): configuration.transmitPower
        case .iotDesignShop(_, let settings): IoTDesignShopWire.transmitPower(code: settings.powerCode)
        case .raw(let configuration): configuration.transmitPower
        case .gatt(let configuration): configuration.content.transmitPower
        case .battery(let configuration): configuration.transmitPower
        case .sensorTag: nil
        case .ancsAccessory(let configuration): configuration.transmitPower
        }
    }

    /// The device, as it leaves the factory.
    package func makeDevice() -> any Device {
        switch self {
        case .plainIBeacon(let configuration): PlainIBeacon(configuration)
        case .iotDesignShop(let configuration, let settings): IoTDesignShopBeacon(configuration, settings: settings)
        case .raw(let configuration): RawAdvertiser(configuration)
        case .gatt(let configuration): GATTPeripheral(configuration)
        case .battery(let configuration): BatteryMonitor(configuration)
        case .sensorTag(let configuration): SensorTag(configuration)
        case .ancsAccessory(let configuration): ANCSAccessory(configuration)
        }
    }
}
