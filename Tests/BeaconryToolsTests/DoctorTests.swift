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
import Testing

@testable import BeaconryTools

/// What the results of a stage mean.
@Suite struct DoctorTests {
    private static let stage = TrialStage.all[0]
    private static let beacon = stage.beacons(major: 7)[0]
    private static let identifier = beacon.hosted.identifier

    /// A result in which the controller got what was requested.
    private static func result(receiving: StageResult.Reception? = nil, limits: [ReceivingCapabilities.Limit] = [])
        throws -> StageResult
    {
        var result = StageResult(stage, for: .seconds(10))
        result.capabilities = RadioCapabilities(
            name: "bluez:hci0", way: "management socket", wayReason: "", address: nil, hasExtendedAdvertising: false,
            instances: 5, freeInstances: 5, sharesTime: true, canReadBack: true)
        let requested = try #require(beacon.hosted.advertisement)
        var effective = EffectiveAdvertisement(unknown: "it is not read")
        effective.pdu = .known(requested.pdu)
        effective.interval = .known(requested.interval...requested.interval)
        effective.advertisingData = .known(requested.advertisingData.serialized())
        result.statuses[identifier] = AdvertisingStatus(
            requested: requested, effective: effective, differences: [], warnings: [])
        if let receiving {
            result.receiver = ReceivingCapabilities(name: "bluez:hci1", way: "monitor", address: nil, limits: limits)
            result.receptions[identifier] = receiving
        }
        return result
    }

    private static func reception(every milliseconds: Int, count: Int) -> StageResult.Reception {
        var reception = StageResult.Reception()
        reception.times = (0..<count).map { .milliseconds($0 * milliseconds) }
        reception.rssi = [-50, -48, -60]
        reception.pdus = ["ADV_NONCONN_IND"]
        return reception
    }

    private static func results(_ result: StageResult) -> [String] {
        result.findings.map { "\($0.check) \($0.result.rawValue)" }
    }

    @Test func stagesHaveFramesOfTheirOwn() {
        let beacons = TrialStage.all.flatMap { $0.beacons(major: 7) }
        #expect(Set(beacons.map(\.frame)).count == beacons.count && beacons.count == 8)
        #expect(beacons.allSatisfy { $0.hosted.advertisement?.problems.isEmpty == true })
        #expect(Set(TrialStage.all.map(\.name)).count == TrialStage.all.count)
    }

