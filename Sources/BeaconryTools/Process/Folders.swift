// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Persistence

/// Default folders.
package enum Folders {
    /// The state folder: the option, else `$BEACONRY_STATE`, else systemd's, else the user's.
    package static func state(_ option: String?) -> String {
        if let option = option ?? EnvironmentVariable.state.value ?? Environment.value("STATE_DIRECTORY") {
            return option
        }
        return usualState
    }

    /// The state folder of the user's commands.
    private static var usualState: String {
        (Environment.value("XDG_STATE_HOME") ?? home + "/.local/state") + "/beaconry"
    }

    /// The state folder, as `state`.
    package static func stateFolder(_ option: String?) -> StateFolder {
        let path = state(option)
        return StateFolder(path, isUsual: path == usualState)
    }

    /// The folder of control sockets and of the ledgers of runs; a reboot empties it.
    package static var runtime: String { candidates.first(where: Folder.isUsableAsOwn) ?? candidates[0] }

    /// The folders for runs of this user, the preferred one first.
    ///
    /// `/run/beaconry` may be of no use: the folder of an image or a service belongs to one user, and a container may
    /// be started as another user, or with a read-only file system; then only `/dev/shm` may be left.
    private static var candidates: [String] {
        if let folder = Environment.value("XDG_RUNTIME_DIR") { return [folder + "/beaconry"] }
        let own = "beaconry-\(geteuid())"
        let preferred = Environment.value("RUNTIME_DIRECTORY").map(resolved) ?? (geteuid() == 0 ? services : nil)
        guard let preferred else { return ["/tmp/\(own)"] }
        return [preferred, "/run/\(own)", "/tmp/\(own)", "/dev/shm/\(own)"]
    }

    /// The folder of the sockets of services of the system.
    private static let services = "/run/beaconry"

    /// The folders in which `ctl` looks for control sockets, in this order: none that another user may have created,
    /// except the folder of the environment and the folder of services.
    package static var control: [String] {
        let given = Environment.value("RUNTIME_DIRECTORY").map(resolved)
        let own = candidates.filter { $0 == given || $0 != services && Folder.isUsableAsOwn($0) }
        return ([runtime] + own + [services]).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The folders of ledgers that a command examines beside this user's own folder: the commands of root clean up
    /// after services.
    package static var ledgersOfServices: [String] { geteuid() == 0 && runtime != services ? [services] : [] }

    /// The ledger of this user's runs, for commands that look at what runs use or have left; root's covers services, too.
    static func ledger() throws -> RunLedger { try RunLedger(folder: runtime, besides: ledgersOfServices) }

    /// The path of a profile's control socket.
    package static func controlSocket(of profile: String) -> String { "\(runtime)/\(profile).sock" }

    /// A path without symbolic links: systemd's folder may be one.
    private static func resolved(_ path: String) -> String {
        guard let pointer = realpath(path, nil) else { return path }
        defer { free(pointer) }
        return String(cString: pointer)
    }

    private static var home: String { Environment.value("HOME") ?? "/root" }
}
