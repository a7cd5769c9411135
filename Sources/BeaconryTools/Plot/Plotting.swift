// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Persistence
import Profiles
import Radio

/// `plot`: draws the RSSI of recordings as SVG.
package enum PlotTool {
    /// Draws recordings, with the names and positions of the beacons in profiles.
    /// - Parameter output: the file to write; `nil` prints the SVG.
    package static func run(
        _ recordings: [String], profiles: [String], to output: String?, as format: OutputFormat
    ) throws {
        let profiles = try ProfileFiles.load(profiles)
        let names = SeriesCollector.Names(profiles)
        var chart = Chart(title: recordings.map(fileName).joined(separator: ", "), series: [])
        chart.plan = FloorPlan(profiles)
        var packets = 0
        for recording in recordings {
            var input = PlotInput(path: recording)
            try input.read()
            for notice in input.notices { Output.report(notice, as: format) }
            if !input.hasRepetitions { Output.report(Notice(thinned: recording), as: format) }
            let prefix = recordings.count > 1 ? "\(fileName(recording)): " : ""
            chart.series += input.collector.series(names, prefix: prefix)
            packets += input.collector.packets
        }
        try write(chart, packets: packets, to: output, as: format)
    }

    /// Draws what a command has received.
    static func write(
        _ collector: SeriesCollector, title: String, to output: String, as format: OutputFormat
    ) throws {
        let chart = Chart(title: title, series: collector.series())
        try write(chart, packets: collector.packets, to: output, as: format)
    }

    private static func write(_ chart: Chart, packets: Int, to output: String?, as format: OutputFormat) throws {
        let svg = chart.svg()
        guard let output else {
            Output.lines(svg.split(separator: "\n").map { String($0) })
            return
        }
        do throws(SystemError) {
            try OutputFile.write(Array(svg.utf8), to: output)
        } catch {
            throw Failure(exitCode: 73, message: "\(error); choose another file")
        }
        Output.report(PlotReport(file: output, beacons: chart.series.count, packets: packets), as: format)
    }

    private static func fileName(_ path: String) -> String {
        path.split(separator: "/").last.map { String($0) } ?? path
    }
}

extension Notice {
    /// The receiver of a recording left out repetitions of advertisements.
    fileprivate init(thinned recording: String) {
        self.init(
            code: ReceivingCapabilities.Limit.Subject.duplicates.rawValue,
            message:
                "\(recording): its receiver left out repetitions of advertisements, so the density of points and the "
                + "gaps of lines say nothing about the air",
            hint: "record with a radio that reports each advertisement, such as --radio hci-socket:N")
    }
}

/// The result of `plot`, and of `--plot`.
private struct PlotReport: Encodable, Report {
    let event = "plotted"
    let file: String
    let beacons: Int
    let packets: Int

    static var textStream: Output.Stream { .notes }
    var lines: [String] {
        ["\(file): \(Formatting.count(beacons, "beacon")), \(Formatting.count(packets, "packet"))"]
    }
}
