// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BeaconryCentral
import Bluetooth
import Concurrency
import Emulator
package import Profiles
import Radio
package import Receiving

/// `range`: reports the distance of each beacon once a second.
package enum RangeTool {
    /// Reports until the end of the listening, or after this duration with a last report.
    /// - Parameter plot: the file of a chart; `nil` for none.
    package static func run(
        _ ranging: Ranging, on listening: Listening, for duration: Duration?, plot: String? = nil,
        as format: OutputFormat
    ) async throws {
        let ranged = RangingState(isDrawn: LiveScreen.showsResults(as: format), collects: plot != nil)
        let state = (ranging: ranged, others: OtherAdvertisers(beside: ranging.filter))
        try await PeriodicReports.run(ranging, on: listening, for: duration, as: format, state: state) {
            report, state in
            state.ranging.take(report)
            return RangingOutput(report, trends: state.ranging.trends, others: state.others)
        } take: { reception, ranging, state in
            ranging.take(reception, others: &state.others)
        } finish: { state in
            guard let plot else { return }
            try PlotTool.write(state.ranging.collector, title: "range", to: plot, as: format)
        }
    }

    /// Reports what the app of a phone ranges, until the end of the listening, or for this duration.
    /// - Parameters:
    ///   - receiver: its name, on which chance depends, and its settings.
    ///   - filter: the beacons that are reported.
    package static func run(
        as receiver: (name: String, settings: ListenerSettings), _ filter: BeaconFilter, on listening: Listening,
        for duration: Duration?,
        as format: OutputFormat
    ) async throws {
        let (name, settings) = receiver
        try await listening.run { radio, _ in
            let (observations, continuation) = AsyncStream.makeStream(
                of: ListeningReceiver.Observation.self, bufferingPolicy: .bufferingNewest(4096))
            let receiver = ListeningReceiver(
                name, settings, on: radio, clock: Simulation.clock
            ) { continuation.yield($0) }
            try await receiver.open()
            if let failure = await receiver.failure { throw failure }
            let end = Task {
                guard let duration, (try? await Simulation.clock.sleep(for: duration)) != nil else { return }
                await receiver.settle()
                continuation.finish()
            }
            defer { end.cancel() }
            var others = OtherAdvertisers(beside: filter, reader: settings.phone.reader)
            let screen = LiveScreen.forResults(as: format)
            defer { screen?.finish() }
            for await observation in observations {
                switch observation {
                case .packet(let sighting, _): others.take(sighting)
                case .report(.ranging(let report)):
                    let ranged = RangingReport(
                        time: report.time, beacons: report.beacons.filter { filter.contains($0.identity) })
                    let output = RangingOutput(ranged, others: others)
                    if let screen { screen.show(output.content) } else { Output.report(output, as: format) }
                case .report(.region): break
                case .interrupted(let error): throw error
                }
            }
            await receiver.close()
        }.check()
    }
}

/// `seek`: reports the distance of the nearest beacon once a second.
package enum SeekTool {
    /// Reports until the end of the listening, or after this duration with a last report.
    package static func run(
        _ seeking: Seeking, on listening: Listening, for duration: Duration?, as format: OutputFormat
    )
        async throws
    {
        try await PeriodicReports.run(seeking, on: listening, for: duration, as: format, state: ()) { report, _ in
            SeekingOutput(report)
        } take: { reception, seeking, _ in
            seeking.take(reception)
        }
    }
}

/// A receiver that makes a report once a period.
private protocol PeriodicReceiver: Sendable {
    associatedtype Report: Sendable
    /// The time between reports, which are due at whole periods after the start.
    var period: Duration { get }
    mutating func take(_ reception: Reception) -> Report?
    mutating func advance(to time: Duration) -> Report?
    mutating func finish(at time: Duration) -> Report?
}

extension Ranging: PeriodicReceiver {
    fileprivate var period: Duration { settings.period }
}
extension Seeking: PeriodicReceiver {}

/// A report that is redrawn in place on a terminal.
private protocol LiveReport: Report {
    var content: ListView.Content { get }
}

