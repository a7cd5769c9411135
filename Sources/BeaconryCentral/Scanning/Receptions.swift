// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth
public import Radio
public import Receiving

extension CentralRadio {
    /// Scans, and adds the time once a period (see `Reception.stream`).
    /// - Throws: `RadioError`.
    public func receptions(
        _ parameters: ScanParameters = ScanParameters(), every period: Duration
    ) async throws(RadioError) -> AsyncStream<Reception> {
        Reception.stream(of: try await scan(parameters), every: period)
    }
}
