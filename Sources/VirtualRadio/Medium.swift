// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Glibc
package import Space

/// The space between the controllers: which receivers a packet reaches, and with what RSSI.
///
/// `rssi(of:…)` is the only place that decides whether a receiver receives a packet. Motions, fading, overrides of paths and the
/// PDUs that may collide are private to this part. Random numbers depend on the places and the names of both ends, so a controller
/// that is added does not change what the others receive, except by collisions.
///
/// Without chance a packet has the mean RSSI, and all receivers receive it. With a sensitivity, a packet whose mean RSSI is far
/// below it is out of range (`PacketReception.negligibleProbability`); `selectReceivers` finds the receivers in range by their
/// cells. An override has precedence over the range.
struct Medium: Sendable {
    private struct Site {
        let name: String
        var rssiOffset: Double
        var scanResponseGain: Int8
        /// Added to each RSSI that the controller reports, in dB.
        var reportedOffset: Double
        /// Whether it is a beacon, whose antenna is isotropic and has no heading.
        let isOfBeacon: Bool
    }

    /// What each packet needs of a controller where there is chance: 64 bytes, a line of the cache.
    private struct Antenna {
        /// The time of the place in steps; the last of all at rest.
        var step = Int64.max
        /// In metres.
        var x = 0.0, y = 0.0, z: Float = 0
        var rssiOffset: Float
        var fading: Fading.Antenna
        var hasPlace = false
        /// Whether its gain depends on the direction, by its antenna or by a body.
        var isDirectional = false

        var position: Position { Position(x: x, y: y, z: Double(z)) }
    }

    /// What a packet needs of the hardware at its ends where there is chance.
    private struct Hardware {
        /// In dBm; -∞ if every packet is received.
        var sensitivity = -Float.infinity
        /// The mean RSSI in dBm below which a packet is out of range.
        var minimumMean = -Float.infinity
        /// Chance adds more than this many dB to a packet with a negligible probability.
        var maximumGain: Float = 0
        /// The standard deviation in dB of what differs from packet to packet.
        var packetDeviation: Float = 0
        /// The gain of antenna and body by direction, at the present heading.
        var directions = DirectionalGain()
    }

    /// A packet where there is chance: what all of its receivers have in common.
    private struct Emission {
        var transmitter = -1
        /// 0 to 2.
        var channel = 0
        /// Selects its random numbers.
        var number: UInt64 = 0
        /// Transmit power in dBm.
        var power: Int8 = 0
        /// Transmit power with the RSSI offset of the transmitter, in dBm.
        var level = 0.0
        /// Whether its end is in the step of the present time: then its RSSI is the same as at its end.
        var isAtEnd = false
        /// At its present place.
        var antenna = Antenna(rssiOffset: 0, fading: Fading.Antenna(key: 0))
    }

    /// With chance, the places of moving controllers are those at the last multiple of 4,096 µs: a walker moves by 5 mm
    /// meanwhile.
    private static let stepBits: AirTime = 12
    /// The ratio in dB of packets beside those of other networks where the model has none.
    private static let typicalCapture = 8.0

    /// Whether packets collide: then each PDU of an advertising event has an instant of its own.
    private(set) var hasCollisions: Bool
    private var propagation: Propagation
    /// Whether chance has a part in RSSI or reception.
    private var hasChance: Bool
    private var fading: Fading
    private var reception: PacketReception
    /// The loss in dB for a natural logarithm of the squared distance of 1.
    private var slope: Double
    private var lossAtOneMetre: Double
    private var capture: Double
    private var interference: Interference?
    private var clutter: Double
    private let nearestSquare = Propagation.nearest * Propagation.nearest
    private var hasObstacles: Bool
    private let seed: UInt64
    /// By the index of the controller.
    private var sites: [Site] = []
    private var placements = Placements()
    /// By the index of the controller; empty without chance.
    private var antennas: [Antenna] = []
    private var hardware: [Hardware] = []
    /// For which `hardware` was prepared, in degrees.
    private var headings: [Double] = []
    /// The patterns of antennas that are not isotropic, by the index of the controller.
    private var patterns: [Int: AntennaPattern] = [:]
    /// The bounds of chance by the standard deviation from packet to packet, for receivers that have one of their own.
    private var bounds: [Double: PacketReception.Bounds] = [:]
    private var counts = PathCounts()
    private var overrides = LinkOverrides()
    /// Empty unless packets collide.
    private var transmissions = Transmissions()
    /// The selected PDU of `transmissions`, and those that overlap it.
    private var pdu = Emission()
    private var overlapping: [Emission] = []
    /// The last packet, and its time.
    private var emission = Emission()
    private var emissionTime = AirTime.min
    /// `nil` where there is no range.
    private var grid: ReceiverGrid?
    /// The scanners that the grid has.
    private var gridVersion: UInt64 = 0
    /// The highest RSSI offset of the receivers in the grid, with their sensitivity and their antenna.
    private var highestOffset = 0.0

