// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Radio

extension BlueZCentral {
    /// What can be heard on the adapter, and what cannot.
    func capabilities() -> ReceivingCapabilities {
        let mayMonitor = ProcessRights.current.rawNetwork && BluetoothSocket.canOpen(.monitor)
        return ReceivingCapabilities(
            name: attachment.map { "bluez:\($0.adapter.name)" } ?? name,
            way: mayMonitor ? "monitor channel" : "D-Bus", address: attachment?.adapter.address,
            limits: Self.limits(mayMonitor: mayMonitor))
    }

    /// What others can see or do and bluetoothd cannot.
    static func limits(mayMonitor: Bool) -> [ReceivingCapabilities.Limit] {
        guard !mayMonitor else { return [controllerDuplicates, passiveLimit] }
        return [
            ReceivingCapabilities.Limit(
                .pdu, reason: "bluetoothd does not tell of which PDU an advertisement is", hint: privilege),
            ReceivingCapabilities.Limit(
                .exactData,
                reason: "bluetoothd tells what it understood of advertising data and scan response together, not the "
                    + "bytes", hint: privilege),
            ReceivingCapabilities.Limit(
                .duplicates,
                reason: "the kernel has the controller tell of each advertiser once a scan, which is begun anew every "
                    + "second, and bluetoothd passes on what changed", hint: driveAlone),
            passiveLimit,
        ]
    }

    private static let controllerDuplicates = ReceivingCapabilities.Limit(
        .duplicates,
        reason: "the kernel has the controller tell of each advertiser once a scan, which is begun anew every second",
        hint: driveAlone)

    /// Why there are no passive scans.
    static let passiveLimit = ReceivingCapabilities.Limit(
        .passiveScanning, reason: "bluetoothd scans actively, and cannot be told otherwise", hint: driveAlone)

    private static let privilege = "give beaconry CAP_NET_RAW (see README, \"A real adapter\")"
    private static let driveAlone = "drive the controller without bluetoothd (--radio hci-socket:N)"
}
