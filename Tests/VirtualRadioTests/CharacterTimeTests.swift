// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Testing
import VirtualRadio

/// When controllers with a character answer, send events and advertise.
@Suite struct CharacterTimeTests {
    /// Events of a peripheral when a central connects, with their times in microseconds since the central's event.
    @Test(arguments: [[UInt8(0x0A)], []])
    func eventsOfAConnection(masked: [UInt8]) throws {
        func events(_ character: String?) throws -> [String] {
            var bench = Bench()
            let peripheral = bench.add(
                1, masked: masked, character: try character.map { try ControllerCharacter($0) } ?? .none)
            let central = bench.add(2)
            bench.expectSuccess(Bench.extendedParameters(), peripheral)
            bench.expectSuccess(Bench.extendedEnable(), peripheral)
            bench.expectSuccess(Bench.createConnection(Bench.address(1)), central)
            var start: AirTime?
            var events: [String] = []
            while let next = bench.air.nextDeadline, next < 5_000_000 {
                bench.air.advance(to: next)
                if !bench.takeEvents(LEConnectionComplete.self, central).isEmpty { start = bench.air.now }
                for case .event(let event) in bench.takePackets(peripheral) {
                    switch event.subeventCode {
                    case LEConnectionComplete.subeventCode, LEEnhancedConnectionComplete.subeventCode:
                        events.append("connected \(bench.air.now - (start ?? 0))")
                    case LEAdvertisingSetTerminated.subeventCode:
                        events.append("terminated \(bench.air.now - (start ?? 0))")
                    default: break
                    }
                }
            }
            return events
        }
        #expect(try events(nil) == ["connected 0", "terminated 0"])
        #expect(try events("late-terminated") == ["connected 0", "terminated 600000"])
        #expect(try events("late-terminated:20") == ["connected 0", "terminated 20000"])
        #expect(try events("early-terminated") == ["terminated 0", "connected 0"])
        #expect(try events("no-terminated") == ["connected 0"])
    }

    /// The other ends of a set are not those of connections.
    @Test func endOfADurationIsReportedAtOnce() throws {
        for character in ["late-terminated", "no-terminated"] {
            var bench = Bench()
            let controller = bench.add(1, character: try ControllerCharacter(character))
            bench.expectSuccess(Bench.extendedParameters(), controller)
            bench.expectSuccess(
                LESetExtendedAdvertisingEnable(enable: 1, sets: [.init(advertisingHandle: 0, duration: Ticks(10))]),
                controller)
            bench.run(milliseconds: 100)
            let ends = bench.takeEvents(LEAdvertisingSetTerminated.self, controller)
            #expect(ends.map(\.status) == [.advertisingTimeout])
        }
    }

    @Test func resetDropsLateEvents() throws {
        var bench = Bench()
        let controller = bench.add(1, character: try ControllerCharacter("late-terminated"))
        try bench.connect(to: controller)
        bench.expectSuccess(HCIReset(), controller)
        bench.prepare(controller)
        bench.run(milliseconds: 2000)
        #expect(bench.takeEvents(LEAdvertisingSetTerminated.self, controller).isEmpty)
    }

    @Test func setsThatTheHostDisablesAreReportedBeforeTheAnswer() throws {
        var bench = Bench()
        let controller = bench.add(1, character: try ControllerCharacter("terminated-0x44"))
        for handle in UInt8(0)..<3 { bench.expectSuccess(Bench.extendedParameters(handle), controller) }
        for handle in UInt8(0)..<2 { bench.expectSuccess(Bench.extendedEnable(1, handle), controller) }
        func disable(_ sets: [LESetExtendedAdvertisingEnable.AdvertisingSet]) -> [HCIEventPacket] {
            let command = LESetExtendedAdvertisingEnable(enable: 0, sets: sets)
            bench.air.receive(.command(HCICommandPacket(command)), from: controller)
            return bench.takePackets(controller).compactMap { packet in
                if case .event(let event) = packet { event } else { nil }
            }
        }
        func terminated(_ handle: UInt8) -> HCIEventPacket {
            HCIEventPacket(LEAdvertisingSetTerminated(status: .operationCancelledByHost, advertisingHandle: handle))
        }
        let answer = HCIEventPacket(
            HCICommandComplete(opcode: LESetExtendedAdvertisingEnable.opcode, status: .success))
        #expect(disable([.init(advertisingHandle: 1), .init(advertisingHandle: 2)]) == [terminated(1), answer])
        #expect(disable([]) == [terminated(0), answer])
        #expect(disable([]) == [answer])
    }

    // MARK: - Answers

    @Test(arguments: ["slow:20@1s-", "slow:20,0x1009"])
    func slowControllerAnswersLate(_ character: String) throws {
        var bench = Bench()
        let controller = bench.add(1, character: try ControllerCharacter(character))
        bench.run(milliseconds: 1000)
        #expect(bench.send(ReadBDADDR(), controller) == nil)
        bench.run(milliseconds: 19)
        #expect(bench.takePackets(controller).isEmpty)
        bench.run(milliseconds: 1)
        let answer = try #require(bench.takeEvents(HCICommandComplete.self, controller).first)
        #expect(answer.opcode == ReadBDADDR.opcode && answer.status == .success && answer.commandCredits == 0)
        bench.run(milliseconds: 9)
        #expect(bench.takePackets(controller).isEmpty)
        bench.run(milliseconds: 1)
        #expect(bench.takeEvents(CommandStatus.self, controller) == [CommandStatus(opcode: .none)])
    }

