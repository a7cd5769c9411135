// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// The capabilities of a radio as a receiver.
public struct ReceivingCapabilities: Hashable, Sendable {
    /// A limit of a radio compared with others.
    public struct Limit: Hashable, Sendable {
        /// The subjects of limits, whose names scripts may rely on.
        public enum Subject: String, Hashable, Sendable {
            /// Sightings do not have a PDU type.
            case pdu
            /// Some repetitions of an advertisement are not reported.
            case duplicates
            /// It cannot scan passively.
            case passiveScanning = "passive-scanning"
            /// Data is restored from its fields; the order of its structures, and unknown ones, are lost.
            case exactData = "exact-data"
            /// Advertisements without certain structures are not reported.
            case patterns
            /// Small changes of the RSSI are not reported.
            case rssi
            /// Other users of the receiver get nothing meanwhile.
            case exclusive
        }

        /// The scans that a limit applies to.
        public enum Scans: Hashable, Sendable {
            /// Every scan.
            case all
            /// Scans with scan requests.
            case active
            /// Scans without scan requests.
            case passive
        }

        /// The subject.
        public let subject: Subject
        /// The scans that it applies to.
        public let scans: Scans
        /// The reason, as a sentence without its full stop.
        public let reason: String
        /// A hint, as a clause.
        public let hint: String

        /// A limit with a reason.
        public init(_ subject: Subject, in scans: Scans = .all, reason: String, hint: String) {
            self.subject = subject
            self.scans = scans
            self.reason = reason
            self.hint = hint
        }
    }

    /// The name, as `--radio` takes it.
    public var name: String
    /// The source of advertisements, for people: "monitor channel", "D-Bus".
    public var way: String
    /// The adapter's address; `nil` without an adapter.
    public var address: BluetoothAddress?
    /// The limits, of active and of passive scans.
    public var limits: [Limit]

    /// Capabilities as given.
    public init(name: String, way: String, address: BluetoothAddress?, limits: [Limit] = []) {
        self.name = name
        self.way = way
        self.address = address
        self.limits = limits
    }

    /// The limits of active scans, or of passive ones.
    public func limits(scanningActively isActive: Bool) -> [Limit] {
        limits.filter { $0.scans == .all || $0.scans == (isActive ? .active : .passive) }
    }

    /// Whether a scan reports each advertisement that the radio receives, so that the times between them mean something.
    public func reportsRepetitions(scanningActively isActive: Bool) -> Bool {
        !limits(scanningActively: isActive).contains { $0.subject == .duplicates }
    }
}
