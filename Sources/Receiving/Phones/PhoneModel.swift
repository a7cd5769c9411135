// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// How a phone and its app receive: when the system scans, and what the app makes of the packets.
///
/// docs/phones.md has the source of each constant, and how certain it is.
package struct PhoneModel: Hashable, Sendable {
    /// The name of the preset, as profiles and commands have it.
    package let name: String
    /// The hardware; `nil` for any.
    package private(set) var handset: Handset?
    /// The system of the phone; `nil` for a receiver that is none.
    package var system: Handset.System? {
        if name.hasPrefix("android") || name.hasPrefix("altbeacon") { return .android }
        return name.hasPrefix("iphone") ? .iOS : nil
    }
    /// When the system scans.
    package var scan: ScanPlan
    /// The parameters of ranging.
    package var ranging: Ranging.Settings
    /// The time for which an app ranges after the change of a region: zero for never, `nil` for always.
    package var rangingTime: Duration?
    /// The time without an advertisement after which a region is left.
    package var exitAfter: Duration
    /// The time from the first packet of a region to the report of the entry.
    package var entryDelay: ClosedRange<Duration>
    /// The time from the end of `exitAfter` to the report of the exit; with turns, from the end of the turn.
    package var exitDelay: ClosedRange<Duration>
    /// Whether the app reports an exit at the end of a cycle of ranging, when the library checks its regions.
    package private(set) var exitsAtCycleEnds = false
    /// The RSSI in dBm at which one bit in 1,000 is wrong, on an air whose receivers have such a limit; `nil` for that of the air.
    package private(set) var sensitivity: Double?
    /// When it loses all packets, on an air with chance; `nil` for never.
    package private(set) var gaps: ReceptionGaps.Plan?
    /// How its app finds beacons in packets.
    package var reader: FrameReader { ranging.reader }

    private init(
        _ name: String, _ scan: ScanPlan, ranging: Ranging.Settings = .phone(), rangingTime: Duration? = nil,
        exitAfter: Duration = .seconds(30), entryDelay: ClosedRange<Duration> = .zero ... .zero,
        exitDelay: ClosedRange<Duration> = .zero ... .zero
    ) {
        self.name = name
        self.scan = scan
        self.ranging = ranging
        self.rangingTime = rangingTime
        self.exitAfter = exitAfter
        self.entryDelay = entryDelay
        self.exitDelay = exitDelay
        guard system != nil else { return }
        sensitivity = Self.recordedSensitivity
        gaps = .recorded
    }

    // MARK: - Presets

    /// With it, half of the seconds with five packets each are received at a mean of -96 dBm, as phones in rooms were recorded.
    private static let recordedSensitivity = -91.0

    /// Receives everything, and reports it at once.
    package static let exact = PhoneModel("exact", ScanPlan(.continuous))

    /// The presets, in the order in which they are documented.
    package static let presets: [PhoneModel] = [
        exact,
        PhoneModel("android-8-low-power", ScanPlan(.milliseconds(500, of: 5000), .android)),
        PhoneModel("android-8-balanced", ScanPlan(.milliseconds(2000, of: 5000), .android)),
        PhoneModel("android-8-low-latency", ScanPlan(.milliseconds(5000, of: 5000), .android)),
        PhoneModel("android-9-low-power", ScanPlan(.milliseconds(512, of: 5120), .android9)),
        PhoneModel("android-9-balanced", ScanPlan(.milliseconds(1024, of: 4096), .android9)),
        // One channel for the whole interval, then the next one.
        PhoneModel("android-9-low-latency", ScanPlan(.milliseconds(4096, of: 4096), .android9)),
        PhoneModel("android-13-low-power", ScanPlan(.android13LowPower, .android13(raisesTo: .android13Balanced))),
        PhoneModel("android-13-balanced", ScanPlan(.android13Balanced, .android13(screenOff: .android13Balanced))),
        PhoneModel("android-low-latency", ScanPlan(.continuous, .android9)),
        PhoneModel("android-low-latency-gaps", ScanPlan(.continuous, .android9)).losing(.notLegacy),
        PhoneModel("android-13-screen-off", ScanPlan(.android13ScreenOff, .android)),
        // Its cycles of 1.1 s follow each other without a pause in the scan.
        PhoneModel("altbeacon", ScanPlan(.continuous), ranging: .altBeacon, exitAfter: .seconds(10))
            .exitingAtCycleEnds,
        PhoneModel(
            "altbeacon-background",
            ScanPlan(.continuous, turns: ScanPlan.Turns(scan: .seconds(30), period: .seconds(330))),
            ranging: .altBeacon, rangingTime: .zero, exitAfter: .seconds(10)),
        PhoneModel("iphone", ScanPlan(.milliseconds(30, of: 40)), ranging: .coreLocation),
        PhoneModel(
            "iphone-locked", ScanPlan(.milliseconds(30, of: 40)), ranging: .coreLocation, rangingTime: .seconds(10),
            entryDelay: .seconds(1) ... .seconds(10), exitDelay: .zero ... .seconds(15)),
        PhoneModel(
            "iphone-slow", ScanPlan(.milliseconds(30, of: 40)), ranging: .coreLocation, rangingTime: .seconds(10),
            entryDelay: .zero ... .seconds(900), exitDelay: .zero ... .seconds(870)),
        PhoneModel("home-assistant", ScanPlan(.continuous), ranging: .homeAssistant, exitAfter: .seconds(180)),
    ]

    private var exitingAtCycleEnds: PhoneModel {
        var phone = self
        phone.exitsAtCycleEnds = true
        return phone
    }

    private func losing(_ gaps: ReceptionGaps.Plan) -> PhoneModel {
        var phone = self
        phone.gaps = gaps
        return phone
    }

    /// The same phone with the hardware of a handset.
    /// - Returns: `nil` if the handset has another system.
    package func with(_ handset: Handset) -> PhoneModel? {
        guard system == handset.system || self == .exact else { return nil }
        var phone = self
        phone.handset = handset
        return phone
    }

    /// The names of the presets.
    package static var names: [String] { presets.map(\.name) }

    /// The preset of this name; `nil` if there is none.
    package static func named(_ name: String) -> PhoneModel? { presets.first { $0.name == name } }
}

