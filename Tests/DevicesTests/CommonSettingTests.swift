// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Devices

/// The settings that kinds of devices have in common, on every kind that lists them.
@Suite struct CommonSettingTests {
    /// Texts that every kind accepts, for settings that do not accept `2`.
    private static let texts = [
        "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "interval": "320ticks", "tx-power": "-6",
    ]

    @Test(arguments: DeviceRegistry.names)
    func commonSettingsAreChangedReportedAndSaved(_ name: String) throws {
        func check<Kind: ProfiledDevice>(_: Kind.Type) throws {
            for setting in Kind.commonSettings {
                let text = Self.texts[setting.key] ?? "2"
                let change = SettingChange(setting.key, text)
                let value = try setting.value(text)
                // As in a profile.
                var configuration = Kind.template
                try Kind.settings.apply([change], to: &configuration)
                #expect(Kind(configuration).settings.contains(value), "\(name) does not report \(change)")
                // While it runs.
                var device = Kind(Kind.template)
                let first = device.handle(.poweredOn, at: DeviceTime()).effects
                let response = device.handle(.set([change]), at: DeviceTime())
                #expect(response.reply == .done, "\(name) refuses \(change)")
                let sent = response.effects.filter { if case .advertise = $0 { true } else { false } }
                #expect(!sent.isEmpty && !first.contains(sent[0]), "\(name) does not send \(change)")
                #expect(device.settings.contains(value), "\(name) loses \(change)")
                // After a power cut.
                guard device.savesSettings else { continue }
                var restored = Kind(Kind.template)
                try restored.restore(from: try #require(response.flash, "\(name) does not save \(change)"))
                #expect(restored.settings.contains(value), "\(name) does not save \(change)")
            }
        }
        let kind = try #require(DeviceRegistry.kind(named: name))
        try check(kind)
    }
}
