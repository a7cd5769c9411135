// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BeaconryCentral
import Bluetooth
import FoundationEssentials
import Radio
import Receiving

/// Reads what the program writes about received packets: recordings, captures, and the events of `range`, `monitor` and
/// `scan`.
struct PlotInput {
    private struct Event: Decodable {
        let event: String
        let time: String?
        /// Of a warning.
        let code: String?
    }

    private struct Ranged: Decodable {
        struct Beacon: Decodable {
            private enum CodingKeys: CodingKey {
                case format, rssi, packets
            }

            /// `nil` if they are invalid.
            let identity: BeaconIdentity?
            let rssi: Int8
            let packets: Int

            init(from decoder: any Decoder) throws {
                let object = try decoder.container(keyedBy: CodingKeys.self)
                rssi = try object.decode(Int8.self, forKey: .rssi)
                packets = try object.decode(Int.self, forKey: .packets)
                let format = try object.decodeIfPresent(String.self, forKey: .format) ?? IBeacon.formatName
                identity = try IdentifierRecord(from: decoder).beacon(format: format)
            }
        }

        let beacons: [Beacon]
    }

    private struct Received: Decodable {
        let address: String
        let addressType: String
        let advertisingData: String
        let scanResponse: String?
        let rssi: Int8?
    }

    /// The events of commands that receive, even if nothing was received.
    private static let receivingEvents: Set<String> = ["listening", "ranged", "heard"]
    private static let sources = "record FILE, range --json, monitor --json, scan --json --duplicates and run --capture"

    let path: String
    private(set) var collector = SeriesCollector()
    /// Whether the receiver reported each advertisement that it received, as far as the file says so.
    private(set) var hasRepetitions = true
    /// What a user should know of the file.
    private(set) var notices: [Notice] = []
    /// The time of the first event, since 1970.
    private var start: Date?
    private var hasEvents = false
    private var isOfReceiver = false

    init(path: String) { self.path = path }

    /// Reads the file.
    /// - Throws: `Failure` with exit code 65 that names the line or the offset of what is not one of these.
    mutating func read() throws {
        var file = try InputFile(path, from: RecordingReader.source)
        let first = try file.next()
        if try CaptureReports(path, startingWith: first) != nil {
            var collector = SeriesCollector()
            var reports = 0
            let receiver = try RecordingReader(path: path).readAll {
                reports += 1
                collector.add($0.sighting, at: $0.offset / .seconds(1))
            }
            guard collector.packets > 0 || reports == 0 else {
                throw Failure.badData(
                    "\(path): no report in it has an RSSI, as in captures of the link layer; capture HCI: btmon -w FILE"
                )
            }
            self.collector = collector
            hasRepetitions = receiver.reportsRepetitions
            notices = receiver.notices
            return
        }
        let path = path
        try file.readLines(
            after: first, longest: RecordingReader.longestLine, fault: { Self.fault(path, $0) },
            { line, number in try read(Data(line), number) },
            unended: { line, number, offset in
                if let cut = Notice(cut: path, line, number, at: offset) {
                    notices.append(cut)
                } else {
                    try read(Data(line), number)
                }
            })
        guard hasEvents, !isOfReceiver else { return }
        throw Failure.badData("\(path): these events have no RSSI; plot reads what \(Self.sources) write")
    }

    private mutating func read(_ line: Data, _ number: Int) throws(Failure) {
        let decoder = JSONDecoder()
        if number == 1, let head = try? decoder.decode(RecordingHead.self, from: line) {
            hasRepetitions = RecordingReceiver(head).reportsRepetitions
            return
        }
        if let recorded = (try? decoder.decode(RecordingLine.self, from: line))?.recorded {
            return collector.add(recorded.sighting, at: recorded.offset / .seconds(1))
        }
        guard let event = try? decoder.decode(Event.self, from: line) else { throw Self.fault(path, number) }
        hasEvents = true
        if Self.receivingEvents.contains(event.event) { isOfReceiver = true }
        switch event.event {
        case "warning" where event.code == ReceivingCapabilities.Limit.Subject.duplicates.rawValue:
            hasRepetitions = false
        case "ranged":
            guard let time = time(of: event), let ranged = try? decoder.decode(Ranged.self, from: line) else {
                throw Self.fault(path, number)
            }
            try add(ranged, at: time, number)
        case "heard":
            guard let time = time(of: event), let received = try? decoder.decode(Received.self, from: line),
                let sighting = Self.sighting(received)
            else { throw Self.fault(path, number) }
            collector.add(sighting, at: time)
        default: break
        }
    }

    private mutating func add(_ ranged: Ranged, at time: Double, _ number: Int) throws(Failure) {
        for beacon in ranged.beacons {
            guard let identity = beacon.identity else { throw Self.fault(path, number) }
            // Without packets the RSSI is 0, as in Core Location.
            guard beacon.packets > 0, beacon.rssi != 0 else { continue }
            collector.add(Double(beacon.rssi), of: identity, at: time)
        }
    }

    private static func sighting(_ received: Received) -> Sighting? {
        guard let address = BluetoothAddress(received.address),
            let data = try? Hexadecimal.bytes(received.advertisingData)
        else { return nil }
        return Sighting(
            device: RemoteAddress(address, isRandom: received.addressType == "random"), pdu: nil, data: data,
            rssi: received.rssi.map { RSSI($0) })
    }

    /// Seconds since the first event; negative if the clock was set back.
    private mutating func time(of event: Event) -> Double? {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        guard let text = event.time, let date = try? style.parse(text) else { return nil }
        let start = start ?? date
        self.start = start
        return date.timeIntervalSince(start)
    }

    private static func fault(_ path: String, _ number: Int) -> Failure {
        .badData("\(path):\(number): this is not what \(sources) write")
    }
}
