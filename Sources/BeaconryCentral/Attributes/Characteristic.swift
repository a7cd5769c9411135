// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth
import Radio

/// A characteristic of a device; valid while the connection over which it was discovered lasts.
public struct Characteristic: Sendable {
    /// Its service.
    public let service: Service
    private let remote: RemoteCharacteristic
    private let connection: Connection

    init(_ remote: RemoteCharacteristic, of service: Service, on connection: Connection) {
        self.remote = remote
        self.service = service
        self.connection = connection
    }

    /// Its type.
    public var uuid: BluetoothUUID { remote.uuid }
    /// The operations that its value supports.
    public var properties: CharacteristicProperties { remote.properties }
    /// Its device.
    public var peripheral: Peripheral { service.peripheral }
    /// The handle of its value.
    public var handle: AttributeHandle { remote.value }

    /// Reads its whole value, of any length.
    ///
    /// Notifications that arrive meanwhile go to `notifications()`.
    public func read(timeout: Duration = Central.defaultTimeout) async throws(CentralError) -> [UInt8] {
        try require(.read, "read", for: "read")
        return try await connection.perform(clause("read"), timeout: timeout) { [remote] link throws(RemoteError) in
            try await link.read(remote.value)
        }
    }

    /// Writes its whole value, of any length, and waits for the device's response.
    public func write(
        _ value: [UInt8], timeout: Duration = Central.defaultTimeout
    ) async throws(CentralError) {
        try require(.write, "write", for: "write")
        try await connection.perform(clause("write"), timeout: timeout) { [remote] link throws(RemoteError) in
            try await link.write(value, to: remote.value)
        }
    }

    /// Writes a value that fits into one packet (`Peripheral.maximumTransmissionUnit` less 3 bytes), without
    /// a response.
    public func writeWithoutResponse(
        _ value: [UInt8], timeout: Duration = Central.defaultTimeout
    ) async throws(CentralError) {
        try require(.writeWithoutResponse, "write without response", for: "write")
        try await connection.perform(clause("write"), timeout: timeout) { [remote] link throws(RemoteError) in
            try await link.writeWithoutResponse(value, to: remote.value)
        }
    }

    /// The values that the device notifies, or indicates if it does not notify.
    ///
    /// It subscribes when iteration begins, and unsubscribes when the last consumer has ended: values that the device notifies before
    /// the first `next()` are missed. `subscribe()` subscribes at once.
    /// - Parameter timeout: the time limit of the subscription; there is none for the values.
    public func notifications(timeout: Duration = Central.defaultTimeout) -> Notifications {
        Notifications(of: self, timeout: timeout)
    }

    /// Subscribes, and returns when the device notifies: no later value is missed.
    ///
    /// ```swift
    /// let levels = try await level.subscribe()
    /// try await write(1)
    /// for try await value in levels { … }
    /// ```
    /// - Parameter timeout: the time limit of the subscription; there is none for the values.
    /// - Returns: the values from now on, for one consumer. It unsubscribes when they are not referred to any more, or when their
    ///   consumer has ended.
    public func subscribe(timeout: Duration = Central.defaultTimeout) async throws(CentralError) -> Notifications {
        Notifications(of: self, timeout: timeout, try await listen(timeout: timeout))
    }

    /// Subscribes, for `Notifications`.
    func listen(timeout: Duration) async throws(CentralError) -> Subscriptions.Values {
        if properties.isDisjoint(with: [.notify, .indicate]) {
            throw CentralError(.notPermitted(missing: "notify"), operation: clause("subscribe to"))
        }
        return try await connection.notifications(of: remote, clause("subscribe to"), timeout: timeout)
    }

    /// Discovers its descriptors.
    public func discoverDescriptors(
        timeout: Duration = Central.defaultTimeout
    ) async throws(CentralError) -> [Descriptor] {
        let found = try await connection.perform(
            clause("discover the descriptors of"), timeout: timeout
        ) { [remote] link throws(RemoteError) in
            try await link.discoverDescriptors(of: remote)
        }
        return found.map { Descriptor($0, of: self, on: connection) }
    }

    private func require(
        _ property: CharacteristicProperties, _ name: String, for verb: String
    ) throws(CentralError) {
        guard properties.contains(property) else {
            throw CentralError(.notPermitted(missing: name), operation: clause(verb))
        }
    }

    /// `read 2A19 of C0:FF:EE:00:00:01 (random)`
    func clause(_ verb: String) -> String { "\(verb) \(uuid) of \(peripheral.address)" }
}
