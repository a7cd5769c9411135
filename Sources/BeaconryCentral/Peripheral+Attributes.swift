// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore
import Radio

extension Peripheral {
    /// Finds primary services: all, or those of some types only, which takes less time.
    public func discoverServices(
        _ types: [BluetoothUUID]? = nil, timeout: Duration = Central.defaultTimeout
    ) async throws(CentralError) -> [Service] {
        let operation = "discover the services of \(address)"
        let connection = try connection(for: operation)
        let found = try await connection.perform(operation, timeout: timeout) { link throws(RemoteError) in
            try await link.discoverServices(types)
        }
        return found.map { Service($0, of: self, on: connection) }
    }

    /// Finds the first primary service of a type.
    /// - Throws: `CentralError` `.notFound` when the device has none.
    public func discoverService(
        _ type: BluetoothUUID, timeout: Duration = Central.defaultTimeout
    ) async throws(CentralError) -> Service {
        guard let service = try await discoverServices([type], timeout: timeout).first else {
            throw CentralError(.notFound("service \(type)"), operation: "find service \(type) of \(address)")
        }
        return service
    }

    /// How strongly the device is heard over the connection.
    public func readRSSI(timeout: Duration = Central.defaultTimeout) async throws(CentralError) -> RSSI {
        let operation = "measure the signal of \(address)"
        let connection = try connection(for: operation)
        // The radio measures it: no word of the device is waited for.
        return try await connection.perform(operation, timeout: timeout, isInTurn: false) { link throws(RemoteError) in
            try await link.readRSSI()
        }
    }

    /// The longest attribute protocol PDU that both take, in octets: 23 or more. A value of three octets less fits into
    /// one packet.
    public func maximumTransmissionUnit(
        timeout: Duration = Central.defaultTimeout
    ) async throws(CentralError) -> Int {
        let operation = "agree with \(address) on the longest packet"
        let connection = try connection(for: operation)
        return try await connection.perform(operation, timeout: timeout) { link throws(RemoteError) in
            try await link.maximumTransmissionUnit()
        }
    }
}
