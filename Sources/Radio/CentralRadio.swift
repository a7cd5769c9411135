// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// Something that hears advertisements and connects to those who send them.
public protocol CentralRadio: Sendable {
    /// Its name, as `--radio` takes it.
    var name: String { get }

    /// Has the central's bonds kept, and makes it somebody whom devices know again: it connects from an address of its
    /// own that follows from its name. It is called before `openCentral`. Radios whose bonds others keep do without.
    func keepBonds(with keeper: any BondStore, as central: BeaconIdentifier) async

    /// Claims the radio for receiving.
    /// - Parameter waits: whether to wait for a radio that is not usable yet instead of failing.
    /// - Throws: `RadioError` when it is not usable.
    func openCentral(waits: Bool) async throws(RadioError) -> ReceivingCapabilities

    /// Whether the radio can be used: how it is now, and each change. The stream ends with `close()`.
    ///
    /// A consumer that falls behind misses what came between, never the latest.
    func states() async -> AsyncStream<CentralRadioState>

    /// Listens. There is one scan at a time: another one replaces it, and ends its stream.
    ///
    /// A consumer that falls 4,096 sightings behind loses the oldest. The stream ends with `stopScanning()` or the radio.
    func scan(_ settings: ScanSettings) async throws(RadioError) -> AsyncStream<Sighting>

    /// Ends the scan.
    func stopScanning() async

    /// Connects to a device that advertises. When the task is cancelled, the attempt is taken back.
    /// - Throws: `RadioError` `.refused` when it does not come about in time.
    func connect(to device: RemoteAddress, timeout: Duration) async throws(RadioError) -> any RemoteLink

    /// Forgets the keys that were made with a device, where the radio has them.
    func forgetBond(with device: RemoteAddress) async

    /// Has attributes for the devices that are connected to from now on; `nil` for none. A device that is connected
    /// already, and had any, is told that they changed.
    /// - Throws: `RadioError` `.unsupported` where the radio cannot.
    func serve(_ attributes: ServedAttributes?) async throws(RadioError)

    /// Ends all connections and gives the radio back.
    func close() async
}

extension CentralRadio {
    public func keepBonds(with keeper: any BondStore, as central: BeaconIdentifier) async {}

    public func forgetBond(with device: RemoteAddress) async {}

    /// Refuses: most radios let a central have no attributes of its own.
    public func serve(_ attributes: ServedAttributes?) async throws(RadioError) {
        guard attributes != nil else { return }
        throw RadioError(
            .unsupported, "\(name) cannot serve attributes to the devices that it connects to",
            hint: RadioError.useOwnHost)
    }
}

/// Whether a radio can be used for receiving.
public enum CentralRadioState: Hashable, Sendable {
    /// It can.
    case ready
    /// It cannot for now; scans and connections have ended.
    case unavailable(RadioError)
}

/// A device's address, as it is on the air.
public struct RemoteAddress: Hashable, Sendable, CustomStringConvertible {
    /// The six octets.
    public let address: BluetoothAddress
    /// Whether it is a random one, not a public one.
    public let isRandom: Bool

    /// An address of this kind.
    public init(_ address: BluetoothAddress, isRandom: Bool) {
        self.address = address
        self.isRandom = isRandom
    }

    /// `C0:FF:EE:00:00:01 (random)`
    public var description: String { "\(address) (\(isRandom ? "random" : "public"))" }
}

/// How to listen.
public struct ScanSettings: Hashable, Sendable {
    /// Whether to ask scannable advertisers for their scan response.
    public var isActive: Bool
    /// The time from one scan window to the next: 2.5 ms to 10.24 s.
    public var interval: AdvertisingInterval
    /// How long of each interval to listen; at most the interval.
    public var window: AdvertisingInterval
    /// Whether the radio may tell of each advertiser once only.
    public var filtersDuplicates: Bool

    /// Listening without a pause, 100 ms a channel, unless said otherwise.
    public init(
        isActive: Bool = true, interval: AdvertisingInterval = AdvertisingInterval(160),
        window: AdvertisingInterval = AdvertisingInterval(160), filtersDuplicates: Bool = false
    ) {
        self.isActive = isActive
        self.interval = interval
        self.window = window
        self.filtersDuplicates = filtersDuplicates
    }
}
