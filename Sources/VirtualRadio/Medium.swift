// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The space between the controllers: which receivers a packet reaches, and with what RSSI.
///
/// `rssi(of:at:now:)` is the only place that decides whether a receiver receives an advertising event. Positions and the
/// fading between them are private to this part. Each pair of controllers has random numbers of its own, so a controller
/// that is added does not change what the others receive.
struct Medium: Sendable {
    private struct Site {
        var name: String
        var position: Position?
        var rssiOffset: Double
    }

    /// Two controllers, the one with the lower index first.
    private struct Pair: Hashable {
        let first: Int32
        let second: Int32

        init(_ one: Int, _ other: Int) {
            first = Int32(min(one, other))
            second = Int32(max(one, other))
        }
    }

    private let propagation: Propagation
    private let seed: UInt64
    /// By the index of the controller.
    private var sites: [Site] = []
    /// The fading of pairs between which packets were sent; empty without random parts.
    private var fadings: [Pair: PairFading] = [:]

    init(_ propagation: Propagation, seed: UInt64) {
        self.propagation = propagation
        self.seed = seed
    }

    /// The RSSI in dBm with which a receiver receives an advertising event; `nil` if it does not receive the event.
    ///
    /// A receiver receives the PDU that is sent on its current channel if it knows the type of the PDU and decodes it.
    mutating func rssi(of event: AdvertisingEvent, at receiver: Receiver, now: AirTime) -> Int8? {
        guard let channel = receiver.channel(at: now), event.channels & 1 << UInt8(channel) != 0,
            receiver.controller != event.transmitter, receiver.isExtended || event.isLegacy
        else { return nil }
        return rssi(
            from: event.transmitter, power: event.power, at: receiver.controller, channel: channel, bits: event.bits)
    }

    /// The RSSI in dBm of a packet that one controller sends to another; `nil` if it is lost.
    /// - Parameters:
    ///   - channel: the primary channel, 0 to 2 for 37 to 39; for a data channel, any of them.
    ///   - bits: the length of the packet; `nil` for a packet that is not lost.
    mutating func rssi(from transmitter: Int, power: Int8, at receiver: Int, channel: Int, bits: Int?) -> Int8? {
        let places = places(transmitter, receiver)
        var (rssi, isInSight) = meanRSSI(from: transmitter, power: power, at: receiver, places)
        if !propagation.isDeterministic {
            let origin = Position(x: 0, y: 0)
            let (from, to) = places ?? (origin, origin)
            let propagation = propagation
            let isReceived = changeFading(of: transmitter, from, receiver, to) { fading, first, second in
                rssi += fading.gain(propagation, channel: channel, isInSight: isInSight, from: first, to: second)
                return fading.receives(propagation, rssi: rssi, bits: bits)
            }
            guard isReceived else { return nil }
        }
        guard !rssi.isNaN else { return Int8(Self.reported.lowerBound) }
        return Int8(min(max(rssi.rounded(), Self.reported.lowerBound), Self.reported.upperBound))
    }

    /// The RSSI in dBm without chance, and whether no wall is in between.
    private func meanRSSI(
        from transmitter: Int, power: Int8, at receiver: Int, _ places: (Position, Position)?
    ) -> (rssi: Double, isInSight: Bool) {
        var rssi = Double(power) + sites[transmitter].rssiOffset + sites[receiver].rssiOffset
        // Without positions every distance is one metre: this skips the logarithm.
        let distance = places.map { $0.distance(to: $1) } ?? 1
        rssi -= distance == 1 ? propagation.lossAtOneMetre : propagation.loss(overMetres: distance)
        guard !propagation.walls.isEmpty, let places else { return (rssi, true) }
        let loss = propagation.wallLoss(from: places.0, to: places.1)
        return (rssi - loss, loss == 0)
    }

    /// The path between two controllers.
    func path(from transmitter: Int, power: Int8, to receiver: Int) -> PathStatus {
        let places = places(transmitter, receiver)
        let fading = fadings[Pair(transmitter, receiver)]
        return PathStatus(
            distance: places.map { $0.distance(to: $1) },
            meanRSSI: meanRSSI(from: transmitter, power: power, at: receiver, places).rssi, lastRSSI: fading?.lastRSSI,
            packets: fading?.packetCount ?? 0, lostPackets: fading?.lostCount ?? 0)
    }