    init(_ propagation: Propagation, seed: UInt64) { self.init(propagation, seed: seed, cellSide: nil) }

    /// - Parameter cellSide: of the cells of receivers, in metres; 0 for no cells. `nil` for a side that suits the range.
    init(_ propagation: Propagation, seed: UInt64, cellSide: Double?) {
        self.propagation = propagation
        self.seed = seed
        hasChance = !propagation.isDeterministic
        hasCollisions = propagation.capture != nil
        hasObstacles = propagation.hasObstacles
        lossAtOneMetre = propagation.lossAtOneMetre
        capture = propagation.capture ?? 0
        interference = propagation.interference.map {
            Interference($0, capture: propagation.capture ?? Self.typicalCapture, seed: seed)
        }
        slope = 5 * propagation.pathExponent / log(10)
        clutter = propagation.clutter
        fading = Fading(propagation, seed: seed)
        reception = PacketReception(propagation, fading)
        if propagation.sensitivity != nil, !propagation.hasGains {
            let side = cellSide ?? range(of: 0) / 2
            if side > 0, side.isFinite { grid = ReceiverGrid(side: side) }
        }
    }

    /// Replaces the model from now on. Places, overrides and random numbers stay: the result is that of a medium which had this
    /// model from the start. What was counted of paths is forgotten.
    mutating func setPropagation(_ next: Propagation) {
        guard next != propagation else { return }
        var medium = Medium(next, seed: seed)
        medium.placements = placements
        medium.overrides = overrides
        medium.sites = sites
        medium.hasChance = medium.hasChance || sites.indices.contains { placements.hardware(of: $0).hasChance }
        if medium.hasChance { for index in sites.indices { medium.addAntenna(index) } }
        self = medium
    }

    // MARK: - Advertising events

    /// The RSSI in dBm with which a receiver receives an advertising event; `nil` if it does not receive the event.
    ///
    /// A receiver needs to support the PDU type, to be on the channel, and to decode the packet. Where packets collide, the
    /// event is one PDU that ends now.
    /// - Parameter isScanResponse: whether the packet is the scan response in the event.
    mutating func rssi(
        of event: AdvertisingEvent, at receiver: Receiver, now: AirTime, isScanResponse: Bool = false
    ) -> Int8? {
        // It must have received on this channel during the whole PDU.
        guard let window = receiver.window(at: event.start ?? now), window.covers(event, now: now),
            receiver.controller != event.transmitter, receiver.isExtended || event.isLegacy
        else { return nil }
        return rssi(of: event, on: window.channel, at: receiver.controller, now: now, isScanResponse: isScanResponse)
    }

    /// The same for another controller than the transmitter that receives on the channel.
    mutating func rssi(
        of event: AdvertisingEvent, on channel: Int, at receiver: Int, now: AirTime, isScanResponse: Bool = false
    ) -> Int8? {
        // The event of a former model may have PDUs of its own.
        let start = hasCollisions ? event.start : nil
        if let start, !isScanResponse, overrides.isEmpty {
            return rssi(ofPDU: event, start: start, on: channel, at: receiver, now: now)
        }
        var packet = Packet(transmitter: event.transmitter, power: event.power, channel: channel, bits: event.bits)
        if let start {
            packet.number = Self.number(of: start, isScanResponse: isScanResponse)
            // Scan requests and responses do not collide.
            if !isScanResponse {
                select(event, start: start, on: channel, now: now)
                packet.mayCollide = true
            }
        } else if isScanResponse {
            packet.number = Self.number(of: now, isScanResponse: true)
        }
        if isScanResponse {
            packet.power = Int8(clamping: Int(event.power) + Int(sites[event.transmitter].scanResponseGain))
        }
        if hasChance, overrides.isEmpty {
            return rssiWithChance(of: packet, at: receiver, now: now, nil, isLost: false)
        }
        return rssi(of: packet, at: receiver, now: now)
    }

