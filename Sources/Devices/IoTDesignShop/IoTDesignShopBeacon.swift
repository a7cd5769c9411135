// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth

/// The IoT Design Shop beacon: an iBeacon that a central can connect to and configure.
///
/// It stores what is written "regardless of whether it's logical or valid", and advertises the nearest value that a
/// radio can send. A central can correct every value: the configuration service is always advertised, in connectable
/// PDUs.
package struct IoTDesignShopBeacon: SelfContainedDevice {
    package static let kind = "iot-design-shop"
    package static let hasFlash = true

    /// The reaction to a stored interval that no radio can send.
    package enum BadIntervalPolicy: String, Hashable, Sendable, CaseIterable {
        /// The nearest possible interval is used.
        case clamp
        /// Only the configuration service is advertised, every 1,600 ticks, and not the frame, as on some hardware.
        case fail
    }

    /// The values that a profile gives.
    package struct Configuration: AdvertisingConfiguration {
        /// The name in the scan response; shortened to the 11 bytes that are free there.
        package var name: String?
        /// The address. Interval and power are in `settings`.
        package var advertising: AdvertisingSettings
        /// The reaction to an interval that no radio can send.
        package var badIntervalPolicy: BadIntervalPolicy
        /// Whether it advertises while a central is connected; the hardware does not.
        package var advertisesWhileConnected: Bool
        /// The measured power for each TX power; for other TX powers, the measured power of `settings`.
        package var measuredPowers: [TransmitPower: MeasuredPower]
        /// The factory settings.
        package var settings: IoTDesignShopSettings

        /// A configuration; the defaults are the hardware's.
        package init(
            name: String? = nil, advertising: AdvertisingSettings = AdvertisingSettings(),
            badIntervalPolicy: BadIntervalPolicy = .clamp,
            advertisesWhileConnected: Bool = false, measuredPowers: [TransmitPower: MeasuredPower] = [:],
            settings: IoTDesignShopSettings = IoTDesignShopSettings()
        ) {
            self.name = name
            self.advertising = advertising
            self.badIntervalPolicy = badIntervalPolicy
            self.advertisesWhileConnected = advertisesWhileConnected
            self.measuredPowers = measuredPowers
            self.settings = settings
        }
    }

    /// The interval of the configuration service while the frame is not advertised.
    package static let repairInterval = AdvertisingInterval(1600)

    package let configuration: Configuration
    /// The configuration with the settings as they are stored.
    private var present: Configuration
    private var central: Central?

    package init(_ configuration: Configuration) {
        self.configuration = configuration
        present = configuration
    }

    package init(_ configuration: Configuration, settings: IoTDesignShopSettings) {
        var configuration = configuration
        configuration.settings = settings
        self.init(configuration)
    }

    /// The configuration service: every characteristic can be read, and written with response.
    package static let service = GATTService(
        uuid: .bit128(IoTDesignShop.service),
        characteristics: [IoTDesignShop.beaconUUID, IoTDesignShop.majorMinor, IoTDesignShop.transmitSettings].map {
            GATTCharacteristic(uuid: $0, properties: [.read, .write])
        })

    package var services: [GATTService] { [Self.service] }

    package var settings: [SettingValue] { Self.settings.values(of: present) }

    private var stored: IoTDesignShopSettings {
        get { present.settings }
        set { present.settings = newValue }
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
        case .set(let changes):
            return set(changes)
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

    /// The present advertisement; `nil` while a central is connected, unless `advertisesWhileConnected` is set.
    private var onAir: Advertisement? {
        central == nil || configuration.advertisesWhileConnected ? advertisement : nil
    }
}

// MARK: - Reading and writing

extension IoTDesignShopBeacon {
    /// Replaces the bytes of a value from an offset on; the length of the value must stay the same.
    private mutating func write(_ value: [UInt8], to characteristic: BluetoothUUID, offset: Int) -> DeviceResponse {
        guard let present = stored.value(of: characteristic) else { return .rejected(.writeNotPermitted) }
        guard 0...present.count ~= offset else { return .rejected(.invalidOffset) }
        do {
            try stored.store(present[..<offset] + value, in: characteristic)
        } catch {
            return .rejected(.invalidAttributeValueLength)
        }
        let warnings = characteristic == IoTDesignShop.transmitSettings ? transmitWarnings : []
        return .done([.advertise(onAir)] + warnings, flash: stored.flash)
    }

    private mutating func set(_ changes: [SettingChange]) -> DeviceResponse {
        var changed = present
        do throws(SettingRefusal) {
            try Self.settings.apply(changes, to: &changed)
        } catch {
            return .refused(error.sentence)
        }
        present = changed
        return .done([.advertise(onAir)] + transmitWarnings, flash: stored.flash)
    }
}

// MARK: - Advertising

extension IoTDesignShopBeacon {
    private var intervalIsPossible: Bool { AdvertisingInterval.legacyRange.contains(stored.interval) }

    /// The settings of the advertisement at an interval.
    private func settings(at interval: AdvertisingInterval) -> AdvertisingSettings {
        var settings = present.advertising
        settings.interval = interval
        settings.transmitPower = stored.transmitPower
        return settings
    }

    /// The advertisement with the present settings while no central is connected.
    package var advertisement: Advertisement {
        guard intervalIsPossible || configuration.badIntervalPolicy == .clamp else { return repairAdvertisement }
        let range = AdvertisingInterval.legacyRange
        let measuredPower =
            configuration.measuredPowers[stored.transmitPower ?? TransmitPower(0)] ?? stored.measuredPower
        let frame = IBeacon(
            uuid: stored.uuid, major: stored.major, minor: stored.minor, measuredPower: measuredPower)
        var scanResponse: AdvertisingData = [.serviceUUIDs128([IoTDesignShop.service], isComplete: true)]
        append(name: configuration.name, to: &scanResponse)
        return Advertisement(
            pdu: .connectableScannable, advertisingData: frame.advertisingData(), scanResponse: scanResponse,
            settings: settings(at: min(max(stored.interval, range.lowerBound), range.upperBound)))
    }

    private var repairAdvertisement: Advertisement {
        var scanResponse: AdvertisingData = []
        append(name: configuration.name, to: &scanResponse)
        return Advertisement(
            pdu: .connectableScannable,
            advertisingData: [
                .flags(.beacon), .serviceUUIDs128([IoTDesignShop.service], isComplete: true),
            ],
            scanResponse: scanResponse, settings: settings(at: Self.repairInterval))
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
        let problem = "interval of \(stored.intervalTicks) ticks is stored, but radios send every 32 to 16384 ticks"
        switch configuration.badIntervalPolicy {
        case .clamp:
            return [
                .warn(
                    Warning(
                        code: "interval-clamped",
                        message: "an \(problem): \(advertisement.interval.count) ticks are used",
                        hint: "write an interval of 32 to 16384 ticks (20 ms to 10.24 s)"))
            ]
        case .fail:
            return [
                .warn(
                    Warning(
                        code: "interval-failed",
                        message: "an \(problem): only the configuration service is advertised, not the iBeacon frame",
                        hint: "connect and write an interval of 32 to 16384 ticks (20 ms to 10.24 s)"))
            ]
        }
    }

    private var powerWarnings: [DeviceEffect] {
        guard IoTDesignShop.TransmitSettings.transmitPower(code: stored.powerCode) == nil else { return [] }
        let staying = stored.transmitPower.map { "the TX power is still \($0)" } ?? "the TX power does not change"
        return [
            .warn(
                Warning(
                    code: "power-code-unknown",
                    message: "power code \(stored.powerCode) is stored, but is unknown: \(staying)",
                    hint: "write power code 0 (-23 dBm), 1 (-6 dBm) or 2 (0 dBm)"))
        ]
    }
}

// MARK: - Profile

extension IoTDesignShopBeacon {
    package var advertisedName: String? { configuration.name }

    package var advertising: AdvertisingSettings {
        var settings = settings(at: stored.interval)
        settings.transmitPower = IoTDesignShop.TransmitSettings.transmitPower(code: configuration.settings.powerCode)
        return settings
    }

    package var frame: IBeacon? {
        IBeacon(uuid: stored.uuid, major: stored.major, minor: stored.minor, measuredPower: stored.measuredPower)
    }

    package static let settings: [Setting<Configuration>] =
        [
            Setting(.uuid, \.settings.uuid, in: "ibeacon"), Setting(.major, \.settings.major, in: "ibeacon"),
            Setting(.minor, \.settings.minor, in: "ibeacon"),
            Setting(.measuredPower, \.settings.measuredPower, in: "ibeacon"),
            Setting(.storedInterval, \.settings.interval),
            Setting(.hardwarePower, \.settings.transmitPower, standard: "the radio's default"), .name(\.name),
        ] + Setting.advertising(except: ["interval", "tx-power"]) + [
            Setting(
                "on-bad-interval",
                "for a stored interval that radios cannot send: clamp uses the nearest possible one; fail stops the iBeacon "
                    + "frame and advertises only the configuration service, every 1,600 ticks",
                .choice(of: BadIntervalPolicy.self),
                \.badIntervalPolicy, omits: { $0 == .clamp },
                parse: { text throws(ValueFault) in try ValueText.choice(text, of: BadIntervalPolicy.self) },
                print: { $0.rawValue }),
            .flag("advertise-while-connected", "true or false", \.advertisesWhileConnected),
            Setting(
                "measured-power-by-tx-power",
                "a map such as { 0dBm: -59, -6dBm: -65, -23dBm: -82 }: the measured power follows the TX power",
                .mapping(keys: .hardwarePower, values: .measuredPower), standard: "measured power is independent",
                read: { reader, configuration in
                    let powers = reader.pairs(
                        "measured-power-by-tx-power", ValueText.hardwarePower, ValueText.measuredPower)
                    configuration.measuredPowers = powers ?? [:]
                    return true
                },
                write: { configuration, writer in
                    guard !configuration.measuredPowers.isEmpty else { return }
                    let pairs = configuration.measuredPowers.sorted { $0.key > $1.key }.map {
                        "\($0.key.decibelMilliwatts)dBm: \($0.value.decibelMilliwatts)"
                    }
                    writer.write("measured-power-by-tx-power", "{ \(pairs.joined(separator: ", ")) }")
                }),
        ]

    package static let template = Configuration()

    package static func recognized(from recorded: RawAdvertiser.Configuration) -> IoTDesignShopBeacon? {
        let scanResponse = AdvertisingData(verbatim: recorded.scanResponse)
        guard scanResponse.completeServices128.contains(IoTDesignShop.service),
            let frame = AdvertisingData(verbatim: recorded.advertisingData).iBeacons.first,
            let ticks = UInt16(exactly: recorded.advertising.interval.count)
        else { return nil }
        return IoTDesignShopBeacon(
            Configuration(
                name: scanResponse.localName, advertising: AdvertisingSettings(address: recorded.advertising.address),
                settings: IoTDesignShopSettings(
                    uuid: frame.uuid, major: frame.major, minor: frame.minor,
                    powerCode: recorded.advertising.transmitPower.flatMap(
                        IoTDesignShop.TransmitSettings.powerCode(of:)),
                    intervalTicks: ticks,
                    measuredPower: frame.measuredPower)))
    }
}
