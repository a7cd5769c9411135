// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import BluetoothCore

/// Eddystone-TLM frames between the frames of an Eddystone beacon, on one address.
///
/// Of every N advertisements the last one is telemetry. The number of advertisements and the uptime follow from the time since
/// power came on and from the advertising interval; battery and temperature from a model.
package struct BeaconTelemetry: Hashable, Sendable {
    /// N: how many advertisements make a round, at least 2.
    package var every: Int
    /// The battery's voltage in mV; `nil` for a beacon without a battery.
    package var battery: Quantity?
    /// The temperature in °C; `nil` for a beacon without a thermometer.
    package var temperature: Quantity?

    /// Telemetry in every 10th advertisement by default.
    package init(every: Int = 10, battery: Quantity? = nil, temperature: Quantity? = nil) {
        self.every = every
        self.battery = battery
        self.temperature = temperature
    }

    /// Whether telemetry is advertised a time after power came on.
    func isDue(after elapsed: Duration, every interval: AdvertisingInterval) -> Bool {
        count(after: elapsed, every: interval) % every == every - 1
    }

    /// When the other frame is due, from the time when power came on.
    func nextChange(after elapsed: Duration, every interval: AdvertisingInterval) -> Duration {
        let count = count(after: elapsed, every: interval)
        let last = count / every * every + every - 1
        return interval.duration * (count < last ? last : last + 1)
    }

    /// The frame a time after power came on.
    package func frame(after elapsed: Duration, every interval: AdvertisingInterval) -> EddystoneTLM {
        let celsius = temperature.map { min(max($0.value(at: elapsed), -127), 127) }
        return EddystoneTLM(
            batteryMillivolts: battery.map { UInt16(min(max($0.value(at: elapsed), 0), 65535)) } ?? 0,
            temperature: celsius.map { Int16(($0 * 256).rounded()) } ?? EddystoneTLM.noTemperature,
            advertisements: UInt32(clamping: count(after: elapsed, every: interval)),
            uptimeTenths: UInt32(clamping: elapsed.attoseconds / Duration.milliseconds(100).attoseconds))
    }

    /// The advertisements before a time after power came on.
    private func count(after elapsed: Duration, every interval: AdvertisingInterval) -> Int {
        Int(clamping: elapsed.attoseconds / interval.duration.attoseconds)
    }
}

extension BeaconTelemetry {
    /// Reads `telemetry: { every: 10, battery: 3000, temperature: 21.5 }`; `nil` when there is none.
    init?(from reader: inout ProfileReader, with format: String) {
        guard ["eddystone-uid", "eddystone-url"].contains(format) else { return nil }
        let read = reader.part("telemetry") { part -> BeaconTelemetry? in
            var telemetry = BeaconTelemetry()
            telemetry.every =
                part.value("every") { text throws(ValueFault) in try ValueText.integer(text, in: 2...1000) } ?? 10
            telemetry.battery = part.quantity("battery", in: 0...65535)
            telemetry.temperature = part.quantity("temperature", in: -127...127)
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
