// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(CoreLocation) && os(iOS)
    import CoreLocation

    /// `RegionMonitoring` with Core Location, for phones.
    ///
    /// Use one instance per name for the life of the app: Core Location permits one open monitor of a name.
    @available(iOS 17.0, *)
    public final class CoreLocationRegionMonitoring: RegionMonitoring {
        private let monitor: Task<CLMonitor, Never>

        /// Opens the monitor with this name.
        /// - Parameter name: letters and digits only.
        public init(name: String = "BeaconRegions") {
            monitor = Task { await CLMonitor(name) }
        }

        /// Monitors these conditions instead of all that the monitor had before.
        public func states(of conditions: [String: BeaconConstraint]) -> AsyncStream<RegionStateChange> {
            AsyncStream { continuation in
                let task = Task { [monitor] in
                    let monitor = await monitor.value
                    for identifier in await monitor.identifiers where conditions[identifier] == nil {
                        await monitor.remove(identifier)
                    }
                    for (identifier, constraint) in conditions {
                        await monitor.add(Self.condition(constraint), identifier: identifier)
                    }
                    do {
                        for try await event in await monitor.events {
                            guard conditions[event.identifier] != nil else { continue }
                            let state: RegionState
                            switch event.state {
                            case .satisfied: state = .inside
                            case .unsatisfied: state = .outside
                            default: state = .unknown
                            }
                            continuation.yield(RegionStateChange(identifier: event.identifier, state: state))
                        }
                    } catch {
                        // Core Location ended the events: the stream ends, too.
                    }
                    // Otherwise the conditions would go on to wake the app.
                    if Task.isCancelled {
                        for identifier in conditions.keys { await monitor.remove(identifier) }
                    }
                    continuation.finish()
                }
                continuation.onTermination = { _ in task.cancel() }
            }
        }

        private static func condition(_ constraint: BeaconConstraint) -> CLMonitor.BeaconIdentityCondition {
            switch (constraint.major, constraint.minor) {
            case (let major?, let minor?): .init(uuid: constraint.uuid, major: major, minor: minor)
            case (let major?, nil): .init(uuid: constraint.uuid, major: major)
            default: .init(uuid: constraint.uuid)
            }
        }
    }
#endif
