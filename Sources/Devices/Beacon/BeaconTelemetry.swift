// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth

/// Eddystone-TLM frames between the frames of an Eddystone beacon, on one address.
///
/// Of every N advertisements the last one is telemetry. Battery and temperature follow a model of the time since power came on.
package struct BeaconTelemetry: Hashable, Sendable {
    /// N where it is not given.
    package static let defaultRound = 10

    /// N: the number of advertisements in a round, at least 2.
    package var every: Int
    /// The battery's voltage in mV; `nil` for a beacon without a battery.
    package var battery: Quantity?
    /// The temperature in °C; `nil` for a beacon without a thermometer.
    package var temperature: Quantity?

    /// Telemetry in every 10th advertisement by default.
    package init(every: Int = Self.defaultRound, battery: Quantity? = nil, temperature: Quantity? = nil) {
        self.every = every
        self.battery = battery
        self.temperature = temperature
    }

    /// Whether the advertisement after this number of others is telemetry.
    func isDue(after count: Int) -> Bool { count % every == every - 1 }

    /// The number of advertisements before the other frame is due.
    func nextChange(after count: Int) -> Int {
        let last = count / every * every + every - 1
        return count < last ? last : last + 1
    }

    /// The frame a time after power came on.
    /// - Parameter count: the number of advertisements since then.
    package func frame(after elapsed: Duration, count: Int) -> EddystoneTLM {
        let celsius = temperature.map { min(max($0.value(at: elapsed), -127), 127) }
        return EddystoneTLM(
            batteryMillivolts: battery.map { UInt16(min(max($0.value(at: elapsed), 0), 65535)) } ?? 0,
            temperature: celsius.map { Int16(($0 * 256).rounded()) } ?? EddystoneTLM.noTemperature,
            advertisements: UInt32(clamping: count),
            uptimeTenths: UInt32(clamping: elapsed.count(of: .milliseconds(100))))
    }
}

/// The number of advertising events of a beacon since power came on, as an estimate: no radio reports its events.
///
/// A controller adds a random delay of 0 to 10 ms to each interval (Core 5.4, Vol 6, Part B, 4.4.2.2.1), so the mean time
/// between two events is the interval and 5 ms. The deviation of the estimate grows with the square root of the number of
/// events: in an hour at 100 ms it is about 5 of 34,000 events.
struct AdvertisingEventCount: Hashable, Sendable {
    private static let meanDelay = Duration.milliseconds(5)

    /// The number at `beginning`.
    private var base = 0
    /// When the present interval began.
    private var beginning: Duration
    /// The mean time between two events.
    private var period: Duration

    /// A count that begins when power comes on.
    init(every interval: AdvertisingInterval, from beginning: Duration) {
        self.beginning = beginning
        period = interval.duration + Self.meanDelay
    }

    /// The number of events until a time.
    func value(at now: Duration) -> Int {
        base + max(.zero, now - beginning).count(of: period)
    }

    /// When the number is reached. The number must not be less than at the beginning of the present interval.
    func time(of value: Int) -> Duration { beginning + period * (value - base) }

    /// Counts on with another interval.
    mutating func changeInterval(to interval: AdvertisingInterval, at now: Duration) {
        guard interval.duration + Self.meanDelay != period else { return }
        base = value(at: now)
        beginning = now
        period = interval.duration + Self.meanDelay
    }
}

extension BeaconTelemetry {
    /// The formats whose beacons can send telemetry.
    package static let formats = [EddystoneUID.formatName, EddystoneURL.formatName]

    /// Whether beacons of a format can send telemetry.
    package static func isPossible(with format: String) -> Bool { formats.contains(format) }

    /// The number of advertisements in a round: 2 to 1000.
    package static func round(_ text: String) throws(ValueFault) -> Int { try ValueText.integer(text, in: rounds) }

    /// The texts of the numbers of advertisements in a round.
    package static let roundShape = ValueShape.integer(rounds, isHexadecimal: true)
    /// The texts of constant voltages, in mV.
    package static let voltageShape = ValueShape.number(voltages)
    /// The texts of constant temperatures, in °C.
    package static let temperatureShape = ValueShape.number(temperatures)

    /// A constant voltage of the battery: 0 to 65535 mV.
    package static func millivolts(_ text: String) throws(ValueFault) -> Double {
        try number(text, in: voltages, "mV")
    }

    /// A constant temperature: -127 to 127 °C.
    package static func celsius(_ text: String) throws(ValueFault) -> Double {
        try number(text, in: temperatures, "°C")
    }

    private static let rounds = 2...1000
    private static let voltages: ClosedRange<Double> = 0...65535
    private static let temperatures: ClosedRange<Double> = -127...127

    private static func number(
        _ text: String, in range: ClosedRange<Double>, _ unit: String
    ) throws(ValueFault) -> Double {
        let number = try ValueText.number(text)
        guard range.contains(number) else {
            let (least, most) = (ValueText.text(range.lowerBound), ValueText.text(range.upperBound))
            throw ValueFault("\(text) is out of range: write \(least) to \(most) \(unit)")
        }
        return number
    }

    /// Reads `telemetry: { every: 10, battery: 3000, temperature: 21.5 }`; `nil` when there is none.
    init?(from reader: inout ProfileReader, with format: String) {
        guard Self.isPossible(with: format) else { return nil }
        let read = reader.part("telemetry") { part -> BeaconTelemetry? in
            var telemetry = BeaconTelemetry()
            telemetry.every = part.value("every", Self.round) ?? Self.defaultRound
            telemetry.battery = part.quantity("battery", in: Self.voltages)
            telemetry.temperature = part.quantity("temperature", in: Self.temperatures)
            return telemetry
        }
        guard let read else { return nil }
        self = read
    }

    /// The value of the key `telemetry`.
    var text: String {
        let parts = [
            "every: \(every)", battery.map { "battery: \(AttributeWriter.text($0))" },
            temperature.map { "temperature: \(AttributeWriter.text($0))" },
        ]
        return "{ \(parts.compactMap(\.self).joined(separator: ", ")) }"
    }
}
