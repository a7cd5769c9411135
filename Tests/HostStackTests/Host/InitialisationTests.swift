// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Space
import Testing

@testable import HostStack

@Suite struct InitialisationTests {
    @Test func `an extended controller gets every supported command and reports its capabilities`() throws {
        var bench = Bench(.extended)
        bench.perform { $0.start(at: .zero) }
        #expect(
            bench.opcodes == [
                HCIReset.opcode, ReadLocalVersionInformation.opcode, ReadLocalSupportedCommands.opcode,
                ReadLocalSupportedFeatures.opcode, ReadBDADDR.opcode, SetEventMask.opcode, LEReadBufferSize.opcode,
                LEReadLocalSupportedFeatures.opcode, LESetEventMask.opcode,
                LEReadNumberOfSupportedAdvertisingSets.opcode, LEReadMaximumAdvertisingDataLength.opcode,
                LEReadMaximumDataLength.opcode, LEWriteSuggestedDefaultDataLength.opcode, LEReadTransmitPower.opcode,
            ])
        let capabilities = try #require(bench.host.capabilities)
        #expect(bench.events == [.ready(capabilities)])
        #expect(capabilities.address == BluetoothAddress("00:11:22:33:44:55"))
        #expect(capabilities.versionName == "5.4")
        #expect(capabilities.hasExtendedAdvertising && capabilities.hasExtendedScanning)
        #expect(capabilities.advertisingSets == 3)
        #expect(capabilities.maximumAdvertisingData == 1650)
        #expect(capabilities.maximumLinkPayload == 251)
        #expect(capabilities.transmitPower == TransmitPower(-20)...TransmitPower(8))
        #expect(capabilities.shortestNonConnectableInterval == AdvertisingInterval(0x20))
        #expect(capabilities.dataLength == 27 && capabilities.dataPackets == 4)
        let mask = try #require(bench.commands(LESetEventMask.self).first).eventMask
        // 1 to 7, 10, 13 and 18.
        #expect(mask.rawValue == 0x2127F)
        #expect(bench.commands(SetEventMask.self).first?.eventMask.rawValue == 0x2000_9FFF_FFFF_FFFF)
    }

    @Test func `a controller of version 4.0 gets no unsupported command`() throws {
        var bench = Bench(.legacy)
        bench.perform { $0.start(at: .zero) }
        #expect(
            bench.opcodes == [
                HCIReset.opcode, ReadLocalVersionInformation.opcode, ReadLocalSupportedCommands.opcode,
                ReadLocalSupportedFeatures.opcode, ReadBDADDR.opcode, SetEventMask.opcode, LEReadBufferSize.opcode,
                LEReadLocalSupportedFeatures.opcode, LESetEventMask.opcode,
                LEReadAdvertisingPhysicalChannelTransmitPower.opcode,
            ])
        let capabilities = try #require(bench.host.capabilities)
        #expect(!capabilities.hasExtendedAdvertising && capabilities.advertisingSets == 1)
        #expect(capabilities.versionName == "4.0")
        #expect(capabilities.transmitPower == TransmitPower(4)...TransmitPower(4))
        #expect(capabilities.shortestNonConnectableInterval == AdvertisingInterval(0xA0))
        #expect(bench.commands(LESetEventMask.self).first?.eventMask == .initial)
    }

    @Test func `on a dual-mode controller, LE is switched on and shares the buffers`() throws {
        var controller = ScriptedController.legacy
        controller.bufferLength = 0
        controller.bufferCount = 0
        controller.features = [.lowEnergy]
        var bench = Bench(controller)
        bench.perform { $0.start(at: .zero) }
        #expect(bench.opcodes.contains(WriteLEHostSupport.opcode))
        #expect(bench.host.capabilities?.dataLength == 1021)
        #expect(bench.host.capabilities?.dataPackets == 6)
    }

    @Test func `the central's random address is set`() {
        let address = BluetoothAddress.random(7)
        var bench = Bench(.extended, configuration: LEHostConfiguration(centralAddress: .random(address)))
        bench.perform { $0.start(at: .zero) }
        #expect(bench.commands(LESetRandomAddress.self) == [LESetRandomAddress(randomAddress: address)])
    }

    @Test(arguments: [true, false])
    func `a position is set where the controller has positions`(hasPositions: Bool) {
        var controller = ScriptedController.extended
        (controller.company, controller.subversion) = (VendorSetPosition.company, VendorSetPosition.subversion)
        if !hasPositions { controller.refusals[VendorSetPosition.opcode] = .unknownCommand }
        var configuration = LEHostConfiguration()
        configuration.position = Position(x: 3, y: -0.5, z: 1.25)
        var bench = Bench(controller, configuration: configuration)
        bench.perform { $0.start(at: .zero) }
        #expect(bench.commands(VendorSetPosition.self) == [VendorSetPosition(x: 3000, y: -500, z: 1250)])
        #expect(bench.host.capabilities?.isAtPosition == hasPositions)
    }

    @Test func `a controller of another company gets no vendor command`() {
        var configuration = LEHostConfiguration()
        configuration.position = Position(x: 3, y: 0)
        var bench = Bench(.extended, configuration: configuration)
        bench.perform { $0.start(at: .zero) }
        #expect(bench.commands(VendorSetPosition.self).isEmpty)
        #expect(bench.host.capabilities?.isAtPosition == false)
    }

    @Test(arguments: [
        SetEventMask.opcode, ReadBDADDR.opcode, LEReadTransmitPower.opcode, LEReadMaximumDataLength.opcode,
        ReadLocalSupportedFeatures.opcode, LEReadLocalSupportedFeatures.opcode, LESetEventMask.opcode,
    ])
    func `the refusal of an optional command is reported, and the start continues`(opcode: HCIOpcode) throws {
        var controller = ScriptedController.extended
        controller.refusals[opcode] = .unknownCommand
        var bench = Bench(controller)
        bench.perform { $0.start(at: .zero) }
        #expect(bench.events.first == .commandFailed(.command(opcode, .unknownCommand)))
        #expect(bench.host.capabilities != nil)
    }

    @Test func `a controller that does not reply has failed`() {
        var controller = ScriptedController.extended
        controller.silent = [HCIReset.opcode]
        var bench = Bench(controller, configuration: LEHostConfiguration(commandTimeout: .seconds(3)))
        bench.perform { $0.start(at: .zero) }
        bench.advance(to: .milliseconds(2999))
        #expect(bench.events.isEmpty)
        bench.advance(to: .seconds(3))
        let failure = LEHostFailure.unanswered(HCIReset.opcode, after: .seconds(3))
        #expect(bench.events == [.commandFailed(failure), .failed(failure)])
        #expect("\(failure)" == "Reset: the controller did not answer within 3.0 seconds")
        #expect(bench.host.nextDeadline == nil)
        // It can be started again.
        bench.controller.silent = []
        bench.perform { $0.start(at: .seconds(4)) }
        #expect(bench.host.capabilities != nil)
    }

    @Test func `a controller that refuses to report its buffers has failed`() {
        var controller = ScriptedController.legacy
        controller.refusals[LEReadBufferSize.opcode] = .hardwareFailure
        var bench = Bench(controller)
        bench.perform { $0.start(at: .zero) }
        let failure = LEHostFailure.command(LEReadBufferSize.opcode, .hardwareFailure)
        #expect(bench.events.last == .failed(failure))
        #expect("\(failure)" == "LE Read Buffer Size: hardware failure (0x03)")
    }

    @Test func `a hardware error ends the use of the controller`() {
        var bench = Bench.ready(.extended)
        bench.receive(HardwareError(hardwareCode: 0x42))
        #expect(bench.events == [.failed(.hardware(code: 0x42))])
    }
}

