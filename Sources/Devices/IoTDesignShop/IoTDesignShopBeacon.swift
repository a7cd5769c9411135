// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth
package import BluetoothCore

/// The IoT Design Shop beacon: an iBeacon that a central can connect to and configure.
///
/// It stores what it is told "regardless of whether it's logical or valid"; what the radio can do with it is another
/// matter. No mistake locks its owner out: it always advertises its configuration service, connectable.
package struct IoTDesignShopBeacon: Device {
    package static let kind = "iot-design-shop"
    package static let hasFlash = true

    /// What is done with a stored interval that no radio can send.
    package enum BadIntervalPolicy: String, Hashable, Sendable, CaseIterable {
        /// The nearest possible interval is radiated.
        case clamp
        /// The frame leaves the air, as the hardware's may; the configuration service stays, at 1,600 ticks.
        case fail
    }

    /// What a profile says of it, beside the settings.
    package struct Configuration: Hashable, Sendable {
        /// The name in the scan response; cut to the 11 octets that are left there.
        package var name: String?
        /// The address; `nil` leaves it to the radio.
        package var address: BluetoothAddress?
        /// What is done with an interval that no radio can send.
        package var badIntervalPolicy: BadIntervalPolicy
        /// Whether it stays on the air while a central is connected; the hardware does not.
        package var advertisesWhileConnected: Bool
        /// The calibration octet for each radiated power; a power that is not here leaves the octet alone.
        package var measuredPowers: [TransmitPower: MeasuredPower]

        /// The defaults are the hardware's.
        package init(
            name: String? = nil, address: BluetoothAddress? = nil, badIntervalPolicy: BadIntervalPolicy = .clamp,
            advertisesWhileConnected: Bool = false, measuredPowers: [TransmitPower: MeasuredPower] = [:]
        ) {
            self.name = name
            self.address = address
            self.badIntervalPolicy = badIntervalPolicy
            self.advertisesWhileConnected = advertisesWhileConnected
            self.measuredPowers = measuredPowers
        }
    }

    /// What stays on the air when the frame does not.
    package static let repairInterval = AdvertisingInterval(1600)

    private let configuration: Configuration
    private var stored: IoTDesignShopSettings
    private var central: Central?

    /// A beacon of this configuration with these settings.
    package init(_ configuration: Configuration, settings: IoTDesignShopSettings) {
        self.configuration = configuration
        stored = settings
    }

    package var services: [GATTService] { [IoTDesignShopWire.declaration] }

    package var settings: [DeviceSetting] {
        [
            .uuid(stored.uuid), .major(stored.major), .minor(stored.minor), .measuredPower(stored.measuredPower),
            .interval(storedInterval), .transmitPower(transmitPower),
        ]
    }

    package mutating func restore(from flash: FlashImage) throws(FlashFault) {
        stored = try IoTDesignShopSettings(flash: flash)
    }

    package var advertisesWhileConnected: Bool { configuration.advertisesWhileConnected }

    package func read(_ characteristic: CharacteristicIdentifier, offset: Int, at now: DeviceTime) -> ReadResult {
        guard let value = stored.value(of: characteristic.uuid) else { return .error(.readNotPermitted) }
        return .value(value, from: offset)
    }

    package mutating func handle(_ input: DeviceInput, at now: DeviceTime) -> DeviceResponse {
        switch input {
        case .poweredOn:
            central = nil
            return DeviceResponse([.advertise(advertisement)] + intervalWarnings)
        case .connected(let newcomer):
            return connect(newcomer)
        case .disconnected(let leaver):
            guard leaver == central else { return [] }
            central = nil
            return [.advertise(advertisement)]
        case .wrote(let characteristic, let offset, let value):
            return write(value, to: characteristic.uuid, offset: offset)
        case .set(let settings):
            return set(settings)
        case .perform:
            return .takesNoCommands
        case .readAnswered, .subscribed, .connectionUpdated, .responseReceived, .notificationReceived, .timePassed:
            return []
        }
    }
}

// MARK: - Connections

extension IoTDesignShopBeacon {
    private mutating func connect(_ newcomer: Central) -> DeviceResponse {
        guard central == nil || central == newcomer else {
            return DeviceResponse(DeviceEffect.decline(newcomer))
        }
        central = newcomer
        return [.advertise(onAir)]
    }

    /// What is to be on the air now, connected or not.
    private var onAir: Advertisement? {
        central == nil || configuration.advertisesWhileConnected ? advertisement : nil
    }
}

// MARK: - Reading and writing

extension IoTDesignShopBeacon {
    /// A write at an offset replaces the end of the value: what results must have the value's length.
    private mutating func write(_ value: [UInt8], to characteristic: BluetoothUUID, offset: Int) -> DeviceResponse {
        guard let present = stored.value(of: characteristic) else { return .rejected(.writeNotPermitted) }
        guard 0...present.count ~= offset else { return .rejected(.invalidOffset) }
        do {
            try stored.store(present[..<offset] + value, in: characteristic)
        } catch {
            return .rejected(.invalidAttributeValueLength)
        }
        let warnings = characteristic == IoTDesignShopWire.transmitSettings ? transmitWarnings : []
        return .done([.advertise(onAir)] + warnings, flash: stored.flash)
    }

