// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth

/// A peripheral whose profile declares its services, and the behaviour of their characteristics.
package struct GATTPeripheral: SelfContainedDevice {
    package static let kind = "gatt"
    package static let hasFlash = true

    /// The values that a profile gives.
    package struct Configuration: AdvertisingConfiguration {
        /// The services in order.
        package var services: [DeclaredService]
        /// The advertised content.
        package var content: AdvertisedContent
        /// The number of centrals that may be connected at once, at least 1; it advertises while another one may connect.
        package var centrals: Int

        package var advertising: AdvertisingSettings {
            get { content.advertising }
            set { content.advertising = newValue }
        }
        package init(services: [DeclaredService], content: AdvertisedContent = AdvertisedContent(), centrals: Int = 1) {
            self.services = services
            self.content = content
            self.centrals = max(centrals, 1)
        }
    }

    package let configuration: Configuration
    /// The configuration with the settings as they are at present.
    private var present: Configuration
    private var bank: AttributeBank
    private var centrals: Set<Central> = []
    private var onAir: Advertisement?

    /// A peripheral as it leaves the factory.
    package init(_ configuration: Configuration) {
        self.configuration = configuration
        present = configuration
        bank = AttributeBank(configuration.services, watched: configuration.content.advertisedCharacteristics)
    }

    package var services: [GATTService] { bank.services }

    package var savesSettings: Bool { bank.isStoring }

    package var settings: [SettingValue] { Self.settings.values(of: present) + bank.settings }

    private var content: AdvertisedContent { present.content }

    package var nextDeadline: Duration? { bank.nextDeadline }

    package func presentValues(at now: DeviceTime) -> [String: String] { bank.presentValues(at: now) }

    package func name(of characteristic: CharacteristicIdentifier) -> String? { bank.name(of: characteristic) }

    package mutating func restore(from flash: FlashImage) throws(FlashFault) { try bank.restore(from: flash) }

    package var advertisesWhileConnected: Bool { capacity > 1 }

    package func read(_ characteristic: CharacteristicIdentifier, offset: Int, at now: DeviceTime) -> ReadResult {
        bank.read(characteristic, offset: offset, at: now)
    }

    package mutating func handle(_ input: DeviceInput, at now: DeviceTime) -> DeviceResponse {
        switch input {
        case .poweredOn:
            centrals = []
            bank.powerOn(at: now)
            onAir = advertisement(at: now)
            return [.advertise(onAir)]
        case .connected(let central):
            return connect(central, at: now)
        case .disconnected(let central):
            centrals.remove(central)
            bank.forget(central, at: now)
            return DeviceResponse(changedAdvertisement(at: now))
        case .readAnswered(let characteristic):
            bank.countRead(of: characteristic)
            return []
        case .wrote(let characteristic, let offset, let value):
            var response = bank.write(value, to: characteristic, offset: offset, at: now)
            response.effects += changedAdvertisement(at: now)
            return response
        case .subscribed(let central, let characteristic, let configuration):
            return DeviceResponse(bank.subscribe(central, to: characteristic, configuration, at: now))
        case .timePassed:
            return DeviceResponse(bank.due(at: now) + changedAdvertisement(at: now))
        case .set(let changes):
            return set(changes, at: now)
        case .perform:
            return .takesNoCommands
        case .connectionUpdated, .responseReceived, .notificationReceived:
            return []
        }
    }

    private mutating func connect(_ central: Central, at now: DeviceTime) -> DeviceResponse {
        guard centrals.contains(central) || centrals.count < capacity else {
            let warning = Warning(
                code: "central-too-many",
                message:
                    "\(central.name) connected while \(capacity) central\(capacity == 1 ? " is" : "s are"), which is "
                    + "all that the profile allows, so it was disconnected",
                hint: "let another central disconnect first, or write a greater number for centrals in the profile")
            return [.disconnect(central), .warn(warning)]
        }
        centrals.insert(central)
        return DeviceResponse(bank.connect(central, at: now) + changedAdvertisement(at: now))
    }

    private mutating func set(_ changes: [SettingChange], at now: DeviceTime) -> DeviceResponse {
        var (changed, changedBank) = (present, bank)
        var isStored = false
        for change in changes {
            if Self.settings.canChange(change.key) {
                do throws(SettingRefusal) {
                    try Self.settings.apply([change], to: &changed)
                } catch {
                    return .refused(error.sentence)
                }
                continue
            }
            if DeviceRegistry.commonSetting(change.key) != nil {
                return .refused("\(change.key): this peripheral has no such setting")
            }
            do throws(ValueFormatFault) {
                if try changedBank.set(change.key, change.text) { isStored = true }
            } catch {
                return .refused("\(change.key): \(error.message)")
            }
        }
        (present, bank) = (changed, changedBank)
        return .done(
            bank.due(at: now) + changedAdvertisement(at: now), flash: isStored ? bank.flash(at: now) : nil)
    }

    /// The number of centrals that may be connected at once.
    private var capacity: Int { configuration.centrals }

    // MARK: - Advertising

    /// The advertisement while another central may connect.
    package func advertisement(at now: DeviceTime) -> Advertisement {
        content.advertisement { bank.value(of: $0, at: now) }
    }

    private mutating func changedAdvertisement(at now: DeviceTime) -> [DeviceEffect] {
        let wanted = centrals.count < capacity ? advertisement(at: now) : nil
        guard wanted != onAir else { return [] }
        onAir = wanted
        return [.advertise(wanted)]
    }
}

// MARK: - Profile

extension GATTPeripheral {
    package var advertising: AdvertisingSettings { content.advertising }
    package var advertisedName: String? { content.name }
    package var pdu: AdvertisingPDU? { content.pdu }

    package init?(from reader: inout ProfileReader) {
        guard let configuration = GATTParser.configuration(&reader) else { return nil }
        self.init(configuration)
    }

    package static var settings: [Setting<Configuration>] { GATTParser.settings }
    package static let template = Configuration(services: [])

    package var findings: [ProfileFinding] {
        var findings: [ProfileFinding] = []
        let services = configuration.services.map(\.uuid)
        if !services.isEmpty, content.services.allSatisfy({ !services.contains($0) }) {
            findings.append(
                ProfileFinding(
                    .advice, "service-not-advertised", affects: "apps that filter on services",
                    "none of its services is advertised: a scan that filters on one does not find the device",
                    hint: "name one under advertise: services"))
        }
        if content.name == nil, !services.isEmpty {
            findings.append(
                ProfileFinding(
                    .advice, "name-missing", affects: "apps that show names",
                    "without a name, apps show none, or leave the device out", hint: "write a name"))
        }
        for characteristic in configuration.services.flatMap(\.characteristics)
        where max(characteristic.readDelay, characteristic.writeDelay) >= .seconds(30) {
            findings.append(
                ProfileFinding(
                    .warning, "answer-too-late", affects: "all",
                    "\(characteristic.name) takes 30 s or more to answer, and centrals give the connection up after 30 s",
                    hint: "write a delay below 30s, unless that is what you test"))
        }
        return findings
    }
}
