// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import NIOPosix

/// System errors of sockets, for people: `Connection refused (ECONNREFUSED)`.
package enum SystemErrorText {
    private static let names: [Int32: String] = [
        EACCES: "EACCES", EADDRINUSE: "EADDRINUSE", EADDRNOTAVAIL: "EADDRNOTAVAIL", EBUSY: "EBUSY",
        ECONNABORTED: "ECONNABORTED", ECONNREFUSED: "ECONNREFUSED", ECONNRESET: "ECONNRESET", EHOSTDOWN: "EHOSTDOWN",
        EHOSTUNREACH: "EHOSTUNREACH",
        EIO: "EIO", EMFILE: "EMFILE", ENETDOWN: "ENETDOWN", ENETUNREACH: "ENETUNREACH", ENFILE: "ENFILE",
        ENODEV: "ENODEV", ENOENT: "ENOENT", ENOTDIR: "ENOTDIR", ENOTSOCK: "ENOTSOCK", EPERM: "EPERM", EPIPE: "EPIPE",
        EPROTOTYPE: "EPROTOTYPE", ETIMEDOUT: "ETIMEDOUT",
    ]

    /// The text and the name of an error number.
    package static func words(_ code: Int32) -> String {
        "\(String(cString: strerror(code))) (\(names[code] ?? "errno \(code)"))"
    }

    /// The text of an error of a channel.
    package static func words(_ error: any Error) -> String {
        if let code = code(of: error) { return words(code) }
        if case .connectTimeout(let time)? = error as? ChannelError {
            return "no answer within \(time.nanoseconds / 1_000_000_000) s"
        }
        if let unknown = error as? SocketAddressError.UnknownHost { return "there is no host named \(unknown.host)" }
        if case .unixDomainSocketPathTooLong? = error as? SocketAddressError {
            return "its path has more than \(MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1) bytes"
        }
        return "\(error)"
    }

    /// The system's error number of an error of a channel; `nil` if there is none.
    package static func code(of error: any Error) -> Int32? {
        switch error {
        case let error as IOError: error.errnoCode
        case let error as NIOConnectionError: error.connectionErrors.lazy.compactMap { code(of: $0.error) }.first
        default: nil
        }
    }
}
