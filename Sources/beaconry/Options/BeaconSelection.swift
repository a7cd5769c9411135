// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Bluetooth
import Devices
import Profiles
import Receiving

/// The options that select beacons.
struct BeaconSelection: ParsableArguments {
    @Option(help: "Proximity UUID; may be repeated (default: any).", transform: ValueText.uuid)
    var uuid: [UUID128] = []

    @Option(parsing: .unconditional, help: "Major number (default: any).", transform: ValueText.unsigned16)
    var major: UInt16?

    @Option(
        parsing: .unconditional, help: "Minor number; needs --major (default: any).", transform: ValueText.unsigned16)
    var minor: UInt16?

    @Option(help: "Namespace of Eddystone-UID, instead of a UUID (default: any).", transform: ValueText.namespace)
    var namespace: [UInt8]?

    @Option(help: "Instance of Eddystone-UID; needs --namespace (default: any).", transform: ValueText.instance)
    var instance: [UInt8]?

    /// The selected beacons: all beacons with these UUIDs, or with any UUID if none is given.
    func filter() throws(Failure) -> BeaconFilter {
        try check()
        if let namespace {
            let name = Hexadecimal.string(namespace)
            return .regions([BeaconRegion(identifier: name, .namespace(namespace, instance: instance))])
        }
        guard !uuid.isEmpty else { return .anyUUID(major: major, minor: minor) }
        return .regions(
            uuid.map { BeaconRegion(identifier: $0.description, uuid: $0, major: major, minor: minor) })
    }

    /// Throws for a minor number without a major number.
    func check() throws(Failure) {
        if minor != nil, major == nil { throw .usage("--minor needs a major number; give --major, too") }
        if instance != nil, namespace == nil { throw .usage("--instance needs a namespace; give --namespace, too") }
        if namespace != nil, !uuid.isEmpty || major != nil {
            throw .usage("--namespace is of Eddystone-UID, and --uuid and --major are of other formats; leave one out")
        }
    }
}
