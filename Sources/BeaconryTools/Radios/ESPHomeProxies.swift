// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import ESPHomeProxy
package import HCIRadio
package import Radio
package import Space

/// The ESPHome proxies of a run on a virtual air.
package struct ESPHomeProxies: Sendable {
    /// A proxy, and its host on the air.
    package struct Definition: Hashable, Sendable {
        /// The settings of the proxy; the host has the name of the proxy.
        package var settings: BluetoothProxy.Settings
        /// The public address of the host; `nil` for one that is derived from the name.
        package var address: BluetoothAddress?
        /// How it moves; `nil` is 1 m from every beacon.
        package var motion: Motion?
        /// The hardware of its receiver.
        package var hardware: ReceiverHardware

        package init(
            _ settings: BluetoothProxy.Settings, address: BluetoothAddress? = nil, motion: Motion? = nil,
            hardware: ReceiverHardware = ReceiverHardware()
        ) {
            self.settings = settings
            self.address = address
            self.motion = motion
            self.hardware = hardware
        }
    }

    private let proxies: [BluetoothProxy]

    /// Starts proxies on the air of a radio.
    /// - Parameter report: called with what happens.
    /// - Throws: `RadioError` if a host cannot join the air, or a proxy cannot listen; then none is there.
    package init(
        _ definitions: [Definition], on radio: VirtualAirRadio,
        report: @escaping @Sendable (BluetoothProxy.Report) -> Void
    ) async throws(RadioError) {
        var started: [BluetoothProxy] = []
        do throws(RadioError) {
            for definition in definitions {
                let settings = definition.settings
                let host = try await radio.addHost(
                    AirHost(
                        settings.name, address: definition.address, motion: definition.motion,
                        hardware: definition.hardware, service: "esphome"))
                let proxy = BluetoothProxy(settings, host: host, report: report)
                started.append(proxy)
                await radio.announce("esphome:\(try await proxy.start())", of: settings.name)
            }
        } catch {
            for proxy in started { await proxy.close() }
            throw error
        }
        proxies = started
    }

    /// Ends the sessions of all clients, and stops listening.
    package func close() async {
        for proxy in proxies { await proxy.close() }
    }
}

extension EncryptionKey {
    /// The longest file that is read, in bytes.
    private static let longestFile = 1024

    /// Reads a key from a file with its base64 in one line.
    /// - Throws: `Failure` if the file cannot be read, or has no key.
    package init(file path: String) throws(Failure) {
        guard let text = try InputFile.secret(in: path, limit: Self.longestFile), let key = Self(base64: text) else {
            throw Failure(
                exitCode: 74,
                message: "\(path) has no key: it must have 32 bytes in base64, such as openssl rand -base64 32 prints")
        }
        self = key
    }
}
