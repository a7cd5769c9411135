// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What SIGHUP does to a run.
enum Hangup {
    /// What it does.
    enum Effect {
        /// It is a request to read the profiles again, as daemons have it.
        case reload
        /// The terminal was closed.
        case stop
        /// The run is to outlive its terminal (nohup).
        case none
    }

    /// The standard streams that are terminals. It is asked at the start: a terminal that was closed is none any more.
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

    /// What it does to this process.
    static let effect: Effect = {
        guard terminals.contains(where: { $0 != STDERR_FILENO }) else { return .reload }
        return isIgnored ? .none : .stop
    }()

    /// Has SIGHUP ignored until it is trapped, where it would ask for a reload: the profiles are not read yet. Called first of
    /// all, as the signal ends the process until then.
    static func prepare() {
        if effect == .reload { signal(SIGHUP, SIG_IGN) }
    }

    /// Has nothing more written to a terminal that was closed.
    static func leaveTerminal() {
        let nowhere = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard nowhere >= 0 else { return }
        for terminal in terminals { dup2(nowhere, terminal) }
        close(nowhere)
    }
}
