// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(CoreLocation) && os(iOS) && targetEnvironment(simulator)
    import BeaconRegions
    import BeaconryLogic
    import CoreLocation
    import ObjectiveC

    // Each method here has the selector of one of CLLocationManager's with the prefix `beaconry_`; the two exchange their
    // implementations. After that, a call of the selector with the prefix is one of Core Location's implementation. `dynamic` is
    // necessary: a direct call would be a recursion.
    extension CLLocationManager {
        /// Exchanges the methods for beacons.
        /// - Parameter authorization: whether `authorizationStatus` is exchanged, too.
        static func replaceBeaconMethods(authorization: Bool) {
            var methods = [
                "setDelegate:",
                "startRangingBeaconsSatisfyingConstraint:", "stopRangingBeaconsSatisfyingConstraint:",
                "startRangingBeaconsInRegion:", "stopRangingBeaconsInRegion:",
                "rangedBeaconConstraints", "rangedRegions",
                "startMonitoringForRegion:", "stopMonitoringForRegion:", "requestStateForRegion:", "monitoredRegions",
            ]
            var classMethods = ["isMonitoringAvailableForClass:", "isRangingAvailable"]
            if authorization {
                methods.append("authorizationStatus")
                classMethods.append("authorizationStatus")
            }
            for name in methods { exchange(CLLocationManager.self, name) }
            // The class methods of a class are the methods of its metaclass.
            if let metaclass = object_getClass(CLLocationManager.self) {
                for name in classMethods { exchange(metaclass, name) }
            }
        }

        private static func exchange(_ type: AnyClass, _ name: String) {
            let original = class_getInstanceMethod(type, NSSelectorFromString(name))
            let replacement = class_getInstanceMethod(type, NSSelectorFromString("beaconry_" + name))
            guard let original, let replacement else {
                return LocationShim.log("CLLocationManager of this iOS has no method \(name); it is not replaced")
            }
            method_exchangeImplementations(original, replacement)
        }

        // MARK: - Delegate

        @objc(beaconry_setDelegate:)
        dynamic func beaconrySetDelegate(_ delegate: (any CLLocationManagerDelegate)?) {
            beaconrySetDelegate(delegate)
            if delegate != nil { LocationShim.shared?.takeDelegate(of: self) }
        }

        // MARK: - Ranging

        @objc(beaconry_startRangingBeaconsSatisfyingConstraint:)
        dynamic func beaconryStartRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
            LocationShim.shared?.startRanging(.constraint(BeaconConstraint(constraint)), for: self)
        }

        @objc(beaconry_stopRangingBeaconsSatisfyingConstraint:)
        dynamic func beaconryStopRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
            LocationShim.shared?.stopRanging(.constraint(BeaconConstraint(constraint)), for: self)
        }

        @objc(beaconry_startRangingBeaconsInRegion:)
        dynamic func beaconryStartRangingBeacons(in region: CLBeaconRegion) {
            LocationShim.shared?.startRanging(RangingRequest(region), for: self)
        }

        @objc(beaconry_stopRangingBeaconsInRegion:)
        dynamic func beaconryStopRangingBeacons(in region: CLBeaconRegion) {
            LocationShim.shared?.stopRanging(RangingRequest(region), for: self)
        }

        @objc(beaconry_rangedBeaconConstraints)
        dynamic var beaconryRangedBeaconConstraints: Set<CLBeaconIdentityConstraint> {
            LocationShim.shared?.rangedConstraints(of: self) ?? []
        }

        @objc(beaconry_rangedRegions)
        dynamic var beaconryRangedRegions: Set<CLRegion> {
            LocationShim.shared?.rangedRegions(of: self) ?? []
        }

        // MARK: - Monitoring: circular regions are Core Location's

        @objc(beaconry_startMonitoringForRegion:)
        dynamic func beaconryStartMonitoring(for region: CLRegion) {
            guard let region = region as? CLBeaconRegion else { return beaconryStartMonitoring(for: region) }
            let others = beaconryMonitoredRegions.filter { !($0 is CLBeaconRegion) }.count
            LocationShim.shared?.startMonitoring(region, for: self, others: others)
        }

        @objc(beaconry_stopMonitoringForRegion:)
        dynamic func beaconryStopMonitoring(for region: CLRegion) {
            guard let region = region as? CLBeaconRegion else { return beaconryStopMonitoring(for: region) }
            LocationShim.shared?.stopMonitoring(region)
        }

        @objc(beaconry_requestStateForRegion:)
        dynamic func beaconryRequestState(for region: CLRegion) {
            guard let region = region as? CLBeaconRegion else { return beaconryRequestState(for: region) }
            LocationShim.shared?.requestState(of: region, for: self)
        }

        @objc(beaconry_monitoredRegions)
        dynamic var beaconryMonitoredRegions: Set<CLRegion> {
            // `self`: without it, the compiler warns of a recursion, which this is not after the exchange.
            self.beaconryMonitoredRegions.filter { !($0 is CLBeaconRegion) }
                .union(LocationShim.shared?.monitoredRegions ?? [])
        }

        // MARK: - Availability and authorization

        @objc(beaconry_isMonitoringAvailableForClass:)
        dynamic class func beaconryIsMonitoringAvailable(for type: AnyClass) -> Bool {
            type is CLBeaconRegion.Type || beaconryIsMonitoringAvailable(for: type)
        }

        @objc(beaconry_isRangingAvailable)
        dynamic class func beaconryIsRangingAvailable() -> Bool { true }

        @objc(beaconry_authorizationStatus)
        dynamic class func beaconryAuthorizationStatusOfApp() -> CLAuthorizationStatus { .authorizedAlways }

        @objc(beaconry_authorizationStatus)
        dynamic var beaconryAuthorizationStatus: CLAuthorizationStatus { .authorizedAlways }
    }
#endif
