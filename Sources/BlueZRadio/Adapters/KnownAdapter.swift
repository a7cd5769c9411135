// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// A common Bluetooth adapter: how it is recognised, and what is known of its advertising under BlueZ.
///
/// The known adapters are one table, `KnownAdapter.all`; the table of docs/adapters.md is made from it. Whether an adapter
/// has extended advertising does not follow from its Bluetooth version: controllers of version 5.0 and newer may lack it.
package struct KnownAdapter: Hashable, Sendable {
    /// What kind of advertising the controller has.
    package enum Advertising: Hashable, Sendable {
        /// Without advertising sets: the kernel has five instances, which take turns.
        case legacy
        /// Extended advertising with this number of advertising sets; `nil` if the number is not known.
        case extended(sets: Int?)
    }

    /// A USB device, by its identifiers.
    package struct USBModel: Hashable, Sendable {
        /// idVendor.
        package let vendor: UInt16
        /// idProduct.
        package let product: UInt16
        /// Releases (bcdDevice) of other adapters with these identifiers.
        package let excludedReleases: Set<UInt16>

        init(_ vendor: UInt16, _ product: UInt16, except excludedReleases: Set<UInt16> = []) {
            self.vendor = vendor
            self.product = product
            self.excludedReleases = excludedReleases
        }
    }

    /// How an adapter is recognised.
    package struct Identification: Hashable, Sendable {
        /// USB devices.
        package var usb: [USBModel] = []
        /// The beginnings of the names of boards (`/proc/device-tree/model`) whose built-in controller it is.
        package var boards: [String] = []
        /// The manufacturer that the controller reports (Assigned Numbers, "Company Identifiers"). Where there are USB devices
        /// as well, both must match, as far as both are known.
        package var manufacturer: UInt16?
    }

    /// A property of an adapter that one must know to use it.
    package struct Quirk: Hashable, Sendable {
        /// What happens, as a sentence without its full stop.
        package let meaning: String
        /// What to do, as a clause; `nil` if there is nothing to do.
        package let hint: String?

        init(_ meaning: String, hint: String? = nil) {
            self.meaning = meaning
            self.hint = hint
        }
    }

    /// How well the properties are known.
    package enum Confidence: String, Hashable, Sendable {
        /// Source code, or a maintainer.
        case source
        /// Several users.
        case reports
        /// One user.
        case oneReport = "one report"
        /// Concluded from adapters with related chips.
        case inference
    }

    /// The name, as `check --assume` takes it.
    package let name: String
    /// Other names that `--assume` takes.
    package let aliases: [String]
    /// The adapters, for people.
    package let title: String
    /// How it is recognised; empty for a kind of adapters.
    package let identification: Identification
    /// The kind of advertising.
    package let advertising: Advertising
    /// The range of the transmit power in dBm; `nil` if it cannot be set or is not known.
    package let transmitPower: ClosedRange<Int8>?
    /// Whether it has no BR/EDR.
    package let isLowEnergyOnly: Bool
    /// What one must know to use it.
    package let quirks: [Quirk]
    /// How well all this is known.
    package let confidence: Confidence
    /// Where it is from: `OWNER/REPOSITORY#NUMBER`, or a file of the kernel.
    package let sources: [String]

    init(
        _ name: String, aliases: [String] = [], _ title: String, by identification: Identification = Identification(),
        _ advertising: Advertising, transmitPower: ClosedRange<Int8>? = nil, isLowEnergyOnly: Bool = false,
        quirks: [Quirk] = [],
        _ confidence: Confidence, sources: [String]
    ) {
        self.name = name
        self.aliases = aliases
        self.title = title
        self.identification = identification
        self.advertising = advertising
        self.transmitPower = transmitPower
        self.isLowEnergyOnly = isLowEnergyOnly
        self.quirks = quirks
        self.confidence = confidence
        self.sources = sources
    }

    /// Whether the controller has extended advertising.
    package var isExtended: Bool { advertising != .legacy }

    /// The number of advertisements at once: the kernel's instances in turns, or advertising sets; `nil` if it is not known.
    package var instances: Int? {
        switch advertising {
        case .legacy: Self.legacyInstances
        case .extended(let sets): sets
        }
    }

    /// The instances that the kernel has for a controller without advertising sets.
    static let legacyInstances = 5
}

