// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import Devices

/// A configuration plan: IoT Design Shop beacons, and the settings to write to them.
package struct ConfigurationPlan: Hashable, Sendable {
    /// One beacon.
    package struct Entry: Hashable, Sendable {
        /// The beacon: its address, or the name that it advertises.
        package var beacon: String
        /// The settings to write; the others do not change.
        package var settings: Settings

        /// A beacon and its settings.
        package init(beacon: String, settings: Settings) {
            self.beacon = beacon
            self.settings = settings
        }
    }

    /// Settings to write; a `nil` value does not change.
    package struct Settings: Hashable, Sendable {
        /// The proximity UUID.
        package var uuid: UUID128?
        /// The major number.
        package var major: UInt16?
        /// The minor number.
        package var minor: UInt16?
        /// The transmit power, one that the hardware supports.
        package var transmitPower: TransmitPower?
        /// The advertising interval, 0 to 65535 ticks.
        package var interval: AdvertisingInterval?

        /// These settings.
        package init(
            uuid: UUID128? = nil, major: UInt16? = nil, minor: UInt16? = nil, transmitPower: TransmitPower? = nil,
            interval: AdvertisingInterval? = nil
        ) {
            self.uuid = uuid
            self.major = major
            self.minor = minor
            self.transmitPower = transmitPower
            self.interval = interval
        }

        /// Whether no setting changes.
        package var isEmpty: Bool { self == Settings() }
    }

    /// The beacons in the order of the file.
    package let entries: [Entry]

    /// Reads a plan.
    /// - Parameters:
    ///   - text: the YAML.
    ///   - file: its path, for messages.
    /// - Throws: `ProfileFaults` with all faults, each with line and column.
    package init(parsing text: String, file: String) throws(ProfileFaults) {
        let root = try YAMLText(text, file: file).root(of: "a plan", example: "docs/receiving.md")
        var reader = ProfileReader(root, file: file, path: "")
        guard root.mapping != nil else { throw ProfileFaults(reader.faults) }
        let entries = reader.requiredParts("beacons", of: "beacon", Self.entry)
        reader.addDuplicates(in: "beacons", entries, key: "beacon", name: \.beacon) { earlier, beacon in
            "\"\(beacon)\" is already in \(earlier); list every beacon once"
        }
        let faults = reader.finish()
        guard faults.isEmpty else { throw ProfileFaults(faults) }
        self.entries = entries.compactMap(\.self)
    }

    private static func entry(_ reader: inout ProfileReader) -> Entry? {
        let beacon = reader.required("beacon", ValueText.label)
        let settings = Settings(
            uuid: reader.value("uuid", ValueText.uuid), major: reader.value("major", ValueText.unsigned16),
            minor: reader.value("minor", ValueText.unsigned16),
            transmitPower: reader.value("tx-power", ValueText.hardwarePower),
            interval: reader.value("interval", ValueText.storedInterval))
        if reader.faults.isEmpty, settings.isEmpty, !reader.hasUnknownKeys {
            reader.add(
                "no setting is given; write uuid, major, minor, tx-power or interval", field: nil, at: reader.place)
        }
        return beacon.map { Entry(beacon: BluetoothAddress($0)?.description ?? $0, settings: settings) }
    }
}
