// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// What was received over the link with one anchor.
package struct AnchorReading: Hashable, Sendable {
    /// Since the start.
    package let time: Duration
    /// The name of the anchor.
    package let anchor: String
    /// In dBm.
    package let rssi: Double
    /// The RSSI at 1 m in dBm that the beacon claims; `nil` if it claims none.
    package let power: Double?

    package init(at time: Duration, _ anchor: String, rssi: Double, power: Double? = nil) {
        self.time = time
        self.anchor = anchor
        self.rssi = rssi
        self.power = power
    }
}

/// The readings of the last seconds.
struct SignalWindow: Sendable {
    /// What an anchor has in the window.
    struct Level: Sendable {
        /// The place of the anchor in the map.
        let anchor: Int
        /// The mean RSSI in dBm.
        let rssi: Double
        /// The RSSI at 1 m in dBm, as claimed last.
        let power: Double
    }

    /// How long a reading counts.
    static let length = Duration.seconds(6)
    /// What is assumed of a beacon that does not claim its power.
    static let assumedPower = -59.0

    /// The readings of each anchor, in the order of time.
    private var readings: [[(time: Duration, rssi: Double)]]
    private var powers: [Double]

    /// A window without readings, of this number of anchors.
    init(anchors: Int) {
        readings = Array(repeating: [], count: anchors)
        powers = Array(repeating: Self.assumedPower, count: anchors)
    }

    /// A window of anchors that have these places in another one; `nil` for new ones.
    init(_ places: [Int?], of other: SignalWindow) {
        readings = places.map { $0.map { other.readings[$0] } ?? [] }
        powers = places.map { $0.map { other.powers[$0] } ?? Self.assumedPower }
    }

    mutating func add(_ reading: AnchorReading, of anchor: Int) {
        readings[anchor].append((reading.time, reading.rssi))
        if let power = reading.power { powers[anchor] = power }
    }

    /// The anchors with readings in the window that ends at a time.
    mutating func levels(at time: Duration) -> [Level] {
        readings.indices.compactMap { anchor in
            readings[anchor].removeAll { $0.time + Self.length < time }
            let present = readings[anchor]
            guard !present.isEmpty else { return nil }
            let mean = present.reduce(0) { $0 + $1.rssi } / Double(present.count)
            return Level(anchor: anchor, rssi: mean, power: powers[anchor])
        }
    }
}
