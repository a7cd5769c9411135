// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth
import Concurrency
import Radio

/// Configures IoT Design Shop beacons as their app does: scan by service, connect, discover, read all, write what differs
/// with response, read back, disconnect.
public struct BeaconConfigurator: Sendable {
    /// How a beacon is identified.
    public enum Target: Hashable, Sendable, CustomStringConvertible {
        /// By its address.
        case address(BluetoothAddress)
        /// By the name that it advertises, complete or shortened.
        case name(String)

        /// The address in a text, or the text as a name if it is not an address.
        public init(_ text: String) { self = BluetoothAddress(text).map { .address($0) } ?? .name(text) }

        /// The address or the name.
        public var description: String {
            switch self {
            case .address(let address): "\(address)"
            case .name(let name): name
            }
        }
    }

    /// A step of the configuration.
    public enum Step: Hashable, Sendable {
        /// Waiting for the beacon's advertisement.
        case searching
        /// Connecting, and discovering the service.
        case connecting
        /// Reading the settings.
        case reading
        /// Writing the settings that differ, and reading them back.
        case writing
        /// An attempt failed for this reason; another one follows.
        case retrying(CentralError)
    }

    /// The result of a configuration.
    public struct Outcome: Hashable, Sendable {
        /// The beacon.
        public let device: RemoteAddress
        /// The name that it advertises; `nil` for none.
        public let name: String?
        /// The settings before.
        public let before: IoTDesignShopClient.Settings
        /// The settings after.
        public let after: IoTDesignShopClient.Settings
    }

    /// The time after the first beacon of a name during which others of that name are detected.
    private static let namesakes = Duration.seconds(1)
    private static let pause = Duration.milliseconds(500)

    private let central: Central
    private let timeout: Duration
    private let attempts: Int
    private let progress: @Sendable (Target, Step) -> Void

    /// - Parameters:
    ///   - central: an open central.
    ///   - timeout: the time limit of each step.
    ///   - attempts: the number of attempts, at least one, for failures that may be temporary.
    ///   - progress: called before each step.
    public init(
        _ central: Central, timeout: Duration = Central.defaultTimeout, attempts: Int = 1,
        progress: @escaping @Sendable (Target, Step) -> Void = { _, _ in }
    ) {
        self.central = central
        self.timeout = timeout
        self.attempts = max(1, attempts)
        self.progress = progress
    }

    /// Reads a beacon's settings.
    public func read(_ target: Target) async throws(CentralError) -> Outcome {
        try await configure(target, SettingsChange())
    }

    /// Applies settings to a beacon. Settings that it has already are not written.
    /// - Throws: `CentralError`; it is unknown which settings were written then. Repeating the call is safe.
    public func configure(_ target: Target, _ change: SettingsChange) async throws(CentralError) -> Outcome {
        var attempt = 1
        while true {
            do throws(CentralError) {
                return try await configureOnce(target, change)
            } catch {
                guard attempt < attempts, error.mayPass, !Task.isCancelled else { throw error }
                attempt += 1
                progress(target, .retrying(error))
                try? await Simulation.clock.sleep(for: Self.pause)
            }
        }
    }

    private func configureOnce(_ target: Target, _ change: SettingsChange) async throws(CentralError) -> Outcome {
        progress(target, .searching)
        let peripheral = try await find(target)
        progress(target, .connecting)
        let client = try await IoTDesignShopClient(peripheral, timeout: timeout)
        do throws(CentralError) {
            let outcome = try await configure(client, target, change)
            await client.close()
            return outcome
        } catch {
            await client.close()
            throw error
        }
    }

    private func configure(
        _ client: IoTDesignShopClient, _ target: Target, _ change: SettingsChange
    ) async throws(CentralError) -> Outcome {
        progress(target, .reading)
        let before = try await client.read()
        let wanted = change.applied(to: before)
        if wanted != before {
            progress(target, .writing)
            try await client.write(wanted)
        }
        return Outcome(
            device: client.peripheral.address, name: client.peripheral.name, before: before, after: wanted)
    }

    // MARK: - Finding

    private func find(_ target: Target) async throws(CentralError) -> Peripheral {
        let first = try await find(target, within: timeout) { _ in true }
        guard case .name = target else { return first }
        guard let other = try? await find(target, within: Self.namesakes, where: { $0 != first.address }) else {
            return first
        }
        throw CentralError(
            .invalidValue("\(first.address) and \(other.address) both have this name; write the address"),
            operation: "find the beacon \(target)")
    }

    private func find(
        _ target: Target, within timeout: Duration, where condition: @escaping @Sendable (RemoteAddress) -> Bool
    ) async throws(CentralError) -> Peripheral {
        var options = ScanOptions { Self.matches($0, target) && condition($0.peripheral.address) }
        // Names need not be unique; addresses are.
        if case .name = target { options.services = [IoTDesignShopService.uuid] }
        do throws(CentralError) {
            return try await central.find(options, timeout: timeout)
        } catch {
            throw CentralError(error.reason, operation: "find the beacon \(target)")
        }
    }

    private static func matches(_ discovery: Discovery, _ target: Target) -> Bool {
        switch target {
        case .address(let address): discovery.peripheral.address.address == address
        case .name(let name): discovery.advertisement.localName == name
        }
    }
}

extension CentralError {
    /// Whether another attempt may succeed.
    fileprivate var mayPass: Bool {
        switch reason {
        case .timedOut, .disconnected, .notAsWritten, .impossible, .notConnected: true
        case .radio(let error): error.code == .refused
        case .refused, .notPermitted, .notFound, .invalidValue, .notPaired, .cancelled: false
        }
    }
}
