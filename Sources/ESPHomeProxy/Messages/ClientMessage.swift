// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import Protobuf

/// A message of a client: those that a Bluetooth proxy answers, and that our own client sends (esphome 2025.8,
/// components/api/api.proto).
package enum ClientMessage: Hashable, Sendable {
    /// A request about one device.
    package enum DeviceRequest: Hashable, Sendable {
        case connect
        case disconnect
        case pair
        case unpair
        case clearCache
    }

    /// Connection parameters as they were sent, valid or not.
    package struct ParameterRequest: Hashable, Sendable {
        /// In units of 1.25 ms.
        package let minimumInterval: UInt32
        /// In units of 1.25 ms.
        package let maximumInterval: UInt32
        /// In connection events.
        package let latency: UInt32
        /// In units of 10 ms.
        package let timeout: UInt32

        /// The parameters; `nil` if they are out of range.
        var parameters: ConnectionParameters? {
            guard minimumInterval <= maximumInterval, let latency = UInt16(exactly: latency) else { return nil }
            let parameters = ConnectionParameters(
                interval: Ticks(minimumInterval)...Ticks(maximumInterval), latency: latency,
                supervisionTimeout: Ticks(timeout))
            return parameters.isValid ? parameters : nil
        }
    }

    case hello(info: String, major: UInt32, minor: UInt32)
    case authentication
    case disconnect
    case disconnected
    case ping
    case pong
    case deviceInfo
    case entities
    /// Always in raw form: clients before 2023 use the other form.
    case subscribeAdvertisements
    case unsubscribeAdvertisements
    case subscribeConnectionsFree
    case scannerMode(isActive: Bool)
    case device(UInt64, DeviceRequest, isRandom: Bool)
    case services(UInt64)
    case read(UInt64, handle: UInt32)
    case write(UInt64, handle: UInt32, [UInt8], withResponse: Bool)
    case readDescriptor(UInt64, handle: UInt32)
    case writeDescriptor(UInt64, handle: UInt32, [UInt8])
    case notify(UInt64, handle: UInt32, isOn: Bool)
    case connectionParameters(UInt64, ParameterRequest)
    case capabilities
    /// A message without an answer: about other parts of a device, or one that is not known.
    case ignored(type: UInt16)

    /// Reads the body of a message.
    /// - Throws: `WireError` if it is not a protobuf message.
    package init(type: UInt16, body: [UInt8]) throws(WireError) {
        let fields = try ProtobufFields(parsing: body[...])
        let address = fields.uint64(1)
        let handle = fields.uint32(2)
        switch type {
        case 1: self = .hello(info: fields.string(1), major: fields.uint32(2), minor: fields.uint32(3))
        case 3: self = .authentication
        case 5: self = .disconnect
        case 6: self = .disconnected
        case 7: self = .ping
        case 8: self = .pong
        case 9: self = .deviceInfo
        case 11: self = .entities
        case 66: self = .subscribeAdvertisements
        case 68:
            guard let request = DeviceRequest(number: fields.uint32(2)) else {
                self = .ignored(type: type)
                return
            }
            // Without the type of the address it is public, which is 0.
            self = .device(address, request, isRandom: fields.bool(3) && fields.uint32(4) & 1 == 1)
        case 70: self = .services(address)
        case 73: self = .read(address, handle: handle)
        case 75: self = .write(address, handle: handle, fields.bytes(4), withResponse: fields.bool(3))
        case 76: self = .readDescriptor(address, handle: handle)
        case 77: self = .writeDescriptor(address, handle: handle, fields.bytes(3))
        case 78: self = .notify(address, handle: handle, isOn: fields.bool(3))
        case 80: self = .subscribeConnectionsFree
        case 87: self = .unsubscribeAdvertisements
        case 127: self = .scannerMode(isActive: fields.uint32(1) == 1)
        case 145:
            self = .connectionParameters(
                address,
                ParameterRequest(
                    minimumInterval: fields.uint32(2), maximumInterval: fields.uint32(3), latency: fields.uint32(4),
                    timeout: fields.uint32(5)))
        case 149: self = .capabilities
        default: self = .ignored(type: type)
        }
    }

    /// The number of the type.
    package var type: UInt16 {
        switch self {
        case .hello: 1
        case .authentication: 3
        case .disconnect: 5
        case .disconnected: 6
        case .ping: 7
        case .pong: 8
        case .deviceInfo: 9
        case .entities: 11
        case .subscribeAdvertisements: 66
        case .device: 68
        case .services: 70
        case .read: 73
        case .write: 75
        case .readDescriptor: 76
        case .writeDescriptor: 77
        case .notify: 78
        case .subscribeConnectionsFree: 80
        case .unsubscribeAdvertisements: 87
        case .scannerMode: 127
        case .connectionParameters: 145
        case .capabilities: 149
        case .ignored(let type): type
        }
    }

    /// The protobuf message.
    package var body: [UInt8] {
        var writer = ProtobufWriter()
        switch self {
        case .authentication, .disconnect, .disconnected, .ping, .pong, .deviceInfo, .entities,
            .subscribeConnectionsFree, .unsubscribeAdvertisements, .capabilities, .ignored:
            break
        case .hello(let info, let major, let minor):
            writer.string(1, info)
            writer.uint32(2, major)
            writer.uint32(3, minor)
        // In raw form.
        case .subscribeAdvertisements: writer.uint32(1, 1)
        case .device(let address, let request, let isRandom):
            writer.uint64(1, address)
            writer.uint32(2, request.number)
            writer.bool(3, request == .connect || isRandom)
            writer.bool(4, isRandom)
        case .services(let address): writer.uint64(1, address)
        case .read(let address, let handle), .readDescriptor(let address, let handle):
            writer.uint64(1, address)
            writer.uint32(2, handle)
        case .write(let address, let handle, let value, let withResponse):
            writer.uint64(1, address)
            writer.uint32(2, handle)
            writer.bool(3, withResponse)
            writer.bytes(4, value)
        case .writeDescriptor(let address, let handle, let value):
            writer.uint64(1, address)
            writer.uint32(2, handle)
            writer.bytes(3, value)
        case .notify(let address, let handle, let isOn):
            writer.uint64(1, address)
            writer.uint32(2, handle)
            writer.bool(3, isOn)
        case .scannerMode(let isActive): writer.bool(1, isActive)
        case .connectionParameters(let address, let request):
            writer.uint64(1, address)
            writer.uint32(2, request.minimumInterval)
            writer.uint32(3, request.maximumInterval)
            writer.uint32(4, request.latency)
            writer.uint32(5, request.timeout)
        }
        return writer.bytes
    }
}

extension ClientMessage.DeviceRequest {
    /// The request with a number; `nil` for one that is not known, or of clients before 2022 (0).
    fileprivate init?(number: UInt32) {
        switch number {
        case 1: self = .disconnect
        case 2: self = .pair
        case 3: self = .unpair
        // With and without the client's cache of services, which is the client's own.
        case 4, 5: self = .connect
        case 6: self = .clearCache
        default: return nil
        }
    }

    fileprivate var number: UInt32 {
        switch self {
        case .disconnect: 1
        case .pair: 2
        case .unpair: 3
        case .connect: 5
        case .clearCache: 6
        }
    }
}
