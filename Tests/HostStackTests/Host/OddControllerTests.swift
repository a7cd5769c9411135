// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import HCI
import Testing

@testable import HostStack

/// What real controllers do otherwise than the specification, or than they report: the sources are in docs/adapters.md.
@Suite struct OddControllerTests {
    private let set = AdvertisingSetIdentifier.number(0)
    private let other = AdvertisingSetIdentifier.number(1)
    private let address = OwnAddress.random(.random(1))

    private static let extendedScanning = [LESetExtendedScanParameters.opcode, LESetExtendedScanEnable.opcode]

    /// A controller of version 5.0 without extended advertising, as in a Raspberry Pi 4.
    private static var legacy50: ScriptedController {
        var controller = ScriptedController.legacy
        controller.version = .core50
        controller.lowEnergyFeatures = []
        return controller
    }

    private static func enabling(_ command: HCICommandPacket) -> Bool {
        command.opcode == LESetExtendedAdvertisingEnable.opcode && command.parameters.first == 1
            || command.opcode == LESetAdvertisingEnable.opcode && command.parameters.first == 1
    }

    // MARK: - What it reports

    @Test(arguments: [true, false])
    func `advertising sets need the feature and the commands`(hasFeature: Bool) throws {
        var controller = ScriptedController.extended
        if hasFeature {
            controller.supported = SupportedCommands(
                ScriptedController.legacyCommands
                    + ScriptedController.extendedCommands.filter { $0 != LESetExtendedAdvertisingData.opcode })
        } else {
            controller.lowEnergyFeatures = []
        }
        var bench = Bench(controller)
        bench.perform {
            $0.start(at: .zero)
            $0.setAdvertising(.beacon(milliseconds: 100), for: set, address: address)
            $0.startScanning()
        }
        bench.perform { $0.connect(to: .peer, type: .random) }
        let capabilities = try #require(bench.host.capabilities)
        #expect(!capabilities.hasExtendedAdvertising && capabilities.advertisingSets == 1)
        #expect(bench.effective(set) != nil)
        // Extended and legacy commands must not be mixed.
        let extended = [
            LESetExtendedAdvertisingParameters.opcode, LESetExtendedScanParameters.opcode,
            LEExtendedCreateConnection.opcode, LEReadNumberOfSupportedAdvertisingSets.opcode,
        ]
        #expect(!bench.opcodes.contains { extended.contains($0) })
        #expect(bench.opcodes.contains(LESetScanEnable.opcode) && bench.opcodes.contains(LECreateConnection.opcode))
    }

    @Test func `a controller with advertising sets gets no legacy query of its power`() throws {
        var controller = ScriptedController.extended
        controller.supported = SupportedCommands(
            ScriptedController.legacyCommands
                + ScriptedController.extendedCommands.filter { $0 != LEReadTransmitPower.opcode })
        var bench = Bench(controller)
        bench.perform { $0.start(at: .zero) }
        #expect(bench.host.capabilities?.hasExtendedAdvertising == true)
        #expect(!bench.opcodes.contains(LEReadAdvertisingPhysicalChannelTransmitPower.opcode))
        #expect(bench.host.capabilities?.transmitPower == nil)
    }

    @Test(arguments: [
        // Version, HCI and link layer numbers; whether it is a clone.
        (CoreVersion.core50, UInt16(0x0810), UInt16(0x2312), true), (.core50, 0x22BB, 0x22BB, true),
        (.core40, 0x22BB, 0x2312, true), (.core40, 0x22BB, 0x22BB, false),
    ])
    func `a clone of a CSR controller gets commands of version 4_0 only`(
        version: CoreVersion, subversion: UInt16, linkSubversion: UInt16, isClone: Bool
    ) throws {
        var controller = ScriptedController.extended
        (controller.version, controller.company) = (version, CompanyIdentifier(0x000A))
        (controller.subversion, controller.linkSubversion) = (subversion, linkSubversion)
        var bench = Bench(controller)
        bench.perform {
            $0.start(at: .zero)
            $0.setAdvertising(.beacon(milliseconds: 20), for: set, address: address)
        }
        let capabilities = try #require(bench.host.capabilities)
        #expect((capabilities.quirk != nil) == isClone)
        let later = [
            LEReadTransmitPower.opcode, LEReadMaximumDataLength.opcode, LESetExtendedAdvertisingParameters.opcode,
        ]
        #expect(bench.opcodes.contains { later.contains($0) } != isClone)
        #expect(bench.effective(set)?.interval == AdvertisingInterval(isClone ? 160 : 32))
    }

