// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Radio

/// A device that a client names: by its address, or by the id of a beacon of the run.
package struct DeviceReference: Hashable, Sendable {
    package var text: String

    package init(_ text: String) { self.text = text }

    /// `nil` if the text is an id.
    fileprivate var address: BluetoothAddress? { BluetoothAddress(text) }

    /// Whether it names a device.
    /// - Parameter beacon: the beacon of the run that the device is; `nil` for none.
    func isMatch(for device: RemoteAddress, _ beacon: String?) -> Bool {
        text == beacon || address == device.address
    }
}

/// The type of a device's address (Core 5.4, Vol 6, Part B, 1.3).
package enum DeviceAddressType: String, CaseIterable, Sendable {
    case `public`
    case random
}

/// A characteristic that a client names: by the handle of its value, or by its type.
package struct CharacteristicReference: Hashable, Sendable {
    package let text: String
    /// `nil` if the text is none.
    private let uuid: BluetoothUUID?
    private let handle: AttributeHandle?

    /// A reference to nothing.
    package init() { (text, uuid, handle) = ("", nil, nil) }

    /// Parses a handle in decimal digits, or in hexadecimal digits after `0x`, or a UUID; `nil` for any other text.
    package init?(_ text: String) {
        self.text = text
        uuid = BluetoothUUID(text)
        let (digits, radix) = text.hasPrefix("0x") ? (text.dropFirst(2), 16) : (text[...], 10)
        let isNumber = digits.utf8.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
        let number = isNumber ? UInt16(digits, radix: radix) : nil
        handle = number.flatMap { $0 == 0 ? nil : AttributeHandle($0) }
        guard uuid != nil || handle != nil else { return nil }
    }

    /// The characteristic of this type, else the one whose value has this handle: four digits may be both.
    /// - Throws: `EmulatorError` `.unknownCharacteristic`, `.badProfile` if several have the type.
    func find(
        among characteristics: [RemoteCharacteristic], of device: RemoteAddress
    ) throws(EmulatorError) -> RemoteCharacteristic {
        let found = uuid.map { uuid in characteristics.filter { $0.uuid == uuid } } ?? []
        guard found.count <= 1 else {
            let handles = found.map { "\($0.value.rawValue)" }.joined(separator: ", ")
            throw EmulatorError(
                .badProfile, "\(device.address) has \(found.count) characteristics of the type \(text)",
                hint: "name one by its handle: \(handles)")
        }
        if let only = found.first ?? characteristics.first(where: { $0.value == handle }) { return only }
        throw EmulatorError(
            .unknownCharacteristic, "\(device.address) has no characteristic \(text)",
            hint: "its services have the handles and the types")
    }
}

/// What clients request of the connections of listening receivers.
extension Emulator {
    /// Connects a listening receiver to a device, unless it is connected to it.
    /// - Parameters:
    ///   - type: the type of an address; `nil` for the type in the last packet from it, else random.
    ///   - pairs: whether requests that read may pair, too (`ReceiverConnection`).
    /// - Returns: The connection, and whether it is new.
    /// - Throws: `EmulatorError` `.unknownBeacon`, `.conflict` if the beacon has not advertised yet; as
    ///   `ReceiverConnections.connect`.
    package func connect(
        _ receiver: String, to device: DeviceReference, _ type: DeviceAddressType?, pairs: Bool, timeout: Duration
    ) async throws(EmulatorError) -> (record: ConnectionRecord, isNew: Bool) {
        let listener = try await listener(receiver)
        // The address of a beacon may have changed since.
        if let connection = await listener.connections.established(to: device) {
            if pairs { await connection.allowPairing() }
            return (connection.record, false)
        }
        var beacon: BeaconIdentifier?
        let address: BluetoothAddress
        if let known = device.address {
            address = known
            beacon = listeners.owner(of: known).map { BeaconIdentifier($0) }
        } else {
            beacon = try present(device.text).identifier
            guard let known = listeners.address(of: device.text) else {
                throw EmulatorError(
                    .conflict, "the beacon \"\(device.text)\" has not advertised yet", hint: "switch it on first")
            }
            address = known
        }
        let received = await listener.device(with: address)
        let remote = type.map { RemoteAddress(address, isRandom: $0 == .random) } ?? received
        let (connection, isNew) = try await listener.connections.connect(
            to: remote ?? RemoteAddress(address, isRandom: true), beacon: beacon?.name, timeout: timeout
        ) { [directory, beacon] in beacon.flatMap(directory.beacon)?.name(of: $0) }
        if pairs { await connection.allowPairing() }
        return (connection.record, isNew)
    }

    /// The connection of a listening receiver to a device.
    /// - Throws: `EmulatorError` `.unknownBeacon` if there is no such receiver, `.unknownPeer` if it is not connected.
    package nonisolated func connection(
        of receiver: String, to device: DeviceReference
    ) async throws(EmulatorError) -> ReceiverConnection {
        try await listener(receiver).connections.connection(to: device)
    }
}
