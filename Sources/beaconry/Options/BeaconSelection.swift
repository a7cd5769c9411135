// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import BluetoothCore
import Devices
import Receiving

/// The options that select iBeacons.
struct BeaconSelection: ParsableArguments {
    /// The UUIDs of AirLocate, Apple's sample of the first release of iBeacon.
    static let airLocate = [
        UUID128("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"), UUID128("5A4BCFCE-174E-4BAC-A814-092E77F6B7E5"),
        UUID128("74278BDA-B644-4520-8F0C-720EAF059935"),
    ].compactMap(\.self)

    @Option(help: "Proximity UUID; may be repeated.", transform: ValueText.uuid)
    var uuid: [UUID128] = []

    @Option(parsing: .unconditional, help: "Major number (default: any).", transform: ValueText.unsigned16)
    var major: UInt16?

    @Option(
        parsing: .unconditional, help: "Minor number; needs --major (default: any).", transform: ValueText.unsigned16)
    var minor: UInt16?

    /// A region for each UUID, with the UUID as its identifier.
    /// - Parameter defaults: the UUIDs if none is given.
    func regions(defaults: [UUID128]) throws(Failure) -> [BeaconRegion] {
        try check()
        return (uuid.isEmpty ? defaults : uuid).map { uuid in
            BeaconRegion(identifier: uuid.description, uuid: uuid, major: major, minor: minor)
        }
    }

    /// Throws for a minor number without a major number.
    func check() throws(Failure) {
        if minor != nil, major == nil { throw .usage("--minor needs a major number; give --major, too") }
    }
}
