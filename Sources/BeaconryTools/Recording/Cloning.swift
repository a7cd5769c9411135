// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
package import Bluetooth
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
    ///   - interval: the interval of all beacons; `nil` for the estimated ones, which only a recording has whose receiver
    ///     reported each advertisement.
    package static func run(
        _ recording: String, to profile: String, name: String, interval: AdvertisingInterval?, as format: OutputFormat
    ) throws {
        var survey = AdvertiserSurvey()
        let receiver = try RecordingReader(path: recording).readAll { survey.take($0) }
        for notice in receiver.notices { Output.report(notice, as: format) }
        survey.estimatesIntervals = receiver.reportsRepetitions
        let cloner = ProfileCloner(
            survey.advertisers, interval: interval, hasRepetitions: receiver.reportsRepetitions)
        guard !cloner.origins.isEmpty else {
            let others = cloner.unrepeatable + survey.unrepeatable
            throw Failure.badData(
                "\(recording): no advertiser in it that a profile can repeat"
                    + (others > 0
                        ? "; \(others) use extended or directed advertising (run --replay sends extended ones again)"
                        : ""))
        }
        let text = cloner.text(name: name)
        do throws(SystemError) {
            try OutputFile.write(Array(text.utf8), to: profile, limit: LocalFileSystem.maximumFileSize)
        } catch {
            guard !error.isTooLarge else {
                throw Failure.badData("\(error): \(cloner.origins.count) advertisers are too many for one profile")
            }
            throw Failure(exitCode: 73, message: "\(error); choose another file")
        }
        for origin in cloner.origins { Output.report(ClonedBeacon(origin), as: format) }
        if interval == nil, !receiver.reportsRepetitions {
            Output.report(Notice(unknownIntervalsIn: recording, of: receiver), as: format)
        }
        if format == .text, cloner.origins.contains(where: { $0.advertiser.rssi != nil }) {
            Output.note(
                "the RSSI is not repeated: on the virtual air each beacon is 1 m away, unless you give it a position "
                    + "(\(InstalledFiles.path("docs/profiles.md")))")
        }
        for origin in cloner.reduced { Output.report(Notice(payloadsLeftOutOf: origin), as: format) }
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

extension Notice {
    /// The profile has one payload of a device that advertised several of one format.
    fileprivate init(payloadsLeftOutOf origin: ProfileCloner.Origin) {
        let count = origin.advertiser.variants - 1
        self.init(
            code: "payloads-left-out",
            message: "\(origin.id): \(count) other payload\(count == 1 ? "" : "s") of \(origin.advertiser.device) "
                + "are left out: an entry has one payload, here the most frequent one",
            hint: "replay the recording to have all of them: run --replay")
    }

    /// The profile has no intervals.
    fileprivate init(unknownIntervalsIn recording: String, of receiver: RecordingReceiver) {
        let radio = receiver.radio.map { " (\($0))" } ?? ""
        self.init(
            code: "intervals-unknown",
            message:
                "\(recording): its receiver\(radio) left out repetitions of advertisements, so the intervals are not known "
                + "and the profile does not have them; beacons then advertise every \(ProfileCloner.standardInterval)",
            hint:
                "give the interval (--interval 200ms), or record with a radio that reports each advertisement, such as "
                + "--radio hci-socket:N")
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
        intervalTicks = origin.interval?.count
        count = advertiser.count
        rssi = advertiser.rssi?.decibelMilliwatts
        let interval = origin.interval.map { "every \($0)" } ?? "interval unknown"
        let signal = advertiser.rssi.map { " at \($0)" } ?? ""
        line = Formatting.row([id, "\(advertiser.device)", interval, "received \(count) times\(signal)"])
    }

    var lines: [String] { [line] }
}
