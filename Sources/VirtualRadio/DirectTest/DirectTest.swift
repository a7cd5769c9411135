// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A controller's direct test: it sends or counts test packets on one channel (Core 5.4, Vol 6, Part F).
struct DirectTest: Hashable, Sendable {
    enum Role: Hashable, Sendable {
        /// Sends packets with a payload of so many octets.
        case transmitter(length: UInt8)
        /// Has received so many packets of transmitters whose tests ended before.
        case receiver(packets: Int)
    }

    /// 0 to 39.
    let channel: UInt8
    /// 1 or 2.
    let phy: UInt8
    let start: AirTime
    var role: Role

    static let channels: ClosedRange<UInt8> = 0...39

    /// How long a test packet is on the air, in microseconds: preamble, access address, header, payload and CRC
    /// (Core 5.4, Vol 6, Part F, 4.1.5).
    private static func duration(length: UInt8, phy: UInt8) -> Int64 {
        phy == 2 ? (11 + Int64(length)) * 4 : (10 + Int64(length)) * 8
    }

    /// From one packet to the next, in microseconds: a multiple of 625 that leaves 249 free (Core 5.4, Vol 6, Part F,
    /// 4.1.6).
    private static func interval(length: UInt8, phy: UInt8) -> Int64 {
        (duration(length: length, phy: phy) + 249 + 624) / 625 * 625
    }

    /// How many packets of a transmitter until now a receiver received whole; 0 where channel or PHY differ.
    func packets(receivedBy receiver: DirectTest, until now: AirTime) -> Int {
        guard case .transmitter(let length) = role, case .receiver = receiver.role, receiver.channel == channel,
            receiver.phy == phy
        else { return 0 }
        let interval = Self.interval(length: length, phy: phy)
        let missed = max(0, receiver.start - start)
        let first = (missed + interval - 1) / interval
        let latestStart = now - start - Self.duration(length: length, phy: phy)
        return latestStart < 0 ? 0 : max(0, Int(latestStart / interval - first) + 1)
    }
}
