// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// A connection to a device whose attributes are used: as its central, or as a peripheral that a central is connected to.
///
/// What only some links can do has a protocol of its own below; ask for it with `as?`.
public protocol RemoteLink: Sendable {
    /// The device.
    var device: RemoteAddress { get }

    /// Notifications and indications received, in order; the stream ends with the connection.
    var notifications: AsyncStream<RemoteNotification> { get }

    /// The ATT_MTU of the connection, in bytes: 23 or more.
    func maximumTransmissionUnit() async throws(RemoteError) -> Int
    /// The RSSI of the device.
    func readRSSI() async throws(RemoteError) -> RSSI
    /// Discovers all primary services, or the primary services of some types.
    func discoverServices(_ types: [BluetoothUUID]?) async throws(RemoteError) -> [RemoteService]
    /// Discovers the characteristics of a service.
    func discoverCharacteristics(of service: RemoteService) async throws(RemoteError) -> [RemoteCharacteristic]
    /// Discovers the descriptors of a characteristic.
    func discoverDescriptors(of characteristic: RemoteCharacteristic) async throws(RemoteError) -> [RemoteDescriptor]
    /// Reads the whole value of a characteristic or a descriptor, of any length.
    func read(_ attribute: AttributeHandle) async throws(RemoteError) -> [UInt8]
    /// Writes a whole value, of any length, and waits for the device's response.
    func write(_ value: [UInt8], to attribute: AttributeHandle) async throws(RemoteError)
    /// Writes a value that fits into one packet, without a response.
    func writeWithoutResponse(_ value: [UInt8], to attribute: AttributeHandle) async throws(RemoteError)
    /// Subscribes to notifications, or to indications if the characteristic has only those, or ends the subscription.
    func setNotifying(_ isNotifying: Bool, for characteristic: RemoteCharacteristic) async throws(RemoteError)
    /// Returns when the connection has ended, with the reason as a clause for people; at once if it has ended already.
    func waitForEnd() async -> String
    /// Ends the connection, and returns when it has ended.
    func disconnect() async
}

/// A link that can be encrypted from this side as its central.
public protocol PairingLink: RemoteLink {
    /// Encrypts the connection: with the keys of a bond if there is one, else by pairing.
    /// - Parameter answer: called with each question for the user.
    func pair(
        _ settings: PairingSettings, answer: @escaping @Sendable (PairingQuestion) async -> PairingAnswer
    ) async throws(PairingError) -> LinkProtection
}

/// A link that can be encrypted without pairing if there is a bond.
package protocol BondedLink: PairingLink {
    /// Whether there are the keys of a bond with the device.
    var isBonded: Bool { get async }
}

/// A link that reports how it is encrypted, whichever side requested that.
package protocol EncryptedLink: RemoteLink {
    /// The encryption of the connection, and each change of it; or the error of a pairing that failed. The stream ends with the
    /// connection.
    var encryption: AsyncStream<Result<LinkProtection, PairingError>> { get }
}

/// A link with procedures that need the details of an attribute table.
package protocol ProcedureLink: RemoteLink {
    /// Discovers all secondary services; none if the device does not know the procedure.
    func discoverSecondaryServices() async throws(RemoteError) -> [RemoteService]
    /// Discovers the services that a service includes (Core 5.4, Vol 3, Part G, 4.5.1).
    func discoverIncludedServices(of service: RemoteService) async throws(RemoteError) -> [RemoteService]
    /// Reads a value from an offset to its end.
    func read(_ attribute: AttributeHandle, from offset: UInt16) async throws(RemoteError) -> [UInt8]
    /// Writes a value from an offset with prepared writes, which take effect together if the device repeated all of them.
    func write(_ value: [UInt8], to attribute: AttributeHandle, from offset: UInt16) async throws(RemoteError)
}

/// A link whose connection parameters can be changed from this side.
package protocol UpdatingLink: RemoteLink {
    /// Requests other connection parameters, and returns before the device has them: it may refuse.
    /// - Throws: `RemoteError` `.disconnected`, or `.impossible` for parameters out of range.
    func update(_ parameters: ConnectionParameters) async throws(RemoteError)
}

/// A link that has the reason of its end as a code.
package protocol ReasonedLink: RemoteLink {
    /// The HCI status with which the connection ended (Core 5.4, Vol 1, Part F); `nil` until then, and when no controller
    /// reported the end: the radio was closed, or the controller was lost.
    var endCode: UInt8? { get }
    /// Ends the connection with this reason for the device, and returns when it has ended.
    func disconnect(code: UInt8) async
}

/// A link that has the identity of its device.
package protocol IdentifiedLink: RemoteLink {
    /// The identity address of the device, if there is a bond with it; `device` may be a private address.
    var identity: RemoteAddress? { get }
}

/// How much has arrived over a link.
package struct LinkArrivals: Hashable, Sendable {
    /// The number of values that `notifications` yields, up to the last one that was received.
    package var values = 0
    /// The number of requests whose results are known.
    package var responses = 0
    /// The number of values that were received before the last of these results.
    package var valuesBeforeResponse = 0

    /// Nothing.
    package init() {}

    /// Counts a value.
    package mutating func addValue() { values += 1 }

    /// Counts the result of a request.
    package mutating func addResponse() {
        responses += 1
        valuesBeforeResponse = values
    }
}

/// A link that counts what its device sends, at the time of its arrival.
package protocol CountingLink: RemoteLink {
    /// What has arrived.
    var arrivals: LinkArrivals { get }
}

/// A link that can be encrypted from this side as its peripheral.
package protocol SecuringLink: RemoteLink {
    /// Requests that the central encrypt its connection, with a key of a bond or by pairing; returns at once if it is
    /// encrypted already.
    func secure() async throws(RemoteError)
}

/// A link over which the device uses attributes of this side (`ServingRadio.serve`).
package protocol ServingLink: RemoteLink {
    /// Requests and subscriptions of the device, in order; the stream ends with the connection.
    var served: AsyncStream<ServedEvent> { get }
    /// Answers a device's request: with the value read (empty for a write), or an error.
    func respond(to request: ServedRequest, _ response: AttributeResponse) async
    /// Sends the value of a characteristic, by notification or indication as the device is subscribed.
    /// - Throws: `RemoteError` `.impossible` if it is not subscribed, or has not taken earlier values yet.
    func notify(_ value: [UInt8], of characteristic: CharacteristicIdentifier) async throws(RemoteError)
}

/// A notification or indication of a device.
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

/// Why an operation on a device's attributes failed.
public enum RemoteError: Error, Hashable, Sendable {
    /// The device refused.
    case refused(ATTError)
    /// The connection has ended; the reason is a clause for people.
    case disconnected(String)
    /// The devices did not pair.
    case notPaired(PairingError)
    /// The radio could not carry out the request, or the response was malformed: a clause for the message.
    case impossible(String)
}
