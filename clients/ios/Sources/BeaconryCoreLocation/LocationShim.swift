// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(CoreLocation) && os(iOS) && targetEnvironment(simulator)
    import BeaconRegions
    import BeaconryLogic
    import BeaconryStream
    import CoreLocation
    import ObjectiveC

    /// The connection between `CLLocationManager` and a session: objects of Core Location on one side, values on the other.
    ///
    /// Which calls follow from what is decided in `BeaconryLogic`. The methods are called by the replaced methods of `CLLocationManager`, on
    /// any thread.
    final class LocationShim: @unchecked Sendable {
        private static let lock = NSLock()
        private static var installed: LocationShim?

        /// The shim; there is one once methods are replaced.
        static var shared: LocationShim? {
            lock.lock()
            defer { lock.unlock() }
            return installed
        }

        private let session: BeaconrySession
        private let managers: ManagerTable
        private let lock = NSLock()
        /// The app's own objects, by identifier: delegates get these, not equal ones.
        private var regions: [String: CLBeaconRegion] = [:]

        /// Replaces the methods; once.
        static func install(_ server: BeaconryServer, authorized: Bool) {
            lock.lock()
            defer { lock.unlock() }
            guard installed == nil else { return log("is installed already; install is ignored") }
            installed = LocationShim(server)
            CLLocationManager.replaceBeaconMethods(authorization: authorized)
            log("beacons of \(server.url), receiver \(server.receiver)")
        }

        private init(_ server: BeaconryServer) {
            // As on a phone, the regions of an app outlive it, until it is deleted.
            let key = "BeaconryRegions"
            let delivery = DeliveryBox()
            let session = BeaconrySession(
                server, saved: UserDefaults.standard.data(forKey: key),
                outputs: BeaconrySession.Outputs(
                    deliver: { delivery.shim?.deliver($0) }, save: { UserDefaults.standard.set($0, forKey: key) },
                    log: { Self.log($0) }))
            self.session = session
            managers = ManagerTable { session.forget($0) }
            delivery.shim = self
        }

        // The session needs its outputs before the shim exists; nothing is delivered until then.
        private final class DeliveryBox: @unchecked Sendable { weak var shim: LocationShim? }

        static func log(_ sentence: String) { NSLog("%@", "Beaconry: \(sentence)") }

        // MARK: - From the app

        /// Takes that a manager has a delegate, which may get calls for regions that another manager, or an earlier launch, started.
        func takeDelegate(of manager: CLLocationManager) {
            _ = managers.record(of: manager)
            session.activate()
        }

        func startRanging(_ request: RangingRequest, for manager: CLLocationManager) {
            session.startRanging(request, for: managers.record(of: manager).id)
        }

        func stopRanging(_ request: RangingRequest, for manager: CLLocationManager) {
            session.stopRanging(request, for: managers.record(of: manager).id)
        }

        func rangedConstraints(of manager: CLLocationManager) -> Set<CLBeaconIdentityConstraint> {
            let requests = session.rangingRequests(of: managers.record(of: manager).id)
            return Set(
                requests.compactMap { request -> CLBeaconIdentityConstraint? in
                    guard case .constraint(let constraint) = request else { return nil }
                    return .of(constraint)
                })
        }

        func rangedRegions(of manager: CLLocationManager) -> Set<CLRegion> {
            let requests = session.rangingRequests(of: managers.record(of: manager).id)
            return Set(requests.compactMap { $0.region })
        }

        /// - Parameter others: the number of regions that Core Location itself monitors for the app.
        func startMonitoring(_ region: CLBeaconRegion, for manager: CLLocationManager, others: Int) {
            let record = managers.record(of: manager)
            let copy = region.copy() as? CLBeaconRegion ?? region
            lock.lock()
            regions[region.identifier] = copy
            lock.unlock()
            session.startMonitoring(MonitoredRegion(region), for: record.id, others: others)
            session.activate()
        }

        func stopMonitoring(_ region: CLBeaconRegion) {
            session.stopMonitoring(region.identifier)
        }

        func requestState(of region: CLBeaconRegion, for manager: CLLocationManager) {
            session.requestState(of: MonitoredRegion(region), for: managers.record(of: manager).id)
        }

        var monitoredRegions: Set<CLRegion> {
            Set(session.monitoredRegions.map { object(for: $0) })
        }

        private func object(for region: MonitoredRegion) -> CLBeaconRegion {
            lock.lock()
            defer { lock.unlock() }
            if let object = regions[region.identifier], MonitoredRegion(object) == region { return object }
            return CLBeaconRegion.restored(region)
        }

        // MARK: - To the delegates

        private func deliver(_ deliveries: [Delivery]) {
            for delivery in deliveries {
                for record in managers.records(delivery.manager) {
                    record.call { [self] manager, delegate in perform(delivery.call, manager, delegate, record.id) }
                }
            }
        }

        private func perform(
            _ call: DelegateCall, _ manager: CLLocationManager, _ delegate: any CLLocationManagerDelegate,
            _ id: ManagerID
        ) {
            switch call {
            case .didRange(let ranged, let request):
                // The app may have stopped it since the report came.
                guard session.rangingRequests(of: id).contains(request) else { return }
                let beacons = ranged.map { SimulatedBeacon($0) }
                if let region = request.region {
                    delegate.locationManager?(manager, didRangeBeacons: beacons, in: region)
                } else {
                    delegate.locationManager?(manager, didRange: beacons, satisfying: .of(request.constraint))
                }
            case .didFailRanging(let request, let obstacle):
                guard session.rangingRequests(of: id).contains(request) else { return }
                let code: CLError.Code = obstacle == .permissionDenied ? .denied : .rangingUnavailable
                let error = NSError(domain: kCLErrorDomain, code: code.rawValue)
                if let region = request.region {
                    delegate.locationManager?(manager, rangingBeaconsDidFailFor: region, withError: error)
                } else {
                    delegate.locationManager?(manager, didFailRangingFor: .of(request.constraint), error: error)
                }
            case .didStartMonitoring(let region):
                delegate.locationManager?(manager, didStartMonitoringFor: object(for: region))
            case .didDetermineState(let state, let region):
                let object = object(for: region)
                delegate.locationManager?(manager, didDetermineState: CLRegionState(state), for: object)
            case .didEnter(let region):
                guard session.monitoredRegions.contains(region) else { return }
                delegate.locationManager?(manager, didEnterRegion: object(for: region))
            case .didExit(let region):
                guard session.monitoredRegions.contains(region) else { return }
                delegate.locationManager?(manager, didExitRegion: object(for: region))
            case .monitoringDidFail(let region, let reason):
                let error = NSError(
                    domain: kCLErrorDomain, code: CLError.Code.regionMonitoringFailure.rawValue,
                    userInfo: [NSLocalizedDescriptionKey: reason])
                delegate.locationManager?(manager, monitoringDidFailFor: object(for: region), withError: error)
            case .monitoringWasDenied(let region):
                let error = NSError(domain: kCLErrorDomain, code: CLError.Code.regionMonitoringDenied.rawValue)
                delegate.locationManager?(manager, monitoringDidFailFor: object(for: region), withError: error)
            }
        }
    }

    extension MonitoredRegion {
        init(_ region: CLBeaconRegion) {
            self.init(
                identifier: region.identifier, constraint: BeaconConstraint(region),
                notifyOnEntry: region.notifyOnEntry, notifyOnExit: region.notifyOnExit)
        }
    }

    extension RangingRequest {
        init(_ region: CLBeaconRegion) {
            self = .region(identifier: region.identifier, BeaconConstraint(region))
        }

        /// The region of the old API.
        fileprivate var region: CLBeaconRegion? {
            guard case .region(let identifier, let constraint) = self else { return nil }
            return CLBeaconRegion.restored(MonitoredRegion(identifier: identifier, constraint: constraint))
        }
    }

    extension CLBeaconIdentityConstraint {
        fileprivate static func of(_ constraint: BeaconConstraint) -> CLBeaconIdentityConstraint {
            switch (constraint.major, constraint.minor) {
            case (let major?, let minor?):
                return CLBeaconIdentityConstraint(uuid: constraint.uuid, major: major, minor: minor)
            case (let major?, nil): return CLBeaconIdentityConstraint(uuid: constraint.uuid, major: major)
            default: return CLBeaconIdentityConstraint(uuid: constraint.uuid)
            }
        }
    }
#endif
