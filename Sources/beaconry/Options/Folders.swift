// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Where things are kept unless an option says otherwise.
enum Folders {
    /// Persisted settings: `$BEACONRY_STATE`, else systemd's, else the user's.
    static func state(_ option: String?) -> String {
        if let option = option ?? Environment.value("BEACONRY_STATE") ?? Environment.value("STATE_DIRECTORY") {
            return option
        }
        return (Environment.value("XDG_STATE_HOME") ?? home + "/.local/state") + "/beaconry"
    }

    /// Control sockets and what a crash must not hide: gone after a reboot.
    static var runtime: String {
        if let folder = Environment.value("XDG_RUNTIME_DIR") { return folder + "/beaconry" }
        if let folder = Environment.value("RUNTIME_DIRECTORY") { return resolved(folder) }
        return geteuid() == 0 ? "/run/beaconry" : "/tmp/beaconry-\(geteuid())"
    }

    /// The control socket of a profile.
    static func controlSocket(of profile: String) -> String { "\(runtime)/\(profile).sock" }

    /// A path without links: systemd may have made its folder one.
    private static func resolved(_ path: String) -> String {
        guard let pointer = realpath(path, nil) else { return path }
        defer { free(pointer) }
        return String(cString: pointer)
    }

    private static var home: String { Environment.value("HOME") ?? "/root" }
}
