// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Glibc

/// The space between the controllers: which receivers a packet reaches, and with what RSSI.
///
/// `rssi(of:at:now:)` is the only place that decides whether a receiver receives an advertising event. Positions, path loss
/// and noise are private to this part.
struct Medium: Sendable {
    private struct Site {
        var position: Position?
        var rssiOffset: Double
    }

    private let pathLoss: PathLoss
    private var noise: SplitMix64
    /// By the index of the controller.
    private var sites: [Site] = []

    init(_ pathLoss: PathLoss, noise: SplitMix64) {
        self.pathLoss = pathLoss
        self.noise = noise
    }

    /// The RSSI in dBm with which a receiver receives an advertising event; `nil` if it does not receive the event.
    ///
    /// A receiver receives every event of another controller that is sent on its current channel in PDUs that it knows.
    mutating func rssi(of event: AdvertisingEvent, at receiver: Receiver, now: AirTime) -> Int8? {
        guard receiver.receives(channels: event.channels, at: now), receiver.controller != event.transmitter,
            receiver.isExtended || event.isLegacy
        else { return nil }
        return rssi(from: event.transmitter, power: event.power, at: receiver.controller)
    }

    /// The RSSI in dBm of a packet that one controller sends to another.
    mutating func rssi(from transmitter: Int, power: Int8, at receiver: Int) -> Int8 {
        var distance = 1.0
        if let from = sites[transmitter].position, let to = sites[receiver].position {
            distance = from.distance(to: to)
        }
        return pathLoss.rssi(
            power: power, distance: distance, offset: sites[transmitter].rssiOffset + sites[receiver].rssiOffset,
            generator: &noise)
    }

    mutating func addController(_ index: Int, _ configuration: ControllerConfiguration) {
        let site = Site(position: configuration.position, rssiOffset: configuration.rssiOffset)
        if index == sites.count { sites.append(site) } else { sites[index] = site }
    }

    func position(of controller: Int) -> Position? { sites[controller].position }
    mutating func setPosition(_ position: Position?, of controller: Int) { sites[controller].position = position }
    mutating func setRSSIOffset(_ offset: Double, of controller: Int) { sites[controller].rssiOffset = offset }
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

    /// Whether the receiver is on one of these channels.
    func receives(channels: UInt8, at time: AirTime) -> Bool {
        if period > 0, (time - start) % period >= duration { return false }
        let (number, phase) = (time - start).quotientAndRemainder(dividingBy: interval)
        return phase < window && channels & 1 << UInt8(truncatingIfNeeded: number % 3) != 0
    }
}

/// How RSSI falls with distance: the log-distance model, with optional log-normal noise.
///
/// At one metre the RSSI is the transmit power less `lossAtOneMetre`; the loss grows by 10 times `exponent` decibels for each
/// tenfold distance.
package struct PathLoss: Hashable, Sendable {
    /// 2 in free space, 2.5 to 4 indoors.
    package var exponent: Double
    /// The standard deviation of the noise in dB; 0 disables it.
    package var noise: Double
    /// The loss at one metre in dB.
    package var lossAtOneMetre: Double

    /// Minimum distance in metres: closer to the antenna the model would have no loss, then a gain.
    package static let nearest = 0.01
    /// The RSSI that a controller can report (Core 5.4, Vol 4, Part E, 7.7.65.2).
    static let reported = -127.0...20.0

    /// A model with these parameters.
    package init(exponent: Double = 2, noise: Double = 0, lossAtOneMetre: Double = 59) {
        self.exponent = exponent
        self.noise = noise
        self.lossAtOneMetre = lossAtOneMetre
    }

    /// The loss over a distance in metres, in dB.
    package func loss(overMetres distance: Double) -> Double {
        guard distance.isFinite else { return .infinity }
        return lossAtOneMetre + 10 * exponent * log10(max(distance, Self.nearest))
    }

    /// The RSSI of a packet, in whole dBm from -127 to 20.
    /// - Parameters:
    ///   - power: the transmit power in dBm.
    ///   - distance: in metres.
    ///   - offset: added to the RSSI, in dB.
    func rssi(power: Int8, distance: Double, offset: Double, generator: inout SplitMix64) -> Int8 {
        var rssi = Double(power) + offset
        // Without positions every distance is one metre: this skips the logarithm.
        rssi -= distance == 1 ? lossAtOneMetre : loss(overMetres: distance)
        if noise > 0 { rssi += noise * Self.normal(&generator) }
        guard !rssi.isNaN else { return Int8(Self.reported.lowerBound) }
        return Int8(min(max(rssi.rounded(), Self.reported.lowerBound), Self.reported.upperBound))
    }

    /// A number of the standard normal distribution (Box and Muller, 1958).
    private static func normal(_ generator: inout SplitMix64) -> Double {
        let radius = (-2 * log(1 - generator.unit())).squareRoot()
        return radius * cos(2 * Double.pi * generator.unit())
    }
}
