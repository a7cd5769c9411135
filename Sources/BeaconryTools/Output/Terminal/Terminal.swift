// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// The terminal on standard output.
package enum Terminal {
    /// The modes before `enter`; `nil` while they are unchanged.
    private static let saved = Mutex<termios?>(nil)
    private static let restoresAtExit: Void = { _ = atexit { Terminal.leave() } }()

    /// Whether standard output is a terminal whose lines can be redrawn in place.
    package static var isPossible: Bool {
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

    /// Whether this process may read from the terminal and change its modes; a background process would be stopped.
    static var isInForeground: Bool { tcgetpgrp(STDOUT_FILENO) == getpgrp() }

    /// Whether the locale has UTF-8, by the variables that the C library uses, in their order.
    static var isUnicode: Bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(Environment.value).first ?? ""
        return ["utf-8", "utf8"].contains { locale.lowercased().hasSuffix($0) }
    }

    /// The terminal's size; 80 x 24 if unknown.
    static var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Turns off the echo, which would shift the drawn lines (even `^C` does), and line buffering if keys are read. `leave`
    /// and the exit of the process restore the previous modes.
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

    /// Applies the modes again after `enter`, if another process has changed them since.
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

    /// Restores the modes before `enter`.
    static func leave() {
        saved.withLock { saved in
            guard var modes = saved else { return }
            saved = nil
            // In the background the shell has restored them.
            if isInForeground { tcsetattr(STDOUT_FILENO, TCSANOW, &modes) }
        }
    }
}
