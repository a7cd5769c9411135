// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BeaconRegions
public import BeaconryStream

/// `RegionMonitoring` with a receiver of a run, for simulators and tests.
///
/// The regions of the receiver are the conditions while the stream lives, and are removed when it is cancelled. Use a receiver of its
/// own if the app has `BeaconryCoreLocation`, too.
public struct BeaconryRegionMonitoring: RegionMonitoring {
    private let server: BeaconryServer
    private let timing: BeaconrySession.Timing
    private let log: @Sendable (String) -> Void

    /// Monitoring with this receiver.
    /// - Parameter log: gets a sentence when the connection changes, or the receiver refuses a condition.
    public init(
        _ server: BeaconryServer, timing: BeaconrySession.Timing = BeaconrySession.Timing(),
        log: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.server = server
        self.timing = timing
        self.log = log
    }

    public func states(of conditions: [String: BeaconConstraint]) -> AsyncStream<RegionStateChange> {
        AsyncStream { continuation in
            let outputs = BeaconrySession.Outputs(
                deliver: { deliveries in
                    for delivery in deliveries {
                        switch delivery.call {
                        case .didDetermineState(let state, let region):
                            continuation.yield(RegionStateChange(identifier: region.identifier, state: state))
                        case .monitoringDidFail(let region, _), .monitoringWasDenied(let region):
                            continuation.yield(RegionStateChange(identifier: region.identifier, state: .unknown))
                        case .didRange, .didFailRanging, .didStartMonitoring, .didEnter, .didExit:
                            break
                        }
                    }
                }, log: log)
            let session = BeaconrySession(server, timing: timing, outputs: outputs)
            for (identifier, constraint) in conditions.sorted(by: { $0.key < $1.key }) {
                let region = MonitoredRegion(identifier: identifier, constraint: constraint)
                session.startMonitoring(region, for: ManagerID(0))
            }
            session.activate()
            continuation.onTermination = { _ in session.end() }
        }
    }
}