    @Test func successHasNoProblems() throws {
        let result = try Self.result(receiving: Self.reception(every: 105, count: 90))
        #expect(Self.results(result) == ["advertising ok", "receiving ok"])
        #expect(result.findings[0].finding.contains("ADV_NONCONN_IND every 160 ticks (100 ms), 30 bytes of data"))
        #expect(
            result.findings[1].finding
                == "bluez:hci1 received plain-1 90 times in 10 s, RSSI -50 dBm, as ADV_NONCONN_IND")
    }

    @Test func unknownValuesHaveTheirReason() throws {
        var result = try Self.result()
        let requested = try #require(Self.beacon.hosted.advertisement)
        result.capabilities?.canReadBack = false
        result.statuses[Self.identifier] = AdvertisingStatus(
            requested: requested, effective: EffectiveAdvertisement(unknown: "CAP_NET_RAW is missing"),
            differences: [],
            warnings: ["not-read-back", "interval-forced", "flags-last"].map {
                Warning(code: $0, message: "other values", hint: "give CAP_NET_ADMIN")
            })
        try #require(Self.results(result) == ["advertising ok", "advertising note"])
        #expect(result.findings[0].finding.hasSuffix("what the controller got is not known: CAP_NET_RAW is missing"))
        // With the right to read them, there were no commands.
        result.capabilities?.canReadBack = true
        #expect(Self.results(result) == ["advertising problem", "advertising note"])
        result.capabilities?.canReadBack = false
        // The others are found by checks, or are in the text.
        #expect(result.findings[1].finding == "other values [flags-last]")
        #expect(result.findings[1].meaning == "give CAP_NET_ADMIN")
    }

    @Test func refusalsAreProblems() throws {
        var result = StageResult(Self.stage, for: .seconds(1))
        #expect(Self.results(result) == ["advertising problem"])
        result.refusals[Self.identifier] = RadioError(.refused, "the kernel refuses", hint: "see dmesg")
        #expect(result.findings.map(\.finding) == ["the kernel refuses"])
        #expect(result.findings.map(\.meaning) == ["see dmesg"])
        // Refused at first, and accepted later.
        var later = try Self.result()
        later.refusals = result.refusals
        #expect(Self.results(later) == ["advertising ok"])
        result.failure = RadioError(.poweredOff, "hci0 is powered off", hint: "power it on")
        #expect(result.findings.map(\.finding) == ["hci0 is powered off"])
    }

    @Test func beaconThatLeavesTheAirIsAProblem() throws {
        var result = try Self.result()
        result.stops[Self.identifier] = "its advertising instance was removed"
        #expect(Self.results(result) == ["advertising problem", "advertising ok"])
    }

    @Test func beaconThatIsNotReceivedIsAProblem() throws {
        let result = try Self.result(receiving: StageResult.Reception())
        #expect(Self.results(result) == ["advertising ok", "receiving problem"])
        #expect(result.findings[1].fault == .notReceived)
    }

    @Test func receiverThatCannotScanProvesNothing() throws {
        var result = try Self.result(receiving: StageResult.Reception())
        result.receiverFailure = RadioError(.refused, "bluetoothd refuses the scan", hint: "end other scans")
        #expect(Self.results(result) == ["advertising ok", "receiving unknown"])
    }

    @Test(
        arguments: [
            (105, 90, "ok"), (210, 40, "ok"), (221, 40, "problem"), (800, 10, "problem"), (105, 9, "ok"),
            (900, 8, "problem"),
            (100, 1, "problem"),
        ])
    func longerIntervalsThanToldAreFound(_ milliseconds: Int, count: Int, worst: String) throws {
        let reception = Self.reception(every: milliseconds, count: count)
        let result = try Self.result(receiving: reception)
        #expect(Self.results(result).last == "receiving \(worst)")
        // A receiver that reports only some advertisements proves nothing.
        let limit = ReceivingCapabilities.Limit(.duplicates, reason: "some are left out", hint: "none")
        #expect(Self.results(try Self.result(receiving: reception, limits: [limit])).last == "receiving ok")
    }

    @Test func eventsOfTheRadioAreCollected() {
        let watch = RadioWatch([Self.identifier])
        watch.take(.stopped(Self.identifier, reason: "gone"))
        watch.take(.refused(Self.identifier, RadioError(.refused, "no", hint: "none")))
        watch.take(.warning(nil, Warning(code: "code", message: "message", hint: "hint")))
        watch.stop()
        watch.take(.lost(RadioError(.poweredOff, "off", hint: "on")))
        #expect(watch.state.stops == [Self.identifier: "gone"] && watch.state.warnings.count == 1)
        #expect(watch.state.refusals[Self.identifier]?.message == "no")
    }

    // MARK: - The command

    @Test func testIsLeftOutWhereTheAdapterCannotBeUsed() {
        var facts = MachineFacts()
        facts.kernelHasBluetooth = true
        func problem(_ fault: Fault) -> Finding { Finding(of: "", "", .problem, fault, at: Fault.Place("hci0")) }
        #expect(DoctorTool.obstacle(facts, []) == nil)
        for fault in Fault.allCases {
            let isUnusable = fault.effect == .unusable
            #expect((DoctorTool.obstacle(facts, [problem(fault)])?.result == .unknown) == isUnusable, "\(fault)")
        }
        facts.kernelHasBluetooth = false
        #expect(DoctorTool.obstacle(facts, []) != nil)
    }

    @Test func outcomeIsWhatWasOnTheAir() throws {
        #expect(try Self.result().outcome == .onAir)
        #expect(try Self.result(receiving: StageResult.Reception()).outcome == .silent)
        #expect(try Self.result(receiving: Self.reception(every: 100, count: 3)).outcome == .onAir)
        var result = try Self.result(receiving: StageResult.Reception())
        result.receiverFailure = RadioError(.refused, "no scan", hint: "none")
        #expect(result.outcome == .onAir)
        result.capabilities?.canReadBack = false
        #expect(result.outcome == .unknown)
        result.stops[Self.identifier] = "gone"
        #expect(result.outcome == .silent)
        #expect(StageResult(Self.stage, for: .seconds(1)).outcome == .silent)
        let evidence = DoctorTool.evidence([try Self.result()], since: 5)
        #expect(evidence == AirEvidence(.onAir, began: 5) && DoctorTool.evidence([], since: 5).outcome == .notTried)
    }

    @Test func refusalWithoutACauseIsAFaultOfItsOwn() {
        let refusal = Finding.advertising(.problem, "the kernel refuses")
        let cause = Finding(of: "", "", .problem, .scan, at: Fault.Place("hci0"))
        let other = Finding(of: "", "", .problem, .discoverable, at: Fault.Place("hci0"))
        func faults(beside checks: [Finding], isOfAdapter: Bool = true) -> [Fault?] {
            DoctorTool.explained([refusal], beside: checks, isOfAdapter: isOfAdapter).map(\.fault)
        }
        #expect(faults(beside: [other]) == [.controllerRefuses])
        #expect(faults(beside: [cause]) == [nil] && faults(beside: [], isOfAdapter: false) == [nil])
    }

    @Test func findingsAreLinesAndObjects() {
        let finding = Finding(
            of: "power", "Is the adapter on?", .problem, "hci0 is powered off", meaning: "nothing is sent",
            command: "bluetoothctl power on")
        #expect(
            FindingReport(finding).lines == [
                "problem  power              hci0 is powered off",
                "                            Meaning: nothing is sent",
                "                            Fix: bluetoothctl power on",
            ])
        let expected =
            #"{"check":"power","command":"bluetoothctl power on","event":"check","finding":"hci0 is powered off","#
            + #""meaning":"nothing is sent","question":"Is the adapter on?","result":"problem","v":1}"#
        #expect(FindingReport(finding).object == expected)
        let fault = FindingReport(Finding(of: "adapter", "", .problem, .noAdapter, at: Fault.Place()))
        #expect(fault.lines.last?.hasSuffix("Fix: \(Fault.noAdapter.action())") == true)
        #expect(fault.object.contains(#""fault":"no-adapter""#) && fault.object.contains(#""action":"plug one in"#))
        #expect(DiagnosisReport([finding]).lines == ["1 problem"])
        #expect(DiagnosisReport([]).lines == ["no problems found"])
        let unknown = Finding(of: "power", "", .unknown, "")
        #expect(DiagnosisReport([unknown]).lines == ["no problems found; 1 answer could not be read"])
    }
}
