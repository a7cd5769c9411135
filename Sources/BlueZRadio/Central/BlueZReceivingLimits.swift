// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Radio

extension ReceivingCapabilities {
    /// The limits of a central that uses bluetoothd.
    /// - Parameters:
    ///   - mayMonitor: whether this process may use the monitor channel.
    ///   - passive: whether bluetoothd can scan passively.
    static func limitsUnderBlueZ(mayMonitor: Bool, passive: PassiveScanSupport) -> [Limit] {
        (mayMonitor ? [] : Limit.ofDBus) + [.duplicates(mayMonitor: mayMonitor)]
            + Limit.ofPassiveScans(mayMonitor: mayMonitor, passive)
    }
}

extension ReceivingCapabilities.Limit {
    /// Why there are no passive scans.
    static let passiveUnderBlueZ = ReceivingCapabilities.Limit(
        .passiveScanning, in: .passive,
        reason:
            "this bluetoothd always scans actively: it was started without its experimental interfaces, of which its "
            + "advertisement monitors scan passively",
        hint:
            "set Experimental = true under [General] in /etc/bluetooth/main.conf (or start bluetoothd with -E) and restart "
            + "it; or \(withoutBlueZ)")

    private static let withoutBlueZ = "drive the controller without bluetoothd (--radio hci-socket:N)"
    private static let privilege = "give beaconry CAP_NET_RAW (see docs/adapters.md, \"Rights\")"

    /// The limits of all scans whose advertisements come over D-Bus.
    fileprivate static let ofDBus = [
        ReceivingCapabilities.Limit(
            .pdu, reason: "bluetoothd does not report the PDU of an advertisement", hint: privilege),
        ReceivingCapabilities.Limit(
            .exactData,
            reason: "bluetoothd reports the recognised fields of advertising data and scan response together, not the "
                + "bytes", hint: privilege),
    ]

    /// The limit of discoveries, in which the kernel lets the controller filter duplicates.
    fileprivate static func duplicates(mayMonitor: Bool) -> ReceivingCapabilities.Limit {
        let oncePerScan =
            "the controller reports each advertiser only once per scan, which is restarted every second"
        return ReceivingCapabilities.Limit(
            .duplicates, in: .active,
            reason: mayMonitor ? oncePerScan : "\(oncePerScan), and bluetoothd reports only changed properties",
            hint: withoutBlueZ)
    }

    /// The limits of passive scans, in which the controller reports each advertisement.
    fileprivate static func ofPassiveScans(
        mayMonitor: Bool, _ support: PassiveScanSupport
    ) -> [ReceivingCapabilities.Limit] {
        let filtered =
            "reports only advertisements with flags, with manufacturer data, or with service data of a 16-bit UUID"
        let changes = ReceivingCapabilities.Limit(
            .rssi, in: .passive, reason: "bluetoothd reports the RSSI when it has changed by 8 dB", hint: privilege)
        switch support {
        case .missing: return [.passiveUnderBlueZ]
        // The kernel's events have all advertisements; bluetoothd leaves out those without a pattern.
        case .inDaemon:
            let ofDaemon = ReceivingCapabilities.Limit(
                .patterns, in: .passive,
                reason: "in a passive scan, bluetoothd \(filtered) (since BlueZ 5.71: "
                    + "frames of Eddystone, BTHome and sensors, but no encrypted frames of pvvx and ATC1441)",
                hint: privilege)
            return mayMonitor ? [] : [ofDaemon, changes]
        case .inController:
            let ofController = ReceivingCapabilities.Limit(
                .patterns, in: .passive, reason: "in a passive scan under bluetoothd, this controller \(filtered)",
                hint: withoutBlueZ)
            guard !mayMonitor else { return [ofController] }
            let repetitions = ReceivingCapabilities.Limit(
                .duplicates, in: .passive, reason: "bluetoothd reports only changed properties", hint: privilege)
            return [repetitions, ofController, changes]
        }
    }
}
