// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator
package import HCIRadio
package import Profiles
import Radio

/// The beacons of profiles on a virtual air, for receivers in the same process: the receivers of a scenario, or a
/// receiving command.
///
/// Nothing is saved, and receivers of the profiles have no servers.
package struct AirRun: Sendable {
    /// The radio of the beacons. It is the radio of the receivers, too.
    package let radio: VirtualAirRadio
    /// The beacons, which are not on the air yet.
    package let emulator: Emulator
    /// The name of its central on the air.
    let central: String
    private let clock: any Clock<Duration>

    /// A run that has not started.
    /// - Parameters:
    ///   - options: the air.
    ///   - clock: the time of the run; the radio uses the time of the current simulation.
    ///   - capture: the file of the HCI traffic; `nil` for none.
    package init(
        _ profiles: [Profile], on options: VirtualAirOptions, clock: any Clock<Duration>, capture: CaptureFile? = nil
    ) {
        let beacons = profiles.map {
            Profile(name: $0.name, beacons: $0.beacons, surroundings: $0.surroundings)
        }
        radio = VirtualAirRadio(options, capture: capture)
        emulator = Emulator(
            Emulator.Configuration(profiles: beacons, loadProfiles: { beacons }), radio: radio, clock: clock)
        self.clock = clock
        central = options.central.name
    }

    /// Runs the beacons while work is done, which begins when all are on the air, or after a second: a device may be off
    /// until a button is pressed.
    /// - Throws: the error of the work; or `EmulatorError` if the beacons cannot run, and then the work is cancelled.
    package func run<Value: Sendable>(during work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let events = emulator.events.listen()
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                try await emulator.run()
                return nil
            }
            group.addTask {
                await waitUntilReady(events)
                try Task.checkCancellation()
                do {
                    let value = try await work()
                    await emulator.stop()
                    return value
                } catch {
                    await emulator.stop()
                    throw error
                }
            }
            var value: Value?
            while let next = try await group.next() { value = next ?? value }
            guard let value else { throw CancellationError() }
            return value
        }
    }

    private func waitUntilReady(_ events: AsyncStream<PostedEvent>) async {
        await withTaskGroup { group in
            group.addTask { for await posted in events where posted.event.isReady { return } }
            group.addTask { try? await clock.sleep(for: .seconds(1)) }
            await group.next()
            group.cancelAll()
        }
    }
}

extension EmulatorEvent {
    fileprivate var isReady: Bool {
        if case .ready = self { true } else { false }
    }
}
