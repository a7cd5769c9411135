// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import BluetoothCore
import Devices
import Persistence
import Profiles
import Radio

/// `clone`: makes a profile of a recording.
package enum CloneTool {
    /// Reads the recording, writes the profile and reports its beacons.
    /// - Parameters:
    ///   - recording: a file of `record`, or a btsnoop file.
    ///   - profile: the file to write.
    ///   - name: the profile's name.
    package static func run(_ recording: String, to profile: String, name: String, as format: OutputFormat) throws {
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
        for origin in cloner.origins { Output.report(ClonedBeacon(origin), as: format) }
        if format == .text, cloner.origins.contains(where: { $0.advertiser.rssi != nil }) {
            Output.note(
                "the RSSI is not repeated: on the virtual air each beacon is 1 m away, unless you give it a position "
                    + "(\(InstalledFiles.path("docs/profiles.md")))")
        }
        let unrepeatable = cloner.unrepeatable + survey.unrepeatable
        guard unrepeatable > 0 else { return }
        let notice = Notice(
            code: "not-repeatable",
            message: "\(unrepeatable) advertisers are left out: they use extended or directed advertising",
            hint: "none: profiles have legacy advertising only")
        Output.report(notice, as: format)
    }

    /// The profile's name in the name of its file.
    package static func name(of path: String) -> String {
        var file = path.split(separator: "/").last.map { String($0) } ?? ""
        for suffix in [".yaml", ".yml"] where file.hasSuffix(suffix) { file = String(file.dropLast(suffix.count)) }
        return file
    }
}

/// A beacon of the new profile, with the advertiser that it repeats.
private struct ClonedBeacon: Encodable, Report {
    private let event = "cloned"
    private let id: String
    private let device: String
    private let address: String
    private let intervalTicks: UInt32?
    private let count: Int
    /// The median, in dBm; absent when the recording has none.
    private let rssi: Int8?
    private let line: String

    private enum CodingKeys: CodingKey {
        case event, id, device, address, intervalTicks, count, rssi
    }

    init(_ origin: ProfileCloner.Origin) {
        let advertiser = origin.advertiser
        id = origin.id
        device = origin.device.kind
        address = advertiser.device.address.description
        intervalTicks = advertiser.interval?.count
        count = advertiser.count
        rssi = advertiser.rssi?.decibelMilliwatts
        let interval = advertiser.interval.map { "every \($0)" } ?? "interval unknown"
        let signal = advertiser.rssi.map { " at \($0)" } ?? ""
        line = Formatting.row([id, "\(advertiser.device)", interval, "received \(count) times\(signal)"])
    }

    var lines: [String] { [line] }
}
