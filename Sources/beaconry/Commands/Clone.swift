// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryCentral
import BluetoothCore
import Emulator
import Persistence
import Profiles

/// `beaconry clone`
struct Clone: ParsableCommand, ReportsErrorsAsJSON {
    static let configuration = CommandConfiguration(
        abstract: "Make a profile of a recording, for beaconry run to advertise the same again.",
        discussion: """
            Example: beaconry clone shop.jsonl shop.yaml && beaconry run shop.yaml

            The recording is one of beaconry record, or a btsnoop file (btmon -w, --capture). Beacons whose format is \
            known stay structured; the others become raw bytes.
            """)

    @Argument(help: "The recording.")
    var recording: String

    @Argument(help: "The profile to write.")
    var profile: String

    @Option(help: "Name of the profile (default: the file's, without .yaml).")
    var name: String?

    @Flag(help: "Replace the profile if it is there.")
    var force = false

    @Flag(help: "One JSON object a line on standard output.")
    var json = false

    var writesJSON: Bool { json }

    func run() throws {
        let name = try named("--name") { () throws(ValueFault) in
            try ValueText.name(self.name ?? Self.name(of: profile))
        }
        try Failure.unlessFree(profile, force: force)
        var survey = AdvertiserSurvey()
        try RecordingReader(path: recording).readAll { survey.take($0) }
        let cloner = ProfileCloner(survey.advertisers)
        guard !cloner.origins.isEmpty else {
            throw Failure.badData("\(recording): no advertiser in it that a profile can repeat")
        }
        let text = cloner.text(name: name)
        do throws(SystemError) {
            try LocalFileSystem().replace(profile, with: Array(text.utf8))
        } catch {
            guard !error.isTooLarge else {
                throw Failure.badData("\(error): \(cloner.origins.count) advertisers are too many for one profile")
            }
            throw Failure(exitCode: 73, message: "\(error); choose another file")
        }
        for origin in cloner.origins { tell(origin) }
        if !json, cloner.origins.contains(where: { $0.advertiser.rssi != nil }) {
            Output.note(
                "how strongly they were heard is not repeated: on the virtual air each is 1 m away, unless you give it a "
                    + "position (docs/profiles.md)")
        }
        let unrepeatable = cloner.unrepeatable + survey.unrepeatable
        guard unrepeatable > 0 else { return }
        Notice(
            code: "not-repeatable",
            message: "\(unrepeatable) advertisers are left out: they use extended or directed advertising",
            hint: "none: profiles have legacy advertising only"
        ).tell(asJSON: json)
    }

    private struct Record: Encodable {
        let v = 1
        let event = "cloned"
        let id: String
        let device: String
        let address: String
        let intervalTicks: UInt32?
        let count: Int
        /// The median, in dBm; absent when the recording does not tell.
        let rssi: Int8?
    }

    private func tell(_ origin: ProfileCloner.Origin) {
        let heard = origin.advertiser
        if json {
            let record = Record(
                id: origin.id, device: origin.device.kind, address: heard.device.address.description,
                intervalTicks: heard.interval?.count, count: heard.count, rssi: heard.rssi?.decibelMilliwatts)
            return Output.line(JSONLine.encode(record))
        }
        let interval = heard.interval.map { "every \($0)" } ?? "interval not known"
        let strength = heard.rssi.map { " at \($0)" } ?? ""
        Output.line("\(origin.id)  \(heard.device)  \(interval)  heard \(heard.count) times\(strength)")
    }

    /// The file's name as a profile's.
    private static func name(of path: String) -> String {
        var file = path.split(separator: "/").last.map { String($0) } ?? ""
        for suffix in [".yaml", ".yml"] where file.hasSuffix(suffix) { file = String(file.dropLast(suffix.count)) }
        return file
    }
}
