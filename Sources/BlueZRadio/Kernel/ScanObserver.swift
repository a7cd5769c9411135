// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Radio

/// One packet of the monitor channel: kind, controller index, length and data, little-endian.
struct MonitorPacket: WireCodable, Hashable {
    /// The kinds that are used here; the kernel has more.
    static let indexRemoved: UInt16 = 1
    static let command: UInt16 = 2
    static let event: UInt16 = 3
    /// A management command of any program: the number of its socket, opcode and parameters.
    static let controlCommand: UInt16 = 16
    /// An event to the management socket of any program: the number of the socket, code and parameters.
    static let controlEvent: UInt16 = 17

    /// The kind of packet.
    let kind: UInt16
    /// The controller: N of hciN.
    let index: UInt16
    /// For commands and events, an HCI packet without its H4 type byte.
    let data: [UInt8]

    init(kind: UInt16, index: UInt16, data: [UInt8]) {
        self.kind = kind
        self.index = index
        self.data = data
    }

    init(parsing reader: inout ByteReader) throws(WireError) {
        kind = try reader.readLittleEndian()
        index = try reader.readLittleEndian()
        let length: UInt16 = try reader.readLittleEndian()
        data = Array(try reader.read(count: Int(length)))
    }

    func serialize(into writer: inout ByteWriter) {
        writer.writeLittleEndian(kind)
        writer.writeLittleEndian(index)
        writer.writeLittleEndian(UInt16(truncatingIfNeeded: data.count))
        writer.write(data)
    }
}

/// Extracts the advertisements that one controller received from the packets of the monitor channel, byte for byte.
struct ScanObserver {
    /// The controller: N of hciN.
    private let index: UInt16
    private var assembler = ReportAssembler()

    /// Observes hciN.
    init(index: UInt16) {
        self.index = index
    }

    /// The sightings in a packet; most packets have none.
    mutating func sightings(in packet: MonitorPacket) -> [Sighting] {
        guard packet.kind == MonitorPacket.event, packet.index == index,
            let event = try? HCIEventPacket(parsing: packet.data)
        else { return [] }
        switch event.subeventCode {
        case LEAdvertisingReport.subeventCode:
            let reports = (try? event.parameters(as: LEAdvertisingReport.self))?.reports ?? []
            return reports.map { Sighting(ScanReport($0)) }
        case LEExtendedAdvertisingReport.subeventCode:
            let reports = (try? event.parameters(as: LEExtendedAdvertisingReport.self))?.reports ?? []
            return reports.compactMap { assembler.take($0) }.map { Sighting($0) }
        default: return []
        }
    }
}

extension Sighting {
    fileprivate init(_ report: ScanReport) {
        // Odd types are random addresses: 1 random device, 3 random identity (Core 5.4, Vol 4, Part E, 7.7.65.2).
        self.init(
            device: RemoteAddress(report.address, isRandom: report.addressType.rawValue & 1 == 1),
            pdu: PDU(rawValue: report.kind.name), data: report.data, rssi: report.rssi)
    }
}
