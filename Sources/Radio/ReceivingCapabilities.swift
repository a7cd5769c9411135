// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

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
            /// Other users of the receiver get nothing meanwhile.
            case exclusive
        }

        /// The subject.
        public let subject: Subject
        /// The reason, as a sentence without its full stop.
        public let reason: String
        /// A hint, as a clause.
        public let hint: String

        /// A limit with a reason.
        public init(_ subject: Subject, reason: String, hint: String) {
            self.subject = subject
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
    /// The limits.
    public var limits: [Limit]

    /// Capabilities as given.
    public init(name: String, way: String, address: BluetoothAddress?, limits: [Limit] = []) {
        self.name = name
        self.way = way
        self.address = address
        self.limits = limits
    }
}