    /// The same for a PDU that others may overlap, where no path is overridden.
    ///
    /// In a crowd most PDUs are lost since another one covers them, and its RSSI is often known: it is the lowest RSSI that
    /// needs to be computed exactly.
    @inline(__always)
    private mutating func rssi(
        ofPDU event: AdvertisingEvent, start: AirTime, on channel: Int, at receiver: Int, now: AirTime
    ) -> Int8? {
        select(event, start: start, on: channel, now: now)
        move(receiver, now: now)
        let (mean, isInSight) = mean(pdu, at: receiver)
        if mean < Double(hardware[receiver].minimumMean) { return nil }
        let column = transmissions.column(of: receiver)
        let covered = Double(transmissions.highestRSSI(inColumn: column)) + capture
        let bits = fading.bits(pdu.antenna.fading, antennas[receiver].fading, number: pdu.number)
        let draw = fading.reception(bits)
        let sensitivity = Double(hardware[receiver].sensitivity)
        let threshold = max(sensitivity + reception.threshold(draw: draw), covered)
        let rssi =
            mean
            + fading.gain(
                pdu.antenna.fading, antennas[receiver].fading, bits: bits,
                packetDeviation: Double(hardware[receiver].packetDeviation), channel: channel, isInSight: isInSight,
                least: threshold - mean)
        transmissions.setSelectedRSSI(Float(rssi), inColumn: column)
        guard !(rssi < threshold), !isCovered(rssi, at: receiver, column: column),
            reception.decodes(excess: rssi - sensitivity, bits: event.bits, draw: draw),
            interference?.covers(rssi, on: channel, from: start, to: now) != true
        else {
            counts.noteLost(from: event.transmitter, to: receiver, isFirst: false)
            return nil
        }
        counts.noteReceived(from: event.transmitter, to: receiver, rssi: rssi)
        return reported(rssi, by: receiver)
    }

    /// Prepares what all receivers of a PDU have in common.
    @inline(__always)
    private mutating func select(_ event: AdvertisingEvent, start: AirTime, on channel: Int, now: AirTime) {
        if transmissions.selectOverlapping(event, channel: channel, start: start, end: now) {
            fillOverlapping(event, start: start, now: now)
        }
    }

    @inline(never)
    private mutating func fillOverlapping(_ event: AdvertisingEvent, start: AirTime, now: AirTime) {
        pdu = makeEmission(event.transmitter, power: event.power, now: now)
        pdu.number = Self.number(of: start, isScanResponse: false)
        overlapping.removeAll(keepingCapacity: true)
        for other in transmissions.overlapping {
            var emission = makeEmission(other.transmitter, power: other.power, now: now)
            emission.channel = other.channel
            emission.number = Self.number(of: other.start, isScanResponse: false)
            emission.isAtEnd = other.end >> Self.stepBits == now >> Self.stepBits
            overlapping.append(emission)
        }
    }

    /// Puts a PDU on its channel.
    mutating func transmit(_ event: AdvertisingEvent, now: AirTime) {
        guard hasCollisions, let start = event.start else { return }
        transmissions.add(
            Transmission(
                transmitter: event.transmitter, power: event.power, channel: event.channels.trailingZeroBitCount,
                start: start, end: start + AirTime(event.bits)), now: now)
    }

    /// The number of a packet: by its start, so that it does not depend on other packets.
    private static func number(of start: AirTime, isScanResponse: Bool) -> UInt64 {
        UInt64(truncatingIfNeeded: start) << 1 | (isScanResponse ? 1 : 0)
    }

    // MARK: - Packets

    /// The RSSI in dBm of a packet that one controller sends to another; `nil` if it is lost.
    mutating func rssi(of packet: Packet, at receiver: Int, now: AirTime) -> Int8? {
        var override: LinkOverride?
        var isLost = false
        if !overrides.isEmpty {
            let pair = ControllerPair(packet.transmitter, receiver)
            override = overrides.current(pair, now: now)
            isLost = override != nil && packet.bits != nil && overrides.losesPacket(pair)
        }
        if hasChance { return rssiWithChance(of: packet, at: receiver, now: now, override, isLost: isLost) }
        guard !isLost else { return nil }
        let places = places(packet.transmitter, receiver, at: now)
        let rssi = meanRSSI(from: packet.transmitter, power: packet.power, at: receiver, places, now: now)
        return reported(override?.rssi(of: rssi) ?? rssi, by: receiver)
    }

