// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Radio

/// A radio that is open already, for those who open their radios themselves.
struct OpenedRadio: CentralRadio {
    let radio: any CentralRadio
    let capabilities: ReceivingCapabilities

    var name: String { radio.name }
    func openCentral(waits: Bool) async throws(RadioError) -> ReceivingCapabilities { capabilities }
    func states() async -> AsyncStream<CentralRadioState> { await radio.states() }
    func scan(_ settings: ScanSettings) async throws(RadioError) -> AsyncStream<Sighting> {
        try await radio.scan(settings)
    }
    func stopScanning() async { await radio.stopScanning() }
    func connect(to device: RemoteAddress, timeout: Duration) async throws(RadioError) -> any RemoteLink {
        try await radio.connect(to: device, timeout: timeout)
    }
    func close() async { await radio.close() }
}
