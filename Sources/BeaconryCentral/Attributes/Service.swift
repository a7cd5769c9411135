// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth
import Radio

/// A primary service of a device; valid while the connection over which it was discovered lasts.
public struct Service: Sendable {
    /// Its device.
    public let peripheral: Peripheral
    private let remote: RemoteService
    private let connection: Connection

    init(_ remote: RemoteService, of peripheral: Peripheral, on connection: Connection) {
        self.remote = remote
        self.peripheral = peripheral
        self.connection = connection
    }

    /// Its type.
    public var uuid: BluetoothUUID { remote.uuid }

    /// The handles from its declaration to its last attribute.
    public var handles: ClosedRange<AttributeHandle> { remote.handles }

    /// Discovers its characteristics: all, or only the characteristics of some types.
    public func discoverCharacteristics(
        _ types: [BluetoothUUID]? = nil, timeout: Duration = Central.defaultTimeout
    ) async throws(CentralError) -> [Characteristic] {
        let found = try await connection.perform(
            "discover the characteristics of service \(uuid) of \(peripheral.address)", timeout: timeout
        ) { [remote] link throws(RemoteError) in
            try await link.discoverCharacteristics(of: remote)
        }
        return found.filter { types?.contains($0.uuid) ?? true }
            .map { Characteristic($0, of: self, on: connection) }
    }

    /// Discovers its first characteristic of a type.
    /// - Throws: `CentralError` `.notFound` if there is none.
    public func discoverCharacteristic(
        _ type: BluetoothUUID, timeout: Duration = Central.defaultTimeout
    ) async throws(CentralError) -> Characteristic {
        guard let characteristic = try await discoverCharacteristics([type], timeout: timeout).first else {
            throw CentralError(
                .notFound("characteristic \(type) in service \(uuid)"),
                operation: "find characteristic \(type) of \(peripheral.address)")
        }
        return characteristic
    }
}
