// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import BluetoothCore

/// The Texas Instruments CC2541 SensorTag: six sensors, two keys and one more at its side.
///
/// It keeps nothing over a power cut, and is as new whenever its central is gone.
package struct SensorTag: ProfiledDevice {
    package static let kind = "sensortag"
    package static let hasFlash = false

    /// When it is on the air.
    package enum AdvertisingPolicy: String, Hashable, Sendable, CaseIterable {
        /// Always, until the side key is pressed.
        case always
        /// As the hardware: for 30.72 s when the side key has been pressed.
        case sideKey = "side-key"
    }

    /// What a profile says of it.
    package struct Configuration: Hashable, Sendable {
        /// Its firmware.
        package var firmware: SensorTagFirmware
        /// The address; `nil` leaves it to the radio.
        package var address: BluetoothAddress?
        /// What is around it.
        package var environment: SensorTagEnvironment
        /// When it is on the air.
        package var advertising: AdvertisingPolicy
        /// Whether it has the service that takes new firmware.
        package var hasImageService: Bool

        /// A configuration; the defaults are those of a profile that gives nothing.
        /// - Parameter hasImageService: `nil` for what is usual with the firmware.
        package init(
            firmware: SensorTagFirmware = .version14, address: BluetoothAddress? = nil,
            environment: SensorTagEnvironment = SensorTagEnvironment(), advertising: AdvertisingPolicy = .always,
            hasImageService: Bool? = nil
        ) {
            self.firmware = firmware
            self.address = address
            self.environment = environment
            self.advertising = advertising
            self.hasImageService = hasImageService ?? firmware.usuallyHasImageService
        }
    }

    /// How long it is on the air when the side key has been pressed.
    static let discoverableTime = Duration.milliseconds(30720)
    /// How long the side key is held to reset it.
    static let resetTime = Duration.seconds(3)
    /// How long a connection lasts after it was asked to end, so that the answer is on its way.
    static let farewellTime = Duration.milliseconds(100)
    /// How often it advertises: every 100 ms.
    package static let interval = AdvertisingInterval(160)
    /// How the hardware pairs, unless a profile has it otherwise: it waits to be asked, and shows 000000. Nothing needs it.
    package static let pairing = PairingSettings(
        inputOutput: .display, passkey: 0, requiresAuthentication: true, secureConnections: .off)

    package let configuration: Configuration
    /// What is around it now; whoever owns it may change that.
    var environment: SensorTagEnvironment
    var sensors: [SensorTagSensor: SensorTagSensorState]
    /// When power came, in uptime.
    var poweredAt = Duration.zero
    var central: Central?
    var subscriptions: Set<SensorTagSubscription> = []
    /// The barometer's calibration as it can be read: zeros until it is loaded.
    var calibration = [UInt8](repeating: 0, count: 16)
    var testConfiguration: UInt8 = 0
    var privacyFlag: UInt8 = 0
    var keys: SensorTagKeys = []
    /// What was told of the keys last.
    var toldKeys: SensorTagKeys = []
    /// When the keys may have changed by themselves, in uptime.
    var nextKeyChange: Duration?
    /// Whether it is to be on the air when nothing is connected.
    var isDiscoverable = false
    /// When that ends by itself, in uptime.
    var discoverableEnd: Duration?
    /// When the side key has been held long enough, in uptime.
    var resetAt: Duration?
    /// When the connection ends, in uptime.
    var farewellAt: Duration?
    /// The connection's timing as it is read; `nil` while nobody has told it.
    var timing: [UInt8]?
    /// When the central is asked for the timing that the tag likes, in uptime.
    var retimingAt: Duration?

    /// A tag of this configuration.
    package init(_ configuration: Configuration) {
        self.configuration = configuration
        environment = configuration.environment
        sensors = Self.sensorsAtRest(configuration.firmware)
    }

    static func sensorsAtRest(_ firmware: SensorTagFirmware) -> [SensorTagSensor: SensorTagSensorState] {
        Dictionary(
            uniqueKeysWithValues: SensorTagSensor.allCases.map { ($0, SensorTagSensorState($0, firmware: firmware)) })
    }

    package var services: [GATTService] {
        SensorTagServices(firmware: configuration.firmware, hasImageService: configuration.hasImageService).declarations
    }

    package var nextDeadline: Duration? {
        let measured = sensors.values.compactMap(\.nextSample)
        let others = [nextKeyChange, discoverableEnd, resetAt, farewellAt, retimingAt].compactMap(\.self)
        return (measured + others).min()
    }

    package var advertisesWhileConnected: Bool { false }

    package func read(_ characteristic: CharacteristicIdentifier, offset: Int, at now: DeviceTime) -> ReadResult {
        // What was due before the read has happened by then, though `.timePassed` may come later.
        var present = self
        _ = present.advance(to: now.uptime)
        return present.read(characteristic.uuid, offset: offset)
    }

    package mutating func handle(_ input: DeviceInput, at now: DeviceTime) -> DeviceResponse {
        let now = now.uptime
        if case .poweredOn = input { return DeviceResponse(powerOn(at: now)) }
        var response = DeviceResponse(advance(to: now))
        switch input {
        case .poweredOn, .readAnswered, .timePassed: break
        case .connected(let newcomer): response.effects += connect(newcomer, at: now)
        case .disconnected(let leaver): response.effects += disconnect(leaver, at: now)
        case .wrote(let characteristic, let offset, let value):
            response += write(value, to: characteristic.uuid, offset: offset, at: now)
        case .subscribed(let central, let characteristic, let configuration):
            let subscription = SensorTagSubscription(central: central, characteristic: characteristic)
            if configuration.isEmpty { subscriptions.remove(subscription) } else { subscriptions.insert(subscription) }
        case .connectionUpdated(let central, let timing): response.effects += takeTiming(timing, of: central)
        case .set(let settings): response += set(settings, at: now)
        case .perform: response += .takesNoCommands
        case .responseReceived, .notificationReceived: break
        }
        response.effects += advance(to: now)
        return response
    }
}

/// What a central wants to be told.
struct SensorTagSubscription: Hashable, Sendable {
    let central: Central
    let characteristic: CharacteristicIdentifier
}