private enum PeriodicReports {
    /// - Parameters:
    ///   - state: what the outputs have in common.
    ///   - take: passes a reception to the receiver.
    ///   - finish: called with the state at the end.
    static func run<Receiver: PeriodicReceiver, State: Sendable, Printed: LiveReport & SendableMetatype>(
        _ receiver: Receiver, on listening: Listening, for duration: Duration?, as format: OutputFormat,
        state: State, _ output: @escaping @Sendable (Receiver.Report, inout State) -> Printed,
        take: @escaping @Sendable (Reception, inout Receiver, inout State) -> Receiver.Report?,
        finish: @escaping @Sendable (State) throws -> Void = { _ in }
    ) async throws {
        try await listening.run { radio, _ in
            var receiver = receiver
            var state = state
            let screen = LiveScreen.forResults(as: format)
            defer { screen?.finish() }
            func show(_ report: Receiver.Report) {
                let report = output(report, &state)
                if let screen { screen.show(report.content) } else { Output.report(report, as: format) }
            }
            let batches = try await radio.receptionsByPeriod(every: receiver.period, until: duration)
            receiving: for await receptions in batches {
                for reception in receptions {
                    if let duration, duration <= reception.time {
                        // Advertisements received after the end do not count.
                        if let report = receiver.advance(to: duration) { show(report) }
                        if let report = receiver.finish(at: duration) { show(report) }
                        break receiving
                    }
                    if let report = take(reception, &receiver, &state) { show(report) }
                }
            }
            screen?.finish()
            try finish(state)
        }.check()
    }
}

/// What the reports of a ranging command have in common: the last RSSI values of each beacon, and all for a chart.
struct RangingState: Sendable {
    private var histories = RSSIHistories<BeaconIdentity>()
    /// Whether the last RSSI values are kept.
    private let isDrawn: Bool
    /// Whether the RSSI of all reports is collected.
    private let collects: Bool
    /// The RSSI of all reports.
    private(set) var collector = SeriesCollector()
    /// The last RSSI values of the beacons in the last report, as texts for a terminal; empty without room for them.
    private(set) var trends: [BeaconIdentity: String] = [:]

    /// No reports.
    /// - Parameters:
    ///   - isDrawn: whether the last RSSI values are kept, for a terminal.
    ///   - collects: whether the RSSI of all reports is collected.
    init(isDrawn: Bool = true, collects: Bool = false) {
        self.isDrawn = isDrawn
        self.collects = collects
    }

    /// Adds a report.
    mutating func take(_ report: RangingReport) {
        if collects {
            for beacon in report.beacons where beacon.packets > 0 {
                guard let rssi = beacon.meanRSSI else { continue }
                collector.add(rssi, of: beacon.identity, at: report.time / .seconds(1))
            }
        }
        if isDrawn { addTrends(of: report) }
    }

    private mutating func addTrends(of report: RangingReport) {
        let columns = Terminal.size.columns
        trends = [:]
        for beacon in report.beacons {
            let rssi = beacon.packets > 0 ? beacon.meanRSSI : nil
            histories.append(rssi.flatMap { Int8(exactly: $0.rounded()) }, of: beacon.identity)
            trends[beacon.identity] = histories.sparkline(of: beacon.identity, columns: columns)
        }
        histories.forgetAll(except: report.beacons.map(\.identity))
    }
}

/// A ranging report of `range` and `monitor`.
struct RangingOutput: Encodable, LiveReport {
    private let event = "ranged"
    private let time = Timestamp.now
    /// The region's identifier; absent for a report on all regions.
    private let region: String?
    /// The beacons in range, the nearest first.
    let beacons: [RangingRecord.Beacon]
    /// What was received instead of beacons; absent if some are in range, or if nothing was received.
    private let message: String?
    /// The last RSSI values of these beacons, for a terminal; empty without them.
    private let trends: [String]

    private enum CodingKeys: CodingKey {
        case event, time, region, beacons, message
    }

