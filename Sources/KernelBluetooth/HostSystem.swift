// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CBluetooth
import FoundationEssentials
import Glibc
import SystemPackage

// What /proc, /sys and the kernel report without bluetoothd: adapters, rfkill blocks, the capabilities of this process.

/// The adapters of the kernel, with or without a daemon.
package enum AdapterPresence {
    private static let bluetoothFolder = "/sys/class/bluetooth"
    private static let blockFolder = "/sys/class/rfkill"

    /// The names of the adapters: `hci0` and so on. Connections, which are in the same folder, are left out.
    package static var names: [String] {
        SystemFile.names(in: bluetoothFolder).filter { $0.hasPrefix("hci") && UInt16($0.dropFirst(3)) != nil }
    }

    /// Whether the kernel supports Bluetooth sockets.
    package static var kernelHasBluetooth: Bool {
        let descriptor = socket(
            Int32(AF_BLUETOOTH), Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue), BTPROTO_HCI)
        guard descriptor >= 0 else { return errno != EAFNOSUPPORT }
        close(descriptor)
        return true
    }

    /// How rfkill blocks an adapter: "by software" or "by a switch"; `nil` when it does not.
    package static func block(of adapter: String) -> String? {
        for folder in SystemFile.names(in: blockFolder) {
            let path = "\(blockFolder)/\(folder)"
            guard value("\(path)/type") == "bluetooth", value("\(path)/name") == adapter else { continue }
            if value("\(path)/hard") == "1" { return "by a switch" }
            if value("\(path)/soft") == "1" { return "by software" }
        }
        return nil
    }

    /// Whether a controller is up, for the kernel or for a program that uses it exclusively; `nil` if that is unknown.
    package static func isUp(_ adapter: String) -> Bool? {
        guard let number = UInt16(adapter.dropFirst(3)) else { return nil }
        let descriptor = socket(
            Int32(AF_BLUETOOTH), Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue), BTPROTO_HCI)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var information = hci_dev_info()
        information.dev_id = number
        // HCIGETDEVINFO, _IOR('H', 211, int): a macro that is not imported.
        guard ioctl(descriptor, 0x8004_48D3, &information) == 0 else { return nil }
        return information.flags & 1 << UInt32(HCI_UP) != 0
    }

    private static func value(_ path: String) -> String? {
        SystemFile.text(path)?.split(separator: "\n").first.map { String($0) }
    }
}

/// The capabilities of this process that Bluetooth sockets require.
package struct ProcessRights: Hashable, Sendable {
    /// CAP_NET_ADMIN: the management socket.
    package let networkAdministration: Bool
    /// CAP_NET_RAW: the monitor socket.
    package let rawNetwork: Bool

    /// The effective capabilities now (`CapEff` in /proc/self/status).
    package static var current: ProcessRights {
        guard let status = SystemFile.text("/proc/self/status"),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("CapEff:") }),
            let mask = UInt64(line.dropFirst("CapEff:".count).filter(\.isHexDigit), radix: 16)
        else { return ProcessRights(networkAdministration: false, rawNetwork: false) }
        return ProcessRights(networkAdministration: mask & 1 << 12 != 0, rawNetwork: mask & 1 << 13 != 0)
    }
}

/// Small files of /proc and /sys.
package enum SystemFile {
    /// The text of a file, at most 64 KiB; `nil` for a file that cannot be read.
    package static func text(_ path: String) -> String? {
        guard let descriptor = try? FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec) else {
            return nil
        }
        defer { try? descriptor.close() }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count < 65536 {
            guard let count = try? buffer.withUnsafeMutableBytes({ try descriptor.read(into: $0) }) else { return nil }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The sorted names in a folder; empty for a folder that cannot be read.
    package static func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }
}
