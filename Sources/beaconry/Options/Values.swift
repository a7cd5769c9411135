// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Advertising
public import ArgumentParser
import Bluetooth
import Concurrency
package import Devices
import Emulator
import Profiles
package import Receiving

// Options are typed. Enumerations are ExpressibleByArgument, which lists their values in help, errors and completions.
// Other types are parsed by a `transform` that throws, since ExpressibleByArgument cannot give the reason for a refusal.

extension AdvertisingPDU: ExpressibleByArgument {}
extension Proximity: ExpressibleByArgument {}
extension DisconnectionReason: ExpressibleByArgument {}
extension ConnectionFault.Phase: ExpressibleByArgument {}
extension BatteryState: ExpressibleByArgument {}
extension BenchApp: ExpressibleByArgument {}
extension RadioPower: ExpressibleByArgument {}

/// The values of options that profiles do not have.
enum OptionValue {
    /// A whole number in a range.
    static func wholeNumber(in range: ClosedRange<Int>) -> @Sendable (String) throws -> Int {
        { text in
            guard let number = Int(text), range.contains(number) else {
                throw ValueFault("\"\(text)\" is not a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
    }

    /// A number of decibels or an exponent, from 0.
    static func number(upTo limit: Double, _ unit: String) -> @Sendable (String) throws(ValueFault) -> Double {
        { text throws(ValueFault) in
            guard let number = Double(text), (0...limit).contains(number) else {
                throw ValueFault("\"\(text)\" is not a number\(unit) from 0 to \(Int(limit))")
            }
            return number
        }
    }

    /// A number of processes.
    static func jobs(_ text: String) throws -> Int { try wholeNumber(in: 1...1000)(text) }

    /// A seed of a random number generator.
    static func seed(_ text: String) throws(ValueFault) -> UInt64 {
        guard let seed = UInt64(text) else {
            throw ValueFault("\"\(text)\" is not a whole number from 0 to \(UInt64.max)")
        }
        return seed
    }

    /// The rate of a clock.
    static func rate(_ text: String) throws(ValueFault) -> Simulation.Rate {
        if let rate = Simulation.Rate(text) { return rate }
        throw ValueFault("\"\(text)\" is not a rate; write \(Simulation.Rate.choices)")
    }

    /// A place on the globe, `LAT,LON` in degrees.
    static func anchor(_ text: String) throws(ValueFault) -> MapAnchor {
        let parts = text.split(separator: ",").map { Double($0.drop { $0 == " " }) }
        guard parts.count == 2, let latitude = parts[0], let longitude = parts[1], abs(latitude) <= 89,
            abs(longitude) <= 180
        else {
            throw ValueFault("\"\(text)\" is not LAT,LON in degrees, such as 48.1374,11.5755")
        }
        return MapAnchor(latitude: latitude, longitude: longitude)
    }

    /// An RSSI in dBm.
    static func rssi(_ text: String) throws(ValueFault) -> RSSI {
        RSSI(try ValueText.measuredPower(text).decibelMilliwatts)
    }

    /// A service UUID of 16, 32 or 128 bits.
    static func service(_ text: String) throws(ValueFault) -> BluetoothUUID {
        guard let uuid = BluetoothUUID(text) else {
            throw ValueFault("\"\(text)\" is not a UUID; write 4, 8 or 32 hexadecimal digits")
        }
        return uuid
    }
}

extension CompletionKind {
    /// The names of the beacons of the run, the first column of `ctl list`.
    static let beacons = CompletionKind.shellCommand("beaconry ctl list 2>/dev/null | awk 'NR > 1 { print $1 }'")
}
