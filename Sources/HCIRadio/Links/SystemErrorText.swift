// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import NIOPosix

/// What the system says of a socket, for people: `Connection refused (ECONNREFUSED)`.
enum SystemErrorText {
    private static let names: [Int32: String] = [
        EACCES: "EACCES", EADDRINUSE: "EADDRINUSE", EADDRNOTAVAIL: "EADDRNOTAVAIL", EBUSY: "EBUSY",
        ECONNABORTED: "ECONNABORTED", ECONNREFUSED: "ECONNREFUSED", ECONNRESET: "ECONNRESET", EHOSTDOWN: "EHOSTDOWN",
        EHOSTUNREACH: "EHOSTUNREACH",
        EIO: "EIO", EMFILE: "EMFILE", ENETDOWN: "ENETDOWN", ENETUNREACH: "ENETUNREACH", ENFILE: "ENFILE",
        ENODEV: "ENODEV", ENOENT: "ENOENT", ENOTDIR: "ENOTDIR", ENOTSOCK: "ENOTSOCK", EPERM: "EPERM", EPIPE: "EPIPE",
        EPROTOTYPE: "EPROTOTYPE", ETIMEDOUT: "ETIMEDOUT",
    ]

    /// An error number in words, with its name.
    static func words(_ code: Int32) -> String {
        "\(String(cString: strerror(code))) (\(names[code] ?? "errno \(code)"))"
    }

    /// An error of a channel in words.
    static func words(_ error: any Error) -> String {
        if let code = code(of: error) { return words(code) }
        if case .connectTimeout(let time)? = error as? ChannelError {
            return "no answer within \(time.nanoseconds / 1_000_000_000) s"
        }
        return "\(error)"
    }

    /// The error number of the system that is behind an error of a channel; `nil` where there is none.
    static func code(of error: any Error) -> Int32? {
        switch error {
        case let error as IOError: error.errnoCode
        case let error as NIOConnectionError: error.connectionErrors.lazy.compactMap { code(of: $0.error) }.first
        default: nil
        }
    }
}
