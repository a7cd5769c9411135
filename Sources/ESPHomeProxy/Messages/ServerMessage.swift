// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import Protobuf

/// A message of the proxy (esphome 2025.8, components/api/api.proto).
package enum ServerMessage: Hashable, Sendable {
    /// The state of a scanner.
    package enum ScannerState: UInt32, Hashable, Sendable {
        case idle
        case starting
        case running
        case failed
        case stopping
        case stopped
    }

    case hello(ProxyGreeting)
    /// Whether the client's password is accepted. Our proxies accept any: there are only keys.
    case authenticated(Bool)
    case disconnect
    case disconnected
    case ping
    case pong
    case deviceInfo(ProxyIdentity)
    case entitiesDone
    case advertisements([AdvertisementBatch.Entry])
    /// The scanner: its state, its mode, and the mode that it has at the start.
    case scannerState(ScannerState, isActive: Bool, isActiveByDefault: Bool)
    case connectionsFree(free: Int, limit: Int, allocated: [UInt64])
    /// A connection, or its end. The error is an HCI status, or another code of the field.
    case connection(UInt64, isConnected: Bool, mtu: Int = 0, error: Int32 = 0)
    case service(UInt64, DiscoveredService, usesShortUUIDs: Bool)
    case servicesDone(UInt64)
    case value(UInt64, handle: UInt32, [UInt8])
    case written(UInt64, handle: UInt32)
    case notifying(UInt64, handle: UInt32)
    case notification(UInt64, handle: UInt32, [UInt8])
    /// An ATT error, or -1 without a connection.
    case gattError(UInt64, handle: UInt32, Int32)
    case paired(UInt64, isPaired: Bool, error: Int32)
    case unpaired(UInt64, isSuccessful: Bool, error: Int32)
    case cacheCleared(UInt64)
    case parametersSet(UInt64, error: Int32)
    case capabilities(ProxyIdentity.Features, BluetoothAddress)
    /// A message that our client does not use.
    case ignored(type: UInt16)

    /// The type of `advertisements`.
    static let advertisementsType: UInt16 = 93

    /// The number of the type.
    package var type: UInt16 {
        switch self {
        case .hello: 2
        case .authenticated: 4
        case .disconnect: 5
        case .disconnected: 6
        case .ping: 7
        case .pong: 8
        case .deviceInfo: 10
        case .entitiesDone: 19
        case .connection: 69
        case .service: 71
        case .servicesDone: 72
        case .value: 74
        case .notification: 79
        case .connectionsFree: 81
        case .gattError: 82
        case .written: 83
        case .notifying: 84
        case .paired: 85
        case .unpaired: 86
        case .cacheCleared: 88
        case .advertisements: Self.advertisementsType
        case .scannerState: 126
        case .parametersSet: 146
        case .capabilities: 150
        case .ignored(let type): type
        }
    }

    /// Reads the body of a message; those about connections are ignored.
    /// - Throws: `WireError` if it is not a protobuf message, or has an advertisement that is not possible.
    package init(type: UInt16, body: [UInt8]) throws(WireError) {
        switch type {
        case 2: self = .hello(ProxyGreeting(try ProtobufFields(parsing: body[...])))
        case 4: self = .authenticated(!(try ProtobufFields(parsing: body[...]).bool(1)))
        case 5: self = .disconnect
        case 6: self = .disconnected
        case 7: self = .ping
        case 8: self = .pong
        case 10: self = .deviceInfo(ProxyIdentity(try ProtobufFields(parsing: body[...])))
        case Self.advertisementsType: self = .advertisements(try AdvertisementBatch.entries(parsing: body[...]))
        case 126:
            let fields = try ProtobufFields(parsing: body[...])
            self = .scannerState(
                ScannerState(rawValue: fields.uint32(1)) ?? .idle, isActive: fields.bool(2),
                isActiveByDefault: fields.bool(3))
        case 150:
            // The part of the Bluetooth proxy.
            let fields = try ProtobufFields(parsing: ProtobufFields(parsing: body[...]).bytes(1)[...])
            self = .capabilities(
                ProxyIdentity.Features(rawValue: fields.uint32(1)), BluetoothAddress(fields.string(2)) ?? .zero)
        default: self = .ignored(type: type)
        }
    }

    /// The protobuf message.
    package var body: [UInt8] {
        var writer = ProtobufWriter()
        switch self {
        case .disconnect, .disconnected, .ping, .pong, .entitiesDone, .ignored: break
        case .hello(let greeting): greeting.write(to: &writer)
        case .authenticated(let isAccepted): writer.bool(1, !isAccepted)
        case .deviceInfo(let identity): identity.write(to: &writer)
        case .capabilities(let features, let address):
            writer.message(1) { writer in
                writer.uint32(1, features.rawValue)
                writer.string(2, address.description)
            }
        case .advertisements(let entries):
            for entry in entries { writer.message(1, entry.write) }
        case .scannerState(let state, let isActive, let isActiveByDefault):
            writer.uint32(1, state.rawValue)
            writer.bool(2, isActive)
            writer.bool(3, isActiveByDefault)
        case .connectionsFree(let free, let limit, let allocated):
            writer.uint64(1, UInt64(free))
            writer.uint64(2, UInt64(limit))
            writer.packed(3, allocated)
        case .connection(let address, let isConnected, let mtu, let error):
            writer.uint64(1, address)
            writer.bool(2, isConnected)
            writer.uint64(3, UInt64(mtu))
            writer.int32(4, error)
        case .service(let address, let service, let usesShortUUIDs):
            writer.uint64(1, address)
            writer.message(2) { service.write(to: &$0, usesShortUUIDs: usesShortUUIDs) }
        case .servicesDone(let address): writer.uint64(1, address)
        case .value(let address, let handle, let value), .notification(let address, let handle, let value):
            writer.uint64(1, address)
            writer.uint32(2, handle)
            writer.bytes(3, value)
        case .written(let address, let handle), .notifying(let address, let handle):
            writer.uint64(1, address)
            writer.uint32(2, handle)
        case .gattError(let address, let handle, let error):
            writer.uint64(1, address)
            writer.uint32(2, handle)
            writer.int32(3, error)
        case .paired(let address, let isSuccessful, let error), .unpaired(let address, let isSuccessful, let error):
            writer.uint64(1, address)
            writer.bool(2, isSuccessful)
            writer.int32(3, error)
        case .cacheCleared(let address):
            writer.uint64(1, address)
            writer.bool(2, true)
        case .parametersSet(let address, let error):
            writer.uint64(1, address)
            writer.int32(2, error)
        }
        return writer.bytes
    }
}

