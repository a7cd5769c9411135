// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import HCI
import KernelBluetooth
import Radio
import Testing

@testable import BlueZRadio

/// A supervisor, a controller whose packets it gets, and a virtual clock.
private final class SupervisedAir {
    static let start = ContinuousClock.now
    let controller = MonitoredController()
    var rules: AdvertisingRules
    private(set) var supervisor = AirSupervisor()
    private var now = SupervisedAir.start

    init(isExtended: Bool, instances: Int = 1) {
        rules = AdvertisingRules(
            way: .management, isExtended: isExtended, adapterAddress: .zero, instancesOnAir: instances)
    }

    /// Begins with an advertisement that the controller advertises.
    func supervise(_ advertisement: Advertisement, of beacon: BeaconIdentifier) throws {
        let observation = try #require(
            rules.observation(
                of: advertisement, by: controller.controller.advertising, after: 0))
        let status = rules.status(of: advertisement, observation: observation, unknownBecause: "")
        supervisor.supervise(beacon, status, after: 0, at: now)
    }

    func check() -> [AirSupervisor.Action] { supervisor.check(at: now, controller.controller, by: rules) }

    /// Lets time pass, with a check at each deadline.
    func wait(_ duration: Duration) -> [AirSupervisor.Action] {
        let end = now + duration
        var actions: [AirSupervisor.Action] = []
        while let deadline = supervisor.nextDeadline, deadline <= end {
            #expect(deadline > now)
            now = max(deadline, now + .milliseconds(1))
            actions += check()
        }
        now = end
        return actions
    }
}

@Suite struct AirSupervisorTests {
    /// Two sensors of a maker have the same advertising data and take turns: each has the scan response that is its own.
    @Test func advertisementsThatDifferInTheScanResponseAreDistinguished() {
        func sensor(_ value: UInt8) -> Advertisement {
            Advertisement(
                pdu: .connectableScannable, advertisingData: [.flags(.beacon)],
                scanResponse: [.serviceData16(0xFD3D, [0x54, value])], interval: AdvertisingInterval(160))
        }
        let (one, other) = (sensor(1), sensor(2))
        var rules = AdvertisingRules(
            way: .management, isExtended: false, adapterAddress: .zero, instancesOnAir: 2)
        rules.requested = [one, other]
        let controller = MonitoredController()
        func observed(_ advertisement: Advertisement) -> [UInt8]? {
            rules.observation(
                of: advertisement, by: controller.controller.advertising, after: 0)?.scanResponse
        }
        let (data, first) = (one.advertisingData.serialized(), one.scanResponse.serialized())
        controller.turn(data: data, response: first)
        #expect(observed(one) == first)
        // Its turn is still to come.
        #expect(observed(other) == nil)
        controller.turn(data: data, response: other.scanResponse.serialized())
        #expect(observed(one) == first && observed(other) == other.scanResponse.serialized())
        // What no beacon has is a change of either.
        controller.turn(data: data, response: [])
        #expect(observed(one) == [] && observed(other) == [])
    }

    private static let first = BeaconIdentifier("a")
    private static let second = BeaconIdentifier("b")

    private static func advertisement(_ number: UInt8, _ pdu: AdvertisingPDU = .nonConnectable) -> Advertisement {
        Advertisement(
            pdu: pdu, advertisingData: [.flags(.beacon), .manufacturerSpecific(.apple, [number])],
            interval: AdvertisingInterval(160))
    }

    private static func data(_ number: UInt8) -> [UInt8] { advertisement(number).advertisingData.serialized() }

    /// A controller with advertising sets that advertises one connectable beacon.
    private static func extended() throws -> SupervisedAir {
        let air = SupervisedAir(isExtended: true)
        air.controller.setParameters(handle: 1)
        air.controller.setData(handle: 1, data(1))
        air.controller.enable(handles: [1])
        try air.supervise(advertisement(1, .connectableScannable), of: first)
        #expect(air.check().isEmpty)
        #expect(air.supervisor.nextDeadline == nil)
        return air
    }

