// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// How strength falls with distance: the log-distance model, with log-normal noise if wanted.
///
/// At one metre a receiver has the transmitted power less `lossAtOneMetre`; the loss grows by 10 times `exponent`
/// decibels whenever the distance grows tenfold.
package struct PathLoss: Hashable, Sendable {
    /// 2 in free space, 2.5 to 4 indoors.
    package var exponent: Double
    /// The standard deviation of the noise in dB; 0 for none.
    package var noise: Double
    /// The loss at one metre in dB.
    package var lossAtOneMetre: Double

    /// What is nearer counts as this far, in metres: the model has no loss, then a gain, close to the antenna.
    package static let nearest = 0.01
    /// What a controller can report (Core 5.4, Vol 4, Part E, 7.7.65.2).
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

    /// The strength of a signal, in whole dBm from -127 to 20.
    /// - Parameters:
    ///   - transmitted: the power that leaves the antenna.
    ///   - distance: in metres.
    ///   - correction: what the devices' antennas add, in dB.
    func receivedStrength(
        transmitted: Int8, distance: Double, correction: Double, generator: inout SeededGenerator
    ) -> Int8 {
        var strength = Double(transmitted) + correction
        strength -= distance == 1 ? lossAtOneMetre : loss(overMetres: distance)
        if noise > 0 { strength += noise * Self.normal(&generator) }
        guard !strength.isNaN else { return Int8(Self.reported.lowerBound) }
        return Int8(min(max(strength.rounded(), Self.reported.lowerBound), Self.reported.upperBound))
    }

    /// A number of the standard normal distribution (Box and Muller, 1958).
    private static func normal(_ generator: inout SeededGenerator) -> Double {
        let radius = (-2 * log(1 - generator.unit())).squareRoot()
        return radius * cos(2 * Double.pi * generator.unit())
    }
}
