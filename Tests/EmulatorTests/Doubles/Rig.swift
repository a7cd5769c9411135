// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Emulator
import Persistence
import Radio
import TestSupport
import Testing

/// An emulator that runs on a scripted radio, and its events.
final class Rig: Sendable {
    let folder: TemporaryFolder
    let profiles: ProfileSource
    let radio: ScriptedRadio
    let clock = ManualClock()
    let emulator: Emulator
    let events = EventLog<EventRecord>()
    private let run: Task<Void, any Error>
    private let recording: Task<Void, Never>

    /// Starts an emulator of these profiles; its state folder is `state` in the folder.
    init(
        _ profiles: String..., folder: TemporaryFolder, radio: ScriptedRadio = ScriptedRadio(),
        _ configure: (inout Emulator.Configuration) -> Void = { _ in }
    ) throws {
        self.folder = folder
        self.radio = radio
        let source = ProfileSource(profiles)
        self.profiles = source
        var configuration = Emulator.Configuration(
            loadProfiles: source.load, state: StateFolder(folder.file("state")))
        configure(&configuration)
        let emulator = Emulator(configuration, radio: radio, clock: clock)
        self.emulator = emulator
        let (stream, events) = (emulator.events.listen(), events)
        recording = Task {
            for await event in stream { events.append(EventRecord(event)) }
            events.end()
        }
        run = Task { try await emulator.run() }
    }

    // MARK: - Waiting

    /// Waits for an event with this name, of any beacon or of one.
    @discardableResult
    func event(_ name: String, of device: String? = nil, _ count: Int = 1) async throws -> EventRecord {
        try await events.entry(count) { $0.event == name && (device == nil || $0.device == device) }
    }

    @discardableResult
    func warning(_ code: String) async throws -> EventRecord {
        try await events.entry { $0.event == "warning" && $0.code == code }
    }

    /// Waits until all events of the radio so far are handled.
    func settle() async throws {
        let code = "mark-\(events.entries.count)"
        radio.emit(.warning(nil, Warning(code: code, message: "", hint: "")))
        try await warning(code)
    }

    /// Waits for this number of requests to the radio to start or stop an advertisement of a beacon; returns the
    /// last advertisement, or `nil` if the last request was a stop.
    @discardableResult
    func advertisement(_ beacon: String, _ count: Int) async throws -> Advertisement? {
        let call = try await radio.calls.entry(count) { call in
            if case .advertise(let identifier, _) = call { identifier.name == beacon } else { false }
        }
        guard case .advertise(_, let advertisement) = call else { return nil }
        return advertisement
    }

    // MARK: - Ending

    /// Waits for the end.
    func end() async throws { try await run.value }

    /// Waits for the end, and expects an error.
    func failure() async throws -> EmulatorError {
        try #require(await #expect(throws: EmulatorError.self) { try await run.value })
    }

    /// Cancels the task that runs it.
    func cancel() { run.cancel() }

    func stop() async throws {
        await emulator.stop()
        try await run.value
        // The last events are in the log, too.
        await recording.value
    }

    // MARK: - A central

    func write(_ value: [UInt8], to characteristic: BluetoothUUID = IoTDesignShop.majorMinor, of beacon: String)
        async throws -> AttributeResponse
    {
        try #require(await radio.ask(request(beacon, characteristic, .write(offset: 0, value: value))))
    }

    func read(_ characteristic: BluetoothUUID = IoTDesignShop.majorMinor, of beacon: String)
        async throws -> AttributeResponse
    {
        try #require(await radio.ask(request(beacon, characteristic, .read(offset: 0))))
    }

    private func request(
        _ beacon: String, _ characteristic: BluetoothUUID, _ operation: AttributeRequest.Operation
    ) -> AttributeRequest {
        AttributeRequest(
            beacon: BeaconIdentifier(beacon), characteristic: CharacteristicIdentifier(characteristic),
            central: "phone", operation: operation)
    }

    func connect(_ central: String, to beacon: String) {
        radio.emit(.connected(BeaconIdentifier(beacon), central: central))
    }

    func disconnect(_ central: String, from beacon: String) {
        radio.emit(.disconnected(BeaconIdentifier(beacon), central: central))
    }
}

extension Advertisement {
    /// The iBeacon frame in it.
    var frame: IBeacon? { advertisingData.structures.compactMap(IBeacon.init).first }
}

/// Runs an emulator during a function, from ready on, and stops it.
func withReadyRig(
    _ profile: String = Samples.museum, radio: ScriptedRadio = ScriptedRadio(),
    _ body: (Rig) async throws -> Void
) async throws {
    let folder = try TemporaryFolder()
    let rig = try Rig(profile, folder: folder, radio: radio)
    do {
        try await rig.event("ready")
        try await body(rig)
    } catch {
        try? await rig.stop()
        throw error
    }
    try await rig.stop()
}
