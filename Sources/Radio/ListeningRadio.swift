// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import Space

/// A radio on whose air receivers of this process scan, each with a name, a place and a controller of its own.
///
/// On other radios, the receiver is the adapter (`CentralRadio`).
package protocol ListeningRadio: PeripheralRadio {
    /// The seed of what chance adds on the air.
    var seed: UInt64 { get }

    /// Adds a receiver, which does not scan yet.
    /// - Parameters:
    ///   - motion: how it moves; `nil` is 1 m from every beacon.
    ///   - hardware: the hardware of its receiver.
    /// - Throws: `RadioError` `.refused` if something on the air has the name, or there are too many; or if the air is closed.
    func addListener(_ name: String, motion: Motion?, hardware: ReceiverHardware) async throws(RadioError)

    /// Starts the scan of a receiver; the former one ends (see `CentralRadio.scan`).
    /// - Throws: `RadioError` `.refused` for settings out of range, or if there is no receiver of this name.
    func scan(_ parameters: ScanParameters, as listener: String) async throws(RadioError) -> AsyncStream<Sighting>

    /// The same with a sink (see `DirectCentralRadio`).
    func scan(_ parameters: ScanParameters, as listener: String, to sink: SightingSink) async throws(RadioError)

    /// Ends the scan of a receiver.
    func stopScanning(as listener: String) async

    /// Connects a receiver to a device (see `CentralRadio.connect`).
    /// - Throws: `RadioError` `.refused` also if there is no receiver of this name.
    func connect(
        to device: RemoteAddress, as listener: String, timeout: Duration
    ) async throws(RadioError) -> any RemoteLink

    /// Removes a receiver, its scan and its connections.
    func removeListener(_ name: String) async
}

extension ListeningRadio {
    /// Adds a receiver with the hardware of an ideal one.
    package func addListener(_ name: String, motion: Motion?) async throws(RadioError) {
        try await addListener(name, motion: motion, hardware: ReceiverHardware())
    }
}

extension String {
    /// The name on the air of the receiver of this process that is beside the hosts of a server with this name. It is not a name that
    /// anything else can have.
    package var besideHosts: String { self + Self.beside }

    /// The name of the server beside whose hosts a receiver is; `nil` for the name of anything else.
    package var serverOfHosts: String? {
        hasSuffix(Self.beside) ? String(dropLast(Self.beside.count)) : nil
    }

    private static let beside = "/phone"
}
