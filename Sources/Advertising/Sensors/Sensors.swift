// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The types of the rows in `Makers.swift`: a format is a type.
package enum Sensors {
    /// The formats, in the order in which they are documented and tried.
    static let entries: [BeaconFormats.Entry] = [
        BeaconFormats.Entry(SensorFrame<Ruuvi5>.self),
        BeaconFormats.Entry(SensorFrame<Ruuvi6>.self),
        BeaconFormats.Entry(SensorFrame<RuuviE1>.self),
        BeaconFormats.Entry(SensorFrame<PVVX>.self),
        BeaconFormats.Entry(EncryptedSensorFrame<PVVX>.self),
        BeaconFormats.Entry(SensorFrame<ATC1441>.self),
        BeaconFormats.Entry(EncryptedSensorFrame<ATC1441>.self),
        BeaconFormats.Entry(SensorFrame<MiBeacon>.self),
        BeaconFormats.Entry(EncryptedSensorFrame<MiBeacon>.self),
        BeaconFormats.Entry(SensorFrame<GoveeH5075>.self),
        BeaconFormats.Entry(SensorFrame<ThermoPro>.self),
        BeaconFormats.Entry(SensorFrame<SwitchBotMeter>.self),
        BeaconFormats.Entry(SensorFrame<Inkbird>.self),
        BeaconFormats.Entry(SensorFrame<MinewClimate>.self),
        BeaconFormats.Entry(SensorFrame<MinewAcceleration>.self),
        BeaconFormats.Entry(SensorFrame<MinewInformation>.self),
        BeaconFormats.Entry(SensorFrame<KBeacon>.self),
        BeaconFormats.Entry(SensorFrame<TeltonikaEye>.self),
        BeaconFormats.Entry(SensorFrame<Tilt>.self),
    ]

    package enum Ruuvi5: SentSensor {
        package static let layout = SensorLayout.ruuvi5
    }
    package enum Ruuvi6: SentSensor {
        package static let layout = SensorLayout.ruuvi6
    }
    package enum RuuviE1: Sensor {
        package static let layout = SensorLayout.ruuviE1
    }
    package enum PVVX: EncryptedSensor {
        package static let layout = SensorLayout.pvvx
        package static let envelope = SensorEnvelope.pvvx
        package enum Opened: Sensor {
            package static let layout = SensorLayout.pvvxOpened
        }
    }
    package enum ATC1441: EncryptedSensor {
        package static let layout = SensorLayout.atc1441
        package static let envelope = SensorEnvelope.pvvx
        package enum Opened: Sensor {
            package static let layout = SensorLayout.atc1441Opened
        }
    }
    package enum MiBeacon: EncryptedSensor {
        package static let layout = SensorLayout.miBeacon
        package static let envelope = SensorEnvelope.miBeacon
        package typealias Opened = MiBeacon
    }
    package enum GoveeH5075: SentSensor {
        package static let layout = SensorLayout.goveeH5075
    }
    package enum ThermoPro: SentSensor {
        package static let layout = SensorLayout.thermoPro
    }
    package enum SwitchBotMeter: SentSensor {
        package static let layout = SensorLayout.switchBotMeter
    }
    package enum Inkbird: SentSensor {
        package static let layout = SensorLayout.inkbird
    }
    package enum MinewClimate: SentSensor {
        package static let layout = SensorLayout.minewClimate
    }
    package enum MinewAcceleration: SentSensor {
        package static let layout = SensorLayout.minewAcceleration
    }
    package enum MinewInformation: SentSensor {
        package static let layout = SensorLayout.minewInformation
    }
    package enum KBeacon: SentSensor {
        package static let layout = SensorLayout.kBeacon
    }
    package enum TeltonikaEye: SentSensor {
        package static let layout = SensorLayout.teltonikaEye
    }
    package enum Tilt: SentSensor {
        package static let layout = SensorLayout.tilt
    }
}
