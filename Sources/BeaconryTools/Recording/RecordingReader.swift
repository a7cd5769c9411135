// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import BluetoothCore
import Devices
import FoundationEssentials
import HCI
import Radio

/// Reads a recording of `record`, or the advertising reports of a btsnoop file.
struct RecordingReader {
    /// Longer than any line of a recording.
    static let longestLine = 1 << 16
    /// How recordings are made, for messages.
    static let source = "beaconry record FILE makes a recording"

    let path: String

    /// Calls the closure with each advertisement, in order.
    /// - Throws: `Failure` that names the invalid line or offset; also for a `ValueFault` of the closure.
    func readAll(_ body: (RecordedSighting) throws -> Void) throws {
        var file = try InputFile(path, from: Self.source)
        let first = try file.next()
        guard !BtsnoopFile.isOne(startingWith: first) else { return try readSnoop(first, &file, body) }
        try file.readLines(after: first, longest: Self.longestLine, fault: fault) { line, number in
            try readLine(line, number, body)
        }
    }

    private func readLine(_ line: ArraySlice<UInt8>, _ number: Int, _ body: (RecordedSighting) throws -> Void) throws {
        let decoder = JSONDecoder()
        if number == 1, (try? decoder.decode(RecordingHead.self, from: Data(line))) != nil { return }
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
        .badData("\(path):\(number): this is not a line of a recording; beaconry record FILE makes one")
    }

    private func readSnoop(
        _ first: ArraySlice<UInt8>, _ file: inout InputFile, _ body: (RecordedSighting) throws -> Void
    ) throws {
        var start: Duration?
        var number = 0
        try BtsnoopFile.read(first, &file) { packet, event in
            let began = start ?? packet.time
            start = began
            for sighting in Sighting.reported(by: event) {
                number += 1
                do {
                    try body(RecordedSighting(offset: packet.time - began, sighting: sighting))
                } catch let fault as ValueFault {
                    throw Failure.badData("\(path): advertising report \(number): \(fault.message)")
                }
            }
        }
    }
}

extension Sighting {
    /// The sightings of an event; empty for events other than advertising reports.
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