@Suite struct CommandCreditTests {
    @Test func `a command waits for the reply to the previous one`() {
        var bench = Bench.ready(.extended)
        bench.controller.silent = [LESetExtendedAdvertisingParameters.opcode, LESetExtendedScanParameters.opcode]
        bench.perform {
            $0.setAdvertising(.beacon(milliseconds: 100), for: .number(0), address: .random(.random(1)))
            $0.startScanning()
        }
        #expect(bench.opcodes == [LESetExtendedAdvertisingParameters.opcode])
        // A reply to another command does not count.
        bench.receive(HCICommandComplete(commandCredits: 1, opcode: HCIReset.opcode, returnParameters: [0]))
        #expect(bench.opcodes.count == 1)
        bench.receive(
            HCICommandComplete(
                commandCredits: 1, opcode: LESetExtendedAdvertisingParameters.opcode, returnParameters: [0, 0]))
        #expect(bench.opcodes == [LESetExtendedAdvertisingParameters.opcode, LESetExtendedScanParameters.opcode])
    }

    @Test func `commands wait until the controller has room`() {
        var bench = Bench.ready(.extended)
        bench.controller.credits = 0
        bench.perform { $0.startScanning() }
        #expect(bench.opcodes == [LESetExtendedScanParameters.opcode])
        bench.receive(HCICommandComplete(commandCredits: 1, opcode: .none, returnParameters: []))
        #expect(bench.opcodes == [LESetExtendedScanParameters.opcode, LESetExtendedScanEnable.opcode])
    }

    @Test func `a controller that reports no room until the timeout has failed`() {
        var bench = Bench.ready(.extended)
        bench.controller.credits = 0
        bench.perform { $0.startScanning() }
        bench.advance(to: .seconds(4))
        #expect(bench.events == [])
        bench.advance(to: .seconds(6))
        #expect(bench.opcodes == [LESetExtendedScanParameters.opcode])
        #expect(bench.events == [.failed(.noRoom(for: .seconds(5)))])
    }

    @Test func `a command without a reply fails, and the next one is sent`() {
        var bench = Bench.ready(.extended)
        bench.controller.silent = [LESetExtendedScanParameters.opcode]
        bench.perform {
            $0.startScanning()
            $0.setAdvertising(.beacon(milliseconds: 100), for: .number(0), address: .random(.random(1)))
        }
        bench.advance(to: .seconds(5))
        let failure = LEHostFailure.unanswered(LESetExtendedScanParameters.opcode, after: .seconds(5))
        #expect(bench.events.prefix(2) == [.commandFailed(failure), .scanFailed(failure)])
        #expect(bench.effective(.number(0)) != nil)
    }
}
