// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// A kind of radio: how it is named on the command line, what this machine has of it, and how it is opened.
///
/// A radio is named `SCHEME` or `SCHEME:ARGUMENT`. A new kind is a target with a type that conforms to this protocol, and
/// one line in the program's list of drivers.
package protocol RadioDriver: Sendable {
    /// What precedes the colon: `bluez`.
    static var scheme: String { get }
    /// The names that it takes, for the help of `--radio`: `bluez`, `bluez:hciN`, `bluez:ADDRESS`.
    static var forms: [String] { get }
    /// Names as a user would type them, for error messages: `bluez:hci0`.
    static var examples: [String] { get }

    /// Lists the radios of this kind; nothing is changed.
    /// - Parameter ledger: the record of what runs have left on them.
    static func survey(_ ledger: any RadioLedger) async -> RadioSurvey

    /// The radio with this argument.
    /// - Parameter argument: what follows the colon; `nil` for a name without a colon.
    /// - Returns: `nil` if the argument is not one of `forms`.
    /// - Throws: `RadioError` for one of `forms` with a value that is not possible.
    init?(argument: String?) throws(RadioError)

    /// The outcome that beacons would have on this radio; nothing is put on the air.
    /// - Throws: `RadioError` if the radio is not usable.
    func forecast(_ beacons: [HostedBeacon]) async throws(RadioError) -> RadioForecast

    /// A radio that carries beacons, not open yet.
    func makePeripheral(_ resources: RadioResources) -> any PeripheralRadio

    /// A radio that receives and connects, not open yet.
    /// - Parameter maximumTransmissionUnit: the ATT_MTU that it offers, 23 to 517 bytes, where this process decides that.
    func makeCentral(maximumTransmissionUnit: UInt16) -> any CentralRadio
}

/// What a peripheral radio uses of the program that opens it.
package struct RadioResources: Sendable {
    /// The record of what must be cleaned up after a crash.
    package let ledger: any RadioLedger
    /// The sink of the HCI traffic; `nil` without a capture.
    package let capture: (any CaptureSink)?

    /// Resources of a run.
    package init(ledger: any RadioLedger, capture: (any CaptureSink)? = nil) {
        self.ledger = ledger
        self.capture = capture
    }
}

/// The radios of one kind that a machine has.
package struct RadioSurvey: Sendable {
    /// A radio.
    package struct Entry: Sendable {
        /// What kind of advertising a controller has.
        package enum Advertising: String, Sendable {
            case none
            case legacy
            case extended
        }

        /// The name, as `--radio` takes it.
        package var name: String
        /// The adapter's address; `nil` where there is no adapter.
        package var address: BluetoothAddress?
        /// Whether it is powered on; `nil` where there is no adapter.
        package var isPowered: Bool?
        /// How rfkill blocks it; `nil` if it does not.
        package var block: String?
        /// The kind of advertising.
        package var advertising: Advertising
        /// The number of advertising instances, and how many of them are free; `nil` if there is no limit.
        package var instances: (total: Int, free: Int)?
        /// Whether the transmit power can be set; `nil` where there is no adapter.
        package var canSetTransmitPower: Bool?
        /// The version of bluetoothd; `nil` if unknown.
        package var daemonVersion: String?
        /// What a list shows after the name.
        package var summary: String

        /// A radio that is always there.
        package init(name: String, advertising: Advertising, summary: String) {
            self.name = name
            self.advertising = advertising
            self.summary = summary
        }
    }

    /// A right of this process that affects the radios.
    package struct Right: Sendable {
        /// The key in JSON.
        package let key: String
        /// Whether the process has it.
        package let isGranted: Bool
        /// What it allows, or would allow, as a clause.
        package let summary: String

        /// A right.
        package init(key: String, isGranted: Bool, summary: String) {
            self.key = key
            self.isGranted = isGranted
            self.summary = summary
        }
    }

    /// The radios, in the order of their numbers.
    package var radios: [Entry]
    /// The rights of this process.
    package var rights: [Right]
    /// Notes about the machine.
    package var notes: [String]
    /// Notes about the use of these radios, which are for people only.
    package var advice: [String]
    /// Why the radios could not be listed; `nil` if they could.
    package var failure: RadioError?
    package init(
        radios: [Entry] = [], rights: [Right] = [], notes: [String] = [], advice: [String] = [],
        failure: RadioError? = nil
    ) {
        self.radios = radios
        self.rights = rights
        self.notes = notes
        self.advice = advice
        self.failure = failure
    }
}

/// The expected outcome of beacons on a radio, by its rules, before anything is on the air.
package struct RadioForecast: Sendable {
    /// The capabilities of the radio.
    package let capabilities: RadioCapabilities
    /// The number of beacons that it can carry, in their order.
    package let fitting: Int
    /// Why it cannot carry them all; `nil` if it can.
    package let obstacle: RadioError?
    /// The warnings of each beacon.
    package let warnings: [BeaconIdentifier: [Warning]]

    package init(
        capabilities: RadioCapabilities, fitting: Int, obstacle: RadioError?,
        warnings: [BeaconIdentifier: [Warning]]
    ) {
        self.capabilities = capabilities
        self.fitting = fitting
        self.obstacle = obstacle
        self.warnings = warnings
    }
}
