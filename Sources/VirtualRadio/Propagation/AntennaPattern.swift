// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The gain of an antenna by direction, in dB: a smooth curve with one lobe and with two, whose mean over all horizontal directions is 0.
/// Above and below it is 0.
struct AntennaPattern: Hashable, Sendable {
    /// The same in all directions.
    static let isotropic = AntennaPattern()

    /// The amplitudes of cos θ, sin θ, cos 2θ and sin 2θ in dB.
    fileprivate var cosine = 0.0, sine = 0.0, doubleCosine = 0.0, doubleSine = 0.0
    /// No direction has a higher gain in dB.
    private(set) var highest = 0.0

    private init() {}

    /// A pattern with a standard deviation over all horizontal directions in dB.
    init(deviation: Double, _ draws: Draws) {
        let ((a, b), (c, d)) = (draws.normals(0, 0), draws.normals(1, 0))
        // The mean square of a cosine is a half.
        let scale = deviation / ((a * a + b * b + c * c + d * d) / 2).squareRoot()
        (cosine, sine, doubleCosine, doubleSine) = (a * scale, b * scale, c * scale, d * scale)
        highest = ((a * a + b * b).squareRoot() + (c * c + d * d).squareRoot()) * scale
    }

    /// The gain in a direction, by its components on a vector of length 1.
    func gain(ahead: Double, right: Double) -> Double {
        cosine * ahead + sine * right + doubleCosine * (ahead * ahead - right * right) + doubleSine * 2 * ahead * right
    }
}

/// The gain of an antenna and of the body beside it by the direction on the map, at a heading.
///
/// Turned once for each heading, so that a packet needs a few multiplications and no angle (hot path).
struct DirectionalGain: Hashable, Sendable {
    private let bodyLoss: Float
    /// No direction has a higher gain in dB.
    let highest: Float
    /// Whether all directions have a gain of 0.
    let isIsotropic: Bool
    private var constant: Float = 0, east: Float = 0, north: Float = 0, difference: Float = 0, product: Float = 0

    /// The gain of an isotropic antenna.
    init() { self.init(.isotropic, bodyLoss: 0) }

    /// - Parameter bodyLoss: of what comes from behind, in dB.
    init(_ pattern: AntennaPattern, bodyLoss: Double) {
        self.bodyLoss = Float(bodyLoss)
        highest = Float(pattern.highest).nextUp
        isIsotropic = pattern == .isotropic && bodyLoss == 0
        turn(to: 0, pattern)
    }

    /// - Parameters:
    ///   - heading: in degrees clockwise from north.
    ///   - pattern: of the antenna, as before.
    mutating func turn(to heading: Double, _ pattern: AntennaPattern) {
        let angle = heading * .pi / 180
        let (sine, cosine) = (sin(angle), cos(angle))
        // Ahead is sine·east + cosine·north, and right is cosine·east - sine·north.
        let ahead = pattern.cosine + Double(bodyLoss) / 2
        east = Float(ahead * sine + pattern.sine * cosine)
        north = Float(ahead * cosine - pattern.sine * sine)
        // north² - east² and 2·north·east turn by twice the angle.
        let (doubleSine, doubleCosine) = (2 * sine * cosine, cosine * cosine - sine * sine)
        difference = Float(pattern.doubleCosine * doubleCosine - pattern.doubleSine * doubleSine)
        product = Float(pattern.doubleCosine * doubleSine + pattern.doubleSine * doubleCosine)
        constant = -bodyLoss / 2
    }

    /// The gain in a direction, by its components on a vector of length 1; both 0 for no direction.
    @inline(__always)
    func gain(east x: Float, north y: Float) -> Float {
        guard x != 0 || y != 0 else { return 0 }
        return constant + east * x + north * y + difference * (y * y - x * x) + product * 2 * x * y
    }
}