    @Test func `a controller without a public address scans and connects with a static random one`() throws {
        var controller = ScriptedController.extended
        controller.publicAddress = .zero
        let substitute = BluetoothAddress.random(0x77)
        var bench = Bench(controller, configuration: LEHostConfiguration(substituteAddress: substitute))
        bench.perform {
            $0.start(at: .zero)
            $0.startScanning()
            $0.connect(to: .peer, type: .random)
        }
        #expect(bench.commands(LESetRandomAddress.self) == [LESetRandomAddress(randomAddress: substitute)])
        #expect(bench.commands(LESetExtendedScanParameters.self).first?.ownAddressType == .random)
        #expect(bench.commands(LEExtendedCreateConnection.self).first?.ownAddressType == .random)
    }

    // MARK: - Silence

    @Test(arguments: [LEReadTransmitPower.opcode, ReadLocalVersionInformation.opcode, LESetEventMask.opcode])
    func `the host does without a command that locks the controller up`(opcode: HCIOpcode) throws {
        var controller = ScriptedController.extended
        controller.silent = [opcode]
        var bench = Bench(controller)
        bench.perform { $0.start(at: .zero) }
        bench.advance(to: .seconds(5))
        let capabilities = try #require(bench.host.capabilities)
        #expect(capabilities.silentCommand == opcode)
        #expect(bench.opcodes.count { $0 == HCIReset.opcode } == 2)
        #expect(bench.opcodes.count { $0 == opcode } == 1)
        bench.perform { $0.setAdvertising(.beacon(milliseconds: 100), for: set, address: address) }
        #expect(bench.effective(set) != nil)
    }

    @Test func `the second silence of a start is a failure`() {
        var controller = ScriptedController.extended
        controller.silent = [LEReadTransmitPower.opcode, LEReadMaximumDataLength.opcode]
        var bench = Bench(controller)
        bench.perform { $0.start(at: .zero) }
        bench.advance(to: .seconds(20))
        #expect(bench.events.last == .failed(.unanswered(LEReadTransmitPower.opcode, after: .seconds(5))))
        #expect(bench.host.capabilities == nil)
    }

    @Test func `a controller that hangs has failed after two silences`() {
        var bench = Bench.ready(.extended)
        bench.controller.silent = [LESetExtendedAdvertisingParameters.opcode, ReadLocalVersionInformation.opcode]
        bench.perform { $0.setAdvertising(.beacon(milliseconds: 100), for: set, address: address) }
        bench.advance(to: .seconds(5))
        let first = LEHostFailure.unanswered(LESetExtendedAdvertisingParameters.opcode, after: .seconds(5))
        #expect(bench.events == [.commandFailed(first), .advertisingFailed(set, first)])
        bench.forget()
        bench.advance(to: .seconds(10))
        #expect(bench.events.last == .failed(.unanswered(ReadLocalVersionInformation.opcode, after: .seconds(5))))
        // It is on the air again after a restart.
        bench.controller.silent = []
        bench.perform { $0.start(at: .seconds(11)) }
        #expect(bench.effective(set) != nil)
    }

    @Test func `one silence is no failure of a controller that replies to other commands`() {
        var bench = Bench.ready(.extended)
        bench.controller.silent = [LESetExtendedAdvertisingParameters.opcode]
        bench.perform { $0.setAdvertising(.beacon(milliseconds: 100), for: set, address: address) }
        bench.advance(to: .seconds(60))
        #expect(bench.opcodes == [LESetExtendedAdvertisingParameters.opcode, ReadLocalVersionInformation.opcode])
        #expect(!bench.events.contains { if case .failed = $0 { true } else { false } })
    }

    // MARK: - Commands that it reports and does not have

    @Test(arguments: extendedScanning)
    func `a scan uses legacy commands after the refusal of extended ones`(opcode: HCIOpcode) {
        var bench = Bench.ready(.extended)
        bench.controller.refusals[opcode] = .unknownCommand
        bench.perform { $0.startScanning() }
        #expect(bench.events.last == .scanning(ScanParameters()))
        #expect(bench.commands(LESetScanEnable.self) == [LESetScanEnable(enable: 1, filterDuplicates: 0)])
        bench.forget()
        bench.perform {
            $0.stopScanning()
            $0.startScanning()
        }
        #expect(!bench.opcodes.contains { Self.extendedScanning.contains($0) })
    }

