// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Bluetooth
import Devices
import Profiles
import Receiving

/// The options of the identifiers of a region.
struct RegionOptions: ParsableArguments {
    @Option(help: "Proximity UUID; id1 of AltBeacons.", transform: ValueText.uuid) var uuid: UUID128?
    @Option(
        parsing: .unconditional, help: "Major number; id2 of AltBeacons (default: any).",
        transform: ValueText.unsigned16)
    var major: UInt16?
    @Option(
        parsing: .unconditional, help: "Minor number; id3 of AltBeacons; needs --major (default: any).",
        transform: ValueText.unsigned16)
    var minor: UInt16?
    @Option(
        help: "Namespace of Eddystone-UID, 20 hexadecimal digits, instead of a UUID.", transform: ValueText.namespace)
    var namespace: [UInt8]?
    @Option(
        help: "Instance of Eddystone-UID, 12 hexadecimal digits; needs --namespace (default: any).",
        transform: ValueText.instance)
    var instance: [UInt8]?

    /// The identifiers.
    func identifiers() throws(Failure) -> BeaconRegion.Identifiers {
        do throws(ValueFault) {
            return try BeaconRegion.Identifiers(
                uuid: uuid, major: major, minor: minor, namespace: namespace, instance: instance)
        } catch {
            throw .usage(error.message)
        }
    }
}
