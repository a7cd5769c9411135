// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BlueZRadio
import Bluetooth
import Emulator
import KernelBluetooth
import Radio
import Receiving

/// What a radio did with the beacons of a stage, and what another radio received of them.
struct StageResult: Sendable {
    /// What was received of one beacon.
    struct Reception: Hashable, Sendable {
        /// The PDU types that the receiver reported.
        var pdus: Set<String> = []
        /// RSSI, in dBm, as far as the receiver reports it.
        var rssi: [Int8] = []
        /// The times since the start of the scan, in order.
        var times: [Duration] = []

        /// The median of the RSSI; `nil` without any.
        var medianRSSI: Int8? { rssi.isEmpty ? nil : rssi.sorted()[rssi.count / 2] }

        /// The lower quartile of the times between advertising events, of at least four; `nil` for fewer. Receivers miss events,
        /// so that longer times mean nothing; and some events are read together by a machine that was busy.
        var usualGap: Duration? {
            // The same event on another channel is received within 10 ms.
            let gaps = zip(times, times.dropFirst()).map { $1 - $0 }.filter { $0 > .milliseconds(10) }
            return gaps.count < 4 ? nil : gaps.sorted()[gaps.count / 4]
        }
    }

    let stage: TrialStage
    /// How long the beacons were to be on the air.
    let duration: Duration
    /// The radio; `nil` if it could not be used.
    var capabilities: RadioCapabilities?
    /// Why the radio could not be used.
    var failure: RadioError?
    /// The last status of each beacon.
    var statuses: [BeaconIdentifier: AdvertisingStatus] = [:]
    /// Why beacons were refused.
    var refusals: [BeaconIdentifier: RadioError] = [:]
    /// Why beacons left the air before the end.
    var stops: [BeaconIdentifier: String] = [:]
    /// Warnings of the radio.
    var warnings: [Warning] = []
    /// The receiver; `nil` without one.
    var receiver: ReceivingCapabilities?
    /// Why the receiver could not scan.
    var receiverFailure: RadioError?
    /// What was received of each beacon.
    var receptions: [BeaconIdentifier: Reception] = [:]
    /// What the texts of faults name.
    var place = Fault.Place()

    init(_ stage: TrialStage, for duration: Duration) {
        self.stage = stage
        self.duration = duration
    }

    /// The events of the beacons, as `run --json` prints them.
    var events: [PostedEvent] {
        statuses.sorted { $0.key < $1.key }.map { beacon, status in
            PostedEvent(
                .beacon(beacon, .advertising(status, radio: capabilities?.name ?? "", isNew: true)))
        }
    }

    /// What was on the air.
    var outcome: AirEvidence.Outcome {
        guard failure == nil, !statuses.isEmpty, stops.isEmpty else { return .silent }
        if receiver != nil, receiverFailure == nil {
            return receptions.values.contains { !$0.times.isEmpty } ? .onAir : .silent
        }
        guard capabilities?.canReadBack == true else { return .unknown }
        return statuses.values.allSatisfy { $0.effective.pdu.value != nil } ? .onAir : .silent
    }

    /// The codes of all warnings.
    var codes: Set<String> { Set((warnings + statuses.values.flatMap(\.warnings)).map(\.code)) }

    // MARK: - Findings

    /// What this means for the beacons.
    var findings: [Finding] { advertisingFindings + receivingFindings }

    private var advertisingFindings: [Finding] {
        if let failure { return [.advertising(.problem, failure.message, meaning: failure.hint)] }
        var findings: [Finding] = []
        for (beacon, error) in refusals.sorted(by: { $0.key < $1.key }) where statuses[beacon] == nil {
            findings.append(.advertising(.problem, error.message, meaning: error.hint))
        }
        for (beacon, reason) in stops.sorted(by: { $0.key < $1.key }) {
            findings.append(
                .advertising(
                    .problem, "\(beacon) left the air before the end: \(reason)",
                    meaning: "another program, or the kernel, took it off the air"))
        }
        let radio = capabilities.map { "\($0.name), by \($0.way)" } ?? "the radio"
        for (beacon, status) in statuses.sorted(by: { $0.key < $1.key }) {
            findings.append(advertisingFinding(of: beacon, status, on: radio))
        }
        if findings.isEmpty {
            findings.append(
                .advertising(
                    .problem, "\(radio) did not report that the beacon is on the air",
                    meaning: "the controller may not answer; see kernel-log"))
        }
        // The interval is in the text of the status, and the missing right has a check of its own.
        var codes: Set<String> = ["interval-forced", "not-read-back"]
        for warning in warnings + statuses.values.flatMap(\.warnings) where codes.insert(warning.code).inserted {
            findings.append(
                .advertising(.note, "\(warning.message) [\(warning.code)]", meaning: warning.hint))
        }
        return findings
    }

