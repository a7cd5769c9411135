// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore
public import GATT

/// Something that hears advertisements and connects to those who send them.
public protocol CentralRadio: Sendable {
    /// Its name, as `--radio` takes it.
    var name: String { get }

    /// Claims the radio for receiving.
    /// - Parameter waits: whether to wait for a radio that is not usable yet instead of failing.
    /// - Throws: `RadioError` when it is not usable.
    func openCentral(waits: Bool) async throws(RadioError) -> RadioCapabilities

    /// Listens. There is one scan at a time: another one replaces it, and ends its stream.
    ///
    /// A consumer that falls 4,096 sightings behind loses the oldest. The stream ends with `stopScanning()` or the radio.
    func scan(_ settings: ScanSettings) async throws(RadioError) -> AsyncStream<Sighting>

    /// Ends the scan.
    func stopScanning() async

    /// Connects to a device that advertises.
    /// - Throws: `RadioError` `.refused` when it does not come about in time.
    func connect(to device: RemoteAddress, timeout: Duration) async throws(RadioError) -> any RemoteLink

    /// Ends all connections and gives the radio back.
    func close() async
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

/// An advertisement that was heard once.
public struct Sighting: Hashable, Sendable {
    /// What was heard (Core 5.4, Vol 6, Part B, 2.3).
    public enum PDU: String, Hashable, Sendable {
        case connectableScannable = "ADV_IND"
        case directed = "ADV_DIRECT_IND"
        case scannable = "ADV_SCAN_IND"
        case nonConnectable = "ADV_NONCONN_IND"
        case scanResponse = "SCAN_RSP"
        case extended = "ADV_EXT_IND"
        case extendedScanResponse = "AUX_SCAN_RSP"
    }

    /// Who sent it.
    public let device: RemoteAddress
    /// Which PDU.
    public let pdu: PDU
    /// Its data as heard, which need not be well-formed.
    public let data: [UInt8]
    /// The received strength; `nil` when the radio does not know.
    public let rssi: Int8?

    /// A sighting of these values.
    public init(device: RemoteAddress, pdu: PDU, data: [UInt8], rssi: Int8?) {
        self.device = device
        self.pdu = pdu
        self.data = data
        self.rssi = rssi
    }
}

/// A connection to a device, as its central.
public protocol RemoteLink: Sendable {
    /// The device.
    var device: RemoteAddress { get }

    /// Values that the device notifies or indicates, in order; the stream ends with the connection.
    var notifications: AsyncStream<RemoteNotification> { get }

    /// Finds all primary services.
    func discoverServices() async throws(RemoteError) -> [RemoteService]
    /// Finds the characteristics of a service.
    func discoverCharacteristics(of service: RemoteService) async throws(RemoteError) -> [RemoteCharacteristic]
    /// Reads a whole value, however long.
    func read(_ characteristic: RemoteCharacteristic) async throws(RemoteError) -> [UInt8]
    /// Writes a whole value, however long, and waits for the device's word on it.
    func write(_ value: [UInt8], to characteristic: RemoteCharacteristic) async throws(RemoteError)
    /// Writes a value that fits into one packet; nobody says whether it arrived.
    func writeWithoutResponse(_ value: [UInt8], to characteristic: RemoteCharacteristic) async throws(RemoteError)
    /// Asks for notifications, or indications where there are none, or for neither.
    func setNotifying(_ isNotifying: Bool, for characteristic: RemoteCharacteristic) async throws(RemoteError)
    /// Ends the connection, and returns when it is gone.
    func disconnect() async
}

/// A value that a device told.
public struct RemoteNotification: Hashable, Sendable {
    /// The characteristic's value handle.
    public let handle: AttributeHandle
    /// The value.
    public let value: [UInt8]

    /// A value of the characteristic with this value handle.
    public init(handle: AttributeHandle, value: [UInt8]) {
        self.handle = handle
        self.value = value
    }
}

/// A primary service of a device.
public struct RemoteService: Hashable, Sendable {
    /// Its type.
    public let uuid: BluetoothUUID
    /// The handles from its declaration to its last attribute.
    public let handles: ClosedRange<AttributeHandle>

    /// A service of this type in these handles.
    public init(uuid: BluetoothUUID, handles: ClosedRange<AttributeHandle>) {
        self.uuid = uuid
        self.handles = handles
    }
}

/// A characteristic of a device.
public struct RemoteCharacteristic: Hashable, Sendable {
    /// Its type.
    public let uuid: BluetoothUUID
    /// What can be done with its value.
    public let properties: CharacteristicProperties
    /// The handle of its declaration.
    public let declaration: AttributeHandle
    /// The handle of its value.
    public let value: AttributeHandle
    /// Its last handle.
    public let end: AttributeHandle

    /// A characteristic of this type in these handles.
    public init(
        uuid: BluetoothUUID, properties: CharacteristicProperties, declaration: AttributeHandle,
        value: AttributeHandle, end: AttributeHandle
    ) {
        self.uuid = uuid
        self.properties = properties
        self.declaration = declaration
        self.value = value
        self.end = end
    }
}

/// Why something with a device's attributes did not come about.
public enum RemoteError: Error, Hashable, Sendable {
    /// The device refused it.
    case refused(ATTError)
    /// The connection is gone; the reason is a clause for people.
    case disconnected(String)
    /// It cannot be asked, or the device answered what cannot be; the reason is a clause for people.
    case impossible(String)
}