    /// The RSSI in dBm with which a receiver receives a packet of a recording; `nil` if it does not receive it.
    ///
    /// It is the RSSI in the recording, unless both ends have a position. A receiver in its window is on the channel of
    /// the packet: recordings do not have channels.
    mutating func rssi(
        of packet: ReplayedPacket, from transmitter: Int, at receiver: Receiver, now: AirTime
    ) -> Int8? {
        guard let channel = receiver.window(at: now)?.channel, receiver.isExtended || packet.isLegacy else {
            return nil
        }
        if places(transmitter, receiver.controller, at: now) != nil {
            let modelled = Packet(transmitter: transmitter, power: 0, channel: channel, bits: packet.bits)
            return rssi(of: modelled, at: receiver.controller, now: now)
        }
        let pair = ControllerPair(transmitter, receiver.controller)
        guard !overrides.isEmpty, let override = overrides.current(pair, now: now) else {
            // Above 20 the RSSI is not known.
            return packet.rssi <= 20 ? reported(Double(packet.rssi), by: receiver.controller) : packet.rssi
        }
        guard !overrides.losesPacket(pair) else { return nil }
        guard packet.rssi <= 20 || override.rssi != nil else { return packet.rssi }
        return reported(override.rssi(of: Double(packet.rssi)), by: receiver.controller)
    }

    @inline(__always)
    private mutating func rssiWithChance(
        of packet: Packet, at receiver: Int, now: AirTime, _ override: LinkOverride?, isLost: Bool
    ) -> Int8? {
        let number = packet.number ?? Self.number(of: now, isScanResponse: false)
        if emission.transmitter != packet.transmitter || emissionTime != now || emission.power != packet.power {
            emission = makeEmission(packet.transmitter, power: packet.power, now: now)
            emissionTime = now
        }
        move(receiver, now: now)
        let (mean, isInSight) = mean(emission, at: receiver)
        if override == nil, packet.bits != nil, mean < Double(hardware[receiver].minimumMean) { return nil }
        let bits = fading.bits(emission.antenna.fading, antennas[receiver].fading, number: number)
        let draw = fading.reception(bits)
        let sensitivity = Double(hardware[receiver].sensitivity)
        let threshold = packet.bits == nil ? -.infinity : sensitivity + reception.threshold(draw: draw)
        var rssi =
            mean
            + fading.gain(
                emission.antenna.fading, antennas[receiver].fading, bits: bits,
                packetDeviation: Double(hardware[receiver].packetDeviation), channel: packet.channel,
                isInSight: isInSight,
                least: override == nil ? threshold - mean : -.infinity)
        if let override { rssi = override.rssi(of: rssi) }
        if let length = packet.bits {
            guard !isLost, !(rssi < threshold),
                !packet.mayCollide || !isCoveredWithOverrides(rssi, at: receiver, now: now),
                reception.decodes(excess: rssi - sensitivity, bits: length, draw: draw),
                interference?.covers(rssi, on: packet.channel, from: now - AirTime(length), to: now) != true
            else {
                counts.noteLost(from: packet.transmitter, to: receiver, isFirst: override != nil)
                return nil
            }
        }
        counts.noteReceived(from: packet.transmitter, to: receiver, rssi: rssi)
        return reported(rssi, by: receiver)
    }

    @inline(never)
    private mutating func makeEmission(_ transmitter: Int, power: Int8, now: AirTime) -> Emission {
        move(transmitter, now: now)
        let antenna = antennas[transmitter]
        return Emission(
            transmitter: transmitter, power: power, level: Double(power) + Double(antenna.rssiOffset), antenna: antenna)
    }

    /// The RSSI as a controller reports it (Core 5.4, Vol 4, Part E, 7.7.65.2).
    private func reported(_ rssi: Double, by controller: Int) -> Int8 {
        let rssi = rssi + sites[controller].reportedOffset
        guard !rssi.isNaN else { return -127 }
        return Int8(min(max(rssi.rounded(), -127), 20))
    }

    /// Whether the PDU of another controller that overlaps a PDU is too close to its RSSI, or above it.
    ///
    /// A PDU has the same gain here as where it is received itself: of two PDUs at most one is ahead of the other.
    /// The PDUs whose RSSI is known do not cover this one.
    @inline(never)
    private mutating func isCovered(_ rssi: Double, at receiver: Int, column: Int) -> Bool {
        let limit = rssi - capture
        let antenna = antennas[receiver].fading
        for index in 0..<overlapping.count
        where !transmissions.isKnown(index, inColumn: column) && overlapping[index].transmitter != receiver {
            let (mean, isInSight) = mean(overlapping[index], at: receiver)
            guard mean + Double(hardware[receiver].maximumGain) >= limit else { continue }
            let bits = fading.bits(overlapping[index].antenna.fading, antenna, number: overlapping[index].number)
            let gain = fading.gain(
                overlapping[index].antenna.fading, antenna, bits: bits,
                packetDeviation: Double(hardware[receiver].packetDeviation), channel: overlapping[index].channel,
                isInSight: isInSight, least: limit - mean)
            if overlapping[index].isAtEnd {
                transmissions.setRSSI(Float(mean + gain), of: index, inColumn: column)
            }
            if mean + gain > limit { return true }
        }
        return false
    }

