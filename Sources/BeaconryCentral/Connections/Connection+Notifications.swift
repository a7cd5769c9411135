// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import Radio

extension Connection {
    /// A stream of the values that a characteristic is told; the device is asked for them when this is the first one,
    /// and for none when the last one has ended.
    func notifications(
        of characteristic: RemoteCharacteristic, _ operation: @autoclosure () -> String, timeout: Duration
    ) async throws(CentralError) -> AsyncStream<Subscriptions.Event> {
        let handle = characteristic.value
        let (stream, consumer) = AsyncStream.makeStream(
            of: Subscriptions.Event.self, bufferingPolicy: .bufferingNewest(Notifications.capacity))
        guard let number = subscriptions.add(consumer, of: handle) else {
            throw CentralError(.disconnected(end ?? .requested), operation: operation())
        }
        consumer.onTermination = { [weak self] _ in
            guard let self, subscriptions.remove(number, of: handle) else { return }
            Task { await self.perform { link throws(RemoteError) in try await self.adjust(characteristic, link) } }
        }
        do throws(CentralError) {
            try await perform(operation(), timeout: timeout) { link throws(RemoteError) in
                try await self.adjust(characteristic, link)
            }
        } catch {
            consumer.finish()
            throw error
        }
        return stream
    }

    /// Asks the device for what is wanted now.
    private func adjust(_ characteristic: RemoteCharacteristic, _ link: any RemoteLink) async throws(RemoteError) {
        guard let isOn = subscriptions.change(of: characteristic.value) else { return }
        try await link.setNotifying(isOn, for: characteristic)
        subscriptions.set(isOn, for: characteristic.value)
    }
}
