// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Radio
import Receiving
import Space

/// What a listening receiver scans and connects with.
protocol ListeningHost: Sendable {
    /// Where it begins; `nil` without a position.
    var position: Position? { get }
    /// The physics of its air at present; `nil` if it is not a virtual one.
    var propagation: Propagation? { get async }
    /// Claims it, with the hardware of its receiver, which an adapter has of its own.
    func open(_ hardware: ReceiverHardware) async throws(RadioError)
    /// Changes the hardware of its receiver.
    func set(_ hardware: ReceiverHardware) async
    func scan(_ parameters: ScanParameters) async throws(RadioError) -> AsyncStream<Sighting>
    /// Starts a scan whose sightings go to a sink.
    /// - Returns: `false` if its radio has only streams; then nothing has begun.
    func scan(_ parameters: ScanParameters, to sink: SightingSink) async throws(RadioError) -> Bool
    func stopScanning() async
    func connect(to device: RemoteAddress, timeout: Duration) async throws(RadioError) -> any RemoteLink
    /// Releases it. Its connections end if it is not shared.
    func close() async
}

/// A controller of its own on the air of the run.
struct AirListeningHost: ListeningHost {
    let name: String
    let motion: Motion?
    let radio: any ListeningRadio

    var position: Position? { motion?.position(at: .zero) }

    var propagation: Propagation? {
        get async { await (radio as? any PositioningRadio)?.propagation() }
    }

    func open(_ hardware: ReceiverHardware) async throws(RadioError) {
        try await radio.addListener(name, motion: motion, hardware: hardware)
    }

    func set(_ hardware: ReceiverHardware) async {
        _ = await (radio as? any PositioningRadio)?.setHardware(hardware, ofReceiver: name)
    }

    func scan(_ parameters: ScanParameters) async throws(RadioError) -> AsyncStream<Sighting> {
        try await radio.scan(parameters, as: name)
    }

    func scan(_ parameters: ScanParameters, to sink: SightingSink) async throws(RadioError) -> Bool {
        try await radio.scan(parameters, as: name, to: sink)
        return true
    }

    func stopScanning() async { await radio.stopScanning(as: name) }

    func connect(to device: RemoteAddress, timeout: Duration) async throws(RadioError) -> any RemoteLink {
        try await radio.connect(to: device, as: name, timeout: timeout)
    }

    func close() async { await radio.removeListener(name) }
}

/// The adapter of the run.
struct AdapterListeningHost: ListeningHost {
    let radio: any CentralRadio
    /// Whether the beacons have another radio on the adapter: bluetoothd shares it between both.
    var isShared = false
    var position: Position? { nil }

    var propagation: Propagation? {
        get async { await (radio as? any PositioningRadio)?.propagation() }
    }

    func open(_ hardware: ReceiverHardware) async throws(RadioError) { _ = try await radio.openCentral(waits: false) }

    func set(_ hardware: ReceiverHardware) async {}

    func scan(_ parameters: ScanParameters) async throws(RadioError) -> AsyncStream<Sighting> {
        try await radio.scan(parameters)
    }

    func scan(_ parameters: ScanParameters, to sink: SightingSink) async throws(RadioError) -> Bool {
        guard let radio = radio as? any DirectCentralRadio else { return false }
        try await radio.scan(parameters, to: sink)
        return true
    }

    func stopScanning() async { await radio.stopScanning() }

    func connect(to device: RemoteAddress, timeout: Duration) async throws(RadioError) -> any RemoteLink {
        // bluetoothd does not report which side began a connection: it would count as one of a central to a beacon.
        guard !isShared else {
            throw RadioError(
                .unsupported, "a receiver of a run does not connect on \(radio.name), which carries the beacons",
                hint: "connect on another adapter (beaconry manage --radio bluez:hci1)")
        }
        return try await radio.connect(to: device, timeout: timeout)
    }

    func close() async {
        // A radio that is not shared also carries the beacons.
        if isShared { await radio.close() } else { await radio.stopScanning() }
    }
}
