// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
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
        let folder = Environment.value("XDG_STATE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        return (folder ?? home + "/.local/state") + "/beaconry"
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
        // A relative path is to be ignored (XDG Base Directory Specification 0.8).
        if let folder = Environment.value("XDG_RUNTIME_DIR"), folder.hasPrefix("/") { return [folder + "/beaconry"] }
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

    /// The folder of ledgers in a state folder, for runs whose folder of sockets is not theirs.
    private static func ledgers(in state: String) -> String { "\(state)/.runs" }

    /// The folders in which runs of this user, and those of services for root, may have left ledgers.
    package static var ledgers: [String] { [runtime, ledgers(in: state(nil))] + ledgersOfServices }

    /// The ledger of a run, or of a command that looks at what runs use or have left; root's covers services, too.
    package struct Ledger {
        package let ledger: RunLedger
        /// Why the folder of control sockets cannot be used; `nil` if it can.
        package let problem: PersistenceError?
        /// For a ledger that no later run finds.
        package let warning: Warning?
    }

    /// In a folder that all users can write to, another user may have created the folder of control sockets first. Then the ledger is in
    /// the state folder.
    /// - Parameter state: the state folder; `nil` for a run that saves nothing.
    package static func ledger(orIn state: StateFolder?) -> Ledger {
        let instead = state.map { ledgers(in: $0.path) }
        do throws(PersistenceError) {
            let besides = (instead.map { [$0] } ?? []) + ledgersOfServices
            return Ledger(ledger: try RunLedger(folder: runtime, besides: besides), problem: nil, warning: nil)
        } catch {
            if let instead, let ledger = try? RunLedger(folder: instead, besides: ledgersOfServices) {
                return Ledger(ledger: ledger, problem: error, warning: nil)
            }
            let warning = Warning(
                code: "no-ledger",
                message:
                    "after a crash, no later run will remove what this run has registered with the system (\(error.message))",
                hint: error.hint)
            return Ledger(ledger: RunLedger(unsavedBesides: ledgersOfServices), problem: error, warning: warning)
        }
    }

    /// The ledger of a command of this user.
    static func ledger() -> RunLedger { ledger(orIn: stateFolder(nil)).ledger }

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
