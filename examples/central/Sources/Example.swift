// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import HCIRadio

/// Finds a battery on the virtual air at 127.0.0.1:PORT, reads its level, and prints the next two notifications.
@main
struct Example {
    static func main() async throws {
        let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 6402
        let central = Central(radio: HCIRadio(.tcp(host: "127.0.0.1", port: port)))
        try await central.open()

        let battery = try await central.find(ScanOptions(services: [.bit16(0x180F)]))
        try await battery.connect()
        let service = try await battery.discoverService(.bit16(0x180F))
        let level = try await service.discoverCharacteristic(.bit16(0x2A19))
        print("level", try await level.read()[0])

        var count = 0
        for try await value in level.notifications() {
            print("notified", value[0])
            count += 1
            if count == 2 { break }
        }

        await battery.disconnect()
        await central.close()
    }
}
