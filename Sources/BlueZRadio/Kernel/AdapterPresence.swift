// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CBluetooth
import Glibc

/// What the kernel says of its adapters without any daemon's help.
public enum AdapterPresence {
    private static let bluetoothFolder = "/sys/class/bluetooth"
    private static let blockFolder = "/sys/class/rfkill"

    /// The adapters' names, `hci0` and so on; connections, which live in the same folder, are left out.
    public static var names: [String] {
        SystemFile.names(in: bluetoothFolder).filter { $0.hasPrefix("hci") && UInt16($0.dropFirst(3)) != nil }
    }

    /// Whether this kernel speaks Bluetooth at all.
    public static var kernelHasBluetooth: Bool {
        let descriptor = socket(
            Int32(AF_BLUETOOTH), Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue), BTPROTO_HCI)
        guard descriptor >= 0 else { return errno != EAFNOSUPPORT }
        close(descriptor)
        return true
    }

    /// How rfkill blocks an adapter: "by software", "by a switch", or not at all.
    static func block(of adapter: String) -> String? {
        for folder in SystemFile.names(in: blockFolder) {
            let path = "\(blockFolder)/\(folder)"
            guard value("\(path)/type") == "bluetooth", value("\(path)/name") == adapter else { continue }
            if value("\(path)/hard") == "1" { return "by a switch" }
            if value("\(path)/soft") == "1" { return "by software" }
        }
        return nil
    }

    private static func value(_ path: String) -> String? {
        (try? SystemFile.text(path))?.split(separator: "\n").first.map { String($0) }
    }
}
