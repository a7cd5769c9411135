// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import ArgumentParser
import BeaconryTools
import Bluetooth
import Devices
import Profiles
import Receiving

/// The options for what an expected advertisement has.
struct CriteriaOptions: ParsableArguments {
    @OptionGroup var selection: BeaconSelection

    @Option(help: "Local name; a * at its end stands for any text.") var name: String?

    @Option(help: "Address of the device.", transform: ValueText.address) var address: BluetoothAddress?

    @Option(
        help: "Service that is advertised: 180F, or 128 bits; may be repeated: all of them.",
        transform: OptionValue.service)
    var service: [BluetoothUUID] = []

    @Option(
        help: "Beacon format: \((BeaconFormats.names + ["eddystone"]).joined(separator: ", ")).",
        transform: ValueText.beaconFormat)
    var format: String?

    @Option(
        help: ArgumentHelp(
            """
            Field of the frame as `scan --json` prints it, such as url=https://a.example; a range is 20..25, and a * at the \
            end stands for any text; may be repeated: all of them.
            """, valueName: "key=value"),
        transform: Self.field)
    var field: [FieldOption] = []

    @Option(help: "Proximity of the advertisements that count (default: any).") var proximity: Proximity?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("RSSI in dBm, such as -70..-40 or -70..", valueName: "range"),
        transform: ValueText.rssiRange)
    var rssi: NumberRange?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Distance in metres, such as 1..2.5 or ..2.5", valueName: "range"),
        transform: ValueText.distanceRange)
    var distance: NumberRange?

    /// A field with its value.
    struct FieldOption: Sendable {
        let key: String
        let value: ExpectedValue
    }

    private static func field(_ text: String) throws(ValueFault) -> FieldOption {
        guard let sign = text.firstIndex(of: "="), sign > text.startIndex else {
            throw ValueFault("\"\(text)\" is not a field; write KEY=VALUE, such as url=https://a.example")
        }
        return FieldOption(key: String(text[..<sign]), value: ExpectedValue(String(text[text.index(after: sign)...])))
    }

    /// The criteria.
    /// - Throws: `Failure` for options that exclude each other.
    func criteria() throws(Failure) -> AdvertisementCriteria {
        var criteria = AdvertisementCriteria()
        criteria.uuids = selection.uuid
        criteria.major = selection.major
        criteria.minor = selection.minor
        criteria.format = format
        for field in field {
            guard criteria.fields.updateValue(field.value, forKey: field.key) == nil else {
                throw .usage("--field \(field.key) is given twice; leave one out")
            }
        }
        criteria.address = address
        criteria.name = name.map { ExpectedValue($0) }
        criteria.services = service
        criteria.proximity = proximity
        criteria.rssi = rssi
        criteria.distance = distance
        try selection.check()
        if let (_, message) = criteria.contradiction { throw .usage(message) }
        return criteria
    }
}
