// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth

/// The Texas Instruments CC2541 SensorTag: six sensors, two keys and a third one at its side.
///
/// It has no flash memory, and a disconnection resets its sensors. `SensorTagLink` is its advertising and connection,
/// `SensorTagSensors` its measurements, `SensorTagKeypad` its keys. This type passes inputs to them and collects their
/// effects.
package struct SensorTag: SelfContainedDevice {
    package static let kind = "sensortag"
    package static let hasFlash = false

    /// When the tag advertises.
    package enum AdvertisingPolicy: String, Hashable, Sendable, CaseIterable {
        /// Whenever it is not connected, until the side key is pressed.
        case always
        /// Like the hardware: for 30.72 s after the side key was pressed.
        case sideKey = "side-key"
    }

    /// The values that a profile gives.
    package struct Configuration: AdvertisingConfiguration {
        /// The firmware.
        package var firmware: SensorTagFirmware
        /// The address. The hardware determines the other advertising settings.
        package var advertising: AdvertisingSettings
        /// The quantities around the tag.
        package var environment: SensorTagEnvironment
        /// When the tag advertises.
        package var advertisingPolicy: AdvertisingPolicy
        /// Whether the tag has the firmware update service.
        package var hasImageService: Bool

        /// A configuration; the defaults are the same as in a profile without keys.
        /// - Parameter hasImageService: `nil` for the firmware's default.
        package init(
            firmware: SensorTagFirmware = .version14, advertising: AdvertisingSettings = AdvertisingSettings(),
            environment: SensorTagEnvironment = SensorTagEnvironment(), advertisingPolicy: AdvertisingPolicy = .always,
            hasImageService: Bool? = nil
        ) {
            self.firmware = firmware
            self.advertising = advertising
            self.environment = environment
            self.advertisingPolicy = advertisingPolicy
            self.hasImageService = hasImageService ?? firmware.usuallyHasImageService
        }
    }

    /// The hardware's pairing: passkey 000000, on the central's request only; no attribute requires it.
    package static let pairing = PairingSettings(
        inputOutput: .display, passkey: 0, requiresAuthentication: true, secureConnections: .off)
    /// The identity of the firmware image: version 0, 31,744 words, the second image.
    private static let image: [UInt8] = [0x00, 0x00, 0x00, 0x7C] + Array("BBBB".utf8)

    package private(set) var configuration: Configuration
    private var surroundings: SensorTagSurroundings
    private var link: SensorTagLink
    private var sensors: SensorTagSensors
    private var keypad = SensorTagKeypad()
    private var privacyFlag: UInt8 = 0

    /// A tag without power.
    package init(_ configuration: Configuration) {
        self.configuration = configuration
        surroundings = SensorTagSurroundings(configuration.environment)
        link = SensorTagLink(configuration, advertisement: Self.advertisement(configuration.advertising))
        sensors = SensorTagSensors(configuration.firmware)
    }

    package var services: [GATTService] {
        SensorTagServices(firmware: configuration.firmware, hasImageService: configuration.hasImageService).declarations
    }

    package var nextDeadline: Duration? {
        [link.nextDeadline, sensors.nextDeadline, keypad.nextDeadline].compactMap(\.self).min()
    }

    package var advertisesWhileConnected: Bool { false }

    package func read(_ characteristic: CharacteristicIdentifier, offset: Int, at now: DeviceTime) -> ReadResult {
        // Everything that was due before the read counts, though `.timePassed` may come later.
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
        case .connected(let newcomer): response.effects += link.connect(newcomer, at: now)
        case .disconnected(let leaver): response.effects += disconnect(leaver, at: now)
        case .wrote(let characteristic, let offset, let value):
            response += write(value, to: characteristic.uuid, offset: offset, at: now)
        case .subscribed(let central, let characteristic, let configuration):
            link.subscribe(central, to: characteristic, configuration)
        case .connectionUpdated(let central, let parameters): response.effects += link.update(parameters, of: central)
        case .set(let changes): response += set(changes, at: now)
        case .perform: response += .takesNoCommands
        case .responseReceived, .notificationReceived: break
        }
        response.effects += advance(to: now)
        return response
    }

    /// The advertisement. It has no service UUIDs; clients find the tag by its name.
    package var advertisement: Advertisement { Self.advertisement(configuration.advertising) }

    private static func advertisement(_ settings: AdvertisingSettings) -> Advertisement {
        Advertisement(
            pdu: .connectableScannable,
            advertisingData: [.flags([.limitedDiscoverable, .classicNotSupported])],
            scanResponse: [
                .localName(SensorTagWire.advertisedName, isComplete: true),
                // The preferred connection intervals: 100 ms to 1 s.
                .unknown(type: 0x12, data: [0x50, 0x00, 0x20, 0x03]),
                .transmitPower(TransmitPower(0)),
            ],
            settings: settings)
    }
}

