// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Testing
import VirtualRadio

/// How much data connections carry in their events, with hosts that always have more.
@Suite struct ThroughputTests {
    /// Connections of one central, each with a peripheral of its own; those of `senders` always have data.
    private struct Traffic {
        struct End {
            let controller: ControllerIdentifier
            let handle: ConnectionHandle
            let isSender: Bool
            /// Payload bytes that the host has received.
            var received = 0
        }

        enum Direction: CaseIterable {
            case toPeripheral, toCentral, both
        }

        var bench = Bench()
        var ends: [End] = []
        private var credits: [ControllerIdentifier: Int] = [:]
        /// Completed packets that a host is yet to react to.
        private var completed: [(time: AirTime, controller: ControllerIdentifier, count: Int)] = []
        private let payload: [UInt8]
        /// How long a host takes to react to completed packets, in microseconds.
        private let reaction: Int64
        /// In microseconds.
        private let interval: Int64

        init(
            links: Int = 1, interval: UInt32, octets: Int, phy: UInt8 = 1, _ direction: Direction = .toPeripheral,
            maximumEventLength: UInt32 = 0, isEncrypted: Bool = false, credits: Int = 16,
            reaction: Int64 = 0
        ) throws {
            payload = [UInt8](repeating: 1, count: octets)
            self.reaction = reaction
            self.interval = Int64(interval) * 1250
            let central = bench.add(1)
            for number in 0..<links {
                let peripheral = bench.add(UInt8(2 + number))
                try bench.advertise(peripheral, interval: 32)
                let request = LECreateConnection(
                    scanInterval: ScanTime(96), scanWindow: ScanTime(96), peerAddress: Bench.address(UInt8(2 + number)),
                    minimumConnectionInterval: ConnectionInterval(interval),
                    maximumConnectionInterval: ConnectionInterval(interval),
                    supervisionTimeout: SupervisionTimeout(600),
                    maximumEventLength: ConnectionEventLength(maximumEventLength))
                bench.expectSuccess(request, central)
                bench.run(milliseconds: 100)
                for (controller, isSender) in [
                    (central, direction != .toCentral), (peripheral, direction != .toPeripheral),
                ] {
                    let complete = try #require(bench.takeEvents(LEConnectionComplete.self, controller).first)
                    ends.append(End(controller: controller, handle: complete.connectionHandle, isSender: isSender))
                    self.credits[controller] = credits
                }
            }
            for end in ends {
                bench.expectSuccess(
                    LESetDataLength(
                        connectionHandle: end.handle, transmitOctets: UInt16(octets), transmitTime: Microseconds(2120)),
                    end.controller)
            }
            bench.run(milliseconds: 5000)
            for end in ends where phy == 2 && end.controller == central {
                bench.expectSuccess(
                    LESetPHY(connectionHandle: end.handle, transmitPHYs: .twoMegabit, receivePHYs: .twoMegabit), central
                )
            }
            if isEncrypted { try encrypt() }
            bench.run(milliseconds: 5000)
            for end in ends { _ = bench.takePackets(end.controller) }
            for controller in self.credits.keys.sorted(by: { $0.number < $1.number }) { send(controller) }
        }

        private mutating func encrypt() throws {
            let key = Octets<16>(padding: [7])
            for (central, peripheral) in zip(ends, ends.dropFirst()) where central.controller == ends[0].controller {
                bench.expectSuccess(
                    LEEnableEncryption(
                        connectionHandle: central.handle, randomNumber: 0, encryptedDiversifier: 0, longTermKey: key),
                    central.controller)
                bench.run(milliseconds: 5000)
                bench.expectSuccess(
                    LELongTermKeyRequestReply(connectionHandle: peripheral.handle, longTermKey: key),
                    peripheral.controller)
            }
        }

        /// Lets an interval pass, then counts what is received in a number of intervals.
        /// - Returns: bytes a second, of each end.
        mutating func rates(intervals: Int) -> [Double] {
            run(microseconds: interval)
            for index in ends.indices { ends[index].received = 0 }
            run(microseconds: interval * Int64(intervals))
            return ends.map { Double($0.received) * 1e6 / Double(interval * Int64(intervals)) }
        }

        mutating func run(microseconds: Int64) {
            let end = bench.air.now + microseconds
            while true {
                let next = min(bench.air.nextDeadline ?? end, completed.first?.time ?? end)
                bench.air.advance(to: min(next, end))
                guard bench.air.now < end else { return }
                for index in ends.indices { take(index) }
                while let first = completed.first, first.time <= bench.air.now {
                    completed.removeFirst()
                    credits[first.controller, default: 0] += first.count
                    send(first.controller)
                }
            }
        }

        private mutating func take(_ index: Int) {
            let controller = ends[index].controller
            while let packet = bench.air.takeOutput(of: controller) {
                switch packet {
                case .acl(let data):
                    if let end = ends.firstIndex(where: { $0.controller == controller && $0.handle == data.handle }) {
                        ends[end].received += data.payload.count
                    }
                case .event(let event):
                    guard let report = try? event.parameters(as: NumberOfCompletedPackets.self) else { continue }
                    let count = report.completedPackets.reduce(0) { $0 + Int($1.count) }
                    completed.append((bench.air.now + reaction, controller, count))
                default: break
                }
            }
        }