    @Test func `a connection is made with the legacy command after the refusal of the extended one`() {
        var bench = Bench.ready(.extended)
        bench.controller.refusals[LEExtendedCreateConnection.opcode] = .unknownCommand
        bench.perform { $0.connect(to: .peer, type: .random) }
        #expect(bench.commands(LECreateConnection.self).first?.peerAddress == .peer)
        bench.receive(Bench.connectionComplete(1, role: .central))
        #expect(bench.connected.map(\.peerAddress) == [.peer])
        bench.endConnection(1)
        bench.forget()
        bench.perform { $0.connect(to: .peer, type: .random) }
        #expect(bench.opcodes == [LECreateConnection.opcode])
    }

    // MARK: - Advertising

    @Test(arguments: [HCIStatus.unsupportedFeatureOrParameterValue, .invalidCommandParameters])
    func `a refused non-connectable interval becomes 100 ms`(status: HCIStatus) throws {
        var controller = Self.legacy50
        controller.judge = { packet in
            guard let command = try? packet.parameters(as: LESetAdvertisingParameters.self),
                command.advertisingType != .connectableUndirected, command.minimumInterval < AdvertisingInterval(160)
            else { return nil }
            return status
        }
        var bench = Bench.ready(controller)
        bench.perform { $0.setAdvertising(.beacon(milliseconds: 20), for: set, address: address) }
        #expect(bench.effective(set)?.interval == AdvertisingInterval(160))
        let intervals = bench.commands(LESetAdvertisingParameters.self).map(\.minimumInterval.count)
        #expect(intervals == [32, 160])
        #expect(!bench.events.contains { if case .advertisingFailed = $0 { true } else { false } })
    }

