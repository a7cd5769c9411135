// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
internal import Glibc

/// A method to estimate the distance of a beacon from its RSSI and its measured power, which is its RSSI at one metre.
///
/// Reflections and bodies make any estimate rough: it only shows which of two beacons is nearer.
package enum DistanceModel: Hashable, Sendable {
    /// A curve over the ratio r of received to measured power: r^10 metres where r is below 1, else a * r^b + c.
    ///
    /// The ratio is defined only if both powers are negative.
    case powerRatio(a: Double, b: Double, c: Double)
    /// The RSSI falls by 10 * exponent dB when the distance grows tenfold: 2 in free space, 2.5 to 4 indoors.
    case logDistance(exponent: Double)

    /// The first curve of the Android Beacon Library, which many apps still compute.
    package static let android = DistanceModel.powerRatio(a: 0.89976, b: 7.7095, c: 0.111)
    /// The curve of the library today, measured with a Nexus 5.
    package static let altBeacon = DistanceModel.powerRatio(a: 0.42093, b: 6.9476, c: 0.54992)
    /// Free space.
    package static let freeSpace = DistanceModel.logDistance(exponent: 2)

    /// The distance in metres; `nil` if unknown.
    ///
    /// A measured power of 0 is not set, and an RSSI of 0 or outside -127...20 dBm was not measured.
    /// - Parameter rssi: in dBm; a mean need not be whole.
    package func distance(rssi: Double, measuredPower: MeasuredPower) -> Double? {
        let power = Double(measuredPower.decibelMilliwatts)
        guard power != 0, rssi != 0, -127...20 ~= rssi else { return nil }
        let distance: Double
        switch self {
        case .powerRatio(let a, let b, let c):
            guard power < 0, rssi < 0 else { return nil }
            let ratio = rssi / power
            distance = ratio < 1 ? pow(ratio, 10) : a * pow(ratio, b) + c
        case .logDistance(let exponent):
            distance = pow(10, (power - rssi) / (10 * exponent))
        }
        return distance.isFinite && distance >= 0 ? distance : nil
    }

    /// The distance in metres; `nil` if unknown.
    package func distance(rssi: RSSI?, measuredPower: MeasuredPower) -> Double? {
        rssi.flatMap { distance(rssi: Double($0.decibelMilliwatts), measuredPower: measuredPower) }
    }
}

extension DistanceModel: CustomStringConvertible {
    /// The error for text that is not a distance model.
    package struct UnknownName: Error, Hashable, CustomStringConvertible {
        /// The text.
        package let text: String

        /// An error for this text.
        package init(text: String) { self.text = text }

        /// One sentence, without its full stop.
        package var description: String {
            "\"\(text)\" is not a distance model; write altbeacon, android, log-distance, log-distance:2.5 for another "
                + "exponent, or the three constants of a curve as 0.42093,6.9476,0.54992"
        }
    }

    /// Reads `altbeacon` or its other name `nexus5`, `android`, `log-distance` (exponent 2), `log-distance:2.5`, or the constants a, b and c of a
    /// curve as `0.42093,6.9476,0.54992`. Exponents, a and b are positive; all are finite.
    package init(_ text: String) throws(UnknownName) {
        guard let model = Self.model(text) else { throw UnknownName(text: text) }
        self = model
    }

    private static func model(_ text: String) -> DistanceModel? {
        switch text {
        case "android": return .android
        case "altbeacon", "nexus5": return .altBeacon
        case "log-distance": return .freeSpace
        default: break
        }
        if text.hasPrefix("log-distance:") {
            return number(text.dropFirst("log-distance:".count)).flatMap { $0 > 0 ? .logDistance(exponent: $0) : nil }
        }
        let constants = text.split(separator: ",", omittingEmptySubsequences: false).map(number)
        guard constants.count == 3, let a = constants[0], let b = constants[1], let c = constants[2], a > 0, b > 0
        else {
            return nil
        }
        return .powerRatio(a: a, b: b, c: c)
    }

    private static func number(_ text: Substring) -> Double? {
        Double(text.drop { $0 == " " }).flatMap { $0.isFinite ? $0 : nil }
    }

    /// The text that `init` parses as this model.
    package var description: String {
        switch self {
        case .android: "android"
        case .altBeacon: "altbeacon"
        case .freeSpace: "log-distance"
        case .logDistance(let exponent): "log-distance:\(exponent)"
        case .powerRatio(let a, let b, let c): "\(a),\(b),\(c)"
        }
    }
}
