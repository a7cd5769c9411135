// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import Profiles
import Radio
import Receiving

/// A watch of regions with everything around it: changes told, kept and reacted to, and the list read again.
struct Monitoring: Sendable {
    private static let tick = Duration.milliseconds(50)
    private static let rereading = Duration.seconds(1)

    let settings: RegionMonitor.Settings
    let ranging: Ranging.Settings
    let source: RegionSource
    let keeper: StateKeeper
    let reactions: Reactions
    let output: MonitorOutput
    let isJSON: Bool

    /// A watch of the list as it is, which goes on with what was kept.
    /// - Throws: `RegionMonitor.TooManyRegions`, and why the list or the states cannot be read.
    func makeWatch() throws -> (RegionWatch, RegionSource) {
        var source = source
        var watch = RegionWatch(settings, ranging: ranging, start: .sinceUnixEpoch)
        try watch.watch(try source.read(), at: .zero)
        watch.restore(try keeper.states(), at: .zero)
        return (watch, source)
    }

    /// Watches until what is heard ends.
    func run(on radio: any CentralRadio) async throws {
        var (watch, source) = try makeWatch()
        var output = output
        for status in watch.statuses { output.tell(RegionRecord(status)) }
        keeper.keep(watch.savedStates)
        var nextReading = Self.rereading
        for await reception in try await radio.receptions(every: Self.tick) {
            for told in watch.take(reception) {
                switch told {
                case .changed(let event, let message, let isHeldBack):
                    keeper.keep(watch.savedStates)
                    let record = RegionRecord(event, message: message, isHeldBack: isHeldBack)
                    output.tell(record)
                    if event.kind != .determined, !isHeldBack { reactions.react(to: record) }
                case .ranged(let report, let region): output.tell(report, in: region)
                }
            }
            guard reception.time >= nextReading else { continue }
            nextReading = reception.time + Self.rereading
            if source.hasChanged {
                read(&source, into: &watch, at: reception.time)
                keeper.keep(watch.savedStates)
            }
        }
    }

    /// Takes the list up again; one that cannot be used changes nothing.
    private func read(_ source: inout RegionSource, into watch: inout RegionWatch, at time: Duration) {
        do {
            try watch.watch(try source.read(), at: time)
        } catch {
            let reason = Failure(error)?.message ?? "\(error)"
            Notice(
                code: "regions-not-read", message: "the changed list of regions is not used: \(reason)",
                hint: "correct it; until then the regions stay as they were"
            ).tell(asJSON: isJSON)
        }
    }
}
