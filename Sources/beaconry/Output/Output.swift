// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The two streams of a command: results on standard output, words for people on standard error.
enum Output {
    /// A result, on a line of its own; seen at once, even through a pipe.
    static func line(_ text: String) {
        write(text + "\n", to: STDOUT_FILENO)
    }

    /// Characters that steer a terminal.
    static func raw(_ text: String) {
        write(text, to: STDOUT_FILENO)
    }

    /// Words for people.
    static func note(_ text: String) {
        write(text + "\n", to: STDERR_FILENO)
    }

    /// Words for people, without a line end.
    static func rawNote(_ text: String) {
        write(text, to: STDERR_FILENO)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            // Nobody reads any more, or nothing can be written: there is no one left to tell.
            guard count > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(0, count))
        }
    }
}