    /// A legacy controller on which two plain beacons take turns.
    private static func legacy() throws -> SupervisedAir {
        let air = SupervisedAir(isExtended: false, instances: 2)
        for number: UInt8 in [1, 2] {
            air.controller.turn(data: data(number), type: 3)
            try air.supervise(advertisement(number), of: number == 1 ? first : second)
        }
        return air
    }

    /// A central connects: the set is terminated.
    private static func connect(_ air: SupervisedAir) {
        air.controller.connect(.peripheral)
        air.controller.report(LEAdvertisingSetTerminated(advertisingHandle: 1, connectionHandle: ConnectionHandle(64)))
    }

    // MARK: - Connections

    /// K9: on a controller with advertising sets, a set ends with its connection.
    @Test func setIsStoppedDuringTheConnection() throws {
        let air = try Self.extended()
        Self.connect(air)
        #expect(air.check().isEmpty)
        #expect(air.wait(.seconds(600)) == [.stop(Self.first, reason: "a central is connected")])
        // The kernel enables it again.
        air.controller.disconnect()
        #expect(air.check().isEmpty)
        air.controller.enable(handles: [1])
        guard case .report(Self.first, let status)? = air.check().first else {
            Issue.record("not reported")
            return
        }
        #expect(status.requested == Self.advertisement(1, .connectableScannable))
        #expect(air.wait(.seconds(60)).isEmpty)
    }

    /// K9: the kernel has lost the number of the set.
    @Test func setThatDoesNotReturnIsPlacedAgain() throws {
        let air = try Self.extended()
        Self.connect(air)
        _ = air.check()
        air.controller.disconnect()
        #expect(air.check().isEmpty)
        #expect(air.wait(.milliseconds(999)).isEmpty)
        #expect(air.wait(.milliseconds(1)) == [.restore(Self.first)])
    }

    /// The attempts become rarer: no busy loop.
    @Test func attemptsBackOff() throws {
        let air = try Self.extended()
        air.controller.enable(false, handles: [1])
        _ = air.check()
        let actions = air.wait(.seconds(600))
        #expect(actions.first == .stop(Self.first, reason: "the controller does not advertise it any more"))
        // After 2, 4, 8, 16, 32 and 64 s, then every 60 s.
        #expect(actions.dropFirst().count == 14)
        #expect(actions.dropFirst().allSatisfy { $0 == .restore(Self.first) })
    }

