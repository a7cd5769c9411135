// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// The services of a SensorTag, in the order of the hardware, so that the attribute handles are the same.
struct SensorTagServices {
    let firmware: SensorTagFirmware
    let hasImageService: Bool

    var declarations: [GATTService] {
        [genericAccess, genericAttribute, deviceInformation] + SensorTagSensor.allCases.map(service)
            + [keys, test] + (firmware.hasConnectionControl ? [connection] : []) + (hasImageService ? [image] : [])
    }

    private var genericAccess: GATTService {
        GATTService(
            uuid: .genericAccess,
            characteristics: [
                GATTCharacteristic(uuid: .deviceName, properties: .read),
                GATTCharacteristic(uuid: .appearance, properties: .read),
                GATTCharacteristic(uuid: SensorTagWire.privacyFlag, properties: [.read, .write]),
                GATTCharacteristic(uuid: SensorTagWire.reconnectionAddress, properties: .write),
                GATTCharacteristic(uuid: .peripheralPreferredConnectionParameters, properties: .read),
            ])
    }

    private var genericAttribute: GATTService {
        GATTService(
            uuid: .genericAttribute,
            characteristics: [GATTCharacteristic(uuid: .serviceChanged, properties: .indicate)])
    }

    private var deviceInformation: GATTService {
        GATTService(
            uuid: .bit16(0x180A),
            characteristics: SensorTagInformation.characteristics.map {
                GATTCharacteristic(uuid: .bit16($0), properties: .read)
            })
    }

    private func service(of sensor: SensorTagSensor) -> GATTService {
        let names = names(of: sensor)
        var characteristics = [
            described(sensor.data, [.read, .notify], names.data),
            described(sensor.configuration, [.read, .write], names.configuration),
        ]
        if firmware.shortestPeriod(of: sensor) != nil {
            characteristics.append(described(sensor.period, [.read, .write], names.period))
        }
        if sensor == .barometer {
            // The hardware notifies this value, though its properties do not declare that.
            characteristics.append(
                GATTCharacteristic(
                    uuid: SensorTagWire.calibration, properties: .read,
                    descriptors: [
                        .clientConfiguration,
                        .userDescription(firmware == .version15 ? "Barom. Calibr." : "Barometer Cali."),
                    ]))
        }
        return GATTService(uuid: sensor.service, characteristics: characteristics)
    }

    private var keys: GATTService {
        GATTService(
            uuid: SensorTagWire.keyService,
            characteristics: [described(SensorTagWire.keys, .notify, "Key Press State")])
    }

    private var test: GATTService {
        GATTService(
            uuid: SensorTagWire.testService,
            characteristics: [
                described(SensorTagWire.testData, .read, "Test Data"),
                described(SensorTagWire.testConfiguration, [.read, .write], "Test Config"),
            ])
    }

    private var connection: GATTService {
        GATTService(
            uuid: SensorTagWire.connectionService,
            characteristics: [
                described(SensorTagWire.connectionParameters, [.read, .notify], "Conn. Params"),
                described(SensorTagWire.connectionParametersRequest, .write, "Conn. Params Req"),
                described(SensorTagWire.disconnectRequest, .write, "Disconnect Req"),
            ])
    }

    private var image: GATTService {
        let properties: CharacteristicProperties = [.write, .writeWithoutResponse, .notify]
        return GATTService(
            uuid: SensorTagWire.imageService,
            characteristics: [
                described(SensorTagWire.imageIdentity, properties, "Img Identify"),
                described(SensorTagWire.imageBlock, properties, "Img Block"),
            ])
    }

    /// A characteristic with a user description, which follows the client configuration if there is one.
    private func described(
        _ uuid: BluetoothUUID, _ properties: CharacteristicProperties, _ description: String
    ) -> GATTCharacteristic {
        GATTCharacteristic(uuid: uuid, properties: properties, descriptors: [.userDescription(description)])
    }

    private func names(of sensor: SensorTagSensor) -> (data: String, configuration: String, period: String) {
        let is15 = firmware == .version15
        return switch sensor {
        case .infraredThermometer where is15: ("Temp. Data", "Temp. Conf.", "Temp. Period")
        case .infraredThermometer: ("IR Temp. Data", "IR Temp. Conf.", "")
        case .accelerometer: ("Accel. Data", "Accel. Conf.", is15 ? "Accel. Period" : "Acc. Period")
        case .humidity: ("Humid. Data", "Humid. Conf.", "Humid. Period")
        case .magnetometer where is15: ("Magn. Data", "Magn. Conf.", "Magn. Period")
        case .magnetometer: ("Mag. Data", "Mag. Conf.", "Mag. Period")
        case .barometer where is15: ("Barom. Data", "Barom. Conf.", "Barom. Period")
        case .barometer: ("Barometer Data", "Barometer Conf.", "")
        case .gyroscope where is15: ("Gyro Data", "Gyro Conf.", "Gyro Period")
        case .gyroscope: ("Gyro. Data", "Gyro. Conf.", "")
        }
    }
}
