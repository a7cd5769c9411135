// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import HCI
import Testing

@testable import HostStack

@Suite struct LegacyAdvertisingTests {
    private let first = AdvertisingSetIdentifier.number(0)
    private let second = AdvertisingSetIdentifier.number(1)

    @Test func `a single set has the advertiser to itself, with its exact interval`() throws {
        var bench = Bench.ready(.legacy)
        let beacon = Advertisement.beacon(.connectableScannable, milliseconds: 20)
        bench.perform { $0.setAdvertising(beacon, for: first, address: .random(.random(1))) }
        #expect(
            bench.opcodes == [
                LESetAdvertisingParameters.opcode, LESetRandomAddress.opcode, LESetAdvertisingData.opcode,
                LESetScanResponseData.opcode, LESetAdvertisingEnable.opcode,
            ])
        let parameters = try #require(bench.commands(LESetAdvertisingParameters.self).first)
        #expect(parameters.minimumInterval == AdvertisingInterval(32))
        #expect(parameters.maximumInterval == AdvertisingInterval(32))
        #expect(parameters.advertisingType == .connectableUndirected && parameters.ownAddressType == .random)
        let effective = try #require(bench.effective(first))
        #expect(effective.interval == AdvertisingInterval(32) && effective.turns == 1 && effective.share == 1)
        #expect(effective.transmitPower == TransmitPower(4))
        bench.forget()
        bench.advance(to: .seconds(60))
        #expect(bench.opcodes.isEmpty && bench.events.isEmpty)
        bench.perform {
            $0.setAdvertising(
                .beacon(.connectableScannable, milliseconds: 20, name: "two"), for: first, address: .random(.random(1)))
        }
        #expect(bench.opcodes == [LESetAdvertisingData.opcode])
        bench.forget()
        bench.perform { $0.stopAdvertising(first) }
        #expect(bench.commands(LESetAdvertisingEnable.self) == [LESetAdvertisingEnable(enable: 0)])
        #expect(bench.events == [.advertisingStopped(first, .requested)])
    }

    @Test func `before version 5.0, non-connectable advertising has an interval of at least 100 ms`() {
        var bench = Bench.ready(.legacy)
        bench.perform { $0.setAdvertising(.beacon(milliseconds: 20), for: first, address: .random(.random(1))) }
        #expect(bench.commands(LESetAdvertisingParameters.self).first?.minimumInterval == AdvertisingInterval(0xA0))
        #expect(bench.effective(first)?.interval == AdvertisingInterval(0xA0))
    }

    /// The start times of each set's turns, by its address.
    private func turns(_ bench: Bench) -> [BluetoothAddress: [Duration]] {
        var address = BluetoothAddress.zero
        var turns: [BluetoothAddress: [Duration]] = [:]
        for (command, time) in zip(bench.controller.log, bench.times) {
            if let set = try? command.parameters(as: LESetRandomAddress.self) { address = set.randomAddress }
            if let enable = try? command.parameters(as: LESetAdvertisingEnable.self), enable.enable == 1 {
                turns[address, default: []].append(time)
            }
        }
        return turns
    }

    private func mean(_ times: [Duration]) throws -> Double {
        let first = try #require(times.first)
        let last = try #require(times.last)
        return (last - first) / .milliseconds(1) / Double(times.count - 1)
    }

    @Test func `sets keep their intervals if there is time for all`() throws {
        var bench = Bench.ready(.legacy)
        bench.perform {
            $0.setAdvertising(.beacon(milliseconds: 100), for: first, address: .random(.random(1)))
            $0.setAdvertising(.beacon(milliseconds: 500), for: second, address: .random(.random(2)))
        }
        bench.advance(to: .seconds(100))
        let turns = turns(bench)
        // The mean of the link layer's random delay is 5 ms.
        let fast = try mean(try #require(turns[.random(1)]))
        let slow = try mean(try #require(turns[.random(2)]))
        #expect(abs(fast - 105) < 2)
        #expect(abs(slow - 505) < 10)
        #expect(bench.effective(first)?.interval == AdvertisingInterval(160))
        #expect(bench.effective(first)?.turns == 2)
        #expect(bench.effective(first)?.share == 0.2)
        #expect(bench.effective(second)?.interval == AdvertisingInterval(800))
    }

    @Test func `intervals are stretched by the same factor if there is not time for all`() throws {
        var bench = Bench.ready(.legacy)
        for number in 0..<10 {
            bench.perform {
                $0.setAdvertising(
                    .beacon(.connectableScannable, milliseconds: number < 5 ? 50 : 100), for: .number(UInt8(number)),
                    address: .random(.random(UInt8(number))))
            }
        }
        bench.advance(to: .seconds(1))
        bench.forget()
        bench.advance(to: .seconds(61))
        let turns = turns(bench)
        // 5 x 20/50 + 5 x 20/100 = 3 times the available time.
        for number in 0..<10 {
            let expected: Double = number < 5 ? 150 : 300
            let measured = try mean(try #require(turns[.random(UInt8(number))]))
            #expect(abs(measured - expected) < expected * 0.08)
        }
        #expect(bench.events.isEmpty)
    }

    @Test func `stretched intervals are reported`() {
        var bench = Bench.ready(.legacy)
        for number in 0..<10 {
            bench.perform {
                $0.setAdvertising(
                    .beacon(.connectableScannable, milliseconds: 100), for: .number(UInt8(number)),
                    address: .random(.random(UInt8(number))))
            }
        }
        bench.advance(to: .seconds(2))
        for number in 0..<10 {
            let effective = bench.effective(.number(UInt8(number)))
            #expect(effective?.interval == AdvertisingInterval(320))
            #expect(effective?.turns == 10)
            #expect(effective?.share == 0.1)
        }
    }

    /// The measured interval varies with the load of the machine.
    @Test(
        arguments: [
            // Interval and number of sets, seconds after a report of 160 ticks and 2 sets; whether it is reported.
            (161, 2, 100, false), (176, 2, 100, false), (177, 2, 9, false), (177, 2, 10, true), (143, 2, 10, true),
            (400, 2, 1, false), (160, 3, 0, true),
        ] as [(UInt32, Int, Int, Bool)])
    func `a changed interval is reported after 10 s`(
        _ ticks: UInt32, _ turns: Int, _ seconds: Int, _ isReported: Bool
    ) throws {
        let reported = AdvertisingSetState.Report.advertising(
            interval: AdvertisingInterval(160), turns: 2, at: .seconds(5))
        let interval = AdvertisingInterval(ticks)
        #expect(reported.isDue(interval: interval, turns: turns, at: .seconds(5 + seconds)) == isReported)
        #expect(AdvertisingSetState.Report.due.isDue(interval: interval, turns: turns, at: .zero))
    }

    @Test func `the last remaining set has the advertiser to itself again`() {
        var bench = Bench.ready(.legacy)
        bench.perform {
            $0.setAdvertising(.beacon(milliseconds: 100), for: first, address: .random(.random(1)))
            $0.setAdvertising(.beacon(milliseconds: 100), for: second, address: .random(.random(2)))
        }
        bench.advance(to: .seconds(1))
        bench.forget()
        bench.perform { $0.stopAdvertising(second) }
        bench.advance(to: .seconds(2))
        #expect(bench.events.contains(.advertisingStopped(second, .requested)))
        #expect(bench.effective(first)?.turns == 1 && bench.effective(first)?.share == 1)
        bench.forget()
        bench.advance(to: .seconds(10))
        #expect(bench.opcodes.isEmpty)
    }

    @Test func `a refused set does not stop the others`() {
        var bench = Bench.ready(.legacy)
        bench.controller.refusals[LESetRandomAddress.opcode] = .commandDisallowed
        bench.perform {
            $0.setAdvertising(.beacon(milliseconds: 100), for: first, address: .random(.random(1)))
            $0.setAdvertising(.beacon(milliseconds: 100), for: second, address: .publicDevice)
        }
        bench.advance(to: .seconds(1))
        let failure = LEHostFailure.command(LESetRandomAddress.opcode, .commandDisallowed)
        #expect(bench.events.contains(.advertisingFailed(first, failure)))
        #expect(bench.effective(second)?.turns == 1)
    }

    @Test func `a scan rests while the random address changes`() {
        var bench = Bench.ready(.legacy)
        bench.perform {
            $0.startScanning()
            $0.setAdvertising(.beacon(milliseconds: 100), for: first, address: .random(.random(1)))
        }
        let scans = bench.commands(LESetScanEnable.self).map(\.enable)
        #expect(scans == [1, 0, 1])
        let address = bench.opcodes.firstIndex(of: LESetRandomAddress.opcode)
        let enables = bench.opcodes.indices.filter { bench.opcodes[$0] == LESetScanEnable.opcode }
        #expect(address.map { enables[1] < $0 && $0 < enables[2] } == true)
        #expect(bench.effective(first) != nil)
        #expect(bench.events.filter { $0 == .scanning(ScanParameters()) }.count == 1)
    }

    @Test func `a connection belongs to the set on the air, which advertises again after it`() {
        var bench = Bench.ready(.legacy)
        bench.perform {
            $0.setAdvertising(
                .beacon(.connectableScannable, milliseconds: 100), for: first, address: .random(.random(1)))
        }
        bench.forget()
        bench.connectCentral(1, set: nil)
        #expect(bench.connected.first?.advertisingSet == first)
        #expect(bench.events.first == .advertisingStopped(first, .connected))
        #expect(bench.opcodes.isEmpty)
        bench.forget()
        bench.endConnection(1)
        #expect(bench.opcodes == [LESetAdvertisingEnable.opcode])
        #expect(bench.effective(first) != nil)
    }
}
