// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(CoreLocation) && os(iOS) && targetEnvironment(simulator)
    import BeaconRegions
    import BeaconryLogic
    import CoreLocation

    /// A beacon with values of a ranging report.
    // CLBeacon has no initialiser with values, so its properties are overridden, as test doubles of apps do it.
    final class SimulatedBeacon: CLBeacon {
        private var beacon: RangedBeacon?
        private var time = Date()

        convenience init(_ beacon: RangedBeacon) {
            self.init()
            self.beacon = beacon
        }

        override class var supportsSecureCoding: Bool { true }
        override var uuid: UUID { beacon?.uuid ?? super.uuid }
        override var proximityUUID: UUID { uuid }
        override var major: NSNumber { NSNumber(value: beacon?.major ?? 0) }
        override var minor: NSNumber { NSNumber(value: beacon?.minor ?? 0) }
        override var rssi: Int { beacon?.rssi ?? 0 }
        override var accuracy: CLLocationAccuracy { beacon?.accuracy ?? -1 }
        // When the report was received: the time of the run may be virtual, and apps compare this with their own clock.
        override var timestamp: Date { time }

        override var proximity: CLProximity {
            switch beacon?.proximity {
            case .immediate: return .immediate
            case .near: return .near
            case .far: return .far
            case .unknown, nil: return .unknown
            }
        }

        // It never changes. The superclass would copy values that it does not have.
        override func copy(with zone: NSZone? = nil) -> Any { self }

        override var description: String {
            "CLBeacon (uuid:\(uuid), major:\(major), minor:\(minor), proximity:\(proximity.rawValue) +/- \(accuracy)m, rssi:\(rssi))"
        }
    }

    extension BeaconConstraint {
        init(_ constraint: CLBeaconIdentityConstraint) {
            self.init(uuid: constraint.uuid, major: number(constraint.major), minor: number(constraint.minor))
        }

        init(_ region: CLBeaconRegion) {
            self.init(uuid: region.uuid, major: number(region.major), minor: number(region.minor))
        }
    }

    // The major of a region is an NSNumber, that of a constraint a UInt16; versions of the SDK differ in that of a constraint.
    private func number(_ value: NSNumber?) -> UInt16? { value?.uint16Value }
    private func number(_ value: UInt16?) -> UInt16? { value }

    extension CLBeaconRegion {
        /// A region as Core Location would make it for one that an earlier launch of the app has started.
        static func restored(_ region: MonitoredRegion) -> CLBeaconRegion {
            let constraint = region.constraint
            let restored: CLBeaconRegion
            switch (constraint.major, constraint.minor) {
            case (let major?, let minor?):
                restored = CLBeaconRegion(
                    uuid: constraint.uuid, major: major, minor: minor, identifier: region.identifier)
            case (let major?, nil):
                restored = CLBeaconRegion(uuid: constraint.uuid, major: major, identifier: region.identifier)
            default:
                restored = CLBeaconRegion(uuid: constraint.uuid, identifier: region.identifier)
            }
            restored.notifyOnEntry = region.notifyOnEntry
            restored.notifyOnExit = region.notifyOnExit
            return restored
        }
    }

    extension CLRegionState {
        init(_ state: RegionState) {
            switch state {
            case .unknown: self = .unknown
            case .inside: self = .inside
            case .outside: self = .outside
            }
        }
    }
#endif
