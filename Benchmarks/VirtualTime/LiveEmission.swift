// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import HCIRadio
import Radio
import Synchronization

/// Beacons on an air whose clock is the machine's.
enum LiveEmission {
    private static let beacons = 1000
    private static let warmUp = Duration.seconds(2)
    private static let time = Duration.seconds(10)

    /// How late advertising events are of 1,000 beacons at 100 ms: each wake-up counts as late as its latest event, once
    /// all that it led to is handed over.
    /// - Parameter isReceived: whether a scanner in the same program receives all of it.
    static func lateness(isReceived: Bool) async throws -> BeaconryBench.Figure {
        let radio = VirtualAirRadio(VirtualAirOptions(servers: []))
        let advertisement = Advertisement(
            pdu: .nonConnectable,
            advertisingData: AdvertisingData([
                .flags(.beacon), .manufacturerSpecific(.apple, [0x02, 0x15] + [UInt8](repeating: 0, count: 21)),
            ]), interval: AdvertisingInterval(160))
        let planned = (0..<beacons).map {
            HostedBeacon(identifier: BeaconIdentifier("b\($0)"), services: [], advertisement: advertisement)
        }
        _ = try await radio.open(planned, waits: false) { _ in .failure(.unlikely) }
        for beacon in planned { await radio.advertise(advertisement, for: beacon.identifier) }
        let counting = isReceived ? try await listen(radio) : nil
        try await Task.sleep(for: warmUp)
        let log = Log()
        await radio.observeWakeUps { log.append($0) }
        try await Task.sleep(for: time)
        let late = log.take().map { $0 / .milliseconds(1) }.sorted()
        await radio.close()
        await counting?.value
        let median = late[late.count / 2].text(2)
        let worst = late[late.count - 1].text(1)
        return BeaconryBench.Figure(
            what: "1,000 live beacons at 100 ms\(isReceived ? ", received" : ""), lateness p99",
            ours: "\(late[late.count * 99 / 100].text(2)) ms (median \(median), worst \(worst))", goal: "1 ms")
    }

    private static func listen(_ radio: VirtualAirRadio) async throws -> Task<Void, Never> {
        _ = try await radio.openCentral(waits: false)
        let sightings = try await radio.scan(ScanParameters(isActive: false))
        return Task { for await _ in sightings {} }
    }

    /// What the air told.
    private final class Log: Sendable {
        private let lateness = Mutex<[Duration]>([])

        func append(_ duration: Duration) { lateness.withLock { $0.append(duration) } }
        func take() -> [Duration] { lateness.withLock { $0 } }
    }
}
