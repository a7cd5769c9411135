// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Radio

/// The operations of a client on a connected device, with their answers.
enum DeviceOperations {
    /// The code of an attempt to connect that failed: GATT error 133 of the ESP32's stack.
    static let connectionError: Int32 = 133
    private static let notConnected: Int32 = -1
    /// `ESP_ERR_INVALID_ARG`.
    private static let invalidArgument: Int32 = 0x102

    /// Discovers all services: a message for each, and the end.
    static func services(of link: any RemoteLink, _ address: UInt64, usesShortUUIDs: Bool) async -> [ServerMessage] {
        var messages: [ServerMessage] = []
        do throws(RemoteError) {
            for service in try await link.discoverServices(nil) {
                var characteristics: [DiscoveredService.Characteristic] = []
                for characteristic in try await link.discoverCharacteristics(of: service) {
                    let descriptors = try await link.discoverDescriptors(of: characteristic)
                    characteristics.append(DiscoveredService.Characteristic(characteristic, descriptors))
                }
                messages.append(
                    .service(address, DiscoveredService(service, characteristics), usesShortUUIDs: usesShortUUIDs))
            }
        } catch {
            return [.gattError(address, handle: 0, code(of: error))]
        }
        return messages + [.servicesDone(address)]
    }

    /// Reads a characteristic or a descriptor.
    static func read(from link: any RemoteLink, _ address: UInt64, _ handle: UInt32) async -> [ServerMessage] {
        guard let attribute = UInt16(exactly: handle) else { return [invalid(handle, address)] }
        do throws(RemoteError) {
            return [.value(address, handle: handle, try await link.read(AttributeHandle(attribute)))]
        } catch {
            return [.gattError(address, handle: handle, code(of: error))]
        }
    }

    /// Writes a characteristic or a descriptor.
    static func write(
        _ value: [UInt8], to link: any RemoteLink, _ address: UInt64, _ handle: UInt32, withResponse: Bool
    ) async -> [ServerMessage] {
        guard let number = UInt16(exactly: handle) else { return [invalid(handle, address)] }
        let attribute = AttributeHandle(number)
        do throws(RemoteError) {
            if withResponse {
                try await link.write(value, to: attribute)
            } else {
                try await link.writeWithoutResponse(value, to: attribute)
            }
            return [.written(address, handle: handle)]
        } catch {
            return [.gattError(address, handle: handle, code(of: error))]
        }
    }

    /// Pairs as an ESP32 without input and output.
    static func pair(_ link: any RemoteLink, _ address: UInt64) async -> [ServerMessage] {
        guard let link = link as? any PairingLink else {
            return [.paired(address, isPaired: false, error: smpCode(of: PairingError(.unsupported)))]
        }
        do throws(PairingError) {
            _ = try await link.pair(PairingSettings()) { _ in .cancel }
            return [.paired(address, isPaired: true, error: 0)]
        } catch {
            return [.paired(address, isPaired: false, error: smpCode(of: error))]
        }
    }

    /// Requests other connection parameters.
    static func update(
        _ link: any RemoteLink, _ address: UInt64, _ request: ClientMessage.ParameterRequest
    ) async -> [ServerMessage] {
        guard let link = link as? any UpdatingLink, let parameters = request.parameters else {
            return [.parametersSet(address, error: invalidArgument)]
        }
        do throws(RemoteError) {
            try await link.update(parameters)
            return [.parametersSet(address, error: 0)]
        } catch {
            return [.parametersSet(address, error: code(of: error))]
        }
    }

    private static func invalid(_ handle: UInt32, _ address: UInt64) -> ServerMessage {
        .gattError(address, handle: handle, Int32(ATTError.invalidHandle.rawValue))
    }

    private static func code(of error: RemoteError) -> Int32 {
        switch error {
        case .refused(let error): Int32(error.rawValue)
        case .disconnected: notConnected
        case .notPaired: Int32(ATTError.insufficientAuthentication.rawValue)
        case .impossible: Int32(ATTError.unlikely.rawValue)
        }
    }

    /// The reason of a Pairing Failed PDU (Core 5.4, Vol 3, Part H, 3.5.5), or an HCI status where there is none.
    private static func smpCode(of error: PairingError) -> Int32 {
        switch error.code {
        case .passkeyEntryFailed: 0x01
        case .outOfBandNotAvailable: 0x02
        case .authenticationRequirements: 0x03
        case .wrongPasskey: 0x04
        case .notSupported, .unsupported: 0x05
        case .keyTooShort: 0x06
        case .commandNotSupported: 0x07
        case .unspecified, .cancelled, .notKept: 0x08
        case .repeatedAttempts: 0x09
        case .invalidParameters: 0x0A
        case .wrongSecret: 0x0B
        case .comparisonFailed: 0x0C
        case .keyRejected: 0x0F
        case .busy: 0x10
        case .timedOut: 0x22
        case .keyMissing, .keyMismatch: 0x3D
        case .disconnected: notConnected
        }
    }
}
