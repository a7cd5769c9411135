// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Devices
import Profiles

/// `beaconry init`
struct Init: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Write a first profile, with comments, or the profile of a list.",
        discussion: """
            Example: beaconry init shop.yaml
            Example: beaconry init --from museum.csv --columns minor=Nr,label=Title

            The profile has the name of the file. A list is CSV with any separator, JSON, JSON lines or GeoJSON, with a beacon in \
            each row. Columns with known names are taken, in any order and in several languages: id, label, uuid, major, minor, \
            measured-power, interval, tx-power, x, y, z and others; the output lists what was taken and what was not.
            """)

    @Argument(help: "File of the profile (default: beacons.yaml, or the name of the list).")
    var file: String?

    @Option(
        help: ArgumentHelp(
            "List of beacons, a CSV, JSON or GeoJSON file, of which the profile is made.", valueName: "list"),
        completion: .file())
    var from: String?

    @Option(
        help: ArgumentHelp(
            """
            Columns of the list by their names or numbers, for keys that no column is named after: minor=Nr,label=Title; may be \
            repeated.
            """, valueName: "key=column"))
    var columns: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Unit of positions that have none in the heading or the value, mm, cm, m, ft or in (default: m). With it, coordinates of \
            GeoJSON are positions in that unit instead of longitudes and latitudes.
            """, valueName: "unit"))
    var units: ListLengthUnit?

    @Option(
        help: ArgumentHelp(
            """
            Latitude and longitude of the position [0, 0], such as 48.1374,11.5755, for a list with latitudes and longitudes (default: \
            its corner in the south-west).
            """, valueName: "lat,lon"), transform: OptionValue.anchor)
    var origin: MapAnchor?

    @Flag(help: "Replace an existing file.")
    var force = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard from == nil else { return }
        let others = [("--columns", !columns.isEmpty), ("--units", units != nil), ("--origin", origin != nil)]
        if let option = others.first(where: { $0.1 })?.0 {
            throw ValidationError("\(option) is for a list; name it with --from LIST")
        }
    }

    func run() throws {
        guard let from else {
            return try FirstProfile.write(to: file ?? "beacons.yaml", replaces: force, as: output.format)
        }
        var options = ListImport.Options()
        for text in columns {
            do throws(ListFault) {
                try options.choices.add(text)
            } catch {
                throw Failure.usage("--columns: \(error.message)")
            }
        }
        options.unit = units
        options.anchor = origin
        try ListTool.run(from, to: file, options, replaces: force, as: output.format)
    }
}

extension ListLengthUnit: ExpressibleByArgument {}
