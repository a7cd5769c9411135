// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
package import Emulator
import Radio

/// Which metrics have a sample for each beacon.
package enum MetricsDetail: String, CaseIterable, Sendable {
    /// None.
    case none
    /// Those whose names begin with `beaconry_beacon_`.
    case beacon

    /// The number of beacons above which there is no detail unless it is requested.
    private static let limit = 1000

    /// The detail if none is requested.
    static func usual(of beacons: Int) -> MetricsDetail { beacons > limit ? .none : .beacon }
}

/// The metrics of a run in the text format of Prometheus, version 0.0.4.
package struct MetricsReport: Sendable {
    private let version: String
    private let detail: MetricsDetail?

    /// - Parameters:
    ///   - version: Of the program.
    ///   - detail: `nil` for the usual one.
    package init(version: String, detail: MetricsDetail?) {
        self.version = version
        self.detail = detail
    }

    /// The metrics at present, in UTF-8, in blocks.
    package func text(of emulator: Emulator, _ watch: RunWatch) async -> [[UInt8]] {
        text(await emulator.metrics(), await emulator.profileVersions(), watch.counts)
    }

    /// The metrics before the run.
    package func text(_ watch: RunWatch) -> [[UInt8]] { text(nil, [], watch.counts) }

    private func text(
        _ metrics: RunMetrics?, _ versions: [ProfileVersion], _ events: RunWatch.State
    ) -> [[UInt8]] {
        let beacons = metrics?.beacons ?? []
        let air = metrics?.air ?? AirSummary()
        var text = MetricsText()
        text.add(
            "beaconry_build_info", .gauge, "The version of the program; the value is 1.", [(["version": version], 1)])
        text.add(
            "beaconry_profile_info", .gauge,
            "The profiles in use with the hash of their files and of what is in effect; the value is 1.",
            versions.map {
                (["profile": $0.profile, "files": $0.files ?? "", "effective": $0.effective], 1)
            })
        text.add(
            "beaconry_ready", .gauge, "Whether everything that should be on the air is on the air, 0 or 1.",
            air.isComplete ? 1 : 0)
        text.add("beaconry_radio_up", .gauge, "Whether the radio is usable, 0 or 1.", air.isRadioUp ? 1 : 0)
        text.add(
            "beaconry_beacons", .gauge, "The beacons, by their state.",
            AirState.allCases.map { (["state": $0.rawValue], air.count($0)) })
        text.add(
            "beaconry_beacons_missing", .gauge, "The beacons that should be on the air and are not.", air.missingCount)
        text.add(
            "beaconry_profile_is_last_good", .gauge,
            "Whether the profile could not be used at the start or the last reload, and the one that ran last runs, 0 or 1.",
            air.usesLastGood ? 1 : 0)
        text.add(
            "beaconry_connections", .gauge, "The connected centrals.", beacons.reduce(0) { $0 + $1.centrals.count })
        text.add("beaconry_connections_total", .counter, "The connections so far.", events.connections)
        if let metrics { add(metrics, to: &text) }
        text.add(
            "beaconry_reloads_total", .counter, "The reloads of the profiles so far, by their result.",
            [(["result": "done"], events.reloads), (["result": "failed"], events.failedReloads)])
        text.add(
            "beaconry_warnings_total", .counter, "The warnings so far, by their code.",
            events.warnings.sorted { $0.key < $1.key }.map { (["code": $0.key], $0.value) })
        text.add("beaconry_events_total", .counter, "The events so far.", events.events)
        return text.blocks
    }

    private func add(_ metrics: RunMetrics, to text: inout MetricsText) {
        text.add(
            "beaconry_att_requests_total", .counter,
            "The answered reads and writes of centrals so far, by the ATT error of the response.",
            metrics.requests.map {
                let error = $0.error.map { "0x" + Hexadecimal.string([$0.rawValue]) } ?? "none"
                return (["op": $0.isRead ? "read" : "write", "error": error], Int($0.count))
            })
        text.add("beaconry_flash_writes_seconds", "The time to save changed settings.", metrics.flashWrites)
        let details = detail ?? .usual(of: metrics.beacons.count)
        if let radio = metrics.radio {
            text.add(
                "beaconry_advertising_events_total", .counter, "The advertising events on the virtual air so far.",
                Int(radio.advertisingEvents))
            text.add(
                "beaconry_interval_error_seconds", "How late advertising events were on the virtual air.",
                radio.delays)
            text.add(
                "beaconry_reports_sent_total", .counter, "The advertising reports to hosts on the virtual air so far.",
                Int(radio.reportsQueued - radio.reportsDropped))
            text.add(
                "beaconry_reports_dropped_total", .counter,
                "The advertising reports that were dropped so far, by their reason.",
                [(["reason": "host-not-reading"], Int(radio.reportsDropped))])
            if details == .beacon {
                text.add(
                    "beaconry_beacon_advertising_events_total", .counter,
                    "The advertising events of a beacon on the virtual air since it joined.",
                    metrics.beacons.map {
                        (Self.labels($0), Int(radio.advertisingEventsByName[$0.identifier.name] ?? 0))
                    })
            }
        }
        guard details == .beacon else { return }
        text.add(
            "beaconry_beacon_info", .gauge,
            "The label of a beacon, and its identity on the air as FORMAT:NUMBERS, or the identity that it would have; the value is 1.",
            metrics.beacons.map {
                var labels = Self.labels($0)
                labels["label"] = $0.label ?? ""
                labels["identity"] = $0.identity ?? ""
                return (labels, 1)
            })
        text.add(
            "beaconry_beacon_on_air", .gauge, "Whether a beacon is on the air, 0 or 1.",
            metrics.beacons.map { (Self.labels($0), $0.airState == .onAir ? 1 : 0) })
        text.add(
            "beaconry_beacon_connections", .gauge, "The centrals that are connected to a beacon.",
            metrics.beacons.map { (Self.labels($0), $0.centrals.count) })
    }

    private static func labels(_ beacon: BeaconStatus) -> [String: String] {
        ["profile": beacon.profile, "device": beacon.identifier.name]
    }
}

