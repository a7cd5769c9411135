// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import DBus
import HCI
import Radio
import TestSupport
import TestTraits
import Testing

@testable import BlueZRadio
@testable import KernelBluetooth

/// The whole radio over a real bus, with a bluetoothd and a kernel of the test.
@Suite(.realTime, .timeLimit(.minutes(10))) struct KernelRadioTests {
    private static let beacon = BeaconIdentifier("beacon")

    private static func advertisement(
        _ number: UInt8, _ pdu: AdvertisingPDU = .connectableScannable, hasFlags: Bool = true
    ) -> Advertisement {
        let frame = AdvertisingStructure.manufacturerSpecific(CompanyIdentifier(0xFFFF), [number])
        return Advertisement(
            pdu: pdu, advertisingData: hasFlags ? [.flags(.beacon), frame] : [frame],
            interval: AdvertisingInterval(160))
    }

    /// A radio, its bluetoothd and its kernel.
    private struct Rig {
        let daemon: FakeBluetoothd
        let kernel: FakeKernel
        let radio: BlueZRadio
        let events: RadioEvents

        init(_ bus: TestBus, _ behaviour: FakeKernel.Behaviour, isMonitored: Bool) async throws {
            daemon = try await FakeBluetoothd.start(on: bus)
            await daemon.setExtended(behaviour.isExtended)
            kernel = FakeKernel(behaviour)
            radio = BlueZRadio(
                .any, ledger: LeftoverLedger(),
                openBus: { () async throws(RadioError) in
                    do throws(DBusError) {
                        return try await DBusConnection.connect(to: .address(bus.address), limitsCalls: false)
                    } catch {
                        throw RadioError(.noDaemon, error.message, hint: "")
                    }
                }, openChannels: { [kernel] in kernel.channels(isMonitored: isMonitored) })
            events = radio.events
            let hosted = HostedBeacon(identifier: beacon, services: [], advertisement: advertisement(1))
            let capabilities = try await radio.open([hosted], waits: false) { _ in .failure(.unlikely) }
            #expect(capabilities.way == "management socket")
        }

        func next() async throws -> RadioEvent {
            for await event in events { return event }
            throw EndOfEvents()
        }

        /// The status of the next event, which reports that the beacon is on the air.
        func advertising() async throws -> AdvertisingStatus {
            let event = try await next()
            guard case .advertising(_, let status) = event else { throw UnexpectedEvent(event: event) }
            return status
        }

        func refusal() async throws -> RadioError {
            let event = try await next()
            guard case .refused(_, let error) = event else { throw UnexpectedEvent(event: event) }
            return error
        }

        /// The instances and flags of the advertisements that the kernel got.
        var parameters: [AddExtendedAdvertisingParameters] {
            kernel.commands(.addExtendedAdvertisingParameters).compactMap {
                try? AddExtendedAdvertisingParameters(parsing: $0.parameters)
            }
        }
    }

    private struct EndOfEvents: Error {}
    private struct UnexpectedEvent: Error { let event: RadioEvent }

    private static func with(
        _ behaviour: FakeKernel.Behaviour = .init(), isMonitored: Bool = false,
        _ body: (Rig) async throws -> Void
    ) async throws {
        try await TestBus.with { bus in
            let rig = try await Rig(bus, behaviour, isMonitored: isMonitored)
            do {
                try await body(rig)
            } catch {
                await rig.radio.close()
                throw error
            }
            await rig.radio.close()
        }
    }

    // MARK: - Settings of the adapter

    /// K2 without the monitor channel.
    @Test func discoverableAdapterChangesThePDU() async throws {
        try await Self.with { rig in
            await rig.radio.advertise(Self.advertisement(1, .nonConnectable), for: Self.beacon)
            #expect(try await rig.advertising().warnings.map(\.code) == ["interval-forced"])
            rig.kernel.change { $0.settings.formUnion([.connectable, .discoverable]) }
            let changed = try await rig.advertising()
            #expect(changed.differences == [.pdu])
            #expect(changed.warnings.map(\.code) == ["pdu-changed"])
            // The command depends on the number of this machine's own adapters.
            #expect(changed.warnings.first?.hint.hasPrefix("switch that off (") == true)
            rig.kernel.change { $0.settings.subtract([.connectable, .discoverable]) }
            #expect(try await rig.advertising().warnings.map(\.code) == ["interval-forced"])
        }
    }

    /// K2 on a controller with advertising sets: the kernel leaves existing ones as they are.
    @Test func discoverableAdapterChangesNewSetsOnly() async throws {
        try await Self.with(.init(isExtended: true)) { rig in
            await rig.radio.advertise(Self.advertisement(1, .nonConnectable), for: Self.beacon)
            let first = try await rig.advertising()
            #expect(first.warnings == [])
            rig.kernel.change { $0.settings.formUnion([.connectable, .discoverable]) }
            // Advertising Removed, after New Settings: nothing was reported of the settings.
            rig.kernel.removeInstance(5)
            let reason = "its advertising instance was removed by the kernel or another program"
            let next = try await rig.next()
            #expect(next == .stopped(Self.beacon, reason: reason))
            let second = try await rig.advertising()
            #expect(second.warnings.map(\.code) == ["pdu-changed"])
            // The set stays as it is, so it is placed again.
            rig.kernel.change { $0.settings.subtract([.connectable, .discoverable]) }
            #expect(try await rig.advertising().warnings == [])
            #expect(rig.parameters.count == 3)
        }
    }

    /// K3.
    @Test func ownAdvertisingOfTheAdapterRefusesBeacons() async throws {
        try await Self.with { rig in
            await rig.radio.advertise(Self.advertisement(1), for: Self.beacon)
            _ = try await rig.advertising()
            rig.kernel.change { $0.settings.insert(.advertising) }
            let error = try await rig.refusal()
            #expect(error.message.contains("the kernel's own advertising of hci0 is on"))
            #expect(error.hint == "switch it off (sudo btmgmt --index 0 advertising off)")
            rig.kernel.change { $0.settings.remove(.advertising) }
            #expect(try await rig.advertising().requested == Self.advertisement(1))
        }
    }

    /// K3 on a controller with advertising sets: the kernel leaves enabled ones alone, takes no further ones, and disables
    /// all but one when its own advertising ends.
    @Test func ownAdvertisingOfTheAdapterLeavesSetsAlone() async throws {
        try await Self.with(.init(isExtended: true)) { rig in
            await rig.radio.advertise(Self.advertisement(1), for: Self.beacon)
            _ = try await rig.advertising()
            let removals = rig.kernel.commands(.removeAdvertising).count
            rig.kernel.change { $0.settings.insert(.advertising) }
            rig.kernel.change { $0.settings.remove(.advertising) }
            // It is placed again: its former instance is removed first.
            await rig.kernel.wait(for: 2, .addExtendedAdvertisingData)
            #expect(rig.kernel.commands(.removeAdvertising).count == removals + 2)
            rig.kernel.change { $0.settings.insert(.advertising) }
            // Advertising Removed: nothing was reported of the settings.
            rig.kernel.removeInstance(5)
            guard case .stopped = try await rig.next() else {
                Issue.record("not stopped")
                return
            }
            #expect(try await rig.refusal().message.contains("the kernel's own advertising of hci0 is on"))
            #expect(rig.kernel.commands(.addExtendedAdvertisingData).count == 2)
            rig.kernel.change { $0.settings.remove(.advertising) }
            #expect(try await rig.advertising().requested == Self.advertisement(1))
        }
    }

    /// K11: bluetoothd still reports that the adapter is powered.
    @Test func kernelDecidesWhetherTheAdapterIsPowered() async throws {
        try await Self.with { rig in
            await rig.radio.advertise(Self.advertisement(1), for: Self.beacon)
            _ = try await rig.advertising()
            rig.kernel.change { $0.settings.remove(.powered) }
            guard case .lost(let error) = try await rig.next(), case .stopped = try await rig.next() else {
                Issue.record("not lost")
                return
            }
            #expect(error.code == .poweredOff)
            rig.kernel.change { $0.settings.insert(.powered) }
            guard case .ready = try await rig.next() else {
                Issue.record("not ready")
                return
            }
            _ = try await rig.advertising()
            // Each claim of a legacy controller begins with other data.
            #expect(rig.kernel.commands(.addExtendedAdvertisingData).count == 4)
        }
    }

    /// Its former advertisement was reported, and the next one is refused because the adapter is off.
    @Test func beaconThatIsBeingPlacedStopsWithTheAdapter() async throws {
        try await Self.with { rig in
            await rig.radio.advertise(Self.advertisement(1), for: Self.beacon)
            _ = try await rig.advertising()
            // Not Powered.
            rig.kernel.change { $0.status = { _ in 0x0F } }
            try await rig.daemon.setPowered(false, isSignalled: false)
            await rig.radio.advertise(Self.advertisement(2), for: Self.beacon)
            guard case .lost(let error) = try await rig.next() else {
                Issue.record("not lost")
                return
            }
            #expect(try await rig.next() == .stopped(Self.beacon, reason: error.message))
        }
    }

    /// The kernel removes no instance while the controller is off, and advertises all of them when it is on again.
    @Test func instancesOfTheTimeBeforeAreRemovedWhenTheAdapterIsOnAgain() async throws {
        try await Self.with { rig in
            await rig.radio.advertise(Self.advertisement(1), for: Self.beacon)
            _ = try await rig.advertising()
            rig.kernel.change { $0.settings.remove(.powered) }
            guard case .lost = try await rig.next(), case .stopped = try await rig.next() else {
                Issue.record("not lost")
                return
            }
            let count = rig.kernel.commands(.removeAdvertising).count
            rig.kernel.change { $0.settings.insert(.powered) }
            guard case .ready = try await rig.next() else {
                Issue.record("not ready")
                return
            }
            // Before anything is placed; each placement begins with a removal, too.
            #expect(rig.kernel.commands(.removeAdvertising).dropFirst(count).first?.parameters == [5])
            _ = try await rig.advertising()
            #expect(rig.kernel.commands(.removeAdvertising).count == count + 3)
        }
    }

    /// A22: the kernel adds flags on an adapter without BR/EDR.
    @Test func flagsOfTheKernelArePredicted() async throws {
        try await Self.with(.init(settings: [.powered, .lowEnergy])) { rig in
            await rig.radio.advertise(Self.advertisement(1, hasFlags: false), for: Self.beacon)
            let status = try await rig.advertising()
            #expect(status.differences == [.advertisingData])
            #expect(status.warnings.map(\.code) == ["data-changed"])
            #expect(status.warnings.first?.message.contains("puts the flags 020104 in front") == true)
            await rig.radio.advertise(Self.advertisement(1), for: Self.beacon)
            #expect(try await rig.advertising().warnings == [])
        }
    }

    /// A22: 31 bytes are the limit of a legacy PDU, and the kernel does not check it.
    @Test func dataWithoutRoomForTheFlagsOfTheKernelIsRefused() async throws {
        try await Self.with(.init(settings: [.powered, .lowEnergy])) { rig in
            var advertisement = Self.advertisement(1)
            advertisement.advertisingData = [.manufacturerSpecific(.apple, [UInt8](repeating: 7, count: 25))]
            await rig.radio.advertise(advertisement, for: Self.beacon)
            let error = try await rig.refusal()
            #expect(error.code == .cannotCarry)
            #expect(error.hint == "give the beacon flags, or at most 28 bytes")
            #expect(rig.kernel.commands(.addExtendedAdvertisingData).isEmpty)
        }
    }

    // MARK: - Parameters

    /// What the kernel is asked for, by the PDU type, on both kinds of controllers (mgmt-api, "Add Extended Advertising
    /// Parameters"): without the flag for a scan response, a set that is not connectable is not scannable.
    @Test(
        arguments: [
            (.connectableScannable, [.hasIntervals, .connectable]), (.scannable, [.hasIntervals, .hasScanResponse]),
            (.nonConnectable, [.hasIntervals]),
        ] as [(AdvertisingPDU, AddExtendedAdvertisingParameters.Flags)], [false, true])
    func flagsFollowThePDUType(
        _ expected: (pdu: AdvertisingPDU, flags: AddExtendedAdvertisingParameters.Flags), isExtended: Bool
    ) async throws {
        for (power, hasResponse) in [(nil, false), (TransmitPower(-4), true)] {
            try await Self.with(.init(isExtended: isExtended)) { rig in
                var advertisement = Self.advertisement(1, expected.pdu)
                advertisement.transmitPower = power
                if hasResponse, expected.pdu.isScannable {
                    advertisement.scanResponse = [.localName("b", isComplete: true)]
                }
                await rig.radio.advertise(advertisement, for: Self.beacon)
                _ = try await rig.advertising()
                var flags = expected.flags
                if !isExtended { flags.insert(.hasDuration) }
                if power != nil { flags.insert(.hasTransmitPower) }
                let parameters = try #require(rig.parameters.last)
                #expect(parameters.flags == flags)
                #expect(parameters.minimumInterval == advertisement.interval)
                #expect(parameters.maximumInterval == advertisement.interval)
                #expect(parameters.transmitPower == power?.decibelMilliwatts ?? 127)
                let data = try #require(rig.kernel.commands(.addExtendedAdvertisingData).last?.parameters)
                #expect(
                    Array(data.dropFirst(3)) == advertisement.advertisingData.serialized()
                        + advertisement.scanResponse.serialized())
            }
        }
    }

    /// The kernel sends a legacy controller only data that differ from the last ones, and a script may have set others since.
    @Test func firstAdvertisementOnALegacyControllerFollowsOtherData() async throws {
        for isExtended in [false, true] {
            try await Self.with(.init(isExtended: isExtended)) { rig in
                for number: UInt8 in [1, 2] {
                    await rig.radio.advertise(Self.advertisement(number), for: Self.beacon)
                    _ = try await rig.advertising()
                }
                let sent = rig.kernel.commands(.addExtendedAdvertisingData).map { Array($0.parameters.dropFirst(3)) }
                let expected = [1, 2].map { Self.advertisement($0).advertisingData.serialized() }
                #expect(Array(sent.suffix(2)) == expected)
                #expect(sent.count == (isExtended ? 2 : 3))
                if !isExtended { #expect(sent[0] != expected[0]) }
            }
        }
    }

    @Test func lowEnergyThatIsOffIsNamed() async throws {
        let error = await #expect(throws: RadioError.self) {
            try await Self.with(.init(settings: [.powered, .classic])) { _ in }
        }
        #expect(error?.code == .poweredOff)
        #expect(error?.message == "Low Energy is switched off on hci0")
        #expect(error?.hint.contains("btmgmt --index 0 le on") == true)
    }

    // MARK: - Instances

    /// The kernel gives the number of an instance to another program without an event.
    @Test func instanceThatAnotherProgramHasTakenIsLeftToIt() async throws {
        try await Self.with(.init(isExtended: true), isMonitored: true) { rig in
            await rig.radio.advertise(Self.advertisement(1), for: Self.beacon)
            await rig.kernel.wait(for: 1, .addExtendedAdvertisingData)
            rig.kernel.show(Self.enable(1))
            _ = try await rig.advertising()
            let own = try #require(rig.kernel.commands(.addExtendedAdvertisingParameters).last?.parameters)
            let removals = rig.kernel.commands(.removeAdvertising).count
            // Our own command changes nothing.
            rig.kernel.show([
                ForeignInstancesTests.command(.addExtendedAdvertisingParameters, own, socket: 1),
                ForeignInstancesTests.complete(.addExtendedAdvertisingParameters, socket: 1),
                ForeignInstancesTests.command(
                    .addAdvertising, ForeignInstancesTests.parameters(own[0], duration: 0), socket: 2),
                ForeignInstancesTests.complete(.addAdvertising, socket: 2),
            ])
            let stop = try await rig.next()
            #expect(stop == .stopped(Self.beacon, reason: InstanceLoss.taken.clause))
            await rig.kernel.wait(for: 2, .addExtendedAdvertisingData)
            let removed = rig.kernel.commands(.removeAdvertising).dropFirst(removals).map(\.parameters)
            #expect(rig.parameters.count == 2)
            // Only the number of the next instance, before it is added.
            #expect(removed == [[rig.parameters[1].instance]])
        }
    }

    /// A full adapter ends nothing: the beacon is refused until another program's advertisement ends.
    @Test func fullAdapterIsWaitedFor() async throws {
        try await Self.with(.init(listed: [1, 2, 3, 4, 5])) { rig in
            await rig.radio.advertise(Self.advertisement(1), for: Self.beacon)
            let error = try await rig.refusal()
            #expect(error.isTemporary)
            #expect(error.message == "all advertising instances of hci0 are in use, 5 of 5 by other programs")
            rig.kernel.removeInstance(5)
            let status = try await rig.advertising()
            #expect(status.requested == Self.advertisement(1))
            #expect(status.warnings.map(\.code) == ["time-shared"])
        }
    }

    /// The kernel lists no instance whose number exceeds the count: of five, the first of which has ended, the fifth.
    @Test func instanceThatIsNotListedAnyMoreIsLeftToItsProgram() async throws {
        try await Self.with(.init(listed: [1, 2, 3, 4, 5])) { rig in
            await rig.radio.advertise(Self.advertisement(1), for: Self.beacon)
            _ = try await rig.refusal()
            rig.kernel.change {
                $0.listed = [1, 2, 3, 4]
                $0.omitted = [5]
            }
            rig.kernel.removeInstance(1)
            let status = try await rig.advertising()
            #expect(status.warnings.map(\.code) == ["time-shared"])
            #expect(rig.kernel.commands(.removeAdvertising).allSatisfy { $0.parameters == [1] })
        }
    }

    /// An instance that was never listed cannot be left alone, and is not replaced silently.
    @Test func replacementOfAnInstanceThatWasNeverListedIsReported() async throws {
        try await Self.with(.init(omitted: [5])) { rig in
            await rig.radio.advertise(Self.advertisement(1), for: Self.beacon)
            guard case .warning(Self.beacon, let warning) = try await rig.next() else {
                Issue.record("no warning")
                return
            }
            #expect(warning.code == "instance-replaced" && warning.message.contains("instance 5 of hci0"))
        }
    }

    /// On a controller whose handles are tried from above: each replaced instance is reported, whether the beacon is placed in the
    /// end or not.
    @Test(arguments: [UInt8(3), 0])
    func allReplacedInstancesAreReported(_ lastHandle: UInt8) async throws {
        let behaviour = FakeKernel.Behaviour(
            isExtended: true, omitted: [5, 4], status: { $0 > lastHandle ? ManagementError.failed : 0 })
        try await Self.with(behaviour) { rig in
            await rig.radio.advertise(Self.advertisement(1), for: Self.beacon)
            for instance in [5, 4] {
                guard case .warning(Self.beacon, let warning) = try await rig.next() else {
                    Issue.record("no warning")
                    return
                }
                #expect(warning.code == "instance-replaced" && warning.message.contains("instance \(instance) of hci0"))
            }
            if lastHandle > 0 { _ = try await rig.advertising() } else { _ = try await rig.refusal() }
        }
    }

    /// K4.
    @Test(arguments: [false, true])
    func turnsAreShortOnLegacyControllers(isExtended: Bool) async throws {
        try await Self.with(.init(isExtended: isExtended)) { rig in
            await rig.radio.advertise(Self.advertisement(1), for: Self.beacon)
            _ = try await rig.advertising()
            let parameters = try #require(rig.parameters.first)
            #expect(parameters.duration == (isExtended ? 0 : 1))
            #expect(parameters.flags.contains(.hasDuration) == !isExtended)
        }
    }

    /// The kernel's list of instances omits some, whose scan response a new one of that number would keep.
    @Test func instanceIsRemovedBeforeItIsAdded() async throws {
        try await Self.with(.init(isExtended: true)) { rig in
            await rig.radio.advertise(Self.advertisement(1), for: Self.beacon)
            _ = try await rig.advertising()
            let instance = try #require(rig.parameters.first?.instance)
            #expect(rig.kernel.commands(.removeAdvertising).map(\.parameters) == [[instance]])
        }
    }

    /// A23: the number of an instance is the handle of its set, and this controller has four of them from 0.
    @Test func refusedHandleIsReplacedByALowerOne() async throws {
        try await Self.with(.init(isExtended: true, status: { $0 > 3 ? 0x0D : 0 })) { rig in
            await rig.radio.advertise(Self.advertisement(1), for: Self.beacon)
            _ = try await rig.advertising()
            #expect(rig.parameters.map(\.instance) == [5, 4, 3])
        }
    }

    /// K5, K12, A10, A15: the cause is named.
    @Test(
        arguments: [
            (0x0A, 0, "busy", "stop the program that scans or connects with this adapter"),
            (0x05, 0, "the controller does not answer", "power the adapter off and on, or unplug it"),
            (0x03, 0, "failed", "switch the machine off and on"),
            (0x0D, 1, "has a connection, beside which its controller does not advertise", "end the connection"),
            (0x0D, 0, "invalid parameters", "try another interval"),
        ] as [(UInt8, UInt16, String, String)])
    func refusalNamesItsCause(_ status: UInt8, connections: UInt16, message: String, hint: String) async throws {
        try await Self.with(.init(connections: connections, status: { _ in status })) { rig in
            await rig.radio.advertise(Self.advertisement(1), for: Self.beacon)
            let error = try await rig.refusal()
            #expect(error.message.contains(message), "\(error)")
            #expect(error.hint.contains(hint), "\(error)")
            #expect(error.isTemporary == (status == 0x0A || connections > 0))
        }
    }

    /// A scan that another program began before the run: the refusal names it, and the beacon is placed after it.
    @Test(arguments: [ControllerActivity.Scan.program, .kernel], [false, true])
    func refusalDuringAScanNamesIt(_ scan: ControllerActivity.Scan, beginsBefore: Bool) async throws {
        try await Self.with(.init(status: { _ in ManagementError.failed }), isMonitored: true) { rig in
            let controller = MonitoredController()
            if !beginsBefore { controller.scan(true, type: scan == .program ? .active : .passive) }
            controller.run(LESetRandomAddress.opcode, [1, 2, 3, 4, 5, 6], returning: [0x0C])
            if beginsBefore, scan == .program { try await rig.daemon.setDiscovering(true) }
            rig.kernel.show(controller.takePackets())
            await rig.radio.advertise(Self.advertisement(1, .nonConnectable), for: Self.beacon)
            var error = try await rig.refusal()
            let warning = ControllerActivity.Obstacle.scan(scan).warning(at: Fault.Place("hci0"))
            // The packets may arrive after the first attempts, and bluetoothd's signal after both.
            while !error.message.contains(warning.message) { error = try await rig.refusal() }
            #expect(error.isTemporary)
            #expect(error.hint == warning.hint)
            rig.kernel.change { $0.status = { _ in 0 } }
            controller.scan(false)
            controller.turn(data: Self.advertisement(1).advertisingData.serialized(), interval: 160...240, type: 3)
            await rig.kernel.wait(for: 3, .addExtendedAdvertisingData)
            rig.kernel.show(controller.takePackets())
            _ = try await rig.advertising()
        }
    }

    /// K9 without the monitor channel: it is not known whether the kernel enables the advertisement again.
    @Test func connectableBeaconIsPlacedAgainAfterADisconnection() async throws {
        try await Self.with(.init(isExtended: true)) { rig in
            await rig.radio.advertise(Self.advertisement(1), for: Self.beacon)
            _ = try await rig.advertising()
            // Device Disconnected: address, type, reason.
            rig.kernel.send(event: 0x000C, [1, 0, 0, 0xEE, 0xFF, 0xC0, 1, 3])
            await rig.kernel.wait(for: 2, .addExtendedAdvertisingData)
            // That is no event.
            await rig.radio.advertise(Self.advertisement(2), for: Self.beacon)
            #expect(try await rig.advertising().requested == Self.advertisement(2))
        }
    }

    @Test func plainBeaconIsNotDisturbedByADisconnection() async throws {
        try await Self.with(.init(isExtended: true)) { rig in
            await rig.radio.advertise(Self.advertisement(1, .nonConnectable), for: Self.beacon)
            _ = try await rig.advertising()
            rig.kernel.send(event: 0x000C, [1, 0, 0, 0xEE, 0xFF, 0xC0, 1, 3])
            await rig.radio.advertise(Self.advertisement(2, .nonConnectable), for: Self.beacon)
            _ = try await rig.advertising()
            #expect(rig.kernel.commands(.addExtendedAdvertisingData).count == 2)
        }
    }

    // MARK: - The air

    /// What the controller does when the kernel enables an instance.
    private static func enable(_ number: UInt8) -> [MonitorPacket] {
        let controller = MonitoredController()
        controller.setParameters(handle: 5)
        controller.setData(handle: 5, advertisement(number).advertisingData.serialized())
        controller.enable(handles: [5])
        return controller.takePackets()
    }

    /// K10: after a reset the beacon is off the air until it is placed again.
    @Test func resetControllerGetsTheBeaconAgain() async throws {
        try await Self.with(.init(isExtended: true), isMonitored: true) { rig in
            await rig.radio.advertise(Self.advertisement(1), for: Self.beacon)
            await rig.kernel.wait(for: 1, .addExtendedAdvertisingData)
            rig.kernel.show(Self.enable(1))
            let first = try await rig.advertising()
            #expect(first.effective.pdu == .known(.connectableScannable))
            let controller = MonitoredController()
            controller.run(HCIReset())
            rig.kernel.show(controller.takePackets())
            let stopped = try await rig.next()
            #expect(stopped == .stopped(Self.beacon, reason: "the controller was reset"))
            await rig.kernel.wait(for: 2, .addExtendedAdvertisingData)
            rig.kernel.show(Self.enable(1))
            let second = try await rig.advertising()
            #expect(second.requested == Self.advertisement(1))
        }
    }

    /// Without the monitor channel only bluetoothd reports a scan.
    @Test(arguments: [false, true], [AdvertisingPDU.nonConnectable, .connectableScannable])
    func scanWithoutTheMonitorChannelTakesPlainBeaconsOffTheAir(isExtended: Bool, pdu: AdvertisingPDU) async throws {
        try await Self.with(.init(isExtended: isExtended)) { rig in
            await rig.radio.advertise(Self.advertisement(1, pdu), for: Self.beacon)
            let first = try await rig.advertising()
            try await rig.daemon.setDiscovering(true)
            if !isExtended, pdu == .nonConnectable {
                let warning = ControllerActivity.Obstacle.scan(.program).warning(at: Fault.Place("hci0"))
                #expect(try await rig.next() == .warning(Self.beacon, warning))
                guard case .stopped(Self.beacon, let reason) = try await rig.next() else {
                    Issue.record("not stopped")
                    return
                }
                #expect(reason.hasPrefix("another program scans with this adapter"))
                try await rig.daemon.setDiscovering(false)
                #expect(try await rig.advertising() == first)
            } else {
                await rig.radio.advertise(Self.advertisement(2, pdu), for: Self.beacon)
                #expect(try await rig.advertising().requested == Self.advertisement(2, pdu))
            }
        }
    }

    /// A central connects to a beacon that the adapter's setting has made connectable.
    @Test func connectionToAPlainBeaconIsReported() async throws {
        try await Self.with { rig in
            rig.kernel.change { $0.settings.formUnion([.connectable, .discoverable]) }
            await rig.radio.advertise(Self.advertisement(1, .nonConnectable), for: Self.beacon)
            #expect(try await rig.advertising().warnings.map(\.code) == ["pdu-changed"])
            // Device Connected and Device Disconnected: address, type, flags or reason.
            rig.kernel.send(event: 0x000B, [1, 0, 0, 0xEE, 0xFF, 0xC0, 1, 0, 0, 0, 0, 0, 0])
            let central = "C0:FF:EE:00:00:01"
            #expect(try await rig.next() == .connected(Self.beacon, central: central))
            guard case .warning(Self.beacon, let warning) = try await rig.next() else {
                Issue.record("no warning")
                return
            }
            #expect(warning.code == "unexpected-connection")
            rig.kernel.send(event: 0x000C, [1, 0, 0, 0xEE, 0xFF, 0xC0, 1, 3])
            #expect(try await rig.next() == .disconnected(Self.beacon, central: central))
        }
    }

    /// K5: the second of two instances gets its first turn during a scan.
    @Test func beaconThatWaitsForAScanIsWarnedOf() async throws {
        try await Self.with(isMonitored: true) { rig in
            await rig.radio.advertise(Self.advertisement(1, .nonConnectable), for: Self.beacon)
            await rig.kernel.wait(for: 1, .addExtendedAdvertisingData)
            let controller = MonitoredController()
            controller.scan(true)
            controller.run(LESetRandomAddress.opcode, [1, 2, 3, 4, 5, 6], returning: [0x0C])
            rig.kernel.show(controller.takePackets())
            let warning = try await rig.next()
            let expected = ControllerActivity.Obstacle.scan(.program).warning(at: Fault.Place("hci0"))
            #expect(warning == .warning(Self.beacon, expected))
            controller.scan(false)
            controller.turn(data: Self.advertisement(1).advertisingData.serialized(), interval: 160...240, type: 3)
            rig.kernel.show(controller.takePackets())
            let status = try await rig.advertising()
            #expect(status.warnings.map(\.code) == ["interval-forced"])
        }
    }
}

