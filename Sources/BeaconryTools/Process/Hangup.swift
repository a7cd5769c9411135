// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The effect of SIGHUP on a run.
package enum Hangup {
    /// The effect.
    package enum Effect: Sendable {
        /// The profiles are read again, as daemons do.
        case reload
        /// The run ends: its terminal was closed.
        case stop
        /// Nothing: the run outlives its terminal (nohup).
        case none
    }

    /// The standard streams that were terminals at the start; a closed terminal no longer counts as one.
    private static let terminals = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].filter { isatty($0) == 1 }

    /// Whether a standard stream was a terminal when the command started.
    static func isTerminal(_ descriptor: Int32) -> Bool { terminals.contains(descriptor) }

    /// Whether the process was started with SIGHUP ignored.
    private static let isIgnored: Bool = {
        var action = sigaction()
        guard sigaction(SIGHUP, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }()

    /// The effect on this process.
    package static let effect: Effect = {
        guard terminals.contains(where: { $0 != STDERR_FILENO }) else { return .reload }
        return isIgnored ? .none : .stop
    }()

    /// Ignores SIGHUP until it is trapped, if it requests a reload: the profiles are not read yet. Call this first, because
    /// the signal ends the process until then.
    package static func prepare() {
        if effect == .reload { signal(SIGHUP, SIG_IGN) }
    }

    /// Redirects the streams of a closed terminal to /dev/null.
    package static func leaveTerminal() {
        let nowhere = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard nowhere >= 0 else { return }
        for terminal in terminals { dup2(nowhere, terminal) }
        close(nowhere)
    }
}