    /// The same where paths are overridden.
    @inline(never)
    private mutating func isCoveredWithOverrides(_ rssi: Double, at receiver: Int, now: AirTime) -> Bool {
        let limit = rssi - capture
        for other in overlapping where other.transmitter != receiver {
            let override = overrides.current(ControllerPair(other.transmitter, receiver), now: now)
            let (mean, isInSight) = mean(other, at: receiver)
            guard override != nil || mean + Double(hardware[receiver].maximumGain) >= limit else { continue }
            let antenna = antennas[receiver].fading
            let bits = fading.bits(other.antenna.fading, antenna, number: other.number)
            let gain = fading.gain(
                other.antenna.fading, antenna, bits: bits, packetDeviation: Double(hardware[receiver].packetDeviation),
                channel: other.channel, isInSight: isInSight, least: override == nil ? limit - mean : -.infinity)
            if override?.isBlocked == true { continue }
            if (override?.rssi(of: mean + gain) ?? mean + gain) > limit { return true }
        }
        return false
    }

    /// The RSSI in dBm without fading where there is chance, and whether no obstacle is in between.
    ///
    /// It changes nothing; a method that is not mutating gets a copy of the medium (bench).
    @inline(__always)
    private mutating func mean(_ emission: Emission, at receiver: Int) -> (rssi: Double, isInSight: Bool) {
        var rssi = emission.level + Double(antennas[receiver].rssiOffset) - lossAtOneMetre
        guard emission.antenna.hasPlace, antennas[receiver].hasPlace else { return (rssi, true) }
        let (x, y) = (emission.antenna.x - antennas[receiver].x, emission.antenna.y - antennas[receiver].y)
        let z = Double(emission.antenna.z) - Double(antennas[receiver].z)
        let square = x * x + y * y + z * z
        rssi -= slope * fading.logarithm(square < nearestSquare ? nearestSquare : square)
        if antennas[receiver].isDirectional || emission.antenna.isDirectional {
            // At the same place there is no direction.
            let inverse = square > 0 && square.isFinite ? 1 / Float(square).squareRoot() : 0
            let (east, north) = (Float(x) * inverse, Float(y) * inverse)
            if antennas[receiver].isDirectional {
                rssi += Double(hardware[receiver].directions.gain(east: east, north: north))
            }
            if emission.antenna.isDirectional {
                rssi += Double(hardware[emission.transmitter].directions.gain(east: -east, north: -north))
            }
        }
        if clutter > 0 { rssi -= clutter * Double(max(Float(square).squareRoot() - 1, 0)) }
        guard hasObstacles else { return (rssi, true) }
        let loss = propagation.obstacleLoss(from: emission.antenna.position, to: antennas[receiver].position)
        return (rssi - loss, loss == 0)
    }

    /// Moves the antenna of a controller to its present place.
    @inline(__always)
    private mutating func move(_ controller: Int, now: AirTime) {
        if antennas[controller].step < now >> Self.stepBits { moveAntenna(controller, to: now >> Self.stepBits) }
    }

    @inline(never)
    private mutating func moveAntenna(_ controller: Int, to step: Int64) {
        guard let motion = placements.motion(of: controller) else { return }
        antennas[controller].step = step
        let time = step << Self.stepBits
        place(controller, at: motion.position(atSeconds: Double(time) * 1e-6), time)
    }

    private mutating func place(_ controller: Int, at place: Position, _ time: AirTime) {
        var heading: Double?
        if !sites[controller].isOfBeacon {
            let degrees = placements.heading(of: controller, at: time)
            heading = degrees
            if antennas[controller].isDirectional, headings[controller] != degrees {
                headings[controller] = degrees
                hardware[controller].directions.turn(to: degrees, patterns[controller] ?? .isotropic)
            }
        }
        antennas[controller].hasPlace = true
        (antennas[controller].x, antennas[controller].y, antennas[controller].z) = (place.x, place.y, Float(place.z))
        fading.move(&antennas[controller].fading, to: place, heading: heading)
    }

    // MARK: - Mean

    /// The RSSI in dBm without chance.
    private func meanRSSI(
        from transmitter: Int, power: Int8, at receiver: Int, _ places: (Position, Position)?, now: AirTime
    ) -> Double {
        let rssi = Double(power) + sites[transmitter].rssiOffset + sites[receiver].rssiOffset
        // Without positions every distance is one metre: this skips the logarithm.
        guard let (from, to) = places else { return rssi - propagation.lossAtOneMetre }
        let distance = from.distance(to: to)
        let loss = obstacleLoss(from: from, transmitter, to: to, receiver, now: now)
        return rssi - (distance == 1 ? propagation.lossAtOneMetre : propagation.loss(overMetres: distance)) - loss.body
            - loss.obstacles
    }

