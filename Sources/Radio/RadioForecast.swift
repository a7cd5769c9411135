// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// What would become of beacons on a radio, as far as its rules tell before anything is on the air.
public struct RadioForecast: Sendable {
    /// The radio.
    public let capabilities: RadioCapabilities
    /// How many of the beacons it can carry, in their order.
    public let fitting: Int
    /// Why it does not carry them all; `nil` when it does.
    public let obstacle: RadioError?
    /// What would differ, beacon by beacon.
    public let warnings: [BeaconIdentifier: [Warning]]

    /// A forecast of these.
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
