// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CBluetooth
import Glibc
import Radio

/// The kernel's user channel: a controller for this process alone (HCI_CHANNEL_USER); needs CAP_NET_ADMIN, and the
/// controller must be down.
enum UserChannel {
    private static let channel: UInt16 = 1

    /// Opens the controller hciN.
    /// - Returns: a descriptor for `PacketDescriptor`.
    static func open(_ index: Int) throws(RadioError) -> Int32 {
        let name = "hci-socket:\(index)"
        let type = Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(Int32(AF_BLUETOOTH), type, Int32(BTPROTO_HCI))
        guard descriptor >= 0 else { throw error(errno, name, index) }
        var address = sockaddr_hci()
        address.hci_family = sa_family_t(AF_BLUETOOTH)
        address.hci_dev = UInt16(truncatingIfNeeded: index)
        address.hci_channel = channel
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_hci>.size))
            }
        }
        guard bound == 0 else {
            let code = errno
            close(descriptor)
            throw error(code, name, index)
        }
        return descriptor
    }

    private static func error(_ code: Int32, _ name: String, _ index: Int) -> RadioError {
        switch code {
        case EAFNOSUPPORT:
            RadioError(
                .noAdapter, "this kernel has no Bluetooth", hint: "use --radio virtual, or a machine with an adapter")
        case EPERM, EACCES:
            RadioError(
                .notPermitted, "\(name) needs CAP_NET_ADMIN",
                hint: "run as root, or give beaconry the capability (see docs/adapters.md, \"Rights\")")
        case ENODEV:
            RadioError(.noAdapter, "there is no adapter hci\(index)", hint: "beaconry radios lists the adapters")
        case EBUSY:
            RadioError(
                .refused, "hci\(index) is up, and the user channel takes it only when it is down",
                hint:
                    "run bluetoothctl power off (or hciconfig hci\(index) down) first, or use --radio bluez:hci\(index)"
            )
        default:
            RadioError(
                .refused, "\(name) cannot be opened: \(String(cString: strerror(code)))",
                hint: "check that no other program uses the adapter")
        }
    }
}
