// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

/// Connection parameters in units of the wire (Core 5.4, Vol 4, Part E, 7.8.12).
struct LinkParameters: Hashable, Sendable {
    /// In units of 1.25 ms, 6 to 3200.
    var minimumInterval: UInt16
    var maximumInterval: UInt16
    /// Connection events that a peripheral may skip, 0 to 499.
    var latency: UInt16
    /// In units of 10 ms, 10 to 3200.
    var supervisionTimeout: UInt16
    /// The maximum length of a connection event in units of 0.625 ms; 0 if the host expects none. A controller need not
    /// use it, this one does.
    var maximumEventLength: UInt16 = 0

    /// Whether each is in its range, and the timeout exceeds two intervals with the latency.
    var isValid: Bool {
        let events = 1 + Int(latency)
        return minimumInterval <= maximumInterval && 6...3200 ~= minimumInterval && 6...3200 ~= maximumInterval
            && latency <= 499 && 10...3200 ~= supervisionTimeout
            && Int(supervisionTimeout) * 10_000 > events * Int(maximumInterval) * 1_250 * 2
    }
}

extension LinkParameters {
    /// The parameters of a command; each fits into 16 bits on the wire.
    init(
        _ minimum: ConnectionInterval, _ maximum: ConnectionInterval, _ latency: UInt16, _ timeout: SupervisionTimeout,
        _ eventLength: ConnectionEventLength
    ) {
        self.init(
            minimumInterval: UInt16(truncatingIfNeeded: minimum.count),
            maximumInterval: UInt16(truncatingIfNeeded: maximum.count), latency: latency,
            supervisionTimeout: UInt16(truncatingIfNeeded: timeout.count),
            maximumEventLength: UInt16(truncatingIfNeeded: eventLength.count))
    }
}

/// Payload bytes and duration in microseconds of the largest data PDU (Core 5.4, Vol 6, Part B, 4.5.10).
struct DataLength: Hashable, Sendable {
    let octets: UInt16
    let time: UInt16

    static let initial = DataLength(octets: 27, time: 328)
    static let supported = DataLength(octets: 251, time: 2120)

    init(octets: UInt16, time: UInt16) {
        self.octets = octets
        self.time = time
    }

    /// The data length of a command, if it is in range.
    init(checking octets: UInt16, _ time: Microseconds) throws(HCIStatus) {
        self.init(octets: octets, time: UInt16(truncatingIfNeeded: time.count))
        guard 27...251 ~= octets, 328...17_040 ~= self.time else { throw .invalidCommandParameters }
    }

    /// The largest payload of a data PDU on a PHY, in bytes: limited by the bytes, and by the time with preamble, access
    /// address, header, CRC, and the MIC, which always counts.
    func fragmentLimit(phy: UInt8) -> Int {
        min(Int(octets), phy == 2 ? Int(time) / 4 - 15 : Int(time) / 8 - 14)
    }
}

/// PHYs that a host prefers for each direction: bit 0 for LE 1M, bit 1 for LE 2M.
struct PreferredPHYs: Hashable, Sendable {
    private(set) var transmit: UInt8 = 0x03
    private(set) var receive: UInt8 = 0x03

    init() {}

    /// The preferences of a command; LE Coded is not supported.
    init(_ indifference: PHYIndifference, transmit: PHYSet, receive: PHYSet) throws(HCIStatus) {
        if !indifference.contains(.transmit) { self.transmit = transmit.rawValue }
        if !indifference.contains(.receive) { self.receive = receive.rawValue }
        guard self.transmit != 0, self.receive != 0 else { throw .invalidCommandParameters }
        guard self.transmit <= 0x03, self.receive <= 0x03 else { throw .unsupportedFeatureOrParameterValue }
    }
}