// MARK: - Names

extension KnownAdapter {
    /// The names that `--assume` takes, with the aliases.
    package static let names = all.flatMap { [$0.name] + $0.aliases }

    /// The adapter with this name or alias; `nil` if there is none.
    package static func named(_ name: String) -> KnownAdapter? {
        all.first { $0.name == name || $0.aliases.contains(name) }
    }
}

// MARK: - Recognition

/// What a machine shows of an adapter, by which it is recognised.
package struct AdapterIdentity: Codable, Hashable, Sendable {
    /// A USB device.
    package struct USB: Codable, Hashable, Sendable {
        /// idVendor.
        package var vendor: UInt16
        /// idProduct.
        package var product: UInt16
        /// bcdDevice; `nil` if unknown.
        package var release: UInt16?
        /// The name that the device has; `nil` if it has none.
        package var name: String?

        package init(vendor: UInt16, product: UInt16, release: UInt16? = nil, name: String? = nil) {
            self.vendor = vendor
            self.product = product
            self.release = release
            self.name = name
        }

        /// `0a12:0001`
        package var identifier: String { "\(Self.digits(vendor)):\(Self.digits(product))" }

        private static func digits(_ value: UInt16) -> String {
            Hexadecimal.string([UInt8(value >> 8), UInt8(value & 0xFF)])
        }
    }

    /// The bus: `usb`, `serial`, `sdio`; `nil` if unknown, as of an emulated controller.
    package var bus: String?
    /// The kernel's driver: `btusb`, `hci_uart_bcm`; `nil` if unknown.
    package var driver: String?
    /// The USB device; `nil` for other adapters.
    package var usb: USB?
    /// The manufacturer that the controller reports; `nil` if unknown.
    package var manufacturer: UInt16?
    /// The version of HCI that the controller reports (Assigned Numbers, "Core Version"); `nil` if unknown.
    package var version: UInt8?
    /// Whether the kernel reports that it is a clone of a controller of CSR.
    package var isUnbrandedClone = false

    package init(
        bus: String? = nil, driver: String? = nil, usb: USB? = nil, manufacturer: UInt16? = nil, version: UInt8? = nil,
        isUnbrandedClone: Bool = false
    ) {
        self.bus = bus
        self.driver = driver
        self.usb = usb
        self.manufacturer = manufacturer
        self.version = version
        self.isUnbrandedClone = isUnbrandedClone
    }

    /// The version of HCI in words: `HCI 5.0`; `nil` if unknown.
    package var versionText: String? {
        guard let version else { return nil }
        return Self.versions[version].map { "HCI \($0)" } ?? "HCI version \(version)"
    }

    private static let versions: [UInt8: String] = [
        6: "4.0", 7: "4.1", 8: "4.2", 9: "5.0", 10: "5.1", 11: "5.2", 12: "5.3", 13: "5.4", 14: "6.0", 15: "6.1",
    ]
}

extension KnownAdapter {
    /// The known adapter that an adapter is; `nil` if it is none of them.
    /// - Parameter board: the name of the board in the device tree.
    package static func recognise(_ identity: AdapterIdentity, board: String?) -> KnownAdapter? {
        if identity.isUnbrandedClone { return csrClone }
        return all.first { $0.identification.matches(identity, board: board) }
    }
}

extension KnownAdapter.USBModel {
    fileprivate func matches(_ found: AdapterIdentity.USB) -> Bool {
        vendor == found.vendor && product == found.product
            && !(found.release.map(excludedReleases.contains) ?? false)
    }
}

extension KnownAdapter.Identification {
    fileprivate func matches(_ identity: AdapterIdentity, board: String?) -> Bool {
        if usb.isEmpty, let manufacturer { return manufacturer == identity.manufacturer }
        if let found = identity.usb {
            // The manufacturer is known only while the adapter is there for the management interface.
            guard manufacturer == nil || identity.manufacturer == nil || manufacturer == identity.manufacturer else {
                return false
            }
            return usb.contains { $0.matches(found) }
        }
        // The controller of a board is on a serial line; a USB adapter of the same board was handled above.
        guard let board, !boards.isEmpty, identity.bus == "serial" else { return false }
        return boards.contains { board.hasPrefix($0) }
    }
}