    /// The commands to the controller are there to be read, unless it got none.
    private func advertisingFinding(
        of beacon: BeaconIdentifier, _ status: AdvertisingStatus, on radio: String
    ) -> Finding {
        let text = "\(beacon) on \(radio): \(Self.text(status))"
        guard capabilities?.canReadBack == true, status.effective.pdu.value == nil else {
            return .advertising(.ok, text)
        }
        return .advertising(
            .problem, text,
            meaning: "the kernel accepted the advertisement, and the controller got no command for it: see "
                + "own-advertising, scanning and kernel-log",
            command: "sudo systemctl restart bluetooth")
    }

    /// `ADV_NONCONN_IND every 160 ticks (100 ms), 30 bytes of data`
    static func text(_ status: AdvertisingStatus) -> String {
        let effective = status.effective
        guard let pdu = effective.pdu.value, let interval = effective.interval.value else {
            guard case .unknown(let reason) = effective.pdu else { return "accepted" }
            return "accepted; what the controller got is not known: \(reason)"
        }
        let (least, most) = (interval.lowerBound, interval.upperBound)
        let ticks = least == most ? "\(least.count) ticks (\(least))" : "\(least.count) to \(most.count) ticks"
        let data = effective.advertisingData.value.map { ", \($0.count) bytes of data" } ?? ""
        let scanResponse = effective.scanResponse.value ?? []
        let answer = scanResponse.isEmpty ? "" : ", \(scanResponse.count) bytes of scan response"
        return "\(pdu.rawValue) every \(ticks)\(data)\(answer)"
    }

    private var receivingFindings: [Finding] {
        guard let receiver, failure == nil, !statuses.isEmpty else { return [] }
        if let receiverFailure { return [.receiving(.unknown, receiverFailure.message, meaning: receiverFailure.hint)] }
        return statuses.keys.sorted().flatMap { beacon -> [Finding] in
            let reception = receptions[beacon] ?? Reception()
            guard !reception.times.isEmpty else {
                return [
                    .receiving(
                        .notReceived, at: place,
                        "\(receiver.name) received no \(beacon) in \(Formatting.seconds(duration))")
                ]
            }
            let rssi = reception.medianRSSI.map { ", RSSI \($0) dBm" } ?? ""
            let pdus = reception.pdus.isEmpty ? "" : ", as \(reception.pdus.sorted().joined(separator: " and "))"
            var findings: [Finding] = [
                .receiving(
                    .ok,
                    "\(receiver.name) received \(beacon) \(Formatting.count(reception.times.count, "time")) in "
                        + "\(Formatting.seconds(duration))\(rssi)\(pdus)")
            ]
            if let finding = intervalFinding(reception, beacon, receiver) { findings.append(finding) }
            return findings
        }
    }

    /// A controller that sends less often than it should, where the receiver reports each advertisement: the usual time
    /// between two of them is too long, or less than a tenth of them was received.
    private func intervalFinding(
        _ reception: Reception, _ beacon: BeaconIdentifier, _ receiver: ReceivingCapabilities
    ) -> Finding? {
        guard stage.count == 1, receiver.reportsRepetitions(scanningActively: true),
            let interval = statuses[beacon]?.effective.interval.value?.upperBound
        else { return nil }
        // The link layer adds a random delay of up to 10 ms to each interval.
        let longest = interval.duration + .milliseconds(10)
        let expected = duration.count(of: longest)
        if reception.times.count * 10 < expected {
            return .receiving(
                .sendsRarely, at: place,
                "\(expected) advertisements of \(beacon) were to be received, and \(reception.times.count) were")
        }
        guard let gap = reception.usualGap, gap > longest * 2 else { return nil }
        return .receiving(
            .sendsRarely, at: place,
            "\(beacon) is received every \(Formatting.seconds(gap)) at most, and the controller got "
                + "\(interval)")
    }
}

// MARK: - The two questions of the test of the air

extension Finding {
    /// A finding about what the radio did with the beacons.
    static func advertising(
        _ result: Finding.Result, _ text: String, meaning: String? = nil, command: String? = nil
    ) -> Finding {
        Finding(
            of: "advertising", "What does the controller get, and is the beacon kept on the air?", result, text,
            meaning: meaning, command: command)
    }

    private static let receivingQuestion = "Does another radio receive it?"

    /// A finding about what another radio received.
    static func receiving(
        _ result: Finding.Result, _ text: String, meaning: String? = nil, command: String? = nil
    ) -> Finding {
        Finding(of: receiving, receivingQuestion, result, text, meaning: meaning, command: command)
    }

    /// A fault that what another radio received shows.
    static func receiving(_ fault: Fault, at place: Fault.Place, _ text: String) -> Finding {
        Finding(of: receiving, receivingQuestion, .problem, fault, at: place, text)
    }
}
