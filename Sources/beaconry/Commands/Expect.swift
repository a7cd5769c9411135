// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Bluetooth
import Devices
import Radio
import Receiving

/// `beaconry expect`
struct Expect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "expect", abstract: "Wait until something is received, or is not: exit code 0 or 1.",
        discussion: """
            Example: beaconry expect --uuid E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 --major 1 --within 5s
            Example: beaconry expect --name Thermo --rssi -70.. --within 5s
            Example: beaconry expect expectations.yaml --junit results.xml

            An advertisement counts that has everything that the options describe. Without --name, --address, --service, \
            --format and --field it is of an iBeacon; with several --uuid, of any of them. With --characteristic, the value \
            of the first such device is read until it is --value. --event is about a run, as in `ctl wait`; connections of \
            this command itself do not count for it. One sentence \
            reports what was received or, if the expectation was not met, the nearest miss. With --json the object has count, \
            elapsed, rssi, distance and nearest, too.
            """)

    @Argument(help: "File of expectations, in YAML (default: what the options describe).", completion: .file())
    var file: String?

    @OptionGroup var criteria: CriteriaOptions

    @Flag(help: "Expect advertisements before the time limit (the default).")
    var present = false

    @Flag(help: "Expect no advertisement until the time limit.")
    var absent = false

    @Option(
        help: "Number of advertisements to expect; with --absent, fewer are expected (default: 1).",
        transform: OptionValue.wholeNumber(in: 1...1_000_000))
    var count: Int?

    @Flag(help: "Count different beacons or devices, not advertisements.")
    var beacons = false

    @Option(help: "Characteristic whose value is expected: 2A19, or 128 bits.", transform: OptionValue.service)
    var characteristic: BluetoothUUID?

    @Option(help: "Value of --characteristic, in hexadecimal digits.", transform: ValueText.octets)
    var value: [UInt8]?

    @Option(
        help: ArgumentHelp(
            "Event of a run, as in `ctl wait`: written,device=door; may be repeated.", valueName: "event,key=value"))
    var event: [String] = []

    @OptionGroup var start: JournalStartOption

    @Flag(help: "Accept names of beacons and hosts in --event that are not there yet.") var mayAppear = false

    @Option(help: "Control socket of the run with these events (default: the only one).") var control: String?

    @Option(help: "Time limit, such as 5s; required without a file.", transform: ValueText.duration)
    var within: Duration?

    @Option(help: "JUnit file of the results (default: none).", completion: .file()) var junit: String?

    @OptionGroup var distance: DistanceOptions

    @OptionGroup var options: ListeningOptions

    func run() async throws {
        try start.check()
        let tool = ExpectTool(try expectations(), since: start.since, as: options.format)
        let repeats = count ?? 1 > 1 || file != nil
        let listening = tool.needsRadio || options.air.isGiven
        try await tool.run(
            on: listening ? try options.listening(limits: repeats ? [.duplicates] : []) : nil,
            control: ControlTool(socket: control, profile: nil, format: options.format), file: file, junit: junit)
    }

    private func expectations() throws -> [Expectation] {
        if present, absent { throw Failure.usage("--present and --absent exclude each other; leave one out") }
        let settings = try distance.settings()
        let criteria = try criteria.criteria().list
        let isOfAdvertisement =
            !criteria.isEmpty || present || absent || count != nil || beacons || characteristic != nil || value != nil
        if let file {
            guard !isOfAdvertisement, event.isEmpty else {
                throw Failure.usage("a file has all expectations; leave out the options that describe another one")
            }
            return try Expectation.load(
                file, within: within, model: settings.model, thresholds: settings.thresholds)
        }
        guard let within else { throw Failure.usage("the time limit is missing; write --within 5s") }
        let condition = AdvertisementExpectation.Condition(
            criteria, presence: absent ? .absent : .present, count: count ?? 1,
            unit: beacons ? .beacons : .advertisements, within: within, model: settings.model,
            thresholds: settings.thresholds)
        var expectations: [Expectation] = []
        if isOfAdvertisement || event.isEmpty {
            expectations.append(Expectation(try subject(condition), within: within))
        }
        for text in event {
            do throws(ValueFault) {
                let event = try Expectation.event(text, mayAppear: mayAppear)
                expectations.append(Expectation(.event(event, text), within: within))
            } catch {
                throw Failure.usage("--event: \(error.message)")
            }
        }
        return expectations
    }

    private func subject(_ condition: AdvertisementExpectation.Condition) throws(Failure) -> Expectation.Subject {
        guard let characteristic, let value else {
            guard characteristic == nil, value == nil else {
                throw .usage("--characteristic and --value need each other; give both")
            }
            return .advertisement(condition)
        }
        guard !absent, !beacons, count == nil else {
            throw .usage("--absent, --count and --beacons are for advertisements; leave them out with --characteristic")
        }
        return .value(condition, characteristic, value)
    }
}
