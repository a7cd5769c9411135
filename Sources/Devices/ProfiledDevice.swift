// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth

/// The values of a profile, with those that all kinds of devices have in common.
package protocol AdvertisingConfiguration: Hashable, Sendable {
    var advertising: AdvertisingSettings { get set }
}

/// A device that profiles declare: it lists its settings, and knows what can go wrong with their values.
///
/// A kind of device is one folder of this target and one line in `DeviceRegistry.all`.
package protocol ProfiledDevice: Device {
    /// The values that a profile gives.
    associatedtype Configuration: Hashable, Sendable

    /// The values of the profile, with settings as they are at present where these are part of them.
    var configuration: Configuration { get }
    /// The settings of the kind, in the order in which profiles are read and written.
    static var settings: [Setting<Configuration>] { get }
    /// The configuration of a profile that gives nothing; required settings have any value in it.
    static var template: Configuration { get }
    /// Completes a configuration after its settings were read: values that depend on each other. Faults are added to the
    /// reader.
    static func complete(_ configuration: inout Configuration, from reader: inout ProfileReader)
    /// A device as it leaves the factory.
    init(_ configuration: Configuration)
    /// Reads the settings of the kind; `nil` when they do not make a device. Faults are added to the reader.
    init?(from reader: inout ProfileReader)
    /// Writes the settings of the kind, without `device`.
    func write(to writer: inout DeviceWriter)
    /// The device of this kind that advertises exactly what a recorded one does; `nil` when there is none.
    static func recognized(from recorded: RawAdvertiser.Configuration) -> Self?

    /// Interval, as stored, in range or not, and the power and address that the profile gives.
    var advertising: AdvertisingSettings { get }
    /// The complete name to advertise; `nil` when there is none.
    var advertisedName: String? { get }
    /// The iBeacon frame that it advertises; `nil` when it advertises none.
    var frame: IBeacon? { get }
    /// The PDU type that the profile gives; `nil` when the hardware determines it.
    var pdu: AdvertisingPDU? { get }
    /// How the hardware pairs where the profile does not say; `nil` when it does not pair.
    var defaultPairing: PairingSettings? { get }
    /// Problems of this kind that `check` reports.
    var findings: [ProfileFinding] { get }
}

/// A kind of device that takes the defaults of the members that it does not have.
///
/// A kind that wraps another one (`PresetPeripheral`) is not self-contained: the compiler requires it to pass on every member,
/// also one that is added later.
package protocol SelfContainedDevice: ProfiledDevice {}

extension ProfiledDevice {
    /// By default, settings do not depend on each other.
    package static func complete(_ configuration: inout Configuration, from reader: inout ProfileReader) {}

    /// By default, no recorded device is recognized.
    package static func recognized(from recorded: RawAdvertiser.Configuration) -> Self? { nil }
}

extension SelfContainedDevice {
    /// By default, no iBeacon frame.
    package var frame: IBeacon? { nil }

    /// By default, the hardware determines the PDU type.
    package var pdu: AdvertisingPDU? { nil }

    /// By default, the hardware does not pair.
    package var defaultPairing: PairingSettings? { nil }

    /// By default, no problems.
    package var findings: [ProfileFinding] { [] }
}

extension ProfiledDevice {
    /// The name of the kind in profiles.
    package var kind: String { Self.kind }

    /// The RSSI at 1 m that its first frame claims, of whatever format; `nil` when no frame claims one.
    package var measuredPower: MeasuredPower? { firstAdvertisement?.measuredPower ?? frame?.measuredPower }

    /// The identity of its first frame that has one, in its advertising data or else in its scan response; `nil` for none.
    package var identity: BeaconIdentity? {
        let data = firstAdvertisement.map { $0.advertisingData.frames + $0.scanResponse.frames } ?? []
        return data.lazy.compactMap(\.identity).first ?? frame?.identity
    }

    /// Whether a profile declares both devices with the same values.
    package func isDeclared(like other: any ProfiledDevice) -> Bool {
        (other as? Self)?.configuration == configuration
    }
}

/// All kinds of devices.
package enum DeviceRegistry {
    /// The kinds, in the order in which they are documented. Of two that recognize a recorded device the later one counts.
    package static let all: [any ProfiledDevice.Type] = [
        PlainIBeacon.self,
        Beacon.self,
        IoTDesignShopBeacon.self,
        RawAdvertiser.self,
        GATTPeripheral.self,
        BatteryMonitor.self,
        SensorTag.self,
        ANCSAccessory.self,
    ]

    /// The names of the kinds.
    package static var names: [String] { all.map { $0.kind } }

    /// The kind of this name; `nil` when there is none.
    package static func kind(named name: String) -> (any ProfiledDevice.Type)? { all.first { $0.kind == name } }

    /// The settings that kinds have in common, by which all of them are read from `ctl set` and reported in JSON.
    package static let commonSettings: [CommonSetting] = {
        var settings: [CommonSetting] = []
        for setting in all.flatMap({ $0.commonSettings })
        where !settings.contains(where: { $0.key == setting.key }) {
            settings.append(setting)
        }
        return settings
    }()

    /// The common setting of this key; `nil` when there is none.
    package static func commonSetting(_ key: String) -> CommonSetting? { commonSettings.first { $0.key == key } }

    /// The device that advertises exactly what a recorded one does: one of a known kind, or else a raw advertiser.
    package static func device(advertising recorded: RawAdvertiser.Configuration) -> any ProfiledDevice {
        let raw = RawAdvertiser(recorded)
        let known = all.reversed().lazy.compactMap { kind -> (any ProfiledDevice)? in kind.recognized(from: recorded) }
        return known.first { $0.firstAdvertisement == raw.advertisement } ?? raw
    }
}

/// A problem of a profile: what would go wrong, at which receivers, why, and how to fix it.
package struct ProfileFinding: Codable, Hashable, Sendable {
    package enum Severity: String, Codable, Hashable, Sendable, CaseIterable {
        /// The beacon will not work.
        case error
        /// Some receivers are affected.
        case warning
        /// A recommendation.
        case advice

        /// Whether it is at least as severe as another one.
        package func isAtLeast(_ other: Severity) -> Bool {
            let order = Self.allCases
            return (order.firstIndex(of: self) ?? 0) <= (order.firstIndex(of: other) ?? 0)
        }
    }

    /// The version of the format.
    package var v = 1
    package let severity: Severity
    /// A stable code.
    package let code: String
    /// The beacon; absent if the finding concerns all beacons.
    package private(set) var device: String?
    /// The receivers that are affected.
    package let receiver: String
    /// The problem and its cause.
    package let message: String
    /// The fix.
    package let hint: String
    /// The file, if the finding has a place of its own; absent for the place of the beacon.
    package private(set) var file: String?
    /// The line, from 1.
    package private(set) var line: Int?
    /// The column in characters, from 1.
    package private(set) var column: Int?

    /// - Parameter device: the beacon; `nil` for all, or for one that `of(_:)` names.
    package init(
        _ severity: Severity, _ code: String, of device: String? = nil, affects receiver: String, _ message: String,
        hint: String
    ) {
        self.severity = severity
        self.code = code
        self.device = device
        self.receiver = receiver
        self.message = message
        self.hint = hint
    }

    /// The same problem of a beacon.
    package func of(_ device: String) -> ProfileFinding {
        var finding = self
        finding.device = device
        return finding
    }

    /// A text that a comment has cut.
    package init(_ cut: CutText) {
        self.init(.warning, "text-cut", affects: "people", cut.message, hint: cut.hint)
        (file, line, column) = (cut.file, cut.line, cut.column)
    }
}
