// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

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
}
