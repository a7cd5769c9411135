// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import CMalloc
import FoundationEssentials
import HCIRadio
import Synchronization
import VirtualRadio

/// Beacons on a virtual air, each with a central that finds it, connects, discovers, reads, writes and disconnects,
/// many times. A round mostly waits for advertising and connection events; several pairs take little longer than one.
///
/// It prints the use of memory and descriptors after each of several numbers of rounds. It is a separate process
/// because test libraries record every thrown error, including those that end a sleep.
struct Rounds {
    private static let pairs = 4
    private static let timeout = Duration.seconds(5)
    private static let value = BluetoothUUID.bit16(0xFFF1)

    private let central: Central
    /// The service of the beacon.
    private let service: BluetoothUUID

    static func run(_ counts: [Int]) async throws {
        let air = VirtualAirRadio(
            VirtualAirOptions(timing: .immediate, servers: [.local()]))
        let services = (0..<pairs).map { 0xFFE0 + UInt16($0) }
        let port = try await advertise(services, on: air)
        let pairs = services.map { service in
            Rounds(
                central: Central(radio: HCIRadio(.tcp(host: "127.0.0.1", port: port))), service: .bit16(service))
        }
        for pair in pairs { try await pair.central.open() }
        for count in counts {
            try await perform(0..<count, with: pairs)
            print(try await Usage.atRest())
        }
        for pair in pairs { await pair.central.close() }
        await air.close()
    }

    /// Divides the rounds among the pairs.
    private static func perform(_ numbers: Range<Int>, with pairs: [Rounds]) async throws {
        try await withThrowingTaskGroup { group in
            for (index, pair) in pairs.enumerated() {
                group.addTask {
                    for number in numbers where number % pairs.count == index { try await pair.perform(number) }
                }
            }
            try await group.waitForAll()
        }
    }

    struct Failure: Error { let message: String }

    private func perform(_ number: Int) async throws {
        let timeout = Self.timeout
        let peripheral = try await central.find(ScanOptions(services: [service]), timeout: timeout)
        try await peripheral.connect(timeout: timeout)
        let found = try await peripheral.discoverService(service, timeout: timeout)
        let characteristic = try await found.discoverCharacteristic(Self.value, timeout: timeout)
        let bytes = [UInt8(number & 0xFF), UInt8(number >> 8 & 0xFF)]
        try await characteristic.write(bytes, timeout: timeout)
        guard try await characteristic.read(timeout: timeout) == bytes else {
            throw Failure(message: "round \(number): another value")
        }
        await peripheral.disconnect()
        guard peripheral.state == .disconnected(.requested) else {
            throw Failure(message: "round \(number): \(peripheral.state)")
        }
    }

    /// Starts beacons, each with a service that has one value.
    /// - Returns: the port that the air listens on.
    private static func advertise(_ services: [UInt16], on air: VirtualAirRadio) async throws -> Int {
        let characteristic = GATTCharacteristic(uuid: value, properties: [.read, .write])
        let beacons = services.map { service in
            HostedBeacon(
                identifier: BeaconIdentifier("beacon-\(service)"),
                services: [GATTService(uuid: .bit16(service), characteristics: [characteristic])],
                advertisement: Advertisement(
                    pdu: .connectableScannable,
                    advertisingData: [.flags(.beacon), .serviceUUIDs16([service], isComplete: true)],
                    interval: AdvertisingInterval(32)))
        }
        let stored = Stored()
        let capabilities = try await air.open(beacons, waits: false) { request in
            switch request.operation {
            case .read(let offset): return .success(Array(stored[request.beacon].dropFirst(offset)))
            case .write(_, let value):
                stored[request.beacon] = value
                return .success([])
            }
        }
        for beacon in beacons { await air.advertise(beacon.advertisement, for: beacon.identifier) }
        Task { for await _ in air.events {} }
        guard let port = capabilities.servers.first?.split(separator: ":").last.flatMap({ Int($0) }) else {
            throw Failure(message: "the air is not served")
        }
        return port
    }

    private final class Stored: Sendable {
        private let state = Mutex<[BeaconIdentifier: [UInt8]]>([:])

        subscript(beacon: BeaconIdentifier) -> [UInt8] {
            get { state.withLock { $0[beacon, default: []] } }
            set { state.withLock { $0[beacon] = newValue } }
        }
    }
}

/// The resources of this process: bytes of the heap in use, resident bytes, and open descriptors.
private struct Usage: CustomStringConvertible {
    let heap: Int
    let resident: Int
    let descriptors: Int

    /// Measures after all timers have expired: a cancelled sleep stays in the queue until its time.
    static func atRest() async throws -> Usage {
        try await Task.sleep(for: .seconds(11))
        // Free memory of the heap is resident as well, and its size depends on the scheduling.
        malloc_trim(0)
        return now
    }

    private static var now: Usage {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        return Usage(heap: Int(mallinfo2().uordblks), resident: pages * 4096, descriptors: descriptors)
    }

    var description: String { "\(heap) \(resident) \(descriptors)" }
}
