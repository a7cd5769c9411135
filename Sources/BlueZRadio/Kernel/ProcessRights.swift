// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The capabilities of this process that Bluetooth sockets ask for.
struct ProcessRights: Hashable, Sendable {
    /// CAP_NET_ADMIN: the management socket.
    let networkAdministration: Bool
    /// CAP_NET_RAW: the monitor socket.
    let rawNetwork: Bool

    /// As the kernel has them for this process now (`CapEff` in /proc/self/status).
    static var current: ProcessRights {
        guard let status = try? SystemFile.text("/proc/self/status"),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("CapEff:") }),
            let mask = UInt64(line.dropFirst("CapEff:".count).filter(\.isHexDigit), radix: 16)
        else { return ProcessRights(networkAdministration: false, rawNetwork: false) }
        return ProcessRights(networkAdministration: mask & 1 << 12 != 0, rawNetwork: mask & 1 << 13 != 0)
    }
}

/// Small files of /proc and /sys.
enum SystemFile {
    /// The file's text, at most 64 KiB of it.
    /// - Throws: `Errno`.
    static func text(_ path: String) throws(Errno) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Errno.current }
        defer { Glibc.close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count < 65536 {
            let count = read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { throw Errno.current }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The names in a folder; none when it cannot be read.
    static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
