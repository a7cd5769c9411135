// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import KernelBluetooth
import Testing

@testable import BlueZRadio

/// The findings in the order of what explains what is seen.
@Suite struct FindingOrderTests {
    private static func problem(_ fault: Fault) -> Finding {
        Finding(of: "check", "", .problem, fault, at: Fault.Place("hci0"))
    }

    private static let symptom = Finding(of: "advertising", "", .problem, "the kernel refuses the advertisement")
    private static let ok = Finding(of: "power", "", .ok, "hci0 is powered on")
    private static let unknown = Finding(of: "address", "", .unknown, "it is not known")
    private static let note = Finding(of: "rights", "", .note, .noNetRaw, at: Fault.Place("hci0"))
    private static let old = {
        var finding = Finding(of: Finding.kernelLog, "", .note, "10 min ago the kernel reported")
        finding.isOld = true
        return finding
    }()

    @Test func causeOfSilenceIsFirst() {
        let found = [
            Self.ok, Self.old, Self.unknown, Self.note, Self.problem(.discoverable), Self.symptom, Self.problem(.scan),
        ]
        let ordered = found.ordered(after: AirEvidence(.silent))
        #expect(
            ordered == [
                Self.problem(.scan), Self.symptom, Self.problem(.discoverable), Self.note, Self.old, Self.unknown,
                Self.ok,
            ])
    }

    @Test(arguments: Fault.allCases.filter { $0.effect == .silent })
    func airDecides(_ fault: Fault) {
        let finding = Self.problem(fault)
        for outcome in [AirEvidence.Outcome.notTried, .unknown, .silent] {
            #expect([finding].ordered(after: AirEvidence(outcome)).map(\.result) == [.problem])
        }
        let after = [finding].ordered(after: AirEvidence(.onAir))
        #expect(after.map(\.result) == [.note] && after[0].meaning?.hasSuffix("on the air nonetheless") == true)
    }

    @Test func messagesDuringTheTestCountWhateverWasOnTheAir() {
        let finding = Finding(of: Finding.kernelLog, "", .problem, .controllerSilent, at: Fault.Place("hci0"))
        #expect([finding].ordered(after: AirEvidence(.onAir)).map(\.result) == [.problem])
    }

    @Test func faultsHaveTheOrderOfTheirCauses() {
        let faults: [Fault] = [.scan, .instancesFull, .adapterOff, .blocked, .daemonHangs, .noKernelBluetooth]
        let ordered = faults.map(Self.problem).ordered(after: AirEvidence(.silent))
        #expect(ordered.compactMap(\.fault) == faults.reversed())
    }

    private static func findings(_ change: (inout MachineFacts) -> Void, after air: AirEvidence) -> [Finding] {
        var facts = MachineFacts()
        var adapter = MachineFacts.Adapter("hci0")
        adapter.isManaged = true
        adapter.isExtended = false
        adapter.isDiscovering = false
        facts.kernelHasBluetooth = true
        facts.adapters = [adapter]
        facts.time = 20
        change(&facts)
        return MachineCheck.findings(facts, on: facts.adapters[0], after: air)
    }

    @Test func newMessagesAreProblemsAndOldOnesAreNotes() {
        let text = "Bluetooth: hci0: command 0x2005 tx timeout"
        for (time, fault, isOld) in [(9.0, nil, true), (10.0, Fault.controllerSilent, false)] {
            let found = Self.findings(
                { $0.kernelLog = [KernelMessage(text, at: time)] }, after: AirEvidence(.silent, began: 10))
            let message = found.filter { $0.check == Finding.kernelLog }
            #expect(message.map(\.fault) == [fault] && message.map(\.isOld) == [isOld])
            #expect(message.map(\.result) == [isOld ? .note : .problem])
        }
        let harmless = Self.findings(
            { $0.kernelLog = [KernelMessage("Bluetooth: hci0: Opcode 0x2005 failed: -16", at: 11)] },
            after: AirEvidence(.silent, began: 10))
        #expect(harmless.filter { $0.check == Finding.kernelLog }.map(\.result) == [.note])
    }

    @Test(
        arguments: [
            (AirEvidence(.onAir), Finding.Result.note), (AirEvidence(.unknown), .note),
            (AirEvidence(.silent), .problem),
            (AirEvidence(.unknown, warnings: ["scan-in-the-way"]), .problem),
        ])
    func pairedDeviceThatIsAwayIsTheCauseOfSilenceOnly(_ air: AirEvidence, result: Finding.Result) {
        let found = Self.findings({ $0.adapters[0].awaitedDevices = ["C0:11:22:33:44:55"] }, after: air)
        let scan = found.filter { $0.fault == .backgroundScan }
        #expect(scan.map(\.result) == [result])
    }

    @Test(arguments: [(AirEvidence(.onAir), Finding.Result.note), (AirEvidence(.silent), .problem)])
    func connectionIsTheCauseOfSilenceOnly(_ air: AirEvidence, result: Finding.Result) {
        let found = Self.findings({ $0.adapters[0].connectedDevices = ["C0:11:22:33:44:55"] }, after: air)
        #expect(found.filter { $0.fault == .connection }.map(\.result) == [result])
    }
}