/// The screen of a phone: Android scans less while it is off.
package enum Screen: String, Hashable, Sendable, CaseIterable {
    case on, off
}

/// Whether the Bluetooth of a phone is on.
package enum PhoneBluetooth: String, Hashable, Sendable, CaseIterable {
    case on, off
}

/// Whether the user of a phone permits an app to find beacons: the location, or on Android 12 and later devices nearby.
package enum PhonePermission: String, Hashable, Sendable, CaseIterable {
    case granted, denied
}

/// Why the app of a phone receives nothing.
package enum PhoneObstacle: String, Hashable, Sendable, CaseIterable {
    case bluetoothOff = "bluetooth-off"
    case permissionDenied = "permission-denied"
}

/// When a phone scans.
package struct ScanPlan: Hashable, Sendable {
    /// Scans that alternate with pauses.
    package struct Turns: Hashable, Sendable {
        /// How long each scan takes.
        package let scan: Duration
        /// The time from the start of a scan to the start of the next one.
        package let period: Duration
    }

    /// The limits that Android has for the scan of an app.
    package struct Limits: Hashable, Sendable {
        /// The number of starts in `startTime`.
        package var starts = 5
        package var startTime = Duration.seconds(30)
        /// After this time a scan gets only what the scans of other apps receive: nothing, until it is started again.
        package var longest = Duration.seconds(30 * 60)
        /// Whether a scan without a filter is suspended while the screen is off.
        package var needsFilter = false
        /// The parameters while the screen is off; `nil` for the same.
        package var screenOff: ScanParameters?
        /// The parameters in the first six seconds of a scan; `nil` for the same.
        package var first: ScanParameters?
        package static let firstTime = Duration.seconds(6)
    }

    /// Window and interval, and whether the scan is active.
    package var parameters: ScanParameters
    /// `nil` for no pauses.
    package var turns: Turns?
    /// `nil` for none.
    package var limits: Limits?

    /// A plan.
    package init(_ parameters: ScanParameters, turns: Turns? = nil) {
        self.parameters = parameters
        self.turns = turns
    }

    fileprivate init(_ parameters: ScanParameters, _ limits: Limits) {
        self.parameters = parameters
        self.limits = limits
    }
}

extension ScanPlan.Limits {
    /// Of Android 7 and later.
    fileprivate static let android = ScanPlan.Limits()

    /// Of Android 9 and later.
    fileprivate static let android9 = {
        var limits = ScanPlan.Limits()
        limits.needsFilter = true
        return limits
    }()

    /// Of Android 13 and later.
    fileprivate static func android13(
        screenOff: ScanParameters = .android13ScreenOff, raisesTo first: ScanParameters? = nil
    ) -> ScanPlan.Limits {
        var limits = ScanPlan.Limits.android9
        limits.screenOff = screenOff
        limits.first = first
        return limits
    }
}

extension ScanParameters {
    /// 100 ms on each channel.
    fileprivate static let continuous = ScanParameters()
    fileprivate static let android13LowPower = milliseconds(140, of: 1400)
    /// 182.5 ms: Android's 183 ms are truncated to 292 units of 0.625 ms.
    fileprivate static let android13Balanced = ScanParameters(
        interval: AdvertisingInterval(1168), window: AdvertisingInterval(292))
    fileprivate static let android13ScreenOff = milliseconds(512, of: 10240)

    fileprivate static func milliseconds(_ window: Int, of interval: Int) -> ScanParameters {
        ScanParameters(
            interval: AdvertisingInterval(UInt32(interval * 1000 / 625)),
            window: AdvertisingInterval(UInt32(window * 1000 / 625)))
    }
}

extension Ranging.Settings {
    /// As Core Location reports: once a second, and a beacon that is lost once.
    fileprivate static func phone(
        period: Duration = .seconds(1), model: DistanceModel = .altBeacon, filter: RSSIFilter = .mean,
        _ lossReports: Ranging.LossReports = .one, reader: FrameReader = .specified
    ) -> Ranging.Settings {
        var settings = Ranging.Settings(period: period, model: model, filter: filter, lossReports: lossReports)
        settings.reader = reader
        return settings
    }

    /// Its cycle of 1.1 s, without its cache: a beacon without a packet in a cycle is not in the report.
    fileprivate static let altBeacon = phone(
        period: .milliseconds(1100), filter: .trimmedMean(.seconds(20)), .none, reader: .androidBeaconLibrary)
    /// The distance follows for 20 s; its formula is not published.
    fileprivate static let coreLocation = phone(
        model: .freeSpace, filter: .runningMean(.seconds(20)), reader: .coreLocation)
    /// Its sensors have the distance once a minute.
    fileprivate static let homeAssistant = {
        var settings = phone(period: .seconds(60), model: .android, reader: .homeAssistant)
        settings.trackingAge = .seconds(180)
        return settings
    }()
}