        /// Sends as many packets as the controller has buffers, over all connections in turn.
        private mutating func send(_ controller: ControllerIdentifier) {
            let senders = ends.filter { $0.controller == controller && $0.isSender }
            var turn = 0
            while !senders.isEmpty, let credit = credits[controller], credit > 0 {
                credits[controller] = credit - 1
                bench.sendData(payload, senders[turn % senders.count].handle, controller)
                turn += 1
            }
        }
    }

    /// The airtime of a data PDU in microseconds (Core 5.4, Vol 6, Part B, 2.1 and 2.2).
    private static func airtime(_ octets: Int, _ phy: UInt8) -> Double {
        phy == 1 ? Double(8 * (1 + 4 + 2 + octets + 3)) : Double(4 * (2 + 4 + 2 + octets + 3))
    }

    /// The duration of an exchange in microseconds, with T_IFS after each PDU.
    private static func exchange(_ central: Int, _ peripheral: Int, _ phy: UInt8) -> Double {
        airtime(central, phy) + 150 + airtime(peripheral, phy) + 150
    }

    private static let intervals: [UInt32] = [6, 24, 80, 400]

    /// What whole exchanges of an event carry, in bytes a second; within 10 % of the airtime's limit if only one side has data.
    private static func limit(_ central: Int, _ peripheral: Int, _ phy: UInt8, interval: UInt32) -> Double {
        let microseconds = Double(interval) * 1250
        let exchange = exchange(central, peripheral, phy)
        let limit = Double(max(central, peripheral)) * (microseconds / exchange).rounded(.down) * 1e6 / microseconds
        #expect(min(central, peripheral) > 0 || limit > 0.9 * Double(max(central, peripheral)) * 1e6 / exchange)
        return limit
    }

    @Test(arguments: [(27, 1), (27, 2), (251, 1), (251, 2)] as [(Int, UInt8)], intervals)
    func airtimeLimitsTheThroughput(pdu: (octets: Int, phy: UInt8), interval: UInt32) throws {
        for direction in Traffic.Direction.allCases {
            var traffic = try Traffic(interval: interval, octets: pdu.octets, phy: pdu.phy, direction)
            let limit = Self.limit(
                direction == .toCentral ? 0 : pdu.octets, direction == .toPeripheral ? 0 : pdu.octets, pdu.phy,
                interval: interval)
            let rates = traffic.rates(intervals: 5)
            for (end, isReceiver) in [(0, direction != .toPeripheral), (1, direction != .toCentral)] {
                #expect((rates[end] - (isReceiver ? limit : 0)).magnitude < 0.01, "\(direction), end \(end)")
            }
        }
    }

    @Test func encryptionTakesAirtime() throws {
        var traffic = try Traffic(interval: 80, octets: 27, isEncrypted: true)
        // A message integrity check of 4 bytes in each PDU with data.
        let exchanges = Int(100_000 / Self.exchange(31, 0, 1))
        #expect(traffic.rates(intervals: 10)[1] == Double(exchanges * 27 * 10))
    }

