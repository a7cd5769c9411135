// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// How near a beacon is, by its estimated distance.
public enum Proximity: String, Hashable, Sendable {
    /// Not received, or the distance cannot be estimated.
    case unknown
    /// Centimetres away.
    case immediate
    /// A few metres away.
    case near
    /// Further away.
    case far
}

/// A beacon in a ranging report.
public struct RangedBeacon: Hashable, Sendable, Decodable {
    /// The UUID.
    public var uuid: UUID
    /// The major.
    public var major: UInt16
    /// The minor.
    public var minor: UInt16
    /// The mean RSSI since the last report in dBm; 0 without a packet.
    public var rssi: Int
    /// The number of packets since the last report.
    public var packets: Int
    /// How near it is.
    public var proximity: Proximity
    /// The estimated distance in metres; -1 if unknown.
    public var accuracy: Double

    /// A beacon with these values.
    public init(
        uuid: UUID, major: UInt16, minor: UInt16, rssi: Int, packets: Int, proximity: Proximity, accuracy: Double
    ) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
        self.rssi = rssi
        self.packets = packets
        self.proximity = proximity
        self.accuracy = accuracy
    }

    private enum CodingKeys: CodingKey { case uuid, major, minor, rssi, packets, proximity, accuracy }

    /// Decodes a beacon of a report. Without an RSSI, packets or a distance, it was not received.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        uuid = try values.decode(UUID.self, forKey: .uuid)
        major = try values.decode(UInt16.self, forKey: .major)
        minor = try values.decode(UInt16.self, forKey: .minor)
        rssi = try values.decodeIfPresent(Int.self, forKey: .rssi) ?? 0
        packets = try values.decodeIfPresent(Int.self, forKey: .packets) ?? 0
        proximity = try values.decodeIfPresent(String.self, forKey: .proximity).flatMap(Proximity.init) ?? .unknown
        accuracy = try values.decodeIfPresent(Double.self, forKey: .accuracy) ?? -1
    }

    /// Whether a packet was received since the last report.
    public var isReceived: Bool { packets > 0 }

    /// Whether both have the same numbers.
    func isSame(as other: RangedBeacon) -> Bool {
        uuid == other.uuid && major == other.major && minor == other.minor
    }

    /// The beacon as Core Location reports it once when it is no longer received.
    var lost: RangedBeacon {
        RangedBeacon(uuid: uuid, major: major, minor: minor, rssi: 0, packets: 0, proximity: .unknown, accuracy: -1)
    }
}

/// Why a receiver can receive nothing.
public enum ReceiverObstacle: String, Hashable, Sendable {
    /// Its Bluetooth is off.
    case bluetoothOff = "bluetooth-off"
    /// Its user denies the app the location.
    case permissionDenied = "permission-denied"
}

/// What ranging reports once a second.
public struct RangingReport: Hashable, Sendable, Decodable {
    /// The beacons, nearest first.
    public var beacons: [RangedBeacon]
    /// Why nothing can be received; `nil` if it can.
    public var obstacle: ReceiverObstacle?

    /// A report of these beacons.
    public init(beacons: [RangedBeacon], obstacle: ReceiverObstacle? = nil) {
        self.beacons = beacons
        self.obstacle = obstacle
    }

    private enum CodingKeys: CodingKey { case beacons, obstacle }

    /// Decodes a report. An obstacle of a later version is none.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        beacons = try values.decode([RangedBeacon].self, forKey: .beacons)
        obstacle = try values.decodeIfPresent(String.self, forKey: .obstacle).flatMap(ReceiverObstacle.init)
    }
}