// MARK: - Settings

extension SensorTag {
    /// The text of a quantity that has the value or generator of the profile.
    private static let automatic = "auto"

    package var settings: [SettingValue] {
        let quantities = SensorTagQuantity.allCases.map { SettingValue($0.rawValue, text(of: $0)) }
        return Self.settings.values(of: configuration) + quantities
    }

    package func presentValues(at now: DeviceTime) -> [String: String] {
        var values: [String: String] = [:]
        for quantity in SensorTagQuantity.allCases {
            if case .fixed = surroundings.environment[quantity] { continue }
            let value = surroundings.environment[quantity].value(at: now.uptime - surroundings.poweredAt)
            values[quantity.rawValue] = quantity.text(of: (value * 1000).rounded() / 1000)
        }
        return values
    }

    private func text(of quantity: SensorTagQuantity) -> String {
        guard case .fixed(let value) = surroundings.environment[quantity] else { return Self.automatic }
        return quantity.text(of: value)
    }

    /// Changes settings, all or none; most of them are what is around the tag.
    private mutating func set(_ changes: [SettingChange], at now: Duration) -> DeviceResponse {
        var changed = surroundings.environment
        var changedConfiguration = configuration
        for change in changes {
            if Self.settings.canChange(change.key) {
                do throws(SettingRefusal) {
                    try Self.settings.apply([change], to: &changedConfiguration)
                } catch {
                    return .refused(error.sentence)
                }
                continue
            }
            guard let quantity = SensorTagQuantity(rawValue: change.key) else {
                let common = Self.settings.values(of: configuration).map(\.key)
                let names = (SensorTagQuantity.allCases.map(\.rawValue) + common).joined(separator: ", ")
                return .refused("\(change.key): a SensorTag has no such setting; it has \(names)")
            }
            if change.text == Self.automatic {
                changed[quantity] = configuration.environment[quantity]
                continue
            }
            guard let value = quantity.value(of: change.text, with: configuration.firmware) else {
                let possible = quantity.possibleValues(with: configuration.firmware)
                return .refused("\(change.key): \"\(change.text)\" is not \(possible)")
            }
            changed[quantity] = .fixed(value)
        }
        configuration = changedConfiguration
        surroundings.change(to: changed)
        return .done(
            link.advertise(advertisement) + perform(keypad.update(from: surroundings, at: now), at: now))
    }
}

// MARK: - Power, time and connection

extension SensorTag {
    private mutating func powerOn(at now: Duration) -> [DeviceEffect] {
        surroundings.powerOn(at: now)
        keypad.powerOn(in: surroundings, at: now)
        sensors.reset()
        privacyFlag = 0
        return link.powerOn(at: now)
    }

    /// The same as after power came on, but the time of the environment continues, and held keys stay pressed.
    private mutating func reset(at now: Duration) -> [DeviceEffect] {
        keypad.reset(in: surroundings, at: now)
        sensors.reset()
        privacyFlag = 0
        return link.reset(at: now)
    }

