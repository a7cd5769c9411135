// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Radio

/// The scan of an adapter: none, passive or active. Changes take effect in the order in which they were requested.
@ServiceActor
final class AdapterScanner {
    /// How an adapter scans.
    enum Mode {
        case passive
        case active
    }

    private let radio: any CentralRadio
    private let warn: @Sendable (String) -> Void
    private let receive: @ServiceActor (Sighting) -> Void
    private var mode: Mode?
    /// The number of the latest change; a stream of an earlier one is not read any more.
    private var number: UInt64 = 0
    private var latest: Task<Void, Never>?

    init(
        _ radio: any CentralRadio, warn: @escaping @Sendable (String) -> Void,
        receive: @escaping @ServiceActor (Sighting) -> Void
    ) {
        self.radio = radio
        self.warn = warn
        self.receive = receive
    }

    /// Changes the scan; `nil` ends it.
    func set(_ mode: Mode?) {
        guard mode != self.mode else { return }
        self.mode = mode
        number += 1
        let (number, former) = (number, latest)
        latest = Task {
            await former?.value
            guard number == self.number else { return }
            await apply(mode, number)
        }
    }

    private func apply(_ mode: Mode?, _ number: UInt64) async {
        guard let mode else { return await radio.stopScanning() }
        do throws(RadioError) {
            let sightings = try await radio.scan(ScanParameters(isActive: mode == .active))
            Task {
                for await sighting in sightings {
                    guard number == self.number else { return }
                    receive(sighting)
                }
            }
        } catch {
            warn("the adapter does not scan: \(error)")
        }
    }
}
