// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Radio

/// The requests of a device to the attributes of one central, in order, and the central's notifications.
final class ClientConversation: Sendable {
    private let request: AsyncStream<ClientRequest>.Continuation
    private let task: Task<Void, Never>

    /// - Parameter deliver: Passes an input to the device.
    init(
        with central: Central, on radio: any PeripheralRadio, deliver: @escaping @Sendable (DeviceInput) async -> Void
    ) {
        let (requests, request) = AsyncStream.makeStream(of: ClientRequest.self)
        self.request = request
        task = Task {
            do throws(RadioError) {
                guard let radio = radio as? any ClientRadio else {
                    throw RadioError(
                        .unsupported, "\(radio.name) gives devices no access to the attributes of a central",
                        hint: RadioError.useOwnHost)
                }
                let link = try await radio.link(to: central.name)
                await Self.converse(requests, with: central, over: link, deliver)
            } catch {
                for await request in requests where !Task.isCancelled {
                    await deliver(.responseReceived(central, request, .failed("\(error)")))
                }
            }
        }
    }

    /// Adds a request, which is sent when the earlier ones have been answered.
    func ask(_ request: ClientRequest) { self.request.yield(request) }

    /// Ends the conversation: no more inputs are delivered.
    func end() {
        request.finish()
        task.cancel()
    }

    private static func converse(
        _ requests: AsyncStream<ClientRequest>, with central: Central, over link: any RemoteLink,
        _ deliver: @escaping @Sendable (DeviceInput) async -> Void
    ) async {
        let receiving = Task {
            for await notification in link.notifications where !Task.isCancelled {
                await deliver(.notificationReceived(central, notification.handle, notification.value))
            }
        }
        var found: [AttributeHandle: RemoteCharacteristic] = [:]
        for await request in requests {
            let result = await answer(request, over: link, &found)
            guard !Task.isCancelled else { break }
            await deliver(.responseReceived(central, request, result))
        }
        receiving.cancel()
    }

    private static func answer(
        _ request: ClientRequest, over link: any RemoteLink, _ found: inout [AttributeHandle: RemoteCharacteristic]
    ) async -> ClientResult {
        do throws(RemoteError) {
            switch request {
            case .secure:
                guard let link = link as? any SecuringLink else { throw .impossible("this radio does not pair") }
                try await link.secure()
                return .done
            case .discover(let service): return .found(try await discover(service, over: link, &found))
            case .subscribe(let handle, let isOn):
                guard let characteristic = found[handle] else {
                    throw .impossible("no characteristic with the handle \(handle) was found")
                }
                try await link.setNotifying(isOn, for: characteristic)
                return .done
            case .read(let handle): return .value(try await link.read(handle))
            case .write(let handle, let value):
                try await link.write(value, to: handle)
                return .done
            }
        } catch {
            return switch error {
            case .refused(let error): .refused(error)
            case .disconnected(let reason), .impossible(let reason): .failed(reason)
            case .notPaired(let error): .failed(error.message)
            }
        }
    }

    private static func discover(
        _ uuid: BluetoothUUID, over link: any RemoteLink, _ found: inout [AttributeHandle: RemoteCharacteristic]
    ) async throws(RemoteError) -> [RemoteCharacteristic]? {
        guard let service = try await link.discoverServices([uuid]).first else { return nil }
        let characteristics = try await link.discoverCharacteristics(of: service)
        for characteristic in characteristics { found[characteristic.value] = characteristic }
        return characteristics
    }
}
