// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Radio
import Receiving

// How the emulator performs a walk on the bench: what the plan decides reaches the radio and the states of the beacons here.
extension Emulator {
    /// The radio with places and receivers: the virtual air of the bench, if there is one.
    nonisolated var placedRadio: any PeripheralRadio { configuration.bench?.air ?? radio }

    /// The walk on the bench, as it is at present.
    /// - Throws: `EmulatorError` `.unsupported` without a bench.
    package nonisolated func benchRecord() throws(EmulatorError) -> BenchRecord {
        guard let bench = configuration.bench else {
            throw EmulatorError(
                .unsupported, "this run has no bench", hint: "start it with --bench RECEIVER (docs/bench.md)")
        }
        let settings = bench.settings
        return BenchRecord(
            receiver: settings.receiver, rssi: settings.rssi.decibelMilliwatts, app: settings.app.rawValue,
            seed: bench.air.seed, beacons: bench.with(\.records))
    }

    /// Gives the radio, and the virtual air of the bench, other beacons.
    /// - Throws: as `PeripheralRadio.replan`; then both continue with the former ones.
    func replan(_ beacons: [HostedBeacon]) async throws(RadioError) {
        guard let bench = configuration.bench else { return try await radio.replan(beacons) }
        try await radio.replan(beacons.map(\.atRest))
        try await bench.air.replan(beacons)
    }

    /// Puts the advertisement of a beacon on the radio, or takes it off; on a bench when the receiver is in range.
    func advertise(_ advertisement: Advertisement?, for beacon: BeaconIdentifier) async {
        guard let bench = configuration.bench else { return await radio.advertise(advertisement, for: beacon) }
        if advertisement == nil { setOutOfRange(false, beacon) }
        let now = uptime
        let decision = bench.with { $0.request(advertisement, of: beacon, at: now) }
        await bench.air.advertise(advertisement?.notConnectable, for: beacon)
        if let decision {
            await perform(decision, of: beacon)
        } else if advertisement == nil {
            await radio.advertise(nil, for: beacon)
        }
    }

    /// Once a second, until the task is cancelled, gives the radio what has changed for the receiver of the bench.
    func walkOnBench() async {
        guard let bench = configuration.bench else { return }
        let following = Task { for await event in bench.air.events { self.take(event, ofAirOf: bench) } }
        defer { following.cancel() }
        while await runClock.sleep(for: .seconds(1)) {
            for beacon in bench.with(\.beacons) {
                let now = uptime
                // Decided right before it is done: another advertisement may be requested meanwhile.
                guard let decision = bench.with({ $0.decide(beacon, at: now) }) else { continue }
                await perform(decision, of: beacon)
            }
        }
    }

    /// What observes the receiver of the bench; `nil` for another receiver.
    nonisolated func observerOnBench(_ receiver: String) -> (@Sendable (ListeningReceiver.Observation) -> Void)? {
        guard let bench = configuration.bench, bench.settings.receiver == receiver else { return nil }
        return { [listeners] observation in
            guard case .packet(let sighting, let time) = observation, let rssi = sighting.rssi.known,
                let beacon = listeners.owner(of: sighting.device.address)
            else { return }
            bench.with { $0.take(rssi, of: BeaconIdentifier(beacon), at: time) }
        }
    }

    private func take(_ event: RadioEvent, ofAirOf bench: Bench) {
        switch event {
        case .advertising(let beacon, let status):
            listeners.note(status.effective.address.value, of: beacon.name)
        case .refused(let beacon, let error):
            warn(
                beacon, "bench-not-received",
                "\(beacon) cannot be on the virtual air of the bench, so \(bench.settings.receiver) does not receive it: "
                    + error.message, hint: error.hint)
        // The radio of the run reports all else.
        default: break
        }
    }

    private func perform(_ decision: BenchPlan.Decision, of beacon: BeaconIdentifier) async {
        switch decision {
        case .leave:
            setOutOfRange(true, beacon)
            if takeOffTheAir(beacon, .none) {
                let reason = "it is out of the range of \(configuration.bench?.settings.receiver ?? "the receiver")"
                events.post(.beacon(beacon, .advertisingStopped(.radio(reason))))
            }
            await radio.advertise(nil, for: beacon)
        case .advertise(let advertisement, let problem):
            if roster[beacon]?.isOutOfRange == true {
                // A report that was on its way when it left is about the former advertisement.
                _ = takeOffTheAir(beacon, .none)
                setOutOfRange(false, beacon)
            }
            if let problem { warn(of: problem, beacon, advertisement) }
            await radio.advertise(advertisement, for: beacon)
        }
    }

    private func setOutOfRange(_ isOutOfRange: Bool, _ beacon: BeaconIdentifier) {
        roster[beacon]?.isOutOfRange = isOutOfRange
        refresh(beacon)
    }

    // MARK: - Warnings

    private func warn(_ beacon: BeaconIdentifier, _ code: String, _ message: String, hint: String) {
        events.post(.beacon(beacon, .warning(Warning(code: code, message: message, hint: hint))))
    }

    private func warn(of problem: BenchProblem, _ beacon: BeaconIdentifier, _ advertisement: Advertisement) {
        switch problem {
        case .clamped:
            let power = advertisement.measuredPower.map { " \($0)" } ?? ""
            warn(
                beacon, "bench-clamped",
                "no measured power makes the app show the distance of \(beacon): it is advertised with the nearest one,"
                    + power, hint: "weaken the signal on the bench, and measure it again (beaconry bench calibrate)")
        case .noMeasuredPower:
            warn(
                beacon, "bench-no-measured-power",
                "\(beacon) has no measured power, so its distance stays as on the bench; only its range has an effect",
                hint: "use iBeacon, AltBeacon or Eddystone for beacons whose distance is to change")
        }
    }

    /// Warns of a scan that the profile gives the receiver, and of a radio on which beacons take turns: an app that scans for a
    /// second at a time does not receive all of them.
    func warnOfBench(on capabilities: RadioCapabilities) {
        guard let settings = configuration.bench?.settings else { return }
        if settings.ignoresScan {
            events.post(
                .warning(
                    Warning(
                        code: "bench-scan",
                        message:
                            "\(settings.receiver) scans without pauses on a bench, whatever its phone and scan are",
                        hint: "none needed: the phone beside the radio scans as it does")))
        }
        if capabilities.sharesTime {
            events.post(
                .warning(
                    Warning(
                        code: "bench-turns",
                        message:
                            "on \(capabilities.name) the beacons take turns, so an app receives each of them at times only",
                        hint: "run fewer beacons (--only), or use an adapter with extended advertising")))
        }
    }

    /// Warns of a reload without the receiver of the bench: all beacons are out of its range.
    func warnOfMissingReceiver() {
        guard let receiver = configuration.bench?.settings.receiver, listeners[receiver] == nil else { return }
        events.post(
            .warning(
                Warning(
                    code: "bench-no-receiver",
                    message:
                        "the profiles have no receiver \(receiver) any more: all beacons of the bench are out of its range",
                    hint: "add it again, and reload")))
    }
}

extension HostedBeacon {
    /// The same without a place: on the radio of a bench all beacons are received with the same RSSI.
    var atRest: HostedBeacon {
        var beacon = self
        beacon.site = BeaconSite()
        return beacon
    }
}
