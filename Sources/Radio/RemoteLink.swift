// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth
public import BluetoothCore

/// A connection to a device, whose attributes are used: as its central, or as a peripheral that a central is connected to.
public protocol RemoteLink: Sendable {
    /// The device.
    var device: RemoteAddress { get }

    /// Values that the device notifies or indicates, in order; the stream ends with the connection.
    var notifications: AsyncStream<RemoteNotification> { get }

    /// The longest attribute protocol PDU that both take, in octets: 23 or more.
    func maximumTransmissionUnit() async throws(RemoteError) -> Int
    /// How strongly the device is heard.
    func readRSSI() async throws(RemoteError) -> RSSI
    /// Finds primary services: all, or those of some types.
    func discoverServices(_ types: [BluetoothUUID]?) async throws(RemoteError) -> [RemoteService]
    /// Finds the characteristics of a service.
    func discoverCharacteristics(of service: RemoteService) async throws(RemoteError) -> [RemoteCharacteristic]
    /// Finds the descriptors of a characteristic.
    func discoverDescriptors(of characteristic: RemoteCharacteristic) async throws(RemoteError) -> [RemoteDescriptor]
    /// Reads a whole value, however long, of a characteristic's value or a descriptor.
    func read(_ attribute: AttributeHandle) async throws(RemoteError) -> [UInt8]
    /// Writes a whole value, however long, and waits for the device's word on it.
    func write(_ value: [UInt8], to attribute: AttributeHandle) async throws(RemoteError)
    /// Writes a value that fits into one packet; nobody says whether it arrived.
    func writeWithoutResponse(_ value: [UInt8], to attribute: AttributeHandle) async throws(RemoteError)
    /// Asks for notifications, or indications where there are none, or for neither.
    func setNotifying(_ isNotifying: Bool, for characteristic: RemoteCharacteristic) async throws(RemoteError)
    /// Encrypts the connection: with the keys of a bond where there is one, else by pairing.
    /// - Parameter answer: is asked what the user must answer, and shown what the user must see.
    func pair(
        _ settings: PairingSettings, answer: @escaping @Sendable (PairingQuestion) async -> PairingAnswer
    ) async throws(PairingError) -> LinkProtection
    /// Has a central encrypt its connection to us, with a key of before or by pairing; returns at once when it is.
    func secure() async throws(RemoteError)
    /// What the device does with the attributes that the radio serves it, in order; ends with the connection.
    var served: AsyncStream<ServedEvent> { get }
    /// Answers a device's request: the value read (empty for a write), or the error that it is told.
    func respond(to request: ServedRequest, _ response: AttributeResponse) async
    /// Tells the device the value of a characteristic that is served to it, by notification or indication as it wants.
    /// - Throws: `RemoteError` when it wants neither, or takes no more for now.
    func notify(_ value: [UInt8], of characteristic: CharacteristicIdentifier) async throws(RemoteError)
    /// Returns when the connection is gone, with the reason as a clause for people; at once if it is gone already.
    func waitForEnd() async -> String
    /// Ends the connection, and returns when it is gone.
    func disconnect() async
}

extension RemoteLink {
    public func pair(
        _ settings: PairingSettings, answer: @escaping @Sendable (PairingQuestion) async -> PairingAnswer
    ) async throws(PairingError) -> LinkProtection { throw PairingError(.unsupported) }

    /// Refuses: this link cannot be encrypted on demand.
    public func secure() async throws(RemoteError) {
        throw .impossible("this radio does not pair")
    }

    /// Nothing: no attributes are served.
    public var served: AsyncStream<ServedEvent> { AsyncStream { $0.finish() } }

    /// Does nothing: no attributes are served.
    public func respond(to request: ServedRequest, _ response: AttributeResponse) async {}

    /// Refuses: no attributes are served.
    public func notify(_ value: [UInt8], of characteristic: CharacteristicIdentifier) async throws(RemoteError) {
        throw .impossible("this radio serves no attributes to the devices that it connects to")
    }
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

/// A descriptor of a characteristic.
public struct RemoteDescriptor: Hashable, Sendable {
    /// Its type.
    public let uuid: BluetoothUUID
    /// Its handle.
    public let handle: AttributeHandle

    /// A descriptor of this type with this handle.
    public init(uuid: BluetoothUUID, handle: AttributeHandle) {
        self.uuid = uuid
        self.handle = handle
    }
}

/// Why something with a device's attributes did not come about.
public enum RemoteError: Error, Hashable, Sendable {
    /// The device refused it.
    case refused(ATTError)
    /// The connection is gone; the reason is a clause for people.
    case disconnected(String)
    /// The two did not pair.
    case notPaired(PairingError)
    /// It cannot be asked, or the device answered what cannot be; the reason is a clause for people.
    case impossible(String)
}
