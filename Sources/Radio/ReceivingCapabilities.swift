// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// What a radio is and can do as a receiver.
public struct ReceivingCapabilities: Hashable, Sendable {
    /// Something that a radio cannot see or do where others can.
    public struct Limit: Hashable, Sendable {
        /// What it is about, whose names scripts may rely on.
        public enum Subject: String, Hashable, Sendable {
            /// Sightings do not say of which PDU they are.
            case pdu
            /// Some repetitions of an advertisement are not told.
            case duplicates
            /// It cannot listen without asking for scan responses.
            case passiveScanning = "passive-scanning"
            /// Data is put together from what is told of it; the order of its structures, and unknown ones, are lost.
            case exactData = "exact-data"
        }

        /// What it is about.
        public let subject: Subject
        /// Why, as a sentence without its full stop.
        public let reason: String
        /// What to do.
        public let hint: String

        /// A limit for this reason.
        public init(_ subject: Subject, reason: String, hint: String) {
            self.subject = subject
            self.reason = reason
            self.hint = hint
        }
    }

    /// Its name, as `--radio` takes it.
    public var name: String
    /// How advertisements are heard, for people: "monitor channel", "D-Bus".
    public var way: String
    /// The adapter's own address, where it has one.
    public var address: BluetoothAddress?
    /// What it cannot see or do.
    public var limits: [Limit]

    /// Capabilities as given.
    public init(name: String, way: String, address: BluetoothAddress?, limits: [Limit] = []) {
        self.name = name
        self.way = way
        self.address = address
        self.limits = limits
    }
}
