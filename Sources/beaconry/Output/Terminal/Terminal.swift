// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// The terminal that standard output is, if it is one.
enum Terminal {
    /// The modes from before `enter`; `nil` while they are not changed.
    private static let saved = Mutex<termios?>(nil)
    private static let restoresAtExit: Void = { _ = atexit { Terminal.leave() } }()

    /// Whether lines on standard output can be redrawn in place.
    static var isPossible: Bool {
        isatty(STDOUT_FILENO) == 1 && Environment.value("TERM").map { $0 != "dumb" } ?? false
    }

    /// Whether standard input is the same terminal.
    static var hasKeys: Bool {
        var (input, output) = (stat(), stat())
        guard isatty(STDIN_FILENO) == 1, fstat(STDIN_FILENO, &input) == 0, fstat(STDOUT_FILENO, &output) == 0 else {
            return false
        }
        return input.st_rdev == output.st_rdev
    }

    /// Whether this process may read from the terminal and change its modes; in the background it would be stopped.
    static var isInForeground: Bool { tcgetpgrp(STDOUT_FILENO) == getpgrp() }

    /// How much fits on it.
    static var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Stops echoing what is typed, Ctrl-C's `^C` included, which would move what is drawn; with keys, they are read
    /// one by one. The modes from before are restored by `leave`, and when the process exits.
    static func enter() {
        guard isInForeground else { return }
        saved.withLock { saved in
            var modes = termios()
            guard saved == nil, tcgetattr(STDOUT_FILENO, &modes) == 0 else { return }
            _ = restoresAtExit
            saved = modes
            change(&modes)
        }
    }

    /// Does the same again, where `enter` was called and another process has changed the modes since.
    static func reenter() {
        guard isInForeground else { return }
        saved.withLock { saved in
            var modes = termios()
            if saved != nil, tcgetattr(STDOUT_FILENO, &modes) == 0 { change(&modes) }
        }
    }

    private static func change(_ modes: inout termios) {
        modes.c_lflag &= ~tcflag_t(ECHO)
        if hasKeys { modes.c_lflag &= ~tcflag_t(ICANON) }
        // Ctrl-\ would end the process before the modes are restored.
        withUnsafeMutableBytes(of: &modes.c_cc) { $0[Int(VQUIT)] = 0 }
        tcsetattr(STDOUT_FILENO, TCSANOW, &modes)
    }

    /// Restores the modes from before `enter`.
    static func leave() {
        saved.withLock { saved in
            guard var modes = saved else { return }
            saved = nil
            // In the background the shell has restored them.
            if isInForeground { tcsetattr(STDOUT_FILENO, TCSANOW, &modes) }
        }
    }
}
