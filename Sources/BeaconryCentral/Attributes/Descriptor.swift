// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth
import Radio

/// A descriptor of a characteristic; valid while the connection over which it was discovered lasts.
public struct Descriptor: Sendable {
    /// Its characteristic.
    public let characteristic: Characteristic
    private let remote: RemoteDescriptor
    private let connection: Connection

    init(_ remote: RemoteDescriptor, of characteristic: Characteristic, on connection: Connection) {
        self.remote = remote
        self.characteristic = characteristic
        self.connection = connection
    }

    /// Its type.
    public var uuid: BluetoothUUID { remote.uuid }
    /// Its handle.
    public var handle: AttributeHandle { remote.handle }

    /// Reads its whole value, of any length.
    public func read(timeout: Duration = Central.defaultTimeout) async throws(CentralError) -> [UInt8] {
        try await connection.perform(clause("read"), timeout: timeout) { [remote] link throws(RemoteError) in
            try await link.read(remote.handle)
        }
    }

    /// Writes its whole value, and waits for the device's response.
    ///
    /// `Characteristic.notifications()` writes the client characteristic configuration descriptor (2902).
    public func write(
        _ value: [UInt8], timeout: Duration = Central.defaultTimeout
    ) async throws(CentralError) {
        try await connection.perform(clause("write"), timeout: timeout) { [remote] link throws(RemoteError) in
            try await link.write(value, to: remote.handle)
        }
    }

    private func clause(_ verb: String) -> String {
        characteristic.clause("\(verb) descriptor \(uuid) of")
    }
}