    /// Commands are executed in their order, and their consequences come after their answers.
    @Test func slowControllerKeepsTheOrder() throws {
        var bench = Bench()
        let advertiser = bench.add(1)
        let scanner = bench.add(2, character: try ControllerCharacter("slow:100@1s-"))
        try bench.advertise(advertiser, interval: 32)
        bench.run(milliseconds: 1000)
        for command: any HCICommand in [
            LESetScanParameters(scanType: .passive, scanInterval: ScanTime(16), scanWindow: ScanTime(16)),
            LESetScanEnable(enable: 1, filterDuplicates: 0),
        ] {
            bench.air.receive(.command(HCICommandPacket(command)), from: scanner)
        }
        bench.run(milliseconds: 200)
        let codes = bench.takePackets(scanner).compactMap { packet -> String? in
            guard case .event(let event) = packet else { return nil }
            if let answer = try? event.parameters(as: HCICommandComplete.self) { return answer.opcode.name }
            return event.subeventCode == LEAdvertisingReport.subeventCode ? "report" : nil
        }
        #expect(codes.prefix(3) == ["LE Set Scan Parameters", "LE Set Scan Enable", "report"])
    }

    @Test func slowControllerAcceptsOnlyWhatItHasRoomFor() throws {
        var bench = Bench(AirConfiguration(packetLimit: 8))
        let controller = bench.add(1, character: try ControllerCharacter("slow:100@1s-"))
        bench.run(milliseconds: 1000)
        let accepted = (0..<20).count { _ in
            bench.air.receive(.command(HCICommandPacket(ReadBDADDR())), from: controller)
        }
        #expect(accepted == 8)
        bench.run(milliseconds: 1000)
        #expect(bench.takeEvents(HCICommandComplete.self, controller).count == 8)
        #expect(bench.air.canAccept(from: controller))
    }

    @Test func silentCommandIsNeverAnswered() throws {
        var bench = Bench()
        let controller = bench.add(1, character: try ControllerCharacter("silent:0x1009+silent:203A"))
        #expect(bench.send(ReadBDADDR(), controller) == nil)
        #expect(bench.send(LEReadMaximumAdvertisingDataLength(), controller) == nil)
        bench.run(milliseconds: 60_000)
        #expect(bench.takePackets(controller).isEmpty)
        bench.expectSuccess(ReadLocalVersionInformation(), controller)
    }

    /// The bench sends three commands to a new controller, and four to advertise.
    @Test(arguments: ["never", "error", "removal"])
    func hungControllerDoesNotAnswer(_ ending: String) throws {
        var bench = Bench()
        let controller = bench.add(1, character: try ControllerCharacter("hung:7,\(ending)"))
        try bench.advertise(controller)
        let scanner = bench.add(2)
        bench.scan(scanner)
        #expect(bench.send(ReadBDADDR(), controller) == nil)
        bench.run(milliseconds: 4999)
        #expect(bench.send(HCIReset(), controller) == nil)
        #expect(bench.takePackets(controller).isEmpty)
        #expect(bench.takeReports(scanner).count > 40)
        bench.run(milliseconds: 1)
        _ = bench.takePackets(scanner)
        let errors = bench.takeEvents(HardwareError.self, controller)
        #expect(errors == (ending == "never" ? [] : [HardwareError(hardwareCode: 0x0C)]))
        // After a restart, the advertising of before has ended, and it works for ever.
        #expect(bench.send(HCIReset(), controller) == (ending == "error" ? .success : nil))
        bench.run(milliseconds: 20_000)
        #expect(bench.takeReports(scanner).isEmpty == (ending == "error"))
        #expect(bench.takeEvents(HardwareError.self, controller).isEmpty)
        if ending == "error" { try bench.advertise(controller) }
    }

    @Test func controllerHangsInAPeriod() throws {
        var bench = Bench()
        let controller = bench.add(1, character: try ControllerCharacter("hung:0@1s-2s"))
        bench.run(milliseconds: 1000)
        #expect(bench.send(ReadBDADDR(), controller) == nil)
        bench.run(milliseconds: 1000)
        bench.expectSuccess(ReadBDADDR(), controller)
    }

    @Test func replacementOfARemovedControllerDoesNotFail() throws {
        let character = try ControllerCharacter("legacy-5.0+hung:7,removal+slow:20")
        #expect(character.endsInRemoval)
        #expect(character.afterRemoval == (try ControllerCharacter("legacy-5.0+slow:20")))
        #expect(!(try ControllerCharacter("hung:7,error").endsInRemoval))
    }

    // MARK: - Intervals

    @Test func intervalOnTheAirDiffers() throws {
        var bench = Bench()
        let controller = bench.add(1, character: try ControllerCharacter("air-interval:2.5@5s-10s"))
        let scanner = bench.add(2)
        bench.scan(scanner)
        try bench.advertise(controller, interval: 160)
        var times: [AirTime] = []
        while let next = bench.air.nextDeadline, next < 15_000_000 {
            bench.air.advance(to: next)
            if !bench.takeReports(scanner).isEmpty { times.append(bench.air.now) }
        }
        for (earlier, later) in zip(times, times.dropFirst()) {
            let interval: AirTime = (5_000_000..<10_000_000).contains(earlier) ? 250_000 : 100_000
            #expect((interval...interval + 10_000).contains(later - earlier))
        }
        #expect(times.count > 100)
    }
}