    @Test(arguments: [true, false])
    func `refused parameters are repeated once, after the set was disabled`(isAccepted: Bool) {
        var bench = Bench.ready(.extended)
        bench.perform {
            $0.setAdvertising(.beacon(.connectableScannable, milliseconds: 100), for: set, address: address)
        }
        bench.connectCentral(1, set: set)
        bench.forget()
        let controller = Refusal(endsWithDisabling: isAccepted)
        bench.controller.judge = { controller.judge($0) }
        bench.perform {
            $0.setAdvertising(.beacon(.connectableScannable, milliseconds: 200), for: set, address: address)
        }
        #expect(
            bench.opcodes == [
                LESetExtendedAdvertisingParameters.opcode, LESetExtendedAdvertisingEnable.opcode,
                LESetExtendedAdvertisingParameters.opcode,
            ])
        #expect(bench.commands(LESetExtendedAdvertisingEnable.self).map(\.enable) == [0])
        let failure = LEHostFailure.conflict(
            LESetExtendedAdvertisingParameters.opcode, .commandDisallowed, with: .connection)
        #expect(bench.events.contains(.advertisingFailed(set, failure)) != isAccepted)
        bench.controller.judge = { _ in nil }
        bench.endConnection(1)
        #expect(bench.effective(set)?.interval == AdvertisingInterval(320))
    }

    @Test func `the report of a set that the host disabled is ignored`() {
        var bench = Bench.ready(.extended)
        bench.perform { $0.setAdvertising(.beacon(milliseconds: 100), for: set, address: address) }
        bench.controller.silent = [LESetExtendedAdvertisingEnable.opcode]
        bench.perform { $0.setAdvertising(.beacon(milliseconds: 200), for: set, address: address) }
        bench.forget()
        bench.receive(
            LEAdvertisingSetTerminated(
                status: .operationCancelledByHost, advertisingHandle: set.rawValue,
                connectionHandle: ConnectionHandle(0), completedExtendedAdvertisingEvents: 0))
        #expect(bench.events.isEmpty && bench.opcodes.isEmpty)
    }

    // MARK: - Beside a connection

    @Test(arguments: [ScriptedController.extended, legacy50], [HCIStatus.commandDisallowed, .connectionLimitExceeded])
    func `a beacon that stops for a connection returns after it`(controller: ScriptedController, status: HCIStatus)
        throws
    {
        var bench = Bench.ready(controller)
        let connectable = Advertisement.beacon(.connectableScannable, milliseconds: 100)
        bench.perform { $0.setAdvertising(connectable, for: set, address: address) }
        bench.connectCentral(1, set: controller.lowEnergyFeatures.isEmpty ? nil : set)
        bench.forget()
        bench.controller.judge = { Self.enabling($0) ? status : nil }
        bench.perform { $0.setAdvertising(.beacon(milliseconds: 100), for: other, address: .random(.random(2))) }
        bench.advance(to: bench.time + .seconds(1))
        let failures = bench.events.compactMap { event -> LEHostFailure? in
            if case .advertisingFailed(other, let failure) = event { failure } else { nil }
        }
        let failure = try #require(failures.first)
        #expect(failures.count == 1 && failure.activity == .connection)
        #expect("\(failure)".contains("Advertising Enable while it has a connection: "))
        bench.controller.judge = { _ in nil }
        bench.endConnection(1)
        bench.advance(to: bench.time + .seconds(1))
        #expect(bench.effective(other) != nil && bench.effective(set) != nil)
    }

    @Test(arguments: extendedScanning)
    func `a scan that the controller refuses beside a connection continues after it`(opcode: HCIOpcode) throws {
        var bench = Bench.ready(.extended)
        bench.perform { $0.connect(to: .peer, type: .random) }
        bench.receive(Bench.connectionComplete(1, role: .central))
        bench.forget()
        bench.controller.refusals[opcode] = .commandDisallowed
        bench.perform { $0.startScanning() }
        let failure = LEHostFailure.conflict(opcode, .commandDisallowed, with: .connection)
        #expect(bench.events == [.commandFailed(failure), .scanHeld(failure)])
        bench.controller.refusals = [:]
        bench.forget()
        bench.endConnection(1)
        #expect(bench.events.last == .scanning(ScanParameters()))
    }

    @Test func `a scan that waits for the end of a connection is reported once, and can be stopped`() {
        var bench = Bench.ready(.extended)
        for handle in 1...2 {
            bench.perform { $0.connect(to: .random(UInt8(handle)), type: .random) }
            bench.receive(Bench.connectionComplete(UInt16(handle), role: .central, peer: .random(UInt8(handle))))
        }
        bench.controller.refusals[LESetExtendedScanEnable.opcode] = .commandDisallowed
        bench.perform { $0.startScanning() }
        bench.endConnection(1)
        #expect(bench.events.count { if case .scanHeld = $0 { true } else { false } } == 1)
        bench.perform { $0.stopScanning() }
        #expect(bench.events.last == .scanning(nil))
        bench.controller.refusals = [:]
        bench.forget()
        bench.endConnection(2)
        #expect(bench.opcodes.isEmpty)
    }

    @Test func `a scan that the controller refuses while it makes a connection begins after it`() {
        var bench = Bench.ready(.extended)
        bench.perform { $0.connect(to: .peer, type: .random) }
        bench.controller.refusals[LESetExtendedScanEnable.opcode] = .commandDisallowed
        bench.perform { $0.startScanning() }
        bench.controller.refusals = [:]
        bench.receive(Bench.connectionComplete(1, role: .central))
        #expect(bench.events.contains(.scanning(ScanParameters())))
        #expect(!bench.events.contains { if case .scanFailed = $0 { true } else { false } })
    }

    @Test func `a beacon that the controller refuses beside a scan returns after the scan`() {
        var bench = Bench.ready(.extended)
        bench.perform { $0.startScanning() }
        bench.controller.judge = { Self.enabling($0) ? .commandDisallowed : nil }
        bench.perform { $0.setAdvertising(.beacon(milliseconds: 100), for: set, address: address) }
        let failure = LEHostFailure.conflict(
            LESetExtendedAdvertisingEnable.opcode, .commandDisallowed, with: .scanning)
        #expect(bench.events.last == .advertisingFailed(set, failure))
        bench.controller.judge = { _ in nil }
        bench.perform { $0.stopScanning() }
        #expect(bench.effective(set) != nil)
    }
}

/// The refusal of new parameters, which ends for some controllers when a set is disabled.
private final class Refusal: @unchecked Sendable {
    private let endsWithDisabling: Bool
    private var isOver = false

    init(endsWithDisabling: Bool) { self.endsWithDisabling = endsWithDisabling }

    func judge(_ packet: HCICommandPacket) -> HCIStatus? {
        switch packet.opcode {
        case LESetExtendedAdvertisingEnable.opcode where packet.parameters.first == 0:
            isOver = endsWithDisabling
            return .unknownAdvertisingIdentifier
        case LESetExtendedAdvertisingParameters.opcode: return isOver ? nil : .commandDisallowed
        default: return nil
        }
    }
}
