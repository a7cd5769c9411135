// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import CMalloc
import FoundationEssentials
import HCIRadio
import Synchronization
import VirtualRadio

/// A beacon on a virtual air and a central that finds it, connects, discovers, reads, writes and disconnects, many times.
///
/// It prints what this process has of the system, after so many rounds and after so many more. Nothing else is in the
/// process: test libraries keep a record of every error that is thrown, also of those that end a sleep.
struct Rounds {
    private static let service = BluetoothUUID.bit16(0xFFF0)
    private static let timeout = Duration.seconds(5)
    private static let value = BluetoothUUID.bit16(0xFFF1)

    private let central: Central

    static func run(_ first: Int, _ more: Int) async throws {
        let air = HCIRadio(
            virtual: VirtualAirOptions(timing: .immediate, servers: [.tcp(host: "127.0.0.1", port: 0)]))
        let port = try await advertise(on: air)
        let rounds = Rounds(central: Central(radio: HCIRadio(.tcp(host: "127.0.0.1", port: port))))
        try await rounds.central.open()
        for number in 0..<first { try await rounds.perform(number) }
        print(try await Usage.atRest())
        for number in 0..<more { try await rounds.perform(number) }
        print(try await Usage.atRest())
        await rounds.central.close()
        await air.close()
    }

    struct Failure: Error { let message: String }

    private func perform(_ number: Int) async throws {
        let timeout = Self.timeout
        let peripheral = try await central.find(ScanOptions(services: [Self.service]), timeout: timeout)
        try await peripheral.connect(timeout: timeout)
        let service = try await peripheral.discoverService(Self.service, timeout: timeout)
        let characteristic = try await service.discoverCharacteristic(Self.value, timeout: timeout)
        let octets = [UInt8(number & 0xFF), UInt8(number >> 8 & 0xFF)]
        try await characteristic.write(octets, timeout: timeout)
        guard try await characteristic.read(timeout: timeout) == octets else {
            throw Failure(message: "round \(number): another value")
        }
        await peripheral.disconnect()
        guard peripheral.state == .disconnected(.requested) else {
            throw Failure(message: "round \(number): \(peripheral.state)")
        }
    }

    /// Puts a beacon on the air that keeps one value.
    /// - Returns: the port at which the air is served.
    private static func advertise(on air: HCIRadio) async throws -> Int {
        let characteristic = GATTCharacteristic(uuid: value, properties: [.read, .write])
        let beacon = PlannedBeacon(
            identifier: BeaconIdentifier("a"),
            services: [GATTService(uuid: service, characteristics: [characteristic])],
            advertisement: Advertisement(
                pdu: .connectableScannable,
                advertisingData: [.flags(.beacon), .serviceUUIDs16([0xFFF0], isComplete: true)],
                interval: AdvertisingInterval(32)))
        let stored = Stored()
        let capabilities = try await air.open([beacon], waits: false) { request in
            switch request.operation {
            case .read(let offset): return .success(Array(stored.value.dropFirst(offset)))
            case .write(_, let value):
                stored.value = value
                return .success([])
            }
        }
        await air.advertise(beacon.advertisement, for: beacon.identifier)
        Task { for await _ in air.events {} }
        guard let port = capabilities.servers.first?.split(separator: ":").last.flatMap({ Int($0) }) else {
            throw Failure(message: "the air is not served")
        }
        return port
    }

    private final class Stored: Sendable {
        private let state = Mutex<[UInt8]>([])
        var value: [UInt8] {
            get { state.withLock(\.self) }
            set { state.withLock { $0 = newValue } }
        }
    }
}

/// What this process has of the system: octets of the heap that are in use, resident octets, and open descriptors.
private struct Usage: CustomStringConvertible {
    let heap: Int
    let resident: Int
    let descriptors: Int

    /// When all timers have run out: a sleep that was cancelled keeps its place in the queue until its time.
    static func atRest() async throws -> Usage {
        try await Task.sleep(for: .seconds(11))
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