    /// The mean RSSI in dBm of a transmitter 1 m away.
    func levelAtOneMetre(of transmitter: Int, power: Int8) -> Double {
        Double(power) + sites[transmitter].rssiOffset - propagation.lossAtOneMetre
    }

    /// The losses in dB through obstacles, and through the bodies of people who carry an antenna.
    private func obstacleLoss(
        from: Position, _ transmitter: Int, to: Position, _ receiver: Int, now: AirTime
    ) -> (body: Double, obstacles: Double) {
        var loss = 0.0
        if let carrying = placements.carrying(of: receiver, at: now) {
            loss += carrying.loss(at: to, towards: from, maximum: propagation.bodyLoss(of: carrying.place))
        }
        if let carrying = placements.carrying(of: transmitter, at: now), !sites[transmitter].isOfBeacon {
            loss += carrying.loss(at: from, towards: to, maximum: propagation.bodyLoss(of: carrying.place))
        }
        return (loss, hasObstacles ? propagation.obstacleLoss(from: from, to: to) : 0)
    }

    /// The path between two controllers.
    mutating func path(from transmitter: Int, power: Int8, to receiver: Int, at now: AirTime) -> PathStatus {
        let places = places(transmitter, receiver, at: now)
        let count = counts.count(from: transmitter, to: receiver)
        let override = overrides.current(ControllerPair(transmitter, receiver), now: now)
        let mean = meanRSSI(from: transmitter, power: power, at: receiver, places, now: now)
        let offset = sites[receiver].reportedOffset
        return PathStatus(
            distance: places.map { $0.distance(to: $1) }, meanRSSI: (override?.rssi(of: mean) ?? mean) + offset,
            lastRSSI: count.flatMap { $0.lastRSSI.isNaN ? nil : min(max(Double($0.lastRSSI) + offset, -127), 20) },
            packets: UInt64(count?.packets ?? 0), lostPackets: UInt64(count?.lost ?? 0), override: override)
    }

    /// The positions of two controllers; `nil` unless both have one.
    private func places(_ transmitter: Int, _ receiver: Int, at time: AirTime) -> (Position, Position)? {
        guard let from = position(of: transmitter, at: time), let to = position(of: receiver, at: time) else {
            return nil
        }
        return (from, to)
    }

    /// How a controller moves; `nil` if it has no position.
    func motion(of controller: Int) -> Motion? {
        placements.motion(of: controller) ?? placements.restingPosition(of: controller).map(Motion.rest)
    }

    /// The position of a controller; `nil` if it has none.
    func position(of controller: Int, at time: AirTime) -> Position? {
        // At rest the motion is not looked at: this is called for each packet and receiver.
        if let position = placements.restingPosition(of: controller) { return position }
        return placements.motion(of: controller)?.position(at: .microseconds(time))
    }

    // MARK: - Range

    /// The distance in metres from which on no receiver receives a packet.
    /// - Parameter power: with the RSSI offsets of both ends and the highest gains of their antennas, in dBm.
    private func range(of power: Double) -> Double {
        let loss = power - propagation.lossAtOneMetre - reception.minimumMean
        let exponent = propagation.pathExponent
        // Either part of the loss alone is a bound.
        let ofExponent = exponent > 0 ? pow(10, loss / (10 * exponent)) : .infinity
        let ofClutter = clutter > 0 ? max(loss, 0) / clutter + 1 : .infinity
        // A little more: rounding loses no receiver.
        return max(min(ofExponent, ofClutter), Propagation.nearest) * 1.000001
    }

    /// Selects the receivers that may be in range of an advertising event: `selectedReceivers`; `false` if all may be.
    /// - Parameters:
    ///   - receivers: the controllers that scan.
    ///   - version: changes with them.
    mutating func selectReceivers(
        of event: AdvertisingEvent, among receivers: [Int32], version: UInt64, now: AirTime
    ) -> Bool {
        guard grid != nil, receivers.count >= ReceiverGrid.smallestCount,
            overrides.isEmpty || !overrides.contains(event.transmitter)
        else { return false }
        if gridVersion != version || (grid?.expiry ?? .never) <= now {
            gridVersion = version
            fillGrid(receivers, now: now)
        }
        move(event.transmitter, now: now)
        let antenna = antennas[event.transmitter]
        guard antenna.hasPlace else { return false }
        let gain = Double(hardware[event.transmitter].directions.highest)
        let radius = range(of: Double(event.power) + Double(antenna.rssiOffset) + gain + highestOffset)
        return grid?.choose(around: antenna.x, antenna.y, radius: radius) ?? false
    }

