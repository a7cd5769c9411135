// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import Glibc

/// A file with the token of an HTTP server.
package enum TokenFile {
    private static let longest = 4096
    private static let shortestToken = 16

    /// Reads a token, which is the file's first word.
    /// - Throws: `Failure` if the file cannot be read, or has no token of at least 16 bytes.
    package static func token(in path: String) throws(Failure) -> String {
        let words = try InputFile.secret(in: path, limit: longest)?.split(whereSeparator: \.isWhitespace)
        guard let token = words?.first, words?.count == 1, token.utf8.count >= shortestToken else {
            throw Failure(
                exitCode: 74,
                message: "\(path) has no token: it must have one word of at least \(shortestToken) bytes, such as "
                    + "openssl rand -hex 32 prints")
        }
        return String(token)
    }

    /// A warning about a token that another user of this machine knows; `nil` for one that only its owner and root read.
    package static func warning(about path: String) -> Warning? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        // A service reads it as a member of its group.
        let others = status.st_mode & 0o007
        let isForeign = status.st_uid != geteuid() && status.st_uid != 0
        guard others != 0 || isForeign else { return nil }
        let reason =
            isForeign
            ? "it belongs to user \(status.st_uid)" : "its mode is \(String(status.st_mode & 0o7777, radix: 8))"
        return Warning(
            code: "token-readable", message: "other users of this machine can read the token in \(path): \(reason)",
            hint: "make a new token in a file of your own (umask 077; openssl rand -hex 32 > FILE)")
    }
}
