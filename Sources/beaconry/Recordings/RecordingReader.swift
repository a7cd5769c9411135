// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import BluetoothCore
import FoundationEssentials
import Glibc
import HCI
import Radio

/// Reads what was heard: a recording of `record`, or the advertising reports of a btsnoop file.
struct RecordingReader {
    /// More than any line of a recording has.
    private static let longestLine = 1 << 16

    let path: String

    /// Gives everything in the file, in order.
    /// - Throws: `Failure` naming the line or the offset that cannot be.
    func readAll(_ body: (RecordedSighting) -> Void) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Failure.badData("cannot open \(path): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var first = try part(of: descriptor)
        if first.starts(with: Array("btsnoop".utf8)) { return try readSnoop(&first, descriptor, body) }
        try readLines(first, descriptor, body)
    }

    private func readLines(
        _ first: [UInt8], _ descriptor: Int32, _ body: (RecordedSighting) -> Void
    ) throws {
        var rest = first[...]
        var number = 0
        while true {
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                number += 1
                try readLine(rest[..<end], number, body)
                rest = rest[(end + 1)...]
            }
            guard rest.count <= Self.longestLine else { throw fault(number + 1) }
            let more = try part(of: descriptor)
            if more.isEmpty { break }
            rest = (Array(rest) + more)[...]
        }
        if !rest.isEmpty { try readLine(rest, number + 1, body) }
        guard number > 0 || !rest.isEmpty else { throw Failure.badData("\(path) is empty") }
    }

    private func readLine(_ line: ArraySlice<UInt8>, _ number: Int, _ body: (RecordedSighting) -> Void) throws {
        let decoder = JSONDecoder()
        if number == 1, (try? decoder.decode(RecordingHead.self, from: Data(line))) != nil { return }
        guard let recorded = (try? decoder.decode(RecordingLine.self, from: Data(line)))?.recorded else {
            throw fault(number)
        }
        body(recorded)
    }

    private func fault(_ number: Int) -> Failure {
        .badData("\(path):\(number): this is not a line of a recording; beaconry record FILE makes them")
    }

    private func readSnoop(
        _ first: inout [UInt8], _ descriptor: Int32, _ body: (RecordedSighting) -> Void
    ) throws {
        var reader = BtsnoopReader()
        var start: Duration?
        while !first.isEmpty {
            reader.append(first)
            while let packet = try reader.next() {
                guard case .event(let event) = packet.packet else { continue }
                let began = start ?? packet.time
                start = began
                for sighting in Sighting.reported(by: event) {
                    body(RecordedSighting(offset: packet.time - began, sighting: sighting))
                }
            }
            first = try part(of: descriptor)
        }
        guard reader.count == 0, reader.datalink != nil else {
            throw Failure.badData("\(path) ends in the middle of a record (\(reader.count) bytes are left over)")
        }
    }

    private func part(of descriptor: Int32) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(descriptor, &buffer, buffer.count)
        guard count >= 0 else { throw Failure.badData("cannot read \(path): \(String(cString: strerror(errno)))") }
        return Array(buffer[..<count])
    }
}

extension Sighting {
    /// The sightings of an event, if it is one of advertising reports.
    fileprivate static func reported(by event: HCIEventPacket) -> [Sighting] {
        if let legacy = try? event.parameters(as: LEAdvertisingReport.self) {
            return legacy.reports.compactMap {
                Sighting($0.address, $0.addressType, DecodedReport.pdu($0.eventType), $0.data, $0.rssi)
            }
        }
        if let extended = try? event.parameters(as: LEExtendedAdvertisingReport.self) {
            return extended.reports.compactMap {
                Sighting($0.address, $0.addressType, DecodedReport.pdu($0.eventType), $0.data, $0.rssi)
            }
        }
        return []
    }

    private init?(_ address: BluetoothAddress, _ type: AddressType, _ pdu: String, _ data: [UInt8], _ rssi: RSSI) {
        guard let pdu = PDU(rawValue: pdu) else { return nil }
        self.init(
            device: RemoteAddress(address, isRandom: type.rawValue & 1 == 1), pdu: pdu, data: data,
            rssi: rssi == .unavailable ? nil : rssi)
    }
}