    /// The number of receivers that were selected.
    var selectedCount: Int { grid?.chosen.count ?? 0 }

    /// The receivers that were selected, by their place among all, in order.
    func selectedReceiver(_ index: Int) -> Int { Int(grid?.chosen[index] ?? 0) }

    private mutating func fillGrid(_ receivers: [Int32], now: AirTime) {
        highestOffset = -.infinity
        for receiver in receivers {
            move(Int(receiver), now: now)
            // A receiver that is more sensitive than the model is as one with a higher offset.
            let state = hardware[Int(receiver)]
            let advantage = reception.minimumMean - Double(state.minimumMean) + Double(state.directions.highest)
            highestOffset = max(highestOffset, Double(antennas[Int(receiver)].rssiOffset) + advantage)
        }
        grid?.fill(count: receivers.count, now: now) { index in
            let controller = Int(receivers[index])
            let antenna = antennas[controller]
            return ReceiverGrid.Member(
                place: antenna.hasPlace ? (antenna.x, antenna.y) : nil, speed: placements.maximumSpeed(of: controller))
        }
    }

    // MARK: - Controllers

    mutating func addController(_ index: Int, _ configuration: ControllerConfiguration) {
        let site = Site(
            name: configuration.name, rssiOffset: configuration.rssiOffset,
            scanResponseGain: configuration.scanResponseGain, reportedOffset: configuration.hardware.rssiOffset,
            isOfBeacon: configuration.isOfBeacon)
        if index == sites.count {
            sites.append(site)
        } else {
            sites[index] = site
            counts.remove(index)
            overrides.remove(index)
        }
        placements.set(configuration.motion, configuration.hardware, of: index)
        if configuration.hardware.hasChance, !hasChance {
            addChance()
        } else if hasChance {
            addAntenna(index)
        }
        grid?.invalidate()
    }

    /// The hardware of a receiver begins to have chance, where the model has none.
    private mutating func addChance() {
        hasChance = true
        for index in sites.indices { addAntenna(index) }
    }

    /// Replaces the hardware of a controller from now on.
    mutating func setHardware(_ new: ReceiverHardware, of controller: Int) {
        guard new != placements.hardware(of: controller) else { return }
        placements.setHardware(new, of: controller)
        sites[controller].reportedOffset = new.rssiOffset
        if new.hasChance, !hasChance {
            addChance()
        } else if hasChance {
            addAntenna(controller)
        }
        grid?.invalidate()
    }

    /// The hardware of a controller.
    func hardware(of controller: Int) -> ReceiverHardware { placements.hardware(of: controller) }

    private mutating func addAntenna(_ index: Int) {
        let draws = Draws(seed: seed, sites[index].name)
        let state = makeHardware(index)
        let antenna = Antenna(
            rssiOffset: Float(sites[index].rssiOffset), fading: fading.antenna(draws),
            isDirectional: !state.directions.isIsotropic)
        if index == antennas.count {
            antennas.append(antenna)
            hardware.append(state)
            headings.append(0)
        } else {
            antennas[index] = antenna
            hardware[index] = state
            headings[index] = 0
        }
        placeAntenna(of: index)
    }

    /// What packets need of the hardware of a controller.
    private mutating func makeHardware(_ index: Int) -> Hardware {
        let own = sites[index].isOfBeacon ? ReceiverHardware() : placements.hardware(of: index)
        let packetDeviation = own.fast ?? propagation.packetDeviation
        var state = Hardware(packetDeviation: Float(packetDeviation))
        patterns[index] = nil
        if own.antenna == .drawn, !sites[index].isOfBeacon, propagation.antennaDeviation > 0 {
            patterns[index] = AntennaPattern(
                deviation: propagation.antennaDeviation, Draws(seed: seed, sites[index].name, "antenna"))
        }
        state.directions = DirectionalGain(
            patterns[index] ?? .isotropic, bodyLoss: own.carried.map { propagation.bodyLoss(of: $0) } ?? 0)
        let bounds = bounds(of: packetDeviation)
        state.maximumGain = Float(bounds.maximumGain).nextUp
        if let sensitivity = own.sensitivity ?? propagation.sensitivity {
            state.sensitivity = Float(sensitivity)
            state.minimumMean = Float(sensitivity + bounds.lowestExcess).nextDown
        }
        return state
    }

