// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Testing

@testable import HostStack

@Suite struct ScanningTests {
    private let parameters = ScanParameters(
        isActive: false, interval: AdvertisingInterval(100), window: AdvertisingInterval(50), filtersDuplicates: true)

    @Test func `an extended controller gets extended commands`() throws {
        var bench = Bench.ready(.extended)
        bench.perform { $0.startScanning(parameters) }
        let command = try #require(bench.commands(LESetExtendedScanParameters.self).first)
        #expect(command.scanningPHYs == .oneMegabit && command.ownAddressType == .public)
        #expect(
            command.parameters == [
                .init(scanType: .passive, scanInterval: AdvertisingInterval(100), scanWindow: AdvertisingInterval(50))
            ])
        #expect(
            bench.commands(LESetExtendedScanEnable.self) == [LESetExtendedScanEnable(enable: 1, filterDuplicates: 1)])
        #expect(bench.events == [.scanning(parameters)])
        bench.forget()
        bench.perform { $0.stopScanning() }
        #expect(
            bench.commands(LESetExtendedScanEnable.self) == [LESetExtendedScanEnable(enable: 0, filterDuplicates: 0)])
        #expect(bench.events == [.scanning(nil)])
    }

    @Test func `a legacy controller gets legacy commands`() {
        var bench = Bench.ready(.legacy)
        bench.perform { $0.startScanning() }
        #expect(
            bench.commands(LESetScanParameters.self) == [
                LESetScanParameters(
                    scanType: .active, scanInterval: AdvertisingInterval(160), scanWindow: AdvertisingInterval(160))
            ])
        #expect(bench.commands(LESetScanEnable.self) == [LESetScanEnable(enable: 1, filterDuplicates: 0)])
    }

    @Test func `a change of parameters needs a short break`() {
        var bench = Bench.ready(.extended)
        bench.perform { $0.startScanning() }
        bench.forget()
        bench.perform { $0.startScanning(parameters) }
        #expect(
            bench.opcodes == [
                LESetExtendedScanEnable.opcode, LESetExtendedScanParameters.opcode, LESetExtendedScanEnable.opcode,
            ])
        #expect(bench.events == [.scanning(parameters)])
    }

    @Test func `invalid parameters and a refusal are reported`() {
        var bench = Bench.ready(.extended)
        bench.perform {
            $0.startScanning(ScanParameters(interval: AdvertisingInterval(50), window: AdvertisingInterval(51)))
        }
        #expect(bench.events == [.scanFailed(.invalidParameters)])
        bench.forget()
        bench.controller.refusals[LESetExtendedScanEnable.opcode] = .commandDisallowed
        bench.perform { $0.startScanning() }
        let failure = LEHostFailure.command(LESetExtendedScanEnable.opcode, .commandDisallowed)
        #expect(bench.events == [.commandFailed(failure), .scanFailed(failure)])
    }

    @Test func `legacy reports are passed on unchanged`() {
        var bench = Bench.ready(.legacy)
        bench.perform { $0.startScanning() }
        bench.forget()
        let types: [(AdvertisingReportType, ScanReport.Kind)] = [
            (.connectableUndirected, .connectableScannable), (.connectableDirected, .directed),
            (.scannableUndirected, .scannable), (.nonConnectableUndirected, .nonConnectable),
            (.scanResponse, .scanResponse),
        ]
        for (type, _) in types {
            bench.receive(
                LEAdvertisingReport(reports: [
                    .init(eventType: type, addressType: .random, address: .peer, data: [2, 1, 6], rssi: RSSI(-60))
                ]))
        }
        #expect(
            bench.events
                == types.map { _, kind in
                    .scanReport(
                        ScanReport(address: .peer, addressType: .random, kind: kind, data: [2, 1, 6], rssi: RSSI(-60)),
                        identity: nil)
                })
        bench.forget()
        bench.perform { $0.stopScanning() }
        bench.receive(
            LEAdvertisingReport(reports: [
                .init(
                    eventType: .scanResponse, addressType: .random, address: .peer, data: [], rssi: .unavailable)
            ]))
        #expect(bench.events == [.scanning(nil)])
    }

    private func report(
        _ type: ExtendedAdvertisingEventType, _ data: [UInt8], address: BluetoothAddress = .peer, sid: UInt8 = 3
    ) -> LEExtendedAdvertisingReport {
        LEExtendedAdvertisingReport(reports: [
            .init(
                eventType: type, addressType: .random, address: address, primaryPHY: .oneMegabit,
                secondaryPHY: type.contains(.legacy) ? .none : .twoMegabit, advertisingSetIdentifier: sid,
                transmitPower: type.contains(.legacy) ? .unspecified : TransmitPower(3), rssi: .unavailable,
                periodicAdvertisingInterval: Ticks(0), directAddressType: .public, directAddress: .zero, data: data)
        ])
    }

    @Test func `extended reports distinguish legacy and extended PDUs`() {
        var bench = Bench.ready(.extended)
        bench.perform { $0.startScanning() }
        bench.forget()
        bench.receive(report(.legacyScanResponseOfConnectable, [1]))
        bench.receive(report([.connectable], [2]))
        #expect(
            bench.events == [
                .scanReport(
                    ScanReport(address: .peer, addressType: .random, kind: .scanResponse, data: [1], rssi: nil),
                    identity: nil),
                .scanReport(
                    ScanReport(
                        address: .peer, addressType: .random,
                        kind: .extended(connectable: true, scannable: false, directed: false, scanResponse: false),
                        data: [2], rssi: nil, transmitPower: TransmitPower(3), secondaryPHY: .twoMegabit,
                        setIdentifier: 3),
                    identity: nil),
            ])
    }

    @Test func `fragmented data is reassembled by advertiser, within bounds`() throws {
        var bench = Bench.ready(.extended)
        bench.perform { $0.startScanning() }
        bench.forget()
        let whole = [UInt8](repeating: 1, count: 200)
        bench.receive(report([.incomplete], whole))
        bench.receive(report([.incomplete], [9], sid: 4))
        bench.receive(report([], [2]))
        bench.receive(report([.truncated], [8], sid: 4))
        #expect(bench.reports.map(\.data) == [whole + [2], [9, 8]])
        #expect(bench.reports.map(\.isComplete) == [true, false])
        bench.forget()
        for _ in 0..<9 { bench.receive(report([.incomplete], whole)) }
        let cut = try #require(bench.reports.first)
        #expect(cut.data.count == 1650 && !cut.isComplete)
    }
}
