// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import HCI

/// A packet of a recording that an air sends again.
package struct ReplayedPacket: Hashable, Sendable {
    /// When it is sent, in microseconds since the start of the replay.
    package let time: AirTime
    /// The controller of its advertiser.
    package let transmitter: ControllerIdentifier
    /// The advertiser's address, as it was on the air.
    let address: PackedAddress
    /// The type of the advertising PDU that it is, or that it answers.
    package let properties: AdvertisingEventProperties
    /// Whether it is the answer to a scan request.
    package let isScanResponse: Bool
    package let data: [UInt8]
    /// The RSSI of the recording in dBm; 127 if unknown.
    package let rssi: Int8
    /// The RSSI offset of its transmitter, in dB, where the model determines the RSSI.
    let rssiOffset: Double

    /// A packet of these values.
    /// - Parameter data: at most 31 bytes of legacy PDUs, 1,650 of extended ones.
    package init(
        time: AirTime, transmitter: ControllerIdentifier, address: BluetoothAddress, isRandom: Bool,
        properties: AdvertisingEventProperties, isScanResponse: Bool, data: [UInt8], rssi: RSSI?,
        rssiOffset: Double = 0
    ) {
        self.time = time
        self.transmitter = transmitter
        self.address = PackedAddress(address, type: isRandom ? 1 : 0)
        self.properties = properties
        self.isScanResponse = isScanResponse
        self.data = data
        self.rssiOffset = rssiOffset
        self.rssi = (rssi ?? .unavailable).decibelMilliwatts
    }

    var isLegacy: Bool { properties.contains(.legacy) }

    /// The length of its PDU on a primary channel, computed as in `AdvertisingSet`.
    var bits: Int { 8 * (isLegacy ? 16 + data.count : AdvertisingSet.extendedPDUSize) }

    /// The event type of its extended report (Core 5.4, Vol 4, Part E, 7.7.65.13).
    var extendedEventType: ExtendedAdvertisingEventType {
        isScanResponse ? properties.extendedEventType.union(.scanResponse) : properties.extendedEventType
    }

    /// What distinguishes it from other packets of the same address; extended ones by their data, as by an Advertising_DID.
    var seenAdvertisement: SeenAdvertisement {
        var detail = UInt32(isScanResponse ? 0x18 : properties.rawValue & 0x17)
        if !isLegacy {
            detail |= 0x20
            for octet in data { detail = (detail & 0xFFFF) | ((detail >> 16 &* 31 &+ UInt32(octet)) & 0x0FFF) << 16 }
        }
        return SeenAdvertisement(address: address, detail: detail)
    }
}

/// The recording that an air sends again: no packets, waiting for the first scan, running, or over.
struct Replay: Sendable {
    /// The shortest pause between two passes, in microseconds.
    private static let shortestPause: AirTime = 1000

    private var packets: [ReplayedPacket] = []
    /// The time from the beginning of a pass to the beginning of the next pass; `nil` for one pass.
    private var period: AirTime?
    /// The number of packets of a replay that is over, until it is taken.
    private var ended: Int?
    /// The index of the next packet.
    private var next = 0
    private var start: AirTime = 0
    private var timer: TimerIdentifier?
    /// Whether it starts when a controller scans.
    private(set) var isWaiting = false

    /// Replaces the recording, which then waits for the first scan.
    /// - Parameters:
    ///   - packets: in the order of their times.
    ///   - loops: whether it begins again after its last packet.
    mutating func load(_ packets: [ReplayedPacket], loops: Bool, _ context: inout AirContext) {
        if let timer { context.timers.cancel(timer) }
        self.packets = packets
        period = loops ? Self.period(of: packets) : nil
        ended = nil
        next = 0
        isWaiting = !packets.isEmpty
    }

    /// The time of the last packet, and the mean time between two packets; a second if all are sent at once.
    private static func period(of packets: [ReplayedPacket]) -> AirTime {
        guard let last = packets.last?.time, last > 0 else { return 1_000_000 }
        return last + max(shortestPause, last / AirTime(max(1, packets.count - 1)))
    }

    /// The number of packets of a replay that is over, once; `nil` if none has ended since.
    mutating func takeEnd() -> Int? {
        defer { ended = nil }
        return ended
    }

    /// Starts now.
    mutating func begin(_ context: inout AirContext) {
        isWaiting = false
        start = context.now
        schedule(&context)
    }

    /// Takes the packet that is due, and sets the timer for the next one.
    mutating func takeNext(_ context: inout AirContext) -> ReplayedPacket? {
        guard next < packets.count else { return nil }
        defer { schedule(&context) }
        next += 1
        return packets[next - 1]
    }

    private mutating func schedule(_ context: inout AirContext) {
        if next == packets.count, let period {
            start += period
            next = 0
        }
        guard next < packets.count else {
            ended = packets.count
            packets = []
            next = 0
            return
        }
        let timer = timer ?? context.timers.add(.replay)
        self.timer = timer
        context.timers.schedule(timer, at: max(context.now, start + packets[next].time))
    }
}

extension Air {
    /// Sends the packets of a recording at their times, counted from the first scan of a controller on, or from now if one
    /// scans already. They replace the packets of an earlier call.
    ///
    /// A packet reaches the controllers that scan at that time; a scan response only reaches controllers whose scan is
    /// active. Its RSSI is the RSSI in the recording, and it is neither lost nor does it collide, because it was
    /// received; an override of the path changes RSSI and loss. The model determines them only between a transmitter
    /// and a receiver that both have a position. Nothing connects to the advertisers.
    /// - Parameters:
    ///   - packets: in the order of their times.
    ///   - loops: whether the packets are sent again and again: after the last one, with the mean time between two packets as a
    ///     pause.
    package mutating func replay(_ packets: [ReplayedPacket], loops: Bool = false) {
        replay.load(packets, loops: loops, &context)
        beginReplayIfScanning()
    }

    /// The number of packets of a replay that is over, once; `nil` if none has ended since.
    package mutating func takeReplayEnd() -> Int? { replay.takeEnd() }

    mutating func beginReplayIfScanning() {
        if replay.isWaiting, !scanners.isEmpty { replay.begin(&context) }
    }

    /// Sends the packet that is due.
    mutating func runReplay() {
        guard let packet = replay.takeNext(&context),
            let transmitter = context.controllers.index(of: packet.transmitter), !isMuted(transmitter)
        else { return }
        medium.setRSSIOffset(packet.rssiOffset, of: transmitter)
        scanners.receive(packet, from: transmitter, &medium, &context)
    }
}