    private mutating func set(_ settings: [DeviceSetting]) -> DeviceResponse {
        var changed = stored
        for setting in settings {
            switch setting {
            case .uuid(let uuid): changed.uuid = uuid
            case .major(let major): changed.major = major
            case .minor(let minor): changed.minor = minor
            case .measuredPower(let power): changed.measuredPower = power
            case .interval(let interval):
                guard let ticks = UInt16(exactly: interval.count) else {
                    return .refused("interval: the beacon stores 0 to 65535 ticks of 0.625 ms")
                }
                changed.intervalTicks = ticks
            case .transmitPower(let power):
                guard let power, let code = IoTDesignShopWire.code(of: power) else {
                    return .refused("tx-power: the beacon has -23, -6 and 0 dBm")
                }
                changed.powerCode = code
                changed.lastValidPowerCode = code
            case .named(let name, _):
                return .refused(
                    "\(name): there is no such setting; settings are uuid, major, minor, measured-power, interval, "
                        + "tx-power")
            }
        }
        stored = changed
        return .done([.advertise(onAir)] + transmitWarnings, flash: stored.flash)
    }
}

// MARK: - What is radiated

extension IoTDesignShopBeacon {
    private var storedInterval: AdvertisingInterval { AdvertisingInterval(UInt32(stored.intervalTicks)) }

    private var intervalIsPossible: Bool { AdvertisingInterval.legacyRange.contains(storedInterval) }

    /// The power on the air; `nil` while nobody has chosen one.
    private var transmitPower: TransmitPower? {
        stored.lastValidPowerCode.flatMap(IoTDesignShopWire.transmitPower(code:))
    }

    /// What it advertises with its present settings while nothing is connected.
    package var advertisement: Advertisement {
        guard intervalIsPossible || configuration.badIntervalPolicy == .clamp else { return repairAdvertisement }
        let range = AdvertisingInterval.legacyRange
        let measuredPower = configuration.measuredPowers[transmitPower ?? TransmitPower(0)] ?? stored.measuredPower
        let frame = IBeacon(
            uuid: stored.uuid, major: stored.major, minor: stored.minor, measuredPower: measuredPower)
        var scanResponse: AdvertisingData = [.serviceUUIDs128([IoTDesignShopWire.service], isComplete: true)]
        append(name: configuration.name, to: &scanResponse)
        return Advertisement(
            pdu: .connectableScannable, advertisingData: frame.advertisingData(), scanResponse: scanResponse,
            interval: min(max(storedInterval, range.lowerBound), range.upperBound), transmitPower: transmitPower,
            address: configuration.address)
    }

    private var repairAdvertisement: Advertisement {
        var scanResponse: AdvertisingData = []
        append(name: configuration.name, to: &scanResponse)
        return Advertisement(
            pdu: .connectableScannable,
            advertisingData: [
                .flags(.beacon), .serviceUUIDs128([IoTDesignShopWire.service], isComplete: true),
            ],
            scanResponse: scanResponse, interval: Self.repairInterval, transmitPower: transmitPower,
            address: configuration.address)
    }

    private func append(name: String?, to data: inout AdvertisingData) {
        let budget = AdvertisingPDU.capacity - data.size
        if let name = name.flatMap({ AdvertisingStructure.localName($0, fitting: budget) }) {
            data.structures.append(name)
        }
    }

    private var transmitWarnings: [DeviceEffect] { intervalWarnings + powerWarnings }

    private var intervalWarnings: [DeviceEffect] {
        guard !intervalIsPossible else { return [] }
        let stored = "interval of \(stored.intervalTicks) ticks is stored, but radios send every 32 to 16384 ticks"
        switch configuration.badIntervalPolicy {
        case .clamp:
            return [
                .warn(
                    Warning(
                        code: "interval-clamped",
                        message: "an \(stored): \(advertisement.interval.count) ticks are radiated",
                        hint: "write an interval of 32 to 16384 ticks (20 ms to 10.24 s)"))
            ]
        case .fail:
            return [
                .warn(
                    Warning(
                        code: "interval-failed",
                        message: "an \(stored): the iBeacon frame is off the air, the configuration service stays",
                        hint: "connect and write an interval of 32 to 16384 ticks (20 ms to 10.24 s)"))
            ]
        }
    }

    private var powerWarnings: [DeviceEffect] {
        guard IoTDesignShopWire.transmitPower(code: stored.powerCode) == nil else { return [] }
        let staying = transmitPower.map { "\($0) stays" } ?? "the power stays as it was"
        return [
            .warn(
                Warning(
                    code: "power-code-unknown",
                    message: "power code \(stored.powerCode) is stored, but means no power: \(staying)",
                    hint: "write power code 0 (-23 dBm), 1 (-6 dBm) or 2 (0 dBm)"))
        ]
    }
}
