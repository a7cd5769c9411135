// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// An HCI packet of a capture, with its time and direction.
package struct CapturedPacket: Hashable, Sendable {
    /// The direction of a packet.
    package enum Direction: Hashable, Sendable {
        case hostToController
        case controllerToHost
    }

    /// Since 1970-01-01 00:00 UTC, in whole microseconds.
    package let time: Duration
    /// The direction of the packet.
    package let direction: Direction
    /// The controller: N of hciN in a capture of Linux's monitor channel, else 0.
    package let controllerIndex: UInt16
    /// The packet.
    package let packet: HCIPacket

    /// A packet with its time and direction.
    package init(time: Duration, direction: Direction, controllerIndex: UInt16 = 0, packet: HCIPacket) {
        self.time = time
        self.direction = direction
        self.controllerIndex = controllerIndex
        self.packet = packet
    }

    /// Reads a record of a btsnoop file; `nil` if it does not hold one complete HCI packet.
    package init?(_ record: BtsnoopRecord, datalink: BtsnoopDatalink) {
        let content: CaptureLink.Content? =
            switch datalink {
            case .plain: .plain(flags: record.flags)
            case .h4: .h4(isReceived: record.flags & 1 == 1)
            case .monitor:
                .monitor(controller: UInt16(record.flags >> 16), code: UInt16(truncatingIfNeeded: record.flags))
            default: nil
            }
        let time = BtsnoopTime.sinceUnixEpoch(record.timestamp)
        guard let packet = content?.packets(record.data[...], at: time).first else { return nil }
        self = packet
    }
}

/// A link type of captures: what a record contains. The numbers are those of tcpdump.org/linktypes.html for pcap and pcapng,
/// and those of btsnoop files for btsnoop.
package struct CaptureLink: Hashable, Sendable {
    /// The families of numbers.
    package enum Family: Hashable, Sendable {
        case btsnoop
        /// pcap and pcapng.
        case pcap
    }

    /// How the records are read.
    package enum Reading: Hashable, Sendable {
        /// HCI packets without the H4 byte, whose kind is in the flags of the record.
        case plain
        /// HCI packets with the H4 byte in front; of btsnoop the flags have the direction.
        case h4
        /// A direction of four bytes, then an HCI packet with the H4 byte.
        case h4WithDirection
        /// Messages of Linux's monitor channel; of btsnoop the flags have controller and code, of pcap four bytes in front.
        case monitor
        /// PDUs of the link layer with access address and CRC; advertisements become reports of a controller without an RSSI.
        case linkLayer
    }

    /// The family of the number.
    package let family: Family
    /// The number in the header of a file, or of an interface.
    package let number: UInt32
    /// The name, for messages.
    package let name: String
    /// How the records are read; `nil` if they are not.
    package let reading: Reading?
    /// What makes a file that can be read, for a link type that is not read: a command, or another capture.
    package let hint: String

    private init(_ family: Family, _ number: UInt32, _ name: String, _ reading: Reading?, hint: String = "") {
        self.family = family
        self.number = number
        self.name = name
        self.reading = reading
        self.hint = hint
    }

    /// The link types of Bluetooth.
    package static let all = [
        CaptureLink(.btsnoop, 1001, "HCI without H4", .plain),
        CaptureLink(.btsnoop, 1002, "HCI with H4", .h4),
        CaptureLink(.btsnoop, 2001, "Linux monitor", .monitor),
        CaptureLink(.btsnoop, 1003, "HCI with BCSP", nil, hint: "capture on the host: btmon -w FILE"),
        CaptureLink(.btsnoop, 1004, "HCI with H5", nil, hint: "capture on the host: btmon -w FILE"),
        CaptureLink(.pcap, 187, "HCI with H4", .h4),
        CaptureLink(.pcap, 201, "HCI with H4 and direction", .h4WithDirection),
        CaptureLink(.pcap, 254, "Linux monitor", .monitor),
        CaptureLink(.pcap, 251, "link layer", .linkLayer),
        CaptureLink(
            .pcap, 256, "link layer with a pseudo-header", nil,
            hint: "remove the header: editcap -F pcap -C 10 -T bluetooth-le-ll FILE NEW"),
        CaptureLink(
            .pcap, 272, "Nordic sniffer", nil,
            hint:
                "no command converts it; capture on the host (btmon -w FILE), or with a sniffer that writes link type 251"
        ),
    ]

    /// The link type of this number; `nil` if it is not of Bluetooth.
    package static func of(_ number: UInt32, _ family: Family) -> CaptureLink? {
        all.first { $0.family == family && $0.number == number }
    }

    /// The content of a record, with what its header says.
    enum Content {
        case plain(flags: UInt32)
        case h4(isReceived: Bool?)
        case monitor(controller: UInt16, code: UInt16)
        case linkLayer

        /// The content of a record of pcap or pcapng, and its bytes after what is in front of it; `nil` if it is too short.
        init?(_ reading: Reading, _ data: inout ArraySlice<UInt8>) {
            switch reading {
            case .plain, .h4: self = .h4(isReceived: nil)
            case .linkLayer: self = .linkLayer
            case .h4WithDirection, .monitor:
                guard data.count >= 4 else { return nil }
                let header = Array(data.prefix(4)).map { UInt16($0) }
                data = data.dropFirst(4)
                self =
                    reading == .monitor
                    ? .monitor(controller: header[0] << 8 | header[1], code: header[2] << 8 | header[3])
                    : .h4(isReceived: header[3] & 1 == 1)
            }
        }

        /// The packets of a record; more than one only for a long extended advertisement. Empty if it has no complete packet.
        func packets(_ data: ArraySlice<UInt8>, at time: Duration) -> [CapturedPacket] {
            if case .linkLayer = self { return LinkLayerPDU.reports(in: data).map { event($0, at: time) } }
            guard let (kind, isReceived) = header(data) else { return [] }
            guard let packet = try? HCIPacket(parsing: (kind.map { [$0.rawValue] } ?? []) + data) else { return [] }
            var controllerIndex: UInt16 = 0
            if case .monitor(let controller, _) = self { controllerIndex = controller }
            return [
                CapturedPacket(
                    time: time, direction: isReceived ? .controllerToHost : .hostToController,
                    controllerIndex: controllerIndex, packet: packet)
            ]
        }

        private func event(_ event: HCIEventPacket, at time: Duration) -> CapturedPacket {
            CapturedPacket(time: time, direction: .controllerToHost, packet: .event(event))
        }

        /// The kind of a packet without the H4 byte, and whether the host received it; `nil` for other records.
        private func header(_ data: ArraySlice<UInt8>) -> (kind: HCIPacket.Kind?, isReceived: Bool)? {
            switch self {
            case .h4(let isReceived): (nil, isReceived ?? (data.first == HCIPacket.Kind.event.rawValue))
            case .plain(let flags):
                switch flags & 3 {
                case 0: (.acl, false)
                case 1: (.acl, true)
                case 2: (.command, false)
                default: (.event, true)
                }
            case .monitor(_, let code):
                switch code {
                case 2: (.command, false)
                case 3: (.event, true)
                case 4: (.acl, false)
                case 5: (.acl, true)
                case 6: (.synchronous, false)
                case 7: (.synchronous, true)
                case 18: (.isochronous, false)
                case 19: (.isochronous, true)
                default: nil
                }
            case .linkLayer: nil
            }
        }
    }
}
