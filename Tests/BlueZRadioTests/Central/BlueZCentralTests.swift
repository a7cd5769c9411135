// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Radio
import TestTraits
import Testing

@testable import BlueZRadio

@Suite(.realTime, .timeLimit(.minutes(10))) struct BlueZCentralTests {
    private typealias Subjects = [ReceivingCapabilities.Limit.Subject]

    /// Every combination of the right to read the monitor channel and of bluetoothd's monitors, with the limits of active and
    /// passive scans.
    private static let limits: [(mayMonitor: Bool, PassiveScanSupport, active: Subjects, passive: Subjects)] = [
        (true, .missing, [.duplicates], [.passiveScanning]),
        (true, .inDaemon, [.duplicates], []),
        (true, .inController, [.duplicates], [.patterns]),
        (false, .missing, [.pdu, .exactData, .duplicates], [.pdu, .exactData, .passiveScanning]),
        (false, .inDaemon, [.pdu, .exactData, .duplicates], [.pdu, .exactData, .patterns, .rssi]),
        (
            false, .inController, [.pdu, .exactData, .duplicates],
            [.pdu, .exactData, .duplicates, .patterns, .rssi]
        ),
    ]

    @Test func limitsDependOnRightsMonitorsAndScan() {
        for (mayMonitor, support, active, passive) in Self.limits {
            let capabilities = ReceivingCapabilities(
                name: "bluez:hci0", way: "test", address: nil,
                limits: ReceivingCapabilities.limitsUnderBlueZ(mayMonitor: mayMonitor, passive: support))
            #expect(capabilities.limits(scanningActively: true).map(\.subject) == active)
            #expect(capabilities.limits(scanningActively: false).map(\.subject) == passive)
            for isActive in [true, false] {
                let filters = (isActive ? active : passive).contains(.duplicates)
                #expect(capabilities.reportsRepetitions(scanningActively: isActive) == !filters)
            }
            #expect(capabilities.limits.allSatisfy { !$0.reason.hasSuffix(".") && !$0.hint.isEmpty })
            let needsRights = Set(capabilities.limits.filter { $0.hint.contains("CAP_NET_RAW") }.map(\.subject))
            #expect(mayMonitor ? needsRights.isEmpty : needsRights.isSuperset(of: [.pdu, .exactData]))
        }
        let known = Self.limits.map { ($0.mayMonitor, $0.1) }
        for support in [PassiveScanSupport.missing, .inDaemon, .inController] {
            for mayMonitor in [true, false] { #expect(known.contains { $0 == (mayMonitor, support) }) }
        }
    }

    @Test func unopenedRadioRefusesOperations() async {
        let central = BlueZCentral(.name("hci0"))
        #expect(central.name == "bluez:hci0")
        await #expect(throws: BlueZCentral.notOpen) { try await central.scan(ScanParameters()) }
        await #expect(throws: BlueZCentral.notOpen) {
            try await central.connect(to: RemoteAddress(.zero, isRandom: false), timeout: .seconds(1))
        }
        await central.stopScanning()
    }

    @Test func closedRadioStaysClosed() async {
        let central = BlueZCentral(.any)
        var states = await central.states().makeAsyncIterator()
        #expect(await states.next() == .unavailable(BlueZCentral.notOpen))
        await central.close()
        await central.close()
        #expect(await states.next() == .unavailable(BlueZCentral.closed))
        #expect(await states.next() == nil)
        await #expect(throws: BlueZCentral.closed) { try await central.openCentral(waits: true) }
        await #expect(throws: BlueZCentral.closed) { try await central.scan(ScanParameters()) }
        await central.stopScanning()
    }
}
