// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Bluetooth
import Devices
import Emulator
import Profiles
import Receiving

/// The options of a walk on the bench.
struct BenchOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Receiver of the profile that walks on a virtual air in place of a phone that rests beside the radio: the measured \
            powers on the radio make the app on the phone show the receiver's distances (docs/bench.md).
            """, valueName: "receiver"))
    var bench: String?

    @Option(
        parsing: .unconditional,
        help: "RSSI that the phone has on the bench, -100 to -20 dBm, as beaconry bench calibrate computes it.",
        transform: rssi)
    var benchRssi: RSSI?

    @Option(
        help: """
            How the app on the phone computes distances: altbeacon (the Android Beacon Library, and apps that use it) or \
            log-distance (iOS, by its documentation) (default: altbeacon).
            """)
    var benchApp: BenchApp?

    @Flag(
        inversion: .prefixedNo,
        help: """
            Whether distances follow the receiver as slowly as the app shows a real walk, by its filter of 20 s \
            (default: for altbeacon).
            """)
    var benchLag: Bool?

    /// The settings; `nil` without a bench.
    /// - Throws: `Failure` for options that do not fit together.
    func settings(on profiles: [Profile]) throws(Failure) -> BenchSettings? {
        guard let receiver = bench else {
            if benchRssi != nil || benchApp != nil || benchLag != nil {
                throw .usage("--bench-rssi, --bench-app and --bench-lag need --bench RECEIVER")
            }
            return nil
        }
        guard let rssi = benchRssi else {
            throw .usage(
                "--bench needs the RSSI that the phone has on the bench: --bench-rssi -68; beaconry bench calibrate computes it"
            )
        }
        let app = benchApp ?? .altBeacon
        let hasLag = benchLag ?? (app == .altBeacon)
        var settings = BenchSettings(receiver, rssi: rssi, app: app, lag: hasLag ? BenchSettings.lag(of: app) : nil)
        settings.ignoresScan = profiles.flatMap(\.receivers).contains { definition in
            definition.id == receiver && definition.listener.map { $0.phone != .exact || $0.scan != nil } == true
        }
        return settings
    }

    /// Profiles in which the receiver of the bench scans within the run, without pauses.
    func prepared(_ profiles: [Profile]) -> [Profile] {
        guard let bench else { return profiles }
        return profiles.map { profile in
            profile.with(
                receivers: profile.receivers.map { receiver in
                    guard receiver.id == bench else { return receiver }
                    var listener = receiver.listener ?? ListenerSettings()
                    (listener.phone, listener.scan, listener.screen) = (.exact, nil, .on)
                    (listener.bluetooth, listener.permission) = (.on, .granted)
                    return ReceiverDefinition(
                        id: receiver.id, movement: receiver.movement, listener: listener, traits: receiver.traits)
                })
        }
    }

    /// - Throws: `Failure` if no profile has the receiver.
    func check(_ profiles: [Profile]) throws(Failure) {
        let names = profiles.flatMap(\.receivers).map(\.id)
        guard let bench, !names.contains(bench) else { return }
        throw .usage(
            names.isEmpty
                ? "--bench: the profiles have no receivers; add one with the name \"\(bench)\" and a path (docs/bench.md)"
                : Spelling.unknown("--bench: there is no receiver \"\(bench)\"", bench, "receivers", names))
    }

    private static func rssi(_ text: String) throws(ValueFault) -> RSSI {
        let rssi = try OptionValue.rssi(text)
        guard RSSI(-100)...RSSI(-20) ~= rssi else {
            throw ValueFault("\"\(text)\" is not an RSSI from -100 to -20 dBm")
        }
        return rssi
    }
}
