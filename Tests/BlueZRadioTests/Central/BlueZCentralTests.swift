// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import Radio
import Testing

@testable import BlueZRadio

@Suite(.timeLimit(.minutes(10))) struct BlueZCentralTests {
    @Test(arguments: [
        (true, [ReceivingCapabilities.Limit.Subject.duplicates, .passiveScanning]),
        (false, [.pdu, .exactData, .duplicates, .passiveScanning]),
    ])
    func limitsDependOnTheMonitorChannel(_ mayMonitor: Bool, subjects: [ReceivingCapabilities.Limit.Subject]) {
        let limits = ReceivingCapabilities.limitsUnderBlueZ(mayMonitor: mayMonitor)
        #expect(limits.map(\.subject) == subjects)
        #expect(limits.allSatisfy { !$0.reason.hasSuffix(".") && !$0.hint.isEmpty })
        let needsRights = limits.filter { $0.hint.contains("CAP_NET_RAW") }.map(\.subject)
        #expect(needsRights == (mayMonitor ? [] : [.pdu, .exactData]))
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
