// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
public import Radio

extension HCIRadio {
    /// What would become of beacons on a virtual air: all of them fit, as asked.
    public static func virtualForecast(_ beacons: [HostedBeacon]) -> RadioForecast {
        RadioForecast(
            capabilities: virtualCapabilities(reason: nil, beacons: 0, servers: []),
            fitting: min(beacons.count, virtualCapacity), obstacle: nil, warnings: [:])
    }

    /// What would become of beacons on a controller, which is asked what it can do and given back.
    public static func forecast(
        _ beacons: [HostedBeacon], on transport: HCITransport
    ) async throws(RadioError) -> RadioForecast {
        let radio = HCIRadio(transport)
        let capabilities = try await radio.open([], waits: false) { _ in .failure(.unlikely) }
        await radio.close()
        return RadioForecast(
            capabilities: capabilities, fitting: min(beacons.count, capabilities.instances),
            obstacle: obstacle(to: beacons.count, on: capabilities), warnings: [:])
    }
}
