// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
import Bluetooth
import BluetoothCore

extension SensorTag {
    mutating func powerOn(at now: Duration) -> [DeviceEffect] {
        poweredAt = now
        central = nil
        subscriptions = []
        privacyFlag = 0
        resetAt = nil
        rest()
        isDiscoverable = configuration.advertising == .always
        discoverableEnd = nil
        // Keys that are held while power comes have not been pressed.
        keys = environment.keys(at: .zero)
        toldKeys = visibleKeys
        nextKeyChange = keyChange(after: now)
        guard configuration.advertising == .sideKey else { return [.advertise(onAir)] }
        return [.advertise(onAir), .report(.waiting(Self.silence, until: ["keys=side", "keys=none"]))]
    }

    private static let silence = "it is silent until the key at its side is pressed, and on the air for 30.72 s then"

    /// Everything is as it was when power came: no sensor is on, and nothing is set up.
    private mutating func rest() {
        sensors = Self.sensorsAtRest(configuration.firmware)
        calibration = [UInt8](repeating: 0, count: calibration.count)
        testConfiguration = 0
        farewellAt = nil
        timing = nil
        retimingAt = nil
    }

    mutating func connect(_ newcomer: Central, at now: Duration) -> [DeviceEffect] {
        guard central == nil || central == newcomer else {
            return DeviceEffect.decline(newcomer)
        }
        central = newcomer
        isDiscoverable = configuration.advertising == .always
        discoverableEnd = nil
        if configuration.firmware.asksForConnectionParameters { retimingAt = now + Self.pauseBeforeRetiming }
        return [.advertise(onAir)]
    }

    mutating func disconnect(_ leaver: Central, at now: Duration) -> [DeviceEffect] {
        guard leaver == central else { return [] }
        central = nil
        subscriptions = []
        rest()
        toldKeys = visibleKeys
        if isDiscoverable { beDiscoverable(at: now) }
        return [.advertise(onAir)]
    }

    mutating func beDiscoverable(at now: Duration) {
        isDiscoverable = true
        discoverableEnd = configuration.advertising == .always ? nil : now + Self.discoverableTime
    }

    /// The side key was held: as if power came.
    mutating func reset(at now: Duration) -> [DeviceEffect] {
        let farewells = central.map { [DeviceEffect.disconnect($0)] } ?? []
        let (powered, held) = (poweredAt, keys)
        let outputs = powerOn(at: now)
        // The world around it was not reset.
        poweredAt = powered
        keys = held
        toldKeys = visibleKeys
        nextKeyChange = keyChange(after: now)
        return farewells + outputs
    }

    /// What is to be on the air now, connected or not.
    var onAir: Advertisement? { central == nil && isDiscoverable ? advertisement : nil }

    /// What it advertises: no service, so that clients find it by its name.
    package var advertisement: Advertisement {
        Advertisement(
            pdu: .connectableScannable,
            advertisingData: [.flags([.limitedDiscoverable, .classicNotSupported])],
            scanResponse: [
                .localName(SensorTagWire.advertisedName, isComplete: true),
                // The connection intervals that it likes: 100 ms to 1 s.
                .unknown(type: 0x12, data: [0x50, 0x00, 0x20, 0x03]),
                .transmitPower(TransmitPower(0)),
            ],
            interval: Self.interval, address: configuration.address)
    }
}
