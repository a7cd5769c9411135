// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import ArgumentParser
import BeaconryTools
import BluetoothCore
import Profiles

/// The options of an iBeacon frame.
struct IBeaconOptions: ParsableArguments {
    @Option(help: "Proximity UUID: 8-4-4-4-12 hexadecimal digits.", transform: ValueText.uuid)
    var uuid: UUID128

    @Option(parsing: .unconditional, help: "Major number, 0 to 65535.", transform: ValueText.unsigned16)
    var major: UInt16 = 0

    @Option(parsing: .unconditional, help: "Minor number, 0 to 65535.", transform: ValueText.unsigned16)
    var minor: UInt16 = 0

    @Option(
        parsing: .unconditional, help: "Measured power: the RSSI at 1 m, in dBm.", transform: ValueText.measuredPower)
    var measuredPower = MeasuredPower(-59)

    @Option(help: "Flags byte in front of the frame, or none.")
    var flags = "0x06"

    /// The frame.
    var beacon: IBeacon { IBeacon(uuid: uuid, major: major, minor: minor, measuredPower: measuredPower) }

    /// The flags; `nil` for none.
    func advertisingFlags() throws(Failure) -> AdvertisingFlags? {
        do throws(ValueFault) {
            return try ValueText.flags(flags)
        } catch {
            throw .usage("--flags: \(error.message)")
        }
    }
}
