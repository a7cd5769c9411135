// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothCore
import Profiles
import Receiving

/// The options that say which beacons are meant.
struct BeaconSelection: ParsableArguments {
    /// The UUIDs of AirLocate, the sample that Apple gave with the first release of iBeacon.
    static let airLocate = [
        "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "5A4BCFCE-174E-4BAC-A814-092E77F6B7E5",
        "74278BDA-B644-4520-8F0C-720EAF059935",
    ]

    @Option(help: "Proximity UUID; may be repeated.")
    var uuid: [String] = []

    @Option(parsing: .unconditional, help: "Major number (default: any).")
    var major: String?

    @Option(parsing: .unconditional, help: "Minor number; needs --major (default: any).")
    var minor: String?

    /// A region for every UUID, named by it.
    /// - Parameter defaults: the UUIDs when none is given.
    /// - Throws: `Failure` naming the option that cannot be so.
    func regions(defaults: [String]) throws -> [BeaconRegion] {
        let (major, minor) = try numbers()
        let uuids = try uuids()
        return try (uuids.isEmpty ? defaults.map(Self.uuid) : uuids).map { uuid in
            BeaconRegion(identifier: uuid.description, uuid: uuid, major: major, minor: minor)
        }
    }

    /// The UUIDs; empty when none is given.
    /// - Throws: `Failure` naming the option that cannot be so.
    func uuids() throws -> [UUID128] { try uuid.map(Self.uuid) }

    /// The major and the minor number; `nil` for any.
    /// - Throws: `Failure` naming the option that cannot be so.
    func numbers() throws -> (major: UInt16?, minor: UInt16?) {
        let major = try major.map { text in
            try named("--major") { () throws(ValueFault) in try ValueText.unsigned16(text) }
        }
        let minor = try minor.map { text in
            try named("--minor") { () throws(ValueFault) in try ValueText.unsigned16(text) }
        }
        if minor != nil, major == nil { throw Failure.usage("--minor belongs to a major number; give --major too") }
        return (major, minor)
    }

    private static func uuid(_ text: String) throws -> UUID128 {
        try named("--uuid") { () throws(ValueFault) in try ValueText.uuid(text) }
    }
}
