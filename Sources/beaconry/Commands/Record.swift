// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryCentral
import Bluetooth
import Emulator
import Radio

/// `beaconry record`
struct Record: AsyncParsableCommand, ReportsErrorsAsJSON {
    static let configuration = CommandConfiguration(
        abstract: "Record advertisements with timestamps and RSSI.",
        discussion: """
            Example: beaconry record shop.jsonl --duration 30s

            The file has a JSON object a line. It appears when the recording ends, by Ctrl-C, too; until then it is \
            FILE.part. beaconry clone makes a profile of it.
            """)

    /// More devices than this are not counted: some change their address with every advertisement.
    private static let countedDevices = 65_536

    @Argument(help: "The file to write.")
    var file: String

    @Flag(help: "Replace the file if it is there.")
    var force = false

    @Flag(help: "Scan passively, without scan requests.")
    var passive = false

    @OptionGroup var time: DurationOption

    @OptionGroup var options: ListeningOptions

    var writesJSON: Bool { options.isJSON }

    func run() async throws {
        try Failure.unlessFree(file, force: force)
        let listening = try Listening(
            options, duration: try time.value(), limits: [.pdu, .duplicates, .passiveScanning, .exactData])
        let path = file
        let isActive = !passive
        let isJSON = options.isJSON
        try await listening.run { radio, capabilities in
            let head = RecordingHead(
                began: Timestamp.now, radio: capabilities.name,
                limits: capabilities.limits.map(\.subject.rawValue))
            var writer = try RecordingWriter(path, head: head)
            let start = ContinuousClock.now
            var devices: Set<RemoteAddress> = []
            for await sighting in try await radio.scan(ScanParameters(isActive: isActive)) {
                if devices.count < Self.countedDevices { devices.insert(sighting.device) }
                try writer.write(RecordedSighting(offset: start.duration(to: .now), sighting: sighting))
            }
            try writer.finish()
            RecordingSummary(file: path, sightings: writer.count, devices: devices.count).tell(asJSON: isJSON)
        }.check()
    }
}

/// What `record` has written.
private struct RecordingSummary: Encodable {
    let v = 1
    let event = "recorded"
    let file: String
    let sightings: Int
    let devices: Int

    func tell(asJSON: Bool) {
        let counted = "\(devices) \(devices == 1 ? "device" : "devices")"
        Output.line(asJSON ? JSONLine.encode(self) : "\(file): \(sightings) sightings of \(counted)")
    }
}
