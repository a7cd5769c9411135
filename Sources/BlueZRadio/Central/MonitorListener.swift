// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import Radio

/// Reads from what the kernel's monitor tells of a controller which advertisements it heard, byte by byte.
struct MonitorListener {
    /// The controller: N of hciN.
    let index: UInt16
    private var assembler = ReportAssembler()

    /// Listens to hciN.
    init(index: UInt16) {
        self.index = index
    }

    /// What a packet says was heard; nothing for most packets.
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
        // Odd types are random addresses; identities behind resolved ones have two numbers of their own.
        self.init(
            device: RemoteAddress(report.address, isRandom: report.addressType.rawValue & 1 == 1),
            pdu: PDU(rawValue: report.kind.name), data: report.data, rssi: report.rssi)
    }
}
