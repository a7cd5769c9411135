// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth
package import Space

/// A radio that receives advertisements and connects to devices.
///
/// What only some radios can do has a protocol of its own below; ask for it with `as?`.
public protocol CentralRadio: Sendable {
    /// The name, as `--radio` takes it.
    var name: String { get }

    /// Claims the radio for receiving. A radio that is open already returns its capabilities again.
    /// - Parameter waits: whether to wait for a radio that is not usable yet instead of failing.
    /// - Throws: `RadioError` if it is not usable.
    func openCentral(waits: Bool) async throws(RadioError) -> ReceivingCapabilities

    /// The state of the radio: the current one, then each change. The stream ends with `close()`.
    ///
    /// A slow consumer misses intermediate states, never the latest.
    func states() async -> AsyncStream<CentralRadioState>

    /// Starts a scan. There is one at a time: another one replaces it, and ends its stream.
    ///
    /// A consumer that falls 4,096 sightings behind loses the oldest. The stream ends with `stopScanning()` or the radio.
    /// - Throws: `RadioError`: why the radio is unavailable, as in `states()`; `.refused` for settings out of range.
    func scan(_ settings: ScanParameters) async throws(RadioError) -> AsyncStream<Sighting>

    /// Ends the scan.
    func stopScanning() async

    /// Connects to a device that advertises. Cancelling the task cancels the attempt.
    /// - Throws: `RadioError`: why the radio is unavailable; `.refused` if there is no connection in time.
    func connect(to device: RemoteAddress, timeout: Duration) async throws(RadioError) -> any RemoteLink

    /// Ends all connections and releases the radio.
    func close() async
}

/// What gets the sightings of a scan, on the executor of its radio.
package struct SightingSink: Sendable {
    /// Called with each sighting.
    package let receive: @Sendable (Sighting) -> Void
    /// Called once, when the scan has ended: it was stopped or replaced, or the radio has ended it.
    package let end: @Sendable () -> Void

    /// A sink of these functions.
    package init(receive: @escaping @Sendable (Sighting) -> Void, end: @escaping @Sendable () -> Void) {
        self.receive = receive
        self.end = end
    }
}

/// A radio that passes on the sightings of a scan without a stream, which costs a change of tasks for each.
package protocol DirectCentralRadio: CentralRadio {
    /// Starts a scan, as `scan(_:)` does.
    /// - Throws: `RadioError` `.refused` for settings out of range.
    func scan(_ settings: ScanParameters, to sink: SightingSink) async throws(RadioError)
}

/// A radio that has warnings about its scans.
package protocol WarningCentralRadio: CentralRadio {
    /// What became known after a scan had begun. It ends with `close()`, and has one consumer.
    nonisolated var scanWarnings: AsyncStream<Warning> { get }
}

/// A radio that can forget a bond with a device.
public protocol BondingCentralRadio: CentralRadio {
    /// Forgets the keys of the bond with a device, if there is one.
    func forgetBond(with device: RemoteAddress) async
}

/// A radio that stores the central's bonds in this process. Other radios leave them to bluetoothd.
public protocol BondStoringCentralRadio: BondingCentralRadio {
    /// Sets the store of the central's bonds, and its identity: it connects from an address that is derived from its name,
    /// so that devices recognise it. Call it before `openCentral`.
    func storeBonds(in store: any BondStore, as central: BeaconIdentifier) async
}

/// A radio whose central may be at a place on a virtual air.
package protocol PlaceableCentralRadio: CentralRadio {
    /// Sets where its host is. Call it before `openCentral`.
    func place(at position: Position) async
    /// Whether its controller is there: `false` for one that is not on a virtual air of Beaconry.
    var isPlaced: Bool { get async }
}

/// A radio whose central can be a GATT server for the devices that it connects to.
package protocol ServingRadio: CentralRadio {
    /// Sets the attributes for the devices of future connections; `nil` for none. Devices that are connected already, and
    /// had attributes before, are notified of the change.
    /// - Throws: `RadioError` `.cannotCarry` or `.refused`.
    func serve(_ attributes: ServedAttributes?) async throws(RadioError)
}

/// Whether a radio can be used for receiving.
public enum CentralRadioState: Hashable, Sendable {
    /// It is usable.
    case ready
    /// It is not usable now; scans and connections have ended.
    case unavailable(RadioError)
}