    /// The RSSI that a controller can report (Core 5.4, Vol 4, Part E, 7.7.65.2).
    private static let reported = -127.0...20.0

    /// The positions of two controllers; `nil` unless both have one.
    private func places(_ transmitter: Int, _ receiver: Int) -> (Position, Position)? {
        guard let from = sites[transmitter].position, let to = sites[receiver].position else { return nil }
        return (from, to)
    }

    /// Changes the fading of a pair in place.
    /// - Parameter change: takes the fading and the places in the order of the pair.
    private mutating func changeFading<Result>(
        of transmitter: Int, _ from: Position, _ receiver: Int, _ to: Position,
        _ change: (inout PairFading, Position, Position) -> Result
    ) -> Result {
        let pair = Pair(transmitter, receiver)
        let (first, second) = transmitter < receiver ? (from, to) : (to, from)
        if let index = fadings.index(forKey: pair) { return change(&fadings.values[index], first, second) }
        let names = [sites[transmitter].name, sites[receiver].name].sorted()
        var fading = PairFading(propagation, Draws(seed: seed, names[0], names[1]), first, second)
        defer { fadings[pair] = fading }
        return change(&fading, first, second)
    }

    mutating func addController(_ index: Int, _ configuration: ControllerConfiguration) {
        let site = Site(
            name: configuration.name, position: configuration.position, rssiOffset: configuration.rssiOffset)
        if index == sites.count {
            sites.append(site)
        } else {
            sites[index] = site
            fadings = fadings.filter { $0.key.first != index && $0.key.second != index }
        }
    }

    func position(of controller: Int) -> Position? { sites[controller].position }
    mutating func setPosition(_ position: Position?, of controller: Int) { sites[controller].position = position }
    mutating func setRSSIOffset(_ offset: Double, of controller: Int) { sites[controller].rssiOffset = offset }
}

/// The state of a path between two controllers.
package struct PathStatus: Hashable, Sendable {
    /// In metres; `nil` unless both have a position.
    package let distance: Double?
    /// The RSSI in dBm without chance.
    package let meanRSSI: Double
    /// The RSSI in dBm of the last packet that was received; `nil` if chance has no part in it.
    package let lastRSSI: Double?
    /// The packets on the path while the receiver was on their channel, and those of them that were lost; 0 if chance has
    /// no part in reception.
    package let packets, lostPackets: UInt64
}

/// One advertising event, or the scan response in it, as the medium carries it.
struct AdvertisingEvent: Sendable {
    /// The index of the advertiser's controller.
    let transmitter: Int
    /// Transmit power in dBm.
    let power: Int8
    /// The primary channels, one bit each.
    let channels: UInt8
    /// Whether the PDUs are legacy PDUs.
    let isLegacy: Bool
    /// The length of a PDU on a primary channel, from preamble to check sum.
    let bits: Int
}

/// A controller that scans or initiates: when and on which channel it receives.
///
/// It receives at the start of each interval for the duration of the window, on channels 37, 38 and 39 in turn (Core 5.4,
/// Vol 6, Part B, 4.4.3). All times are in microseconds.
struct Receiver: Hashable, Sendable {
    /// The index of the controller.
    let controller: Int
    /// Whether it receives extended PDUs.
    let isExtended: Bool
    /// The start of the first interval.
    let start: AirTime
    let interval: Int64
    /// At most the interval.
    let window: Int64
    /// Of each period the receiver is on for `duration`; 0 if it is always on.
    var period: Int64 = 0
    var duration: Int64 = 0

    /// The channel that it receives on, 0 to 2 for 37 to 39; `nil` outside its windows.
    func channel(at time: AirTime) -> Int? {
        if period > 0, (time - start) % period >= duration { return nil }
        let (number, phase) = (time - start).quotientAndRemainder(dividingBy: interval)
        return phase < window ? Int(truncatingIfNeeded: number % 3) : nil
    }
}