    /// The links of one controller take turns: together they have the airtime of its radio. Each peripheral has buffers of its
    /// own, so that no link waits for those of another. Shares differ where an exchange takes a third of an interval.
    @Test(arguments: [1, 2, 3, 4, 8], [6, 24, 80] as [UInt32])
    func linksOfAControllerShareItsRadio(links: Int, interval: UInt32) throws {
        for octets in [27, 251] {
            var traffic = try Traffic(links: links, interval: interval, octets: octets, .toCentral)
            let limit = Double(octets) * 1e6 / Self.exchange(0, octets, 1)
            let rates = traffic.rates(intervals: 20).filter { $0 > 0 }
            let sum = rates.reduce(0, +)
            #expect(rates.count == links)
            #expect((0.9 * limit...1.01 * limit).contains(sum), "\(octets) bytes: \(sum) of \(limit) bytes a second")
            #expect(
                rates.allSatisfy { $0 > 0.6 * limit / Double(links) },
                "\(octets) bytes: \(rates.map { Int($0) }) of \(Int(limit))")
        }
    }

    /// In units of 0.625 ms. One exchange takes place in each event, however short it is to be.
    @Test(arguments: [(1, 1), (2, 1), (8, 7), (32, 29), (48, 44), (200, 44), (0, 44)])
    func maximumEventLengthLimitsAnEvent(length: UInt32, exchanges: Int) throws {
        var traffic = try Traffic(interval: 24, octets: 27, maximumEventLength: length)
        _ = traffic.rates(intervals: 10)
        #expect(traffic.ends[1].received == exchanges * 27 * 10)
    }

    /// As long as the buffers of a host last while it reacts, airtime is the limit.
    @Test(arguments: [0, 1, 5] as [Int64], [24, 400] as [UInt32])
    func reactionOfAHostTakesNoAirtime(milliseconds: Int64, interval: UInt32) throws {
        var traffic = try Traffic(interval: interval, octets: 27, reaction: milliseconds * 1000)
        let limit = Self.limit(27, 0, 1, interval: interval)
        #expect(traffic.rates(intervals: 10)[1] > 0.99 * limit)
    }

    /// The event of a host that refills its buffers late stays open for it.
    @Test func lateHostContinuesInTheSameEvent() throws {
        var traffic = try Traffic(interval: 400, octets: 27, reaction: 20_000)
        let event = Double(27 * 16)
        #expect(traffic.rates(intervals: 10)[1] > 20 * event)
    }

    @Test func packetsOfAnEventFollowEachOther() throws {
        var bench = Bench()
        let pair = try bench.connect(interval: 24)
        for number in UInt8(0)..<9 {
            bench.sendData([UInt8](repeating: number, count: 27), pair.centralHandle, pair.central)
        }
        bench.sendData([1], pair.peripheralHandle, pair.peripheral)
        var packets: [AirTime] = []
        var completed: [UInt16] = []
        let anchor = try #require(bench.air.nextDeadline)
        while let deadline = bench.air.nextDeadline {
            bench.air.advance(to: deadline)
            packets += bench.takeData(pair.peripheral).map { _ in deadline - anchor }
            completed += bench.takeEvents(NumberOfCompletedPackets.self, pair.central).flatMap(\.completedPackets).map(
                \.count)
        }
        // The peripheral's only PDU with data takes 8 µs more than an empty one.
        let following = (1..<9).map { number -> AirTime in 676 * number + 8 }
        #expect(packets == [0] + following)
        // A quarter at a time, while more follow.
        #expect(completed == [3, 2, 1, 1, 1, 1])
    }

    /// An event in which neither side has more data closes: what a host sends then waits for the next one, even if it reacts
    /// at once.
    @Test func answerToOnePacketIsInTheNextEvent() throws {
        var bench = Bench()
        let pair = try bench.connect(interval: 24)
        bench.sendData([1], pair.centralHandle, pair.central)
        let request = try #require(bench.air.nextDeadline)
        bench.air.advance(to: request)
        #expect(bench.takeData(pair.peripheral).count == 1)
        bench.sendData([2], pair.peripheralHandle, pair.peripheral)
        let response = try #require(bench.air.nextDeadline)
        #expect(response == request + 30_000)
        bench.air.advance(to: response)
        #expect(bench.takeData(pair.central).map(\.payload) == [[2]])
    }

    /// So it is after several packets of a host that has buffers left.
    @Test func answerToSomePacketsIsInTheNextEvent() throws {
        var bench = Bench()
        let pair = try bench.connect(interval: 24)
        for _ in 0..<5 { bench.sendData([1], pair.centralHandle, pair.central) }
        let request = try #require(bench.air.nextDeadline)
        while let deadline = bench.air.nextDeadline { bench.air.advance(to: deadline) }
        #expect(bench.takeData(pair.peripheral).count == 5)
        bench.sendData([2], pair.peripheralHandle, pair.peripheral)
        #expect(bench.air.nextDeadline == request + 30_000)
    }

    /// A host that has few packets in flight continues in the same event if it reacts at once.
    @Test(arguments: [2, 3, 5]) func fewPacketsInFlightAreEnough(count: Int) throws {
        var traffic = try Traffic(interval: 80, octets: 27, credits: count)
        #expect(traffic.rates(intervals: 10)[1] == Self.limit(27, 0, 1, interval: 80))
    }

    /// While an event continues, both hosts may add to it.
    @Test(arguments: [true, false])
    func dataThatArrivesDuringAnEventBelongsToIt(isOfCentral: Bool) throws {
        var bench = Bench()
        let pair = try bench.connect(interval: 24)
        bench.sendData([UInt8](repeating: 1, count: 251), pair.centralHandle, pair.central)
        let anchor = try #require(bench.air.nextDeadline)
        bench.air.advance(to: anchor + 3000)
        let (sender, receiver) = isOfCentral ? (pair.central, pair.peripheral) : (pair.peripheral, pair.central)
        bench.sendData([9], isOfCentral ? pair.centralHandle : pair.peripheralHandle, sender)
        bench.air.advance(to: anchor + 8000)
        #expect(bench.takeData(receiver).last?.payload == [9])
    }

    /// A peer that always has data does not delay a termination beyond the end of the event.
    @Test func terminationEndsAStream() throws {
        var traffic = try Traffic(interval: 24, octets: 27, .toCentral)
        traffic.run(microseconds: 100_000)
        let central = traffic.ends[0]
        traffic.bench.expectSuccess(Disconnect(connectionHandle: central.handle), central.controller)
        let received = traffic.ends[0].received
        traffic.run(microseconds: 1_000_000)
        #expect(traffic.ends[0].received - received <= 2 * 44 * 27)
    }
}