    private mutating func disconnect(_ central: Central, at now: Duration) -> [DeviceEffect] {
        guard let effects = link.disconnect(central, at: now) else { return [] }
        sensors.reset()
        keypad.leaveTestMode()
        return effects
    }

    /// Does everything that is due, in order of time.
    private mutating func advance(to now: Duration) -> [DeviceEffect] {
        sensors.skipBacklog(to: now)
        keypad.skipBacklog(to: now)
        var effects: [DeviceEffect] = []
        while let due = nextDeadline, due <= now {
            effects += link.advance(to: due)
            effects += perform(keypad.advance(to: due, in: surroundings), at: due)
            effects += link.notify(sensors.advance(to: due, in: &surroundings))
        }
        return effects
    }

    private mutating func perform(_ actions: [SensorTagKeypad.Action], at now: Duration) -> [DeviceEffect] {
        var effects: [DeviceEffect] = []
        for action in actions {
            switch action {
            case .sideKeyPressed: effects += link.pressSideKey(at: now)
            case .reset: effects += reset(at: now)
            case .notify(let notification): effects += link.notify([notification])
            }
        }
        return effects
    }
}

// MARK: - Attributes

extension SensorTag {
    private func read(_ uuid: BluetoothUUID, offset: Int) -> ReadResult {
        guard let attribute = SensorTagAttribute(uuid), let value = value(of: attribute) else {
            return .error(.readNotPermitted)
        }
        if offset == 0 { return .value(value) }
        guard attribute.canBeLong else { return .error(.attributeNotLong) }
        return .value(value, from: offset)
    }

    private func value(of attribute: SensorTagAttribute) -> [UInt8]? {
        switch attribute {
        case .constant(let value): value
        case .information(let number):
            SensorTagInformation(firmware: configuration.firmware, address: configuration.advertising.address).value(
                of: number)
        case .privacyFlag: [privacyFlag]
        case .data(let sensor): sensors.data(of: sensor)
        case .configuration(let sensor): [sensors.configuration(of: sensor)]
        case .period(let sensor): sensors.period(of: sensor).map { [$0] }
        case .calibration: sensors.calibration
        case .testConfiguration: [keypad.testConfiguration]
        case .connectionParameters: link.parameters
        case .reconnectionAddress, .connectionParametersRequest, .disconnectRequest, .imageIdentity, .imageBlock: nil
        }
    }

    private mutating func write(
        _ value: [UInt8], to uuid: BluetoothUUID, offset: Int, at now: Duration
    ) -> DeviceResponse {
        guard let attribute = SensorTagAttribute(uuid), let length = attribute.writtenLength else {
            return .rejected(.writeNotPermitted)
        }
        // No writable value is long, so a write has the whole value.
        guard offset == 0 else { return .rejected(.attributeNotLong) }
        guard value.count == length else { return .rejected(.invalidAttributeValueLength) }
        switch attribute {
        case .configuration(let sensor):
            return .done(SensorTagLink.notifyAfterWrite(sensors.configure(sensor, value[0], at: now)))
        case .period(let sensor):
            do throws(ATTError) {
                try sensors.setPeriod(of: sensor, to: value[0])
            } catch {
                return .rejected(error)
            }
        case .testConfiguration: return .done(perform(keypad.setTestConfiguration(value[0]), at: now))
        case .privacyFlag: privacyFlag = value[0]
        case .disconnectRequest: link.requestDisconnection(at: now)
        case .connectionParametersRequest: return .done(link.requestParameters(value))
        case .imageIdentity:
            // The identity of the present image declines the offered one.
            return .done(
                SensorTagLink.notifyAfterWrite([SensorTagNotification(SensorTagWire.imageIdentity, Self.image)]))
        case .constant, .information, .reconnectionAddress, .data, .calibration, .connectionParameters, .imageBlock:
            break
        }
        return .done()
    }
}
