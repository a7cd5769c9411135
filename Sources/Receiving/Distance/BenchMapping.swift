// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// The method by which an app computes the distance of a beacon, as far as a measured power can stand in for an RSSI.
package enum BenchApp: String, CaseIterable, Hashable, Sendable {
    /// From the ratio of RSSI and measured power, as the Android Beacon Library does.
    case altBeacon = "altbeacon"
    /// From their difference, as the log-distance model does.
    case logDistance = "log-distance"
}

/// The measured power that makes an app show a distance other than the phone's.
///
/// The phone rests beside the radio, and receives all packets with the same RSSI. The distance that an app shows depends on the
/// RSSI and on the measured power in the packet: another measured power has the effect of another RSSI (docs/bench.md).
package struct BenchMapping: Hashable, Sendable {
    /// What an app can use: curves of a ratio need a measured power below 0.
    package static let range = Int8(-127)...Int8(-1)

    /// The method of the app.
    package let app: BenchApp
    /// The RSSI that the phone has on the bench.
    package let benchRSSI: RSSI

    /// A mapping for one app and one bench.
    package init(_ app: BenchApp, benchRSSI: RSSI) {
        self.app = app
        self.benchRSSI = benchRSSI
    }

    /// The measured power with which the app shows the distance that it would show for another RSSI.
    /// - Parameters:
    ///   - measuredPower: the beacon's measured power.
    ///   - rssi: the RSSI that the phone would have, in dBm.
    /// - Returns: in dBm, not rounded; it may be outside `range`. `nil` if the app computes no distance from these values.
    func exactPower(of measuredPower: MeasuredPower, receivedWith rssi: Double) -> Double? {
        let (power, bench) = (Double(measuredPower.decibelMilliwatts), Double(benchRSSI.decibelMilliwatts))
        switch app {
        case .logDistance: return bench + power - rssi
        case .altBeacon: return power < 0 && rssi < 0 ? bench * power / rssi : nil
        }
    }

    /// The same in whole dBm within `range`, and whether the exact value is outside.
    package func power(
        of measuredPower: MeasuredPower, receivedWith rssi: Double
    ) -> (power: MeasuredPower, isClamped: Bool)? {
        guard let exact = exactPower(of: measuredPower, receivedWith: rssi)?.rounded(), exact.isFinite else {
            return nil
        }
        let clamped = min(max(exact, Double(Self.range.lowerBound)), Double(Self.range.upperBound))
        return (MeasuredPower(Int8(clamped)), clamped != exact)
    }
}
