// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// The space between the controllers: which receivers a packet reaches, and with what RSSI.
///
/// `rssi(of:at:now:)` is the only place that decides whether a receiver receives an advertising event. Motions, the
/// fading between them, overrides of paths and the PDUs that may collide are private to this part. Each pair of controllers
/// has random numbers of its own, so a controller that is added does not change what the others receive, except by
/// collisions.
struct Medium: Sendable {
    private struct Site {
        let name: String
        var rssiOffset: Double
        let carrying: Carrying?
        /// The position; `nil` while it moves, and without one.
        private(set) var position: Position?
        /// How it moves; `nil` at rest.
        private(set) var motion: Motion?

        init(_ configuration: ControllerConfiguration) {
            name = configuration.name
            rssiOffset = configuration.rssiOffset
            carrying = configuration.carrying
            setMotion(configuration.motion)
        }

        mutating func setMotion(_ new: Motion?) {
            if case .rest(let place)? = new {
                (position, motion) = (place, nil)
            } else {
                (position, motion) = (nil, new)
            }
        }
    }

    /// Whether packets collide: then each PDU of an advertising event has an instant of its own.
    let hasCollisions: Bool
    private let propagation: Propagation
    /// Whether chance has a part in RSSI or reception.
    private let hasChance: Bool
    private let seed: UInt64
    /// By the index of the controller.
    private var sites: [Site] = []
    /// The fading of pairs between which packets were sent; empty without random parts.
    private var fadings: [ControllerPair: PairFading] = [:]
    private var overrides = LinkOverrides()
    /// Empty unless packets collide.
    private var transmissions = Transmissions()

    init(_ propagation: Propagation, seed: UInt64) {
        self.propagation = propagation
        hasChance = !propagation.isDeterministic
        hasCollisions = propagation.capture != nil
        self.seed = seed
    }

    /// The RSSI in dBm with which a receiver receives an advertising event; `nil` if it does not receive the event.
    ///
    /// A receiver receives the PDU that is sent on its current channel if it knows the type of the PDU and decodes it. Where
    /// packets collide, the event is one PDU that ends now.
    /// - Parameter isScanResponse: whether the packet is the scan response in the event.
    mutating func rssi(
        of event: AdvertisingEvent, at receiver: Receiver, now: AirTime, isScanResponse: Bool = false
    ) -> Int8? {
        guard let channel = receiver.channel(at: event.start ?? now), event.channels & 1 << UInt8(channel) != 0,
            receiver.controller != event.transmitter, receiver.isExtended || event.isLegacy
        else { return nil }
        var packet = Packet(
            transmitter: event.transmitter, power: event.power, channel: channel, bits: event.bits)
        if let start = event.start {
            // It must have received on this channel during the whole PDU.
            guard start >= receiver.start, receiver.channel(at: now - 1) == channel else { return nil }
            packet.number = Self.number(of: start, isScanResponse: isScanResponse)
            // Scan requests and responses do not collide.
            if !isScanResponse {
                packet.interference = interference(with: event, from: start, to: now, receiver, channel)
            }
        }
        return rssi(of: packet, at: receiver.controller, now: now)
    }

