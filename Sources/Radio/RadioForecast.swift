// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// The expected outcome of beacons on a radio, by its rules, before anything is on the air.
public struct RadioForecast: Sendable {
    /// The capabilities of the radio.
    public let capabilities: RadioCapabilities
    /// The number of beacons that it can carry, in their order.
    public let fitting: Int
    /// Why it cannot carry them all; `nil` if it can.
    public let obstacle: RadioError?
    /// The warnings of each beacon.
    public let warnings: [BeaconIdentifier: [Warning]]

    /// A forecast of these values.
    public init(
        capabilities: RadioCapabilities, fitting: Int, obstacle: RadioError?,
        warnings: [BeaconIdentifier: [Warning]]
    ) {
        self.capabilities = capabilities
        self.fitting = fitting
        self.obstacle = obstacle
        self.warnings = warnings
    }
}