/// The writer of the text format of Prometheus.
private struct MetricsText {
    enum Kind: String {
        case gauge, counter, histogram
    }

    /// The size of a block, in bytes: many small ones leave no holes in the memory of a run with many readers.
    private static let blockSize = 16_384

    private(set) var blocks: [[UInt8]] = [[]]

    private mutating func append(_ text: String) {
        if blocks[blocks.count - 1].count + text.utf8.count > Self.blockSize {
            var block: [UInt8] = []
            block.reserveCapacity(Self.blockSize)
            blocks.append(block)
        }
        blocks[blocks.count - 1] += text.utf8
    }

    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
        add(name, kind, help, [([:], value)])
    }

    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [(labels: [String: String], value: Int)])
    {
        guard !samples.isEmpty else { return }
        addHeading(name, kind, help)
        for (labels, value) in samples { addSample(name, labels, "\(value)") }
    }

    /// Adds a histogram of seconds.
    mutating func add(_ name: String, _ help: String, _ histogram: DurationHistogram) {
        addHeading(name, .histogram, help)
        var count: UInt64 = 0
        let bounds = DurationHistogram.bounds.map { Self.seconds(UInt64($0)) } + ["+Inf"]
        for (bound, number) in zip(bounds, histogram.counts) {
            count += number
            addSample("\(name)_bucket", ["le": bound], "\(count)")
        }
        addSample("\(name)_sum", [:], Self.seconds(UInt64(histogram.sum)))
        addSample("\(name)_count", [:], "\(count)")
    }

    /// Microseconds as a decimal number of seconds without zeros at its end.
    private static func seconds(_ microseconds: UInt64) -> String {
        let (whole, fraction) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        guard fraction > 0 else { return "\(whole)" }
        var digits = "\(1_000_000 + fraction)".dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(whole).\(digits)"
    }

    private mutating func addHeading(_ name: String, _ kind: Kind, _ help: String) {
        append("# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n")
    }

    private mutating func addSample(_ name: String, _ labels: [String: String], _ value: String) {
        let pairs = labels.sorted { $0.key < $1.key }.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }
        append(name + (pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}") + " \(value)\n")
    }

    private static func escaped(_ value: String) -> String {
        value.reduce(into: "") { text, character in
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.append(character)
            }
        }
    }
}