    /// - Parameters:
    ///   - trends: the last RSSI values of beacons, as texts for a terminal.
    ///   - others: what was received beside the beacons; `nil` if that is not known.
    init(
        _ report: RangingReport, in region: BeaconRegion? = nil, trends: [BeaconIdentity: String] = [:],
        others: OtherAdvertisers? = nil
    ) {
        self.region = region?.identifier
        let ranged = region.map { report.beacons(in: $0) } ?? report.beacons
        beacons = ranged.map(RangingRecord.Beacon.init)
        message = ranged.isEmpty ? others?.sentence : nil
        self.trends = ranged.map { trends[$0.identity] ?? "" }
    }

    /// Sections by proximity, as AirLocate shows them; one line when no beacon is in range.
    var lines: [String] { lines(withTrends: false) }

    /// The lines, with the last RSSI values before the UUIDs.
    var liveLines: [String] { lines(withTrends: true) }

    private func lines(withTrends: Bool) -> [String] {
        guard !beacons.isEmpty else { return [SeekingReport.noneFound + (message.map { "; \($0)" } ?? "")] }
        let sections = [Proximity.immediate, .near, .far, .unknown].map { proximity in
            (proximity, zip(beacons, trends).filter { $0.0.proximity == proximity.rawValue })
        }
        return sections.filter { !$0.1.isEmpty }.flatMap { proximity, rows in
            [Self.heading(proximity)] + rows.map { "  " + $0.0.line(trend: withTrends ? $0.1 : "") }
        }
    }

    private static func heading(_ proximity: Proximity) -> String {
        switch proximity {
        case .immediate: "Immediate"
        case .near: "Near"
        case .far: "Far"
        case .unknown: "Unknown"
        }
    }

    var content: ListView.Content {
        ListView.Content(title: "\(Formatting.count(beacons.count, "beacon")) in range; Ctrl-C ends", lines: liveLines)
    }
}

extension RangingRecord.Beacon {
    /// The text of AirLocate, followed by the RSSI and the UUID, which it leaves out.
    var line: String { line(trend: "") }

    /// The same with the last RSSI values.
    func line(trend: String) -> String {
        let signal = rssi == 0 && packets == 0 ? "not received now" : "\(rssi) dBm"
        let distance = "Acc: \(Formatting.hundredths(accuracy))m  \(signal)  " + (trend.isEmpty ? "" : trend + "  ")
        guard let uuid = identifiers.uuid, let major = identifiers.major, let minor = identifiers.minor else {
            let parts = [format, identifiers.namespace, identifiers.instance, identifiers.identity]
            return distance + parts.compactMap(\.self).joined(separator: " ")
        }
        let other = format == IBeacon.formatName ? "" : " (\(format))"
        return "Major: \(major), Minor: \(minor), " + distance + uuid + other
    }
}

/// A report of `seek`.
struct SeekingOutput: Encodable, LiveReport {
    private static let barWidth = 30

    private let event = "sought"
    private let time = Timestamp.now
    /// The nearest beacon; absent when none is in range.
    private let nearest: RangingRecord.Beacon?
    /// 0 for cold, 1 for hot.
    private let warmth: Double
    /// warmer, colder or steady.
    private let trend: String
    private let text: String

    private enum CodingKeys: CodingKey {
        case event, time, nearest, warmth, trend
    }

    init(_ report: SeekingReport) {
        nearest = report.nearest.map(RangingRecord.Beacon.init)
        warmth = report.warmth
        trend = report.trend.rawValue
        text = report.text
    }

    /// A bar that is full when hot, followed by the distance.
    var lines: [String] {
        guard nearest != nil else { return [text] }
        let warm = Int((warmth * Double(Self.barWidth)).rounded())
        let bar = String(repeating: "#", count: warm) + String(repeating: ".", count: Self.barWidth - warm)
        return ["cold [\(bar)] hot  \(text)" + (trend == "steady" ? "" : "  \(trend)")]
    }

    var content: ListView.Content { ListView.Content(title: lines[0], lines: []) }
}
