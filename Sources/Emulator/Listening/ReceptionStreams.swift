// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Concurrency
import JSON

/// What a receiver receives and reports, as JSON for any number of clients. One that reads too slowly loses the oldest lines, and gets
/// their number in their place.
struct ReceptionStreams: Sendable {
    private struct Packet: Sendable {
        let record: AdvertisementRecord
        /// Made once for all clients.
        let line: String
    }

    private struct Report: Sendable {
        let record: RangingRecord
        /// For clients that get all of it.
        let line: String
    }

    /// The number of packets or values that a client of a stream may be behind.
    static let capacity = 1024

    private let packets = Broadcast<Packet>(capacity: capacity)
    private let reports = Broadcast<Report>()
    private let changes = Broadcast<MonitoringRecord>()

    /// Whether clients read the packets: a record of each takes time.
    var havePacketReaders: Bool { packets.hasReaders }

    /// Whether clients read the ranging reports.
    var haveReportReaders: Bool { reports.hasReaders }

    /// Sends a packet that was received.
    func send(_ packet: AdvertisementRecord) {
        packets.send(Packet(record: packet, line: JSONLine.encode(packet)))
    }

    /// Sends a ranging report.
    func send(_ report: RangingRecord) { reports.send(Report(record: report, line: JSONLine.encode(report))) }

    /// Sends the new state of a region.
    func send(_ change: MonitoringRecord) { changes.send(change) }

    /// Ends all streams.
    func finish() {
        packets.finish()
        reports.finish()
        changes.finish()
    }

    /// The packets that a filter accepts, from now on.
    func advertisements(_ filter: AdvertisementFilter) -> any AsyncSequence<String, Never> & Sendable {
        packets.stream().compactMap { $0.line { $0.record.isAccepted(by: filter) ? $0.line : nil } }
    }

    /// The ranging reports of the beacons that a filter accepts, from now on.
    func ranging(_ filter: AdvertisementFilter) -> any AsyncSequence<String, Never> & Sendable {
        reports.stream().compactMap {
            $0.line { filter == AdvertisementFilter() ? $0.line : JSONLine.encode($0.record.beacons(filter)) }
        }
    }

    /// States of regions, then the changes.
    func monitoring(after states: [MonitoringRecord]) -> any AsyncSequence<String, Never> & Sendable {
        changes.stream(after: states).compactMap { $0.line { JSONLine.encode($0) } }
    }
}

extension Broadcast.Item {
    /// The line of JSON of an element, if it has one, or of the number of lost ones.
    func line(_ text: (Element) -> String?) -> String? {
        switch self {
        case .element(let element): text(element)
        case .lost(let count): JSONLine.encode(LossRecord(lost: count))
        }
    }
}
