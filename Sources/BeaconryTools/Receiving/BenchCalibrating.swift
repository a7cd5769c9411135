// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Emulator
import HCIRadio
import Persistence
package import Radio
import Receiving

/// `bench calibrate`: computes the RSSI of a phone on the bench from what an app on it shows.
package enum BenchCalibrateTool {
    /// The RSSI from which apps of both kinds compute similar distances, in dBm (docs/bench.md).
    private static let recommended = -75 ... -65
    private static let longestInput = 65_536

    /// Reports the RSSI of these values.
    /// - Throws: `Failure` for a text that is no RSSI, or without values.
    package static func run(_ texts: [String], as format: OutputFormat) throws(Failure) {
        var samples = TrimmedSamples()
        for text in texts { samples.add(try rssi(text)) }
        guard let mean = samples.mean else {
            throw .badData(
                "there is no RSSI; write values that the app shows, such as beaconry bench calibrate -67 -69 -68")
        }
        let rssi = Int8(mean.rounded())
        Output.report(BenchCalibration(rssi, samples), as: format)
        guard !recommended.contains(Int(rssi)) else { return }
        Output.note(
            "\(rssi) dBm is outside \(recommended.lowerBound) to \(recommended.upperBound) dBm, where measured powers suit apps of "
                + "all kinds; change the distance, or put the phone or the adapter into a tin")
    }

    /// Advertises a beacon, and reports the RSSI of the values on standard input.
    /// - Throws: `RadioError` if the radio cannot be used; as `run`; `Failure` for a virtual air, which no phone receives.
    package static func run(advertisingOn driver: any RadioDriver, as format: OutputFormat) async throws {
        if let air = driver as? VirtualAirDriver {
            throw Failure(
                exitCode: 69,
                message:
                    "\(air.reason ?? "a phone does not receive a virtual air"): there is nothing to measure; values that you "
                    + "have can be given: beaconry bench calibrate -67 -69 -68")
        }
        let ledger = Folders.ledger()
        defer { ledger.close() }
        let interruption = await Interruption()
        defer { interruption.end() }
        let beacon = HostedBeacon(
            identifier: BeaconIdentifier("bench"), services: [],
            advertisement: Advertisement(
                pdu: .nonConnectable, advertisingData: frame.advertisingData(), interval: AdvertisingInterval(160)),
            key: "bench/bench")
        let radio = driver.makePeripheral(RadioResources(ledger: ledger))
        _ = try await radio.open([beacon], waits: false) { _ in .failure(.unlikely) }
        let watch = RadioWatch([beacon.identifier])
        let watching = Task { for await event in radio.events { watch.take(event) } }
        await radio.advertise(beacon.advertisement, for: beacon.identifier)
        await interruption.wait(atMost: .seconds(15)) { await watch.waitUntilReported() }
        guard !interruption.isRequested else {
            await radio.close()
            throw interrupted
        }
        guard watch.state.statuses[beacon.identifier] != nil else {
            await radio.close()
            throw watch.state.refusals[beacon.identifier]
                ?? RadioError(
                    .refused, "the radio does not report within 15 s that the iBeacon is on the air",
                    hint: "examine it (beaconry doctor)")
        }
        Output.note(
            "an iBeacon is on the air: \(frame.uuid), major \(frame.major), minor \(frame.minor). Let the phone rest beside the adapter, and type "
                + "the RSSI values that the app shows for 20 s, then Ctrl-D")
        let input = Task.detached { try InputFile.text(of: "/dev/stdin", limit: longestInput) }
        await interruption.wait(atMost: .seconds(3600)) { _ = await input.result }
        watch.stop()
        await radio.close()
        await watching.value
        guard !interruption.isRequested else { throw interrupted }
        let text = try await input.value
        if let reason = watch.state.stops[beacon.identifier] {
            throw RadioError(
                .refused, "the iBeacon left the air during the measurement: \(reason)", hint: "measure again")
        }
        try run(words(of: text), as: format)
    }

    /// Reports the RSSI of the values on standard input.
    /// - Throws: as `run`.
    package static func runOnInput(as format: OutputFormat) throws(Failure) {
        try run(words(of: try InputFile.text(of: "/dev/stdin", limit: longestInput)), as: format)
    }

    private static let interrupted = Failure(exitCode: 1, message: "stopped before the end of the input")

    private static func words(of text: String?) throws(Failure) -> [String] {
        guard let text else {
            throw .badData("standard input has more than \(longestInput) bytes; the values of 20 s suffice")
        }
        return text.split(whereSeparator: \.isWhitespace).map(String.init)
    }

    private static let frame = IBeacon(
        uuid: TrialStage.uuid, major: 0xBEAC, minor: 1, measuredPower: IBeacon.template.measuredPower)

    private static func rssi(_ text: String) throws(Failure) -> RSSI {
        let number = text.hasSuffix("dBm") ? text.dropLast(3) : Substring(text)
        guard let value = Int8(number.last == "," ? number.dropLast() : number), -127...20 ~= value, value != 0 else {
            throw .badData("\"\(text)\" is not an RSSI in dBm, such as -68")
        }
        return RSSI(value)
    }
}

/// The RSSI of a phone on the bench.
private struct BenchCalibration: Encodable, Report {
    private let event = "bench-calibrated"
    private let time = Timestamp.now
    /// In dBm.
    private let rssi: Int8
    /// The number of values.
    private let samples: Int
    /// The number of values left out at each end.
    private let trimmed: Int

    init(_ rssi: Int8, _ samples: TrimmedSamples) {
        self.rssi = rssi
        self.samples = samples.count
        trimmed = samples.trimmed
    }

    var lines: [String] {
        let rest = trimmed > 0 ? " without the \(trimmed) lowest and the \(trimmed) highest" : ""
        return ["bench RSSI \(rssi) dBm, from \(Formatting.count(samples, "value"))\(rest): --bench-rssi \(rssi)"]
    }
}
