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

/// Reads a recording of `record`, or the advertising reports of a btsnoop file.
struct RecordingReader {
    /// Longer than any line of a recording.
    static let longestLine = 1 << 16
    /// How recordings are made, for messages.
    static let source = "beaconry record FILE makes a recording"

    let path: String

    /// Calls the closure with each advertisement, in order.
    /// - Returns: what is known of the receiver.
    /// - Throws: `Failure` that names the invalid line or offset; also for a `ValueFault` of the closure.
    @discardableResult
    func readAll(_ body: (RecordedSighting) throws -> Void) throws -> RecordingReceiver {
        var file = try InputFile(path, from: Self.source)
        let first = try file.next()
        guard !BtsnoopFile.isOne(startingWith: first) else { return try readSnoop(first, &file, body) }
        var receiver = RecordingReceiver()
        try file.readLines(after: first, longest: Self.longestLine, fault: fault) { line, number in
            if number == 1, let head = try? JSONDecoder().decode(RecordingHead.self, from: Data(line)) {
                receiver = RecordingReceiver(head)
            } else {
                try readLine(line, number, body)
            }
        }
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
        .badData("\(path):\(number): this is not a line of a recording; beaconry record FILE makes one")
    }

    private func readSnoop(
        _ first: ArraySlice<UInt8>, _ file: inout InputFile, _ body: (RecordedSighting) throws -> Void
    ) throws -> RecordingReceiver {
        var start: Duration?
        var number = 0
        var filters = DuplicateFilters()
        var receiver = RecordingReceiver()
        try BtsnoopFile.read(
            first, &file, commands: { filters.take($1, to: $0.controllerIndex) },
            { packet, event in
                let began = start ?? packet.time
                start = began
                for sighting in Sighting.reported(by: event) {
                    number += 1
                    if filters.isOn(packet.controllerIndex) { receiver.reportsRepetitions = false }
                    do {
                        try body(RecordedSighting(offset: packet.time - began, sighting: sighting))
                    } catch let fault as ValueFault {
                        throw Failure.badData("\(path): advertising report \(number): \(fault.message)")
                    }
                }
            })
        return receiver
    }
}

/// What a recording says about its receiver.
struct RecordingReceiver: Hashable {
    /// The radio, as `--radio` takes it; `nil` if the recording does not have it.
    var radio: String?
    /// Whether it reported each advertisement that it received, so that the times between them mean something.
    var reportsRepetitions = true

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