/// A service of a device, with its characteristics and their descriptors.
package struct DiscoveredService: Hashable, Sendable {
    /// A characteristic with its descriptors.
    package struct Characteristic: Hashable, Sendable {
        package let characteristic: RemoteCharacteristic
        package let descriptors: [RemoteDescriptor]
        package init(_ characteristic: RemoteCharacteristic, _ descriptors: [RemoteDescriptor]) {
            self.characteristic = characteristic
            self.descriptors = descriptors
        }
    }

    package let service: RemoteService
    package let characteristics: [Characteristic]
    package init(_ service: RemoteService, _ characteristics: [Characteristic]) {
        self.service = service
        self.characteristics = characteristics
    }

    fileprivate func write(to writer: inout ProtobufWriter, usesShortUUIDs: Bool) {
        let short = service.uuid.shortNumber(usesShortUUIDs)
        if short == nil { writer.packed(1, service.uuid.halves) }
        writer.uint32(2, UInt32(service.handles.lowerBound.rawValue))
        for entry in characteristics {
            writer.message(3) { entry.write(to: &$0, usesShortUUIDs: usesShortUUIDs) }
        }
        writer.uint32(4, short ?? 0)
    }
}

extension DiscoveredService.Characteristic {
    fileprivate func write(to writer: inout ProtobufWriter, usesShortUUIDs: Bool) {
        let short = characteristic.uuid.shortNumber(usesShortUUIDs)
        if short == nil { writer.packed(1, characteristic.uuid.halves) }
        writer.uint32(2, UInt32(characteristic.value.rawValue))
        writer.uint32(3, UInt32(characteristic.properties.rawValue))
        for descriptor in descriptors {
            let short = descriptor.uuid.shortNumber(usesShortUUIDs)
            writer.message(4) { writer in
                if short == nil { writer.packed(1, descriptor.uuid.halves) }
                writer.uint32(2, UInt32(descriptor.handle.rawValue))
                writer.uint32(3, short ?? 0)
            }
        }
        writer.uint32(5, short ?? 0)
    }
}

extension BluetoothUUID {
    /// A UUID of 16 or 32 bits as a number; `nil` for others, for zero, which the field cannot have, and for a client before
    /// API 1.12.
    fileprivate func shortNumber(_ usesShortUUIDs: Bool) -> UInt32? {
        guard usesShortUUIDs else { return nil }
        switch abbreviated {
        case .bit16(let value): return value == 0 ? nil : UInt32(value)
        case .bit32(let value): return value
        case .bit128: return nil
        }
    }

    /// The 128 bits as two numbers, the first half first.
    fileprivate var halves: [UInt64] {
        let octets = expanded.octets
        return [octets.prefix(8), octets.suffix(8)].map { $0.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
    }
}
