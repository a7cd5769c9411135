// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Radio
import Receiving

/// A run of the stages of a test on a radio, with another radio as a receiver if there is one.
struct TrialRun: Sendable {
    /// The longest time until a radio reports what it did with the beacons.
    private static let patience = Duration.seconds(15)

    let driver: any RadioDriver
    let ledger: any RadioLedger
    let receiver: (any CentralRadio)?
    let duration: Duration
    /// The major number of this test, which distinguishes its beacons from the beacons of other tests.
    let major: UInt16

    /// The results of stages; those after SIGINT or SIGTERM are missing.
    /// - Parameter begin: called before each stage.
    /// - Throws: `RadioError` if the receiver cannot be used.
    func results(
        of stages: [TrialStage], begin: @Sendable (TrialStage) -> Void
    ) async throws(RadioError) -> (results: [StageResult], isComplete: Bool) {
        let interruption = await Interruption()
        defer { interruption.end() }
        let closing = Task { [receiver] in if await interruption.untilRequested() { await receiver?.close() } }
        defer { closing.cancel() }
        let capabilities = try await receiver?.openCentral(waits: false)
        closing.cancel()
        var results: [StageResult] = []
        for stage in stages where !interruption.isRequested {
            begin(stage)
            var result = StageResult(stage, for: duration)
            result.receiver = capabilities
            await run(&result, until: interruption)
            results.append(result)
        }
        await receiver?.close()
        return (results, results.count == stages.count && !interruption.isRequested)
    }

    private func run(_ result: inout StageResult, until interruption: Interruption) async {
        let beacons = result.stage.beacons(major: major)
        let receiving = Task { [receiver] in try await Self.receive(beacons, on: receiver) }
        let radio = driver.makePeripheral(RadioResources(ledger: ledger))
        do throws(RadioError) {
            result.capabilities = try await radio.open(beacons.map(\.hosted), waits: false) { _ in .failure(.unlikely) }
        } catch {
            result.failure = error
            receiving.cancel()
            await receiver?.stopScanning()
            _ = await receiving.result
            return
        }
        let watch = RadioWatch(beacons.map(\.hosted.identifier))
        let watching = Task { for await event in radio.events { watch.take(event) } }
        for beacon in beacons { await radio.advertise(beacon.hosted.advertisement, for: beacon.hosted.identifier) }
        await interruption.wait(atMost: Self.patience) { await watch.waitUntilReported() }
        await interruption.sleep(for: duration)
        watch.stop()
        await radio.close()
        await watching.value
        await receiver?.stopScanning()
        result.take(watch.state)
        switch await receiving.result {
        case .success(let receptions):
            result.receptions = receptions
            // The receptions end with the radio, too.
            var states = await receiver?.states().makeAsyncIterator()
            if case .unavailable(let error)? = await states?.next() { result.receiverFailure = error }
        case .failure(let error): result.receiverFailure = error as? RadioError
        }
    }

    /// What is received of the beacons until the scan ends.
    /// - Throws: `RadioError` if there is no scan.
    private static func receive(
        _ beacons: [TrialBeacon], on radio: (any CentralRadio)?
    ) async throws -> [BeaconIdentifier: StageResult.Reception] {
        var found: [BeaconIdentifier: StageResult.Reception] = [:]
        guard let radio else { return found }
        for await case .received(let sighting, let time) in try await radio.receptions(every: .seconds(1)) {
            // Advertisements of other devices are not looked at any further.
            guard let beacon = beacons.first(where: { sighting.beacons.contains($0.frame) }) else { continue }
            found[beacon.hosted.identifier, default: StageResult.Reception()].take(sighting, at: time)
        }
        return found
    }
}

extension StageResult.Reception {
    mutating func take(_ sighting: Sighting, at time: Duration) {
        times.append(time)
        if let rssi = sighting.rssi, rssi != .unavailable { self.rssi.append(rssi.decibelMilliwatts) }
        if let pdu = sighting.pdu { pdus.insert(pdu.rawValue) }
    }
}