/// K12: a late reply does not answer the next command.
@Suite(.realTime, .timeLimit(.minutes(10))) struct ReplyTests {
    private static let opcode = ManagementOpcode.removeAdvertising

    @Test func repliesAreMatchedInOrder() {
        var matcher = ReplyMatcher()
        let first = matcher.begin(Self.opcode, index: 0)
        let other = matcher.begin(Self.opcode, index: 1)
        let second = matcher.begin(Self.opcode, index: 0)
        let taken = [
            matcher.take(Self.opcode, index: 0, at: .now), matcher.take(Self.opcode, index: 0, at: .now),
            matcher.take(Self.opcode, index: 1, at: .now), matcher.take(Self.opcode, index: 1, at: .now),
        ]
        #expect(taken == [first, second, other, nil])
    }

    @Test func lateReplyIsDropped() {
        var matcher = ReplyMatcher()
        let first = matcher.begin(Self.opcode, index: 0)
        let wasWaiting = matcher.giveUp(first, at: .now)
        let second = matcher.begin(Self.opcode, index: 0)
        let taken = [matcher.take(Self.opcode, index: 0, at: .now), matcher.take(Self.opcode, index: 0, at: .now)]
        #expect(wasWaiting)
        #expect(taken == [nil, second])
        let isWaiting = matcher.giveUp(second, at: .now)
        #expect(!isWaiting)
    }

    /// The kernel answers everything in the end; a reply that was lost does not confuse the channel for ever.
    @Test func lateReplyIsExpectedForAMinute() {
        let start = ContinuousClock.now
        var matcher = ReplyMatcher()
        let first = matcher.begin(Self.opcode, index: 0)
        _ = matcher.giveUp(first, at: start)
        let second = matcher.begin(Self.opcode, index: 0)
        let taken = matcher.take(Self.opcode, index: 0, at: start + .seconds(61))
        #expect(taken == second)
    }

    @Test func channelDropsTheReplyOfAnEarlierCommand() async throws {
        let socket = FakeSocket()
        let channel = ManagementChannel(on: socket, timeout: .milliseconds(50))
        await #expect(throws: ManagementError.noAnswer(Self.opcode)) {
            _ = try await channel.command(Self.opcode, index: 0, parameters: [1])
        }
        socket.onSend { _ in
            // The late reply, then the one of this command.
            for instance: UInt8 in [1, 2] {
                socket.receive(
                    ManagementPacket(code: 1, index: 0, parameters: [0x3F, 0, 0, instance]).serialized())
            }
        }
        #expect(try await channel.command(Self.opcode, index: 0, parameters: [2]) == [2])
        await channel.close()
    }
}