    @Test func terminationByAnotherCauseIsReportedInTwoSeconds() throws {
        let air = try Self.extended()
        air.controller.report(
            LEAdvertisingSetTerminated(status: .advertisingTimeout, advertisingHandle: 1))
        #expect(air.check().isEmpty)
        #expect(air.wait(.milliseconds(1999)).isEmpty)
        let actions = air.wait(.milliseconds(1))
        #expect(
            actions == [
                .stop(Self.first, reason: "the controller does not advertise it any more"), .restore(Self.first),
            ])
    }

    /// A26: some controllers report the end of a set that the host has disabled, after it is enabled again.
    @Test func terminationByTheHostIsIgnored() throws {
        let air = try Self.extended()
        air.controller.report(
            LEAdvertisingSetTerminated(status: HCIStatus(rawValue: 0x44), advertisingHandle: 1))
        #expect(air.check().isEmpty)
        #expect(air.wait(.seconds(60)).isEmpty)
    }

    @Test func legacyAdvertisingReturnsByItself() throws {
        let air = SupervisedAir(isExtended: false)
        air.controller.turn(data: Self.data(1))
        try air.supervise(Self.advertisement(1, .connectableScannable), of: Self.first)
        air.controller.connect(.peripheral)
        #expect(air.check().isEmpty)
        #expect(air.wait(.milliseconds(1900)).isEmpty)
        air.controller.run(LESetAdvertisingEnable.opcode, [1])
        #expect(air.check().isEmpty)
        #expect(air.wait(.seconds(60)).isEmpty)
    }

    /// A15: the controller has no state for advertising beside a connection, and the kernel does not try.
    @Test func beaconThatIsSilentDuringConnectionsIsStopped() throws {
        let air = SupervisedAir(isExtended: false)
        air.controller.turn(data: Self.data(1), type: 3)
        try air.supervise(Self.advertisement(1), of: Self.first)
        air.controller.connect(.peripheral)
        _ = air.check()
        #expect(
            air.wait(.seconds(60)) == [
                .stop(Self.first, reason: "this controller does not advertise while it has a connection")
            ])
    }

    // MARK: - Obstacles

    /// K5: a turn during a scan is refused, and nothing is on the air.
    @Test func scanInTheWayIsReportedUntilItEnds() throws {
        let air = try Self.legacy()
        _ = air.check()
        air.controller.scan(true)
        air.controller.run(LESetAdvertisingEnable.opcode, [0])
        air.controller.run(LESetRandomAddress.opcode, [1, 2, 3, 4, 5, 6], returning: [0x0C])
        let warning = ControllerActivity.Obstacle.scan(.program).warning(at: Fault.Place("hci0"))
        #expect(warning.code == "scan-in-the-way")
        #expect(air.check() == [.warn(Self.first, warning), .warn(Self.second, warning)])
        // Each turn is refused again; nothing is placed again meanwhile.
        let reason = "another program scans with this adapter"
        var actions: [AirSupervisor.Action] = []
        for _ in 0..<10 {
            actions += air.wait(.seconds(1))
            air.controller.run(LESetRandomAddress.opcode, [1, 2, 3, 4, 5, 6], returning: [0x0C])
            actions += air.check()
        }
        #expect(actions == [.stop(Self.first, reason: reason), .stop(Self.second, reason: reason)])
        air.controller.scan(false)
        #expect(air.check().isEmpty)
        for number: UInt8 in [1, 2] {
            air.controller.turn(data: Self.data(number), type: 3)
            guard case .report(_, let status)? = air.check().first else {
                Issue.record("not reported")
                return
            }
            #expect(!status.warnings.map(\.code).contains("scan-in-the-way"))
        }
    }

    /// Nothing at all is on the air: the turns of the others are no reason to wait for longer.
    @Test func silenceEndsAllBeaconsInTwoSeconds() throws {
        let air = SupervisedAir(isExtended: false, instances: 5)
        air.controller.turn(data: Self.data(1), type: 3)
        try air.supervise(Self.advertisement(1), of: Self.first)
        air.controller.scan(true)
        air.controller.run(LESetAdvertisingEnable.opcode, [0])
        air.controller.run(LESetRandomAddress.opcode, [1, 2, 3, 4, 5, 6], returning: [0x0C])
        #expect(air.check().count == 1)
        #expect(air.wait(.milliseconds(1999)) == [])
        #expect(
            air.wait(.milliseconds(1)) == [.stop(Self.first, reason: "another program scans with this adapter")])
    }

    /// A scan that costs one turn only: the warning goes with the next report.
    @Test func warningEndsWithTheScan() throws {
        let air = try Self.legacy()
        _ = air.check()
        air.controller.scan(true)
        air.controller.run(LESetAdvertisingEnable.opcode, [0])
        air.controller.run(LESetRandomAddress.opcode, [1, 2, 3, 4, 5, 6], returning: [0x0C])
        #expect(air.check().count == 2)
        air.controller.scan(false)
        air.controller.turn(data: Self.data(1), type: 3)
        let actions = air.check()
        guard case .report(Self.first, let status)? = actions.first, actions.count == 1 else {
            Issue.record("\(actions)")
            return
        }
        #expect(status.warnings.map(\.code) == ["time-shared"])
    }

    @Test func connectableBeaconIsNotAffectedByAScan() throws {
        let air = SupervisedAir(isExtended: false, instances: 2)
        air.controller.turn(data: Self.data(1))
        try air.supervise(Self.advertisement(1, .connectableScannable), of: Self.first)
        air.controller.scan(true)
        air.controller.run(LESetAdvertisingEnable.opcode, [0])
        air.controller.run(LESetRandomAddress.opcode, [1, 2, 3, 4, 5, 6], returning: [0x0C])
        #expect(air.check().isEmpty)
    }

    /// A scan for hours: the connectable beacon has its turns, and the controller advertises nothing in the turns of the others.
    @Test func refusedTurnsOfOthersAreNoInterruption() throws {
        let air = SupervisedAir(isExtended: false, instances: 3)
        air.controller.turn(data: Self.data(1))
        try air.supervise(Self.advertisement(1, .connectableScannable), of: Self.first)
        air.controller.scan(true)
        var actions = air.check()
        func refuseTurns() {
            for _ in 0..<2 {
                actions += air.wait(.milliseconds(1020))
                air.controller.run(LESetAdvertisingEnable.opcode, [0])
                air.controller.run(LESetRandomAddress.opcode, [1, 2, 3, 4, 5, 6], returning: [0x0C])
                actions += air.check()
            }
        }
        for _ in 0..<20 {
            refuseTurns()
            actions += air.wait(.milliseconds(1020))
            air.controller.turn(data: Self.data(1))
            actions += air.check()
        }
        #expect(actions.isEmpty)
        // Without its turn it is stopped after one round.
        refuseTurns()
        refuseTurns()
        #expect(actions == [.stop(Self.first, reason: "the controller does not advertise it any more")])
    }

    /// K6.
    @Test func refusedParametersAreNamed() throws {
        let air = SupervisedAir(isExtended: false)
        air.controller.turn(data: Self.data(1), type: 3)
        try air.supervise(Self.advertisement(1), of: Self.first)
        air.controller.run(LESetAdvertisingEnable.opcode, [0])
        air.controller.run(LESetAdvertisingParameters.opcode, [], returning: [0x0C])
        guard case .warn(Self.first, let warning)? = air.check().first else {
            Issue.record("no warning")
            return
        }
        #expect(warning.code == "controller-in-the-way")
        #expect(
            warning.message == "the controller refuses to advertise: LE Set Advertising Parameters has the status 0x0c")
        // Each turn of the kernel has several commands.
        air.controller.run(LESetAdvertisingData.opcode, [], returning: [0x0C])
        #expect(air.check() == [])
    }

    /// The end of a connection: the kernel enables legacy advertising once as ADV_SCAN_IND.
    @Test func transientPDUTypeIsNotReported() throws {
        let air = SupervisedAir(isExtended: false)
        air.controller.turn(data: Self.data(1), type: 0)
        try air.supervise(Self.advertisement(1, .connectableScannable), of: Self.first)
        air.controller.turn(data: nil, response: nil, type: 2)
        #expect(air.check().isEmpty)
        #expect(air.wait(.milliseconds(900)).isEmpty)
        air.controller.turn(data: nil, response: nil, type: 0)
        #expect(air.check().isEmpty)
        #expect(air.wait(.seconds(60)).isEmpty)
        // One that stays is reported.
        air.controller.turn(data: nil, response: nil, type: 2)
        #expect(air.check().isEmpty)
        let actions = air.wait(.seconds(60))
        guard case .report(Self.first, let status)? = actions.first, actions.count == 1 else {
            Issue.record("\(actions)")
            return
        }
        #expect(status.effective.pdu == .known(.scannable))
        #expect(air.supervisor.nextDeadline == nil)
    }

    /// A script has set data past the kernel, for which the kernel's own are unchanged.
    @Test func dataOfAnotherProgramInTheControllerAreNamed() throws {
        let air = SupervisedAir(isExtended: false)
        air.controller.turn(data: Self.data(1), type: 3)
        try air.supervise(Self.advertisement(1), of: Self.first)
        let foreign = Self.data(9)
        air.controller.run(
            LESetAdvertisingData(data: foreign, padding: [UInt8](repeating: 0, count: 31 - foreign.count)))
        #expect(air.check().isEmpty)
        let actions = air.wait(.seconds(60))
        let reason = "the controller advertises other data, which another program has set past the kernel"
        #expect(actions.prefix(2) == [.stop(Self.first, reason: reason), .restore(Self.first)])
        let warnings = actions.compactMap { if case .warn(_, let warning) = $0 { warning } else { nil } }
        #expect(warnings.map(\.code) == ["foreign-data"])
        air.controller.turn(data: Self.data(1), type: 3)
        guard case .report? = air.check().first else {
            Issue.record("not reported")
            return
        }
    }

    // MARK: - Turns and changes

    @Test func turnsAreNoInterruption() throws {
        let air = try Self.legacy()
        var actions = air.check()
        for turn in 0..<20 {
            actions += air.wait(.seconds(1))
            air.controller.turn(data: Self.data(turn.isMultiple(of: 2) ? 1 : 2), type: 3)
            actions += air.check()
        }
        #expect(actions.isEmpty)
    }

    @Test func beaconWithoutItsTurnIsStoppedAndPlacedAgain() throws {
        let air = try Self.legacy()
        var actions = air.check()
        for _ in 0..<3 {
            actions += air.wait(.seconds(1))
            air.controller.turn(data: Self.data(2), type: 3)
            actions += air.check()
        }
        #expect(
            actions == [
                .stop(Self.first, reason: "the controller does not advertise it any more"), .restore(Self.first),
            ])
    }

    /// K2: the adapter becomes discoverable, and the kernel makes a plain beacon connectable.
    @Test func changeOfThePDUIsReported() throws {
        let air = SupervisedAir(isExtended: false)
        air.controller.turn(data: Self.data(1), interval: 160...240, type: 3)
        try air.supervise(Self.advertisement(1), of: Self.first)
        #expect(air.check().isEmpty)
        air.rules.settings = .init(isConnectable: true, isDiscoverable: true)
        air.controller.turn(data: nil, response: nil, type: 0)
        guard case .report(Self.first, let status)? = air.check().first else {
            Issue.record("not reported")
            return
        }
        #expect(status.effective.pdu == .known(.connectableScannable))
        #expect(status.warnings.map(\.code) == ["pdu-changed"])
        #expect(status.warnings.first?.hint == "switch that off (bluetoothctl discoverable off)")
        air.rules.settings = .init()
        air.controller.turn(data: nil, response: nil, interval: 160...240, type: 3)
        guard case .report(Self.first, let restored)? = air.check().first else {
            Issue.record("not reported")
            return
        }
        #expect(restored.effective.pdu == .known(.nonConnectable))
    }

    // MARK: - Resets

    /// K10: some kernels restore the advertisement after a reset, with another address.
    @Test func resetStopsUntilTheKernelAdvertisesAgain() throws {
        let air = try Self.extended()
        air.controller.run(HCIReset())
        #expect(air.check() == [.stop(Self.first, reason: "the controller was reset")])
        air.controller.setParameters(handle: 1, ownAddressType: 1)
        let address = try #require(BluetoothAddress("C0:FF:EE:00:00:01"))
        air.controller.run(LESetAdvertisingSetRandomAddress.opcode, [1] + address.serialized())
        air.controller.setData(handle: 1, Self.data(1))
        air.controller.enable(handles: [1])
        guard case .report(Self.first, let status)? = air.check().first else {
            Issue.record("not reported")
            return
        }
        #expect(status.effective.address == .known(address))
        #expect(air.wait(.seconds(60)).isEmpty)
    }

    /// K10: others do not.
    @Test func beaconIsPlacedAgainAfterAReset() throws {
        let air = try Self.extended()
        air.controller.run(HCIReset())
        _ = air.check()
        #expect(air.wait(.seconds(1)) == [.restore(Self.first)])
    }

    @Test func releasedBeaconIsNotSupervised() throws {
        let air = try Self.extended()
        var supervisor = air.supervisor
        supervisor.release(Self.first)
        air.controller.enable(false, handles: [1])
        #expect(supervisor.check(at: SupervisedAir.start, air.controller.controller, by: air.rules).isEmpty)
        #expect(supervisor.nextDeadline == nil)
    }
}