    /// The bounds of chance for a standard deviation from packet to packet.
    private mutating func bounds(of packetDeviation: Double) -> PacketReception.Bounds {
        if packetDeviation == propagation.packetDeviation, propagation.sensitivity != nil { return reception.bounds }
        if let bounds = bounds[packetDeviation] { return bounds }
        var model = propagation
        model.packetDeviation = packetDeviation
        let new = PacketReception.Bounds(Fading(model))
        bounds[packetDeviation] = new
        return new
    }

    mutating func setMotion(_ motion: Motion?, of controller: Int) {
        placements.setMotion(motion, of: controller)
        if hasChance { placeAntenna(of: controller) }
        grid?.invalidate()
    }

    /// Puts the antenna of a controller where it rests; one that moves is placed with the next packet.
    private mutating func placeAntenna(of controller: Int) {
        discardEmissions()
        antennas[controller].hasPlace = false
        antennas[controller].fading = Fading.Antenna(key: antennas[controller].fading.key)
        antennas[controller].step = placements.motion(of: controller) == nil ? .max : .min
        if let position = placements.restingPosition(of: controller) { place(controller, at: position, 0) }
    }

    /// Discards what was prepared for packets on the air: an antenna has changed.
    private mutating func discardEmissions() {
        emissionTime = .min
        transmissions.discardRSSI()
    }

    mutating func setRSSIOffset(_ offset: Double, of controller: Int) {
        guard sites[controller].rssiOffset != offset else { return }
        sites[controller].rssiOffset = offset
        if hasChance { antennas[controller].rssiOffset = Float(offset) }
        discardEmissions()
        grid?.invalidate()
    }

    /// Overrides the path between two controllers; `nil` removes the override.
    mutating func setOverride(_ override: LinkOverride?, of one: Int, _ other: Int, now: AirTime) {
        let names = [sites[one].name, sites[other].name].sorted() + ["override"]
        overrides.set(override, of: ControllerPair(one, other), Draws(seed: seed, names), now: now)
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
    /// The number of packets on the path while the receiver was on their channel, from the first received packet on,
    /// and the number of lost packets among them; 0 if chance has no part in reception.
    package let packets, lostPackets: UInt64
    /// The override of the path, with the time that is left; `nil` for none.
    package let override: LinkOverride?
}

/// A packet from one controller to others.
struct Packet: Sendable {
    /// The index of the transmitter's controller.
    let transmitter: Int
    /// Transmit power in dBm.
    var power: Int8
    /// The primary channel, 0 to 2 for 37 to 39; for a data channel, any of them.
    let channel: Int
    /// The length of the packet; `nil` for a packet that is not lost.
    let bits: Int?
    /// Selects its random numbers; `nil` for a number from the present time.
    var number: UInt64?
    /// Whether the PDUs that overlap it were selected.
    var mayCollide = false
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

    /// The window at a time; `nil` outside its windows.
    func window(at time: AirTime) -> ReceiverWindow? {
        guard time >= start else { return nil }
        var (earliest, latest) = (start, AirTime.never)
        if period > 0 {
            let phase = (time - start) % period
            guard phase < duration else { return nil }
            (earliest, latest) = (time - phase, time - phase + duration)
        }
        let (number, phase) = (time - start).quotientAndRemainder(dividingBy: interval)
        guard phase < window else { return nil }
        let first = time - phase
        return ReceiverWindow(
            channel: Int(truncatingIfNeeded: number % 3), start: max(first, earliest), end: min(first + window, latest))
    }

    /// The start of the next window after a time outside of the windows, or an earlier time.
    func nextStart(after time: AirTime) -> AirTime {
        guard time >= start else { return start }
        let next = time - (time - start) % interval + interval
        guard period > 0 else { return next }
        let nextPeriod = time - (time - start) % period + period
        return min(next, nextPeriod)
    }
}

/// The time in which a receiver receives on a channel without a pause, in microseconds.
struct ReceiverWindow: Hashable, Sendable {
    /// 0 to 2 for 37 to 39.
    let channel: Int
    let start: AirTime
    /// The first time after it.
    let end: AirTime

    /// Whether the PDU of an event on its channel is in the window from the first bit to the last; without a PDU of its own, the
    /// event is at one instant, which is now.
    func covers(_ event: AdvertisingEvent, now: AirTime) -> Bool {
        guard event.channels & 1 << UInt8(truncatingIfNeeded: channel) != 0 else { return false }
        guard let first = event.start else { return start <= now && now < end }
        return start <= first && now <= end
    }
}
