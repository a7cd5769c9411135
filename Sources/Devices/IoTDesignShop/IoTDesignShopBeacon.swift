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
package struct IoTDesignShopBeacon: ProfiledDevice {
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
        /// The settings as it leaves the factory.
        package var settings: IoTDesignShopSettings

        /// The defaults are the hardware's.
        package init(
            name: String? = nil, address: BluetoothAddress? = nil, badIntervalPolicy: BadIntervalPolicy = .clamp,
            advertisesWhileConnected: Bool = false, measuredPowers: [TransmitPower: MeasuredPower] = [:],
            settings: IoTDesignShopSettings = IoTDesignShopSettings()
        ) {
            self.name = name
            self.address = address
            self.badIntervalPolicy = badIntervalPolicy
            self.advertisesWhileConnected = advertisesWhileConnected
            self.measuredPowers = measuredPowers
            self.settings = settings
        }
    }

    /// What stays on the air when the frame does not.
    package static let repairInterval = AdvertisingInterval(1600)

    package let configuration: Configuration
    private var stored: IoTDesignShopSettings
    private var central: Central?

    package init(_ configuration: Configuration) {
        self.configuration = configuration
        stored = configuration.settings
    }

    /// A beacon that leaves the factory with these settings.
    package init(_ configuration: Configuration, settings: IoTDesignShopSettings) {
        var configuration = configuration
        configuration.settings = settings
        self.init(configuration)
    }

    package var services: [GATTService] { [IoTDesignShopWire.declaration] }

    package var settings: [DeviceSetting] {
        [
            .uuid(stored.uuid), .major(stored.major), .minor(stored.minor), .measuredPower(stored.measuredPower),
            .interval(interval), .transmitPower(radiatedPower),
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
    package var interval: AdvertisingInterval { AdvertisingInterval(UInt32(stored.intervalTicks)) }

    private var intervalIsPossible: Bool { AdvertisingInterval.legacyRange.contains(interval) }

    /// The power on the air; `nil` while nobody has chosen one.
    private var radiatedPower: TransmitPower? {
        stored.lastValidPowerCode.flatMap(IoTDesignShopWire.transmitPower(code:))
    }

    /// What it advertises with its present settings while nothing is connected.
    package var advertisement: Advertisement {
        guard intervalIsPossible || configuration.badIntervalPolicy == .clamp else { return repairAdvertisement }
        let range = AdvertisingInterval.legacyRange
        let measuredPower = configuration.measuredPowers[radiatedPower ?? TransmitPower(0)] ?? stored.measuredPower
        let frame = IBeacon(
            uuid: stored.uuid, major: stored.major, minor: stored.minor, measuredPower: measuredPower)
        var scanResponse: AdvertisingData = [.serviceUUIDs128([IoTDesignShopWire.service], isComplete: true)]
        append(name: configuration.name, to: &scanResponse)
        return Advertisement(
            pdu: .connectableScannable, advertisingData: frame.advertisingData(), scanResponse: scanResponse,
            interval: min(max(interval, range.lowerBound), range.upperBound), transmitPower: radiatedPower,
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
            scanResponse: scanResponse, interval: Self.repairInterval, transmitPower: radiatedPower,
            address: configuration.address)
    }

    private func append(name: String?, to data: inout AdvertisingData) {
        let budget = AdvertisingPDU.capacity - data.size
        if let name = name.flatMap({ AdvertisingStructure.localName($0, fitting: budget) }) {
            data.append(name)
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
        let staying = radiatedPower.map { "\($0) stays" } ?? "the power stays as it was"
        return [
            .warn(
                Warning(
                    code: "power-code-unknown",
                    message: "power code \(stored.powerCode) is stored, but means no power: \(staying)",
                    hint: "write power code 0 (-23 dBm), 1 (-6 dBm) or 2 (0 dBm)"))
        ]
    }
}

// MARK: - Profile

extension IoTDesignShopBeacon {
    package var address: BluetoothAddress? { configuration.address }
    package var advertisedName: String? { configuration.name }

    package var transmitPower: TransmitPower? {
        IoTDesignShopWire.transmitPower(code: configuration.settings.powerCode)
    }

    package var frame: IBeacon? {
        IBeacon(uuid: stored.uuid, major: stored.major, minor: stored.minor, measuredPower: stored.measuredPower)
    }

    package init?(from reader: inout ProfileReader) {
        let factory = IBeacon(
            uuid: IoTDesignShopWire.service, major: 1, minor: 1, measuredPower: MeasuredPower(-59))
        let frame = reader.iBeacon(factory, requiresUUID: false) ?? factory
        let interval = reader.value("interval", ValueText.storedInterval) ?? AdvertisingInterval(160)
        let power = reader.value("tx-power", ValueText.hardwarePower)
        self.init(
            Configuration(
                name: reader.value("name", ValueText.localName), address: reader.value("address", ValueText.address),
                badIntervalPolicy: reader.value("on-bad-interval", Self.badIntervalPolicy) ?? .clamp,
                advertisesWhileConnected: reader.value("advertise-while-connected", ValueText.boolean) ?? false,
                measuredPowers: reader.pairs(
                    "measured-power-by-tx-power", ValueText.hardwarePower, ValueText.measuredPower) ?? [:],
                settings: IoTDesignShopSettings(
                    uuid: frame.uuid, major: frame.major, minor: frame.minor,
                    powerCode: power.flatMap(IoTDesignShopWire.code(of:)),
                    intervalTicks: UInt16(truncatingIfNeeded: interval.count), measuredPower: frame.measuredPower)))
    }

    private static func badIntervalPolicy(_ text: String) throws(ValueFault) -> BadIntervalPolicy {
        guard let policy = BadIntervalPolicy(rawValue: text) else {
            throw ValueFault(Spelling.notOne(text, of: ["clamp", "fail"]))
        }
        return policy
    }

    package func write(to writer: inout DeviceWriter) {
        let settings = configuration.settings
        let frame = IBeacon(
            uuid: settings.uuid, major: settings.major, minor: settings.minor, measuredPower: settings.measuredPower)
        writer.write("ibeacon", DeviceWriter.text(frame))
        writer.write("interval", DeviceWriter.text(AdvertisingInterval(UInt32(settings.intervalTicks))))
        let power = settings.lastValidPowerCode.flatMap(IoTDesignShopWire.transmitPower(code:))
        writer.write("tx-power", DeviceWriter.text(power))
        writer.write("name", configuration.name.map(DeviceWriter.quoted))
        if configuration.badIntervalPolicy != .clamp {
            writer.write("on-bad-interval", configuration.badIntervalPolicy.rawValue)
        }
        if configuration.advertisesWhileConnected { writer.write("advertise-while-connected", "true") }
        if !configuration.measuredPowers.isEmpty {
            let pairs = configuration.measuredPowers.sorted { $0.key > $1.key }.map {
                "\($0.key.decibelMilliwatts)dBm: \($0.value.decibelMilliwatts)"
            }
            writer.write("measured-power-by-tx-power", "{ \(pairs.joined(separator: ", ")) }")
        }
    }

    package static func recognized(from recorded: RawAdvertiser.Configuration) -> IoTDesignShopBeacon? {
        let scanResponse = AdvertisingData(verbatim: recorded.scanResponse)
        guard scanResponse.completeServices128.contains(IoTDesignShopWire.service),
            let frame = AdvertisingData(verbatim: recorded.advertisingData).iBeacons.first,
            let ticks = UInt16(exactly: recorded.interval.count)
        else { return nil }
        return IoTDesignShopBeacon(
            Configuration(
                name: scanResponse.localName, address: recorded.address,
                settings: IoTDesignShopSettings(
                    uuid: frame.uuid, major: frame.major, minor: frame.minor,
                    powerCode: recorded.transmitPower.flatMap(IoTDesignShopWire.code(of:)), intervalTicks: ticks,
                    measuredPower: frame.measuredPower)))
    }
}
