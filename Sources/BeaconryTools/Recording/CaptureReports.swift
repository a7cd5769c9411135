// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// The advertising reports of captures: btsnoop, pcap and pcapng files of the link types in `CaptureLink`.
///
/// Clone, replay, plot and decode read captures with this. A file is read in parts, so that it may be longer than memory.
struct CaptureReports {
    /// A report, whole if the controller made it in parts.
    struct Report {
        /// Since 1970-01-01 00:00 UTC; of a report in parts, the time of the last one.
        let time: Duration
        /// The controller: N of hciN in a capture of several, else 0.
        let controllerIndex: UInt16
        let report: ScanReport
    }

    private let path: String
    private var reader: CaptureReader
    private var assemblers: [UInt16: ReportAssembler] = [:]

    /// The capture with these first bytes; `nil` for another kind of file.
    /// - Throws: `Failure` for a capture of a kind that is not read, which it names.
    init?(_ path: String, startingWith first: ArraySlice<UInt8>) throws(Failure) {
        if let foreign = ForeignCapture(startingWith: first) {
            throw .badData("\(path) is \(foreign.text); \(foreign.hint)")
        }
        guard let reader = CaptureReader(startingWith: first) else { return nil }
        self.path = path
        self.reader = reader
    }

    /// Calls the closures with each command and each report, in order.
    /// - Returns: a warning if the file is cut; what is complete was used.
    /// - Throws: `Failure` for a link type that is not read, for an invalid record and for a file without a whole header, and the
    ///   errors of the closures.
    mutating func read(
        _ file: inout InputFile, commands: (CapturedPacket, HCICommandPacket) -> Void = { _, _ in },
        _ body: (Report) throws -> Void
    ) throws -> Notice? {
        var reports = 0
        while true {
            while let packet = try nextPacket() {
                switch packet.packet {
                case .command(let command): commands(packet, command)
                case .event(let event):
                    for report in assemble(event, of: packet.controllerIndex) {
                        reports += 1
                        try body(Report(time: packet.time, controllerIndex: packet.controllerIndex, report: report))
                    }
                default: break
                }
            }
            let part = try file.next()
            guard !part.isEmpty else { break }
            reader.append(part)
        }
        guard reader.hasHeader else { throw Failure.badData("\(path) ends within its header") }
        guard reader.rest > 0 else { return nil }
        return Notice(
            code: "file-cut",
            message:
                "\(path) ends within the record at byte \(reader.offset); the \(reports) advertising reports before it are used",
            hint: "none: the file was cut, or is still being written")
    }

    private mutating func nextPacket() throws(Failure) -> CapturedPacket? {
        do throws(CaptureFault) {
            return try reader.next()
        } catch {
            switch error {
            case .malformed(let error): throw .badData("\(path): \(error)")
            case .link(let link?, let number):
                throw .badData("\(path) has link type \(number), \(link.name), which is not read; \(link.hint)")
            case .link(nil, let number):
                throw .badData("\(path) has link type \(number), which is not of Bluetooth; capture HCI: btmon -w FILE")
            }
        }
    }

    private mutating func assemble(_ event: HCIEventPacket, of controller: UInt16) -> [ScanReport] {
        if let legacy = try? event.parameters(as: LEAdvertisingReport.self) {
            return legacy.reports.map { ScanReport($0) }
        }
        guard let extended = try? event.parameters(as: LEExtendedAdvertisingReport.self) else { return [] }
        return extended.reports.compactMap { assemblers[controller, default: ReportAssembler()].take($0) }
    }
}

/// Captures that are not read, by their first bytes.
private struct ForeignCapture {
    /// What the file is, after "is".
    let text: String
    let hint: String

    init?(startingWith bytes: ArraySlice<UInt8>) {
        let start = String(decoding: bytes.prefix(200), as: UTF8.self)
        if start.hasPrefix("HCI sniffer - ") {
            (text, hint) = ("the text of hcidump", "write a file that can be read: hcidump -w FILE, or btmon -w FILE")
        } else if start.hasPrefix("Bluetooth monitor ver") {
            (text, hint) = ("the text of btmon", "write a file that can be read: btmon -w FILE")
        } else if ["> HCI Event", "< HCI Command", "= Note: ", "@ MGMT "].contains(where: start.hasPrefix) {
            (text, hint) = ("the text of btmon", "write a file that can be read: btmon -w FILE")
        } else if Self.isPacketLogger(Array(bytes)) {
            (text, hint) = (
                "a file of PacketLogger (pklg)",
                "no command converts it; export it as btsnoop with PacketLogger, or capture on the host"
            )
        } else {
            return nil
        }
    }

    /// Records of a length, which counts from after itself, seconds, microseconds and a kind, in either order of bytes.
    private static func isPacketLogger(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 13, [0, 1, 2, 3, 7, 8, 9, 0xFB, 0xFC, 0xFE, 0xFF].contains(bytes[12]) else { return false }
        return [Array(bytes[..<4]), bytes[..<4].reversed()].contains { order in
            let length = order.reduce(0) { $0 << 8 | Int($1) }
            return 9...0xFFFF ~= length && (bytes.count == length + 4 || bytes.count >= length + 4 + 13)
        } && bytes[..<4].contains(0) && !(bytes.first == UInt8(ascii: "{"))
    }
}
