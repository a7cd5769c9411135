// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Testing

/// What the tests of the IoT Design Shop beacon have in common.
enum Bench {
    static let serviceBytes = "566114ab537964ab6248559119e57321"
    /// Flags and frame of a beacon before it is configured.
    static let factoryData = "0201061aff4c0002152173e51991554862ab647953ab14615600010001c5"
    static let uuid = IoTDesignShop.beaconUUID
    static let majorMinor = IoTDesignShop.majorMinor
    static let transmitSettings = IoTDesignShop.transmitSettings
    static let alice = Central("00:AA:01:00:00:00")
    static let bob = Central("00:AA:01:00:00:01")

    /// A beacon before it is configured.
    static func beacon(
        _ configuration: IoTDesignShopBeacon.Configuration = IoTDesignShopBeacon.Configuration(),
        settings: IoTDesignShopSettings = IoTDesignShopSettings()
    ) -> IoTDesignShopBeacon {
        IoTDesignShopBeacon(configuration, settings: settings)
    }

    /// The value of a transmit settings characteristic.
    static func transmit(power: UInt16, ticks: UInt16) -> [UInt8] {
        var writer = ByteWriter()
        writer.writeLittleEndian(power)
        writer.writeLittleEndian(ticks)
        return writer.bytes
    }
}

extension IoTDesignShopBeacon {
    /// Writes a whole value and expects it to be taken.
    mutating func write(
        _ value: [UInt8], to characteristic: BluetoothUUID, sourceLocation: SourceLocation = #_sourceLocation
    ) -> DeviceResponse {
        let outputs = handle(.wrote(characteristic, offset: 0, value: value))
        #expect(outputs.reply == .done, sourceLocation: sourceLocation)
        return outputs
    }
}

extension Device {
    /// Takes an input at a time that does not matter.
    mutating func handle(_ input: DeviceInput) -> DeviceResponse { handle(input, at: DeviceTime()) }

    /// Reads a characteristic at a time that does not matter.
    func read(_ characteristic: CharacteristicIdentifier, offset: Int) -> ReadResult {
        read(characteristic, offset: offset, at: DeviceTime())
    }

    /// Reads the only characteristic of a type.
    func read(_ uuid: BluetoothUUID, offset: Int, at now: DeviceTime = DeviceTime()) -> ReadResult {
        read(CharacteristicIdentifier(uuid), offset: offset, at: now)
    }
}

extension DeviceInput {
    /// The only characteristic of a type is written.
    static func wrote(_ uuid: BluetoothUUID, offset: Int, value: [UInt8]) -> DeviceInput {
        .wrote(CharacteristicIdentifier(uuid), offset: offset, value: value)
    }
}

extension DeviceResponse {
    /// The codes of the warnings, in order.
    var warningCodes: [String] {
        effects.compactMap { if case .warn(let warning) = $0 { warning.code } else { nil } }
    }

    /// What is asked for the air: `nil` when nothing is said of it, `.some(nil)` for silence.
    var advertised: Advertisement?? {
        effects.compactMap { if case .advertise(let advertisement) = $0 { .some(advertisement) } else { nil } }.last
    }
}
