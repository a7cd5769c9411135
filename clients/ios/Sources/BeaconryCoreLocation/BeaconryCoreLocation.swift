// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(CoreLocation) && os(iOS) && targetEnvironment(simulator)
    import BeaconryStream
    public import Foundation

    /// Beacons of Beaconry in Core Location, in simulators.
    ///
    /// After `install`, the methods of `CLLocationManager` for beacons use a receiver of a run; all others, and circular regions, are
    /// Core Location's. Delegates, `CLBeaconRegion` and the rest of the app stay as they are.
    public enum BeaconryCoreLocation {
        /// Installs the beacons of a receiver. Call it once, before the app uses a `CLLocationManager`; later calls are ignored.
        /// - Parameters:
        ///   - url: the address of the run, as in `beaconry run --http 127.0.0.1:8080`.
        ///   - receiver: the name of the receiver; one that does not exist is created with the defaults.
        ///   - token: the word of `--http-token-file`, if the server needs it.
        ///   - authorized: whether `authorizationStatus` is `authorizedAlways`, whatever the simulator's settings are.
        public static func install(
            url: URL = URL(string: "http://localhost:8080")!, receiver: String = "phone", token: String? = nil,
            authorized: Bool = false
        ) {
            let server = BeaconryServer(url: url, receiver: receiver, token: token)
            LocationShim.install(server, authorized: authorized)
        }

        /// Installs the receiver of `BEACONRY_URL`, `BEACONRY_RECEIVER` and `BEACONRY_TOKEN`; `BEACONRY_AUTHORIZED=1` is `authorized`.
        /// Each has the default of `install`.
        public static func installFromEnvironment() {
            let environment = ProcessInfo.processInfo.environment
            func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
            let text = value("BEACONRY_URL") ?? "http://localhost:8080"
            guard let url = URL(string: text), url.host != nil else {
                NSLog("%@", "Beaconry: BEACONRY_URL is not a URL, such as http://localhost:8080: \(text)")
                return
            }
            install(
                url: url, receiver: value("BEACONRY_RECEIVER") ?? "phone", token: value("BEACONRY_TOKEN"),
                authorized: value("BEACONRY_AUTHORIZED") == "1")
        }
    }

    /// Called by the constructor of the target BeaconryInjection.
    @_cdecl("beaconry_install_from_environment")
    public func beaconryInstallFromEnvironment() {
        BeaconryCoreLocation.installFromEnvironment()
    }
#endif