    /// The RSSI in dBm of a packet that one controller sends to another; `nil` if it is lost.
    mutating func rssi(of packet: Packet, at receiver: Int, now: AirTime) -> Int8? {
        let places = places(packet.transmitter, receiver, at: now)
        var (rssi, isInSight) = meanRSSI(from: packet.transmitter, power: packet.power, at: receiver, places)
        var override: LinkOverride?
        var isLost = false
        if !overrides.isEmpty {
            let pair = ControllerPair(packet.transmitter, receiver)
            override = overrides.current(pair, now: now)
            isLost = override != nil && packet.bits != nil && overrides.losesPacket(pair)
        }
        if hasChance {
            let propagation = propagation
            let isReceived = changeFading(of: packet.transmitter, receiver, places) { fading, first, second in
                let number = packet.number ?? fading.nextNumber
                rssi += fading.gain(
                    propagation, packet: number, channel: packet.channel, isInSight: isInSight, from: first, to: second)
                if let override { rssi = override.rssi(of: rssi) }
                let isCovered = rssi < packet.interference + (propagation.capture ?? 0)
                return fading.receives(
                    propagation, packet: number, rssi: rssi, bits: packet.bits, isLost: isLost || isCovered)
            }
            guard isReceived else { return nil }
        } else if let override {
            guard !isLost else { return nil }
            rssi = override.rssi(of: rssi)
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
        guard let (from, to) = places else { return (rssi - propagation.lossAtOneMetre, true) }
        let distance = from.distance(to: to)
        rssi -= distance == 1 ? propagation.lossAtOneMetre : propagation.loss(overMetres: distance)
        if let carrying = sites[receiver].carrying {
            rssi -= carrying.loss(at: to, towards: from, maximum: propagation.bodyLoss)
        }
        if let carrying = sites[transmitter].carrying {
            rssi -= carrying.loss(at: from, towards: to, maximum: propagation.bodyLoss)
        }
        guard !propagation.walls.isEmpty else { return (rssi, true) }
        let loss = propagation.wallLoss(from: from, to: to)
        return (rssi - loss, loss == 0)
    }

    /// The path between two controllers.
    mutating func path(from transmitter: Int, power: Int8, to receiver: Int, at now: AirTime) -> PathStatus {
        let places = places(transmitter, receiver, at: now)
        let pair = ControllerPair(transmitter, receiver)
        let fading = fadings[pair]
        let override = overrides.current(pair, now: now)
        let mean = meanRSSI(from: transmitter, power: power, at: receiver, places).rssi
        return PathStatus(
            distance: places.map { $0.distance(to: $1) }, meanRSSI: override?.rssi(of: mean) ?? mean,
            lastRSSI: fading?.lastRSSI, packets: fading?.packetCount ?? 0, lostPackets: fading?.lostCount ?? 0,
            override: override)
    }

    /// The RSSI that a controller can report (Core 5.4, Vol 4, Part E, 7.7.65.2).
    private static let reported = -127.0...20.0

    /// The positions of two controllers; `nil` unless both have one.
    private func places(_ transmitter: Int, _ receiver: Int, at time: AirTime) -> (Position, Position)? {
        guard let from = position(of: transmitter, at: time), let to = position(of: receiver, at: time) else {
            return nil
        }
        return (from, to)
    }

    /// The position of a controller; `nil` if it has none.
    func position(of controller: Int, at time: AirTime) -> Position? {
        // At rest the motion is not looked at: this is called for each packet and receiver.
        if let position = sites[controller].position { return position }
        return sites[controller].motion?.position(at: .microseconds(time))
    }

    /// Changes the fading of a pair in place.
    /// - Parameter change: takes the fading and the places in the order of the pair.
    private mutating func changeFading<Result>(
        of transmitter: Int, _ receiver: Int, _ places: (Position, Position)?,
        _ change: (inout PairFading, Position, Position) -> Result
    ) -> Result {
        let pair = ControllerPair(transmitter, receiver)
        let origin = Position(x: 0, y: 0)
        let (from, to) = places ?? (origin, origin)
        let (first, second) = transmitter < receiver ? (from, to) : (to, from)
        if let index = fadings.index(forKey: pair) { return change(&fadings.values[index], first, second) }
        var fading = PairFading(propagation, draws(of: transmitter, receiver), first, second)
        defer { fadings[pair] = fading }
        return change(&fading, first, second)
    }

    /// The random numbers of a pair, which do not depend on the order.
    private func draws(of one: Int, _ other: Int, _ purpose: String...) -> Draws {
        Draws(seed: seed, [sites[one].name, sites[other].name].sorted() + purpose)
    }

    // MARK: - Collisions

    /// Puts a PDU on its channel.
    mutating func transmit(_ event: AdvertisingEvent, now: AirTime) {
        guard let start = event.start else { return }
        transmissions.add(
            Transmission(
                transmitter: event.transmitter, power: event.power, channel: event.channels.trailingZeroBitCount,
                start: start, end: start + AirTime(event.bits)), now: now)
    }

    /// The highest RSSI in dBm of the PDUs of others that overlap a PDU at a receiver; -∞ without any.
    ///
    /// A PDU has the same gain here as where it is received itself: of two PDUs at most one is ahead of the other.
    private mutating func interference(
        with event: AdvertisingEvent, from start: AirTime, to end: AirTime, _ receiver: Receiver, _ channel: Int
    ) -> Double {
        var highest = -Double.infinity
        for index in transmissions.indices {
            let other = transmissions[index]
            guard other.channel == channel, other.start < end, other.end > start,
                other.transmitter != event.transmitter, other.transmitter != receiver.controller
            else { continue }
            highest = max(highest, level(of: other, at: receiver.controller, now: end))
        }
        return highest
    }

    /// The RSSI in dBm of a PDU, whether or not it is received.
    private mutating func level(of other: Transmission, at receiver: Int, now: AirTime) -> Double {
        let places = places(other.transmitter, receiver, at: now)
        let (mean, isInSight) = meanRSSI(from: other.transmitter, power: other.power, at: receiver, places)
        let propagation = propagation
        let number = Self.number(of: other.start, isScanResponse: false)
        let rssi = changeFading(of: other.transmitter, receiver, places) { fading, first, second in
            mean
                + fading.gain(
                    propagation, packet: number, channel: other.channel, isInSight: isInSight, from: first, to: second)
        }
        guard !overrides.isEmpty,
            let override = overrides.current(ControllerPair(other.transmitter, receiver), now: now)
        else { return rssi }
        return override.isBlocked ? -.infinity : override.rssi(of: rssi)
    }

    /// The number of a packet where packets collide: by the start of its PDU.
    private static func number(of start: AirTime, isScanResponse: Bool) -> UInt64 {
        UInt64(truncatingIfNeeded: start) << 1 | (isScanResponse ? 1 : 0)
    }

    // MARK: - Controllers

    mutating func addController(_ index: Int, _ configuration: ControllerConfiguration) {
        let site = Site(configuration)
        if index == sites.count {
            sites.append(site)
        } else {
            sites[index] = site
            fadings = fadings.filter { !$0.key.contains(index) }
            overrides.remove(index)
        }
    }

    mutating func setMotion(_ motion: Motion?, of controller: Int) { sites[controller].setMotion(motion) }
    mutating func setRSSIOffset(_ offset: Double, of controller: Int) { sites[controller].rssiOffset = offset }

    /// Overrides the path between two controllers; `nil` removes the override.
    mutating func setOverride(_ override: LinkOverride?, of one: Int, _ other: Int, now: AirTime) {
        overrides.set(override, of: ControllerPair(one, other), draws(of: one, other, "override"), now: now)
    }
}

/// The state of a path between two controllers.
package struct PathStatus: Hashable, Sendable {
    /// In metres; `nil` unless both have a position.
    package let distance: Double?
    /// The RSSI in dBm without chance, with the override.
    package let meanRSSI: Double
    /// The RSSI in dBm of the last packet that was received; `nil` if chance has no part in it.
    package let lastRSSI: Double?
    /// The packets on the path while the receiver was on their channel, and those of them that were lost; 0 if chance has
    /// no part in reception.
    package let packets, lostPackets: UInt64
    /// The override of the path, with the time that is left; `nil` for none.
    package let override: LinkOverride?
}

/// A packet from one controller to others.
struct Packet: Sendable {
    /// The index of the transmitter's controller.
    let transmitter: Int
    /// Transmit power in dBm.
    let power: Int8
    /// The primary channel, 0 to 2 for 37 to 39; for a data channel, any of them.
    let channel: Int
    /// The length of the packet; `nil` for a packet that is not lost.
    let bits: Int?
    /// Selects its random numbers; `nil` for those of the next packet of the pair.
    var number: UInt64?
    /// The highest RSSI in dBm of the packets that overlap it at the receiver.
    var interference = -Double.infinity
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
    /// The start of the event's only PDU, where packets collide; `nil` for PDUs on all channels at one instant.
    var start: AirTime?
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
