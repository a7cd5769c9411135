// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import ArgumentParser
import Profiles

/// The options that make an iBeacon frame.
struct IBeaconOptions: ParsableArguments {
    @Option(help: "Proximity UUID: 8-4-4-4-12 hexadecimal digits.")
    var uuid: String

    @Option(parsing: .unconditional, help: "Major number, 0 to 65535.")
    var major = "0"

    @Option(parsing: .unconditional, help: "Minor number, 0 to 65535.")
    var minor = "0"

    @Option(parsing: .unconditional, help: "Measured power: the RSSI at 1 m, in dBm.")
    var measuredPower = "-59"

    @Option(help: "Flags byte in front of the frame, or none.")
    var flags = "0x06"

    /// The frame.
    /// - Throws: `Failure` naming the option that cannot be so.
    func beacon() throws -> IBeacon {
        IBeacon(
            uuid: try named("--uuid") { () throws(ValueFault) in try ValueText.uuid(uuid) },
            major: try named("--major") { () throws(ValueFault) in try ValueText.unsigned16(major) },
            minor: try named("--minor") { () throws(ValueFault) in try ValueText.unsigned16(minor) },
            measuredPower: try named("--measured-power") { () throws(ValueFault) in
                try ValueText.measuredPower(measuredPower)
            })
    }

    /// The flags; `nil` for none.
    func advertisingFlags() throws -> AdvertisingFlags? {
        try named("--flags") { () throws(ValueFault) in try ValueText.flags(flags) }
    }
}

/// Reads an option's text; the message of a fault begins with the option.
func named<Value>(_ option: String, _ parse: () throws(ValueFault) -> Value) throws -> Value {
    do throws(ValueFault) {
        return try parse()
    } catch {
        throw Failure.usage("\(option): \(error.message)")
    }
}
