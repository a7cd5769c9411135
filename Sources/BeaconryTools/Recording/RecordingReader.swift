// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import Bluetooth
import Devices
import FoundationEssentials
import HCI
import Radio
import Receiving

/// Reads a recording of `record`, or the advertising reports of a capture (`CaptureReports`).
struct RecordingReader {
    /// Longer than any line of a recording.
    static let longestLine = 1 << 16
    /// How recordings are made, for messages.
    static let source = "beaconry record FILE makes a recording"

    let path: String

    /// Calls the closure with each advertisement, in order.
    /// - Returns: what is known of the receiver; of a file that is cut, with a notice: what is complete was used.
    /// - Throws: `Failure` that names the invalid line or offset; also for a `ValueFault` of the closure.
    @discardableResult
    func readAll(_ body: (RecordedSighting) throws -> Void) throws -> RecordingReceiver {
        var file = try InputFile(path, from: Self.source)
        let first = try file.next()
        if var capture = try CaptureReports(path, startingWith: first) { return try read(&capture, &file, body) }
        var receiver = RecordingReceiver()
        var cut: Notice?
        try file.readLines(after: first, longest: Self.longestLine, fault: fault) { line, number in
            if number == 1, let head = try? JSONDecoder().decode(RecordingHead.self, from: Data(line)) {
                receiver = RecordingReceiver(head)
            } else {
                try readLine(line, number, body)
            }
        } unended: { line, number, offset in
            cut = Notice(cut: path, line, number, at: offset)
            if cut == nil { try readLine(line, number, body) }
        }
        receiver.notices += [cut].compactMap(\.self)
        return receiver
    }

    private func readLine(_ line: ArraySlice<UInt8>, _ number: Int, _ body: (RecordedSighting) throws -> Void) throws {
        let decoder = JSONDecoder()
        guard let recorded = (try? decoder.decode(RecordingLine.self, from: Data(line)))?.recorded else {
            throw fault(number)
        }
        do {
            try body(recorded)
        } catch let fault as ValueFault {
            throw Failure.badData("\(path):\(number): \(fault.message)")
        }
    }

    private func fault(_ number: Int) -> Failure {
        .badData(
            "\(path):\(number): this is not a line of a recording; beaconry record FILE makes one, and captures are read as "
                + "btsnoop, pcap or pcapng")
    }

    private func read(
        _ capture: inout CaptureReports, _ file: inout InputFile, _ body: (RecordedSighting) throws -> Void
    ) throws -> RecordingReceiver {
        var start: Duration?
        var number = 0
        var filters = DuplicateFilters()
        var receiver = RecordingReceiver()
        let cut = try capture.read(
            &file, commands: { filters.take($1, to: $0.controllerIndex) },
            { report in
                let began = start ?? report.time
                start = began
                number += 1
                if filters.isOn(report.controllerIndex) { receiver.reportsRepetitions = false }
                guard let sighting = Sighting(report.report) else { return }
                do {
                    try body(RecordedSighting(offset: report.time - began, sighting: sighting))
                } catch let fault as ValueFault {
                    throw Failure.badData("\(path): advertising report \(number): \(fault.message)")
                }
            })
        receiver.notices += [cut].compactMap(\.self)
        return receiver
    }
}

/// What a recording says about its receiver.
struct RecordingReceiver {
    /// The radio, as `--radio` takes it; `nil` if the recording does not have it.
    var radio: String?
    /// Whether it reported each advertisement that it received, so that the times between them mean something.
    var reportsRepetitions = true
    /// What a user should know of the file.
    var notices: [Notice] = []

    init() {}

    init(_ head: RecordingHead) {
        radio = head.radio
        reportsRepetitions = !head.limits.contains(ReceivingCapabilities.Limit.Subject.duplicates.rawValue)
    }
}

/// Whether controllers leave out repetitions of advertisements, by the commands that they got.
private struct DuplicateFilters {
    private var filtering: Set<UInt16> = []

    /// Takes a command to a controller.
    mutating func take(_ command: HCICommandPacket, to controller: UInt16) {
        let enable: (isOn: Bool, filter: UInt8)?
        if let legacy = try? command.parameters(as: LESetScanEnable.self) {
            enable = (legacy.enable == 1, legacy.filterDuplicates)
        } else if let extended = try? command.parameters(as: LESetExtendedScanEnable.self) {
            enable = (extended.enable == 1, extended.filterDuplicates)
        } else {
            enable = nil
        }
        guard let enable else { return }
        // After the end of a scan, reports that were queued are of that scan.
        if enable.isOn { filtering.remove(controller) }
        if enable.isOn, enable.filter != 0 { filtering.insert(controller) }
    }

    /// Whether the last scan of a controller filters.
    func isOn(_ controller: UInt16) -> Bool { filtering.contains(controller) }
}

extension Sighting {
    /// The sighting of a report; `nil` without an address, which an anonymous advertisement does not have.
    fileprivate init?(_ report: ScanReport) {
        guard let pdu = PDU(rawValue: report.kind.name), report.addressType != .anonymous else { return nil }
        self.init(
            device: RemoteAddress(report.address, isRandom: report.addressType.rawValue & 1 == 1), pdu: pdu,
            data: report.data, rssi: report.rssi)
    }
}

extension Notice {
    /// The last line of a file of JSON objects is not complete; `nil` for a whole object, and for the only line.
    init?(cut path: String, _ line: ArraySlice<UInt8>, _ number: Int, at offset: Int) {
        guard number > 1, line.last != UInt8(ascii: "}"), line.first == UInt8(ascii: "{") else { return nil }
        self.init(
            code: "file-cut",
            message: "\(path) ends within line \(number), at byte \(offset); the lines before it are used",
            hint: "none: the file was cut, or is still being written")
    }
}
