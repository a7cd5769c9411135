// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import Glibc
import Persistence
import RunAPI
import RunClient
import Sockets

/// The control sockets in the runtime folders. A run has one with the name of each of its profiles; a service has one with the name
/// of the file of its profile.
package enum ControlSockets {
    /// The live sockets of a folder.
    private struct Place {
        let folder: String
        /// The names without `.sock`, sorted.
        let names: [String]

        init(_ folder: String) {
            self.folder = folder
            names = Folder.names(in: folder).filter {
                // A run that was killed has left its socket.
                $0.hasSuffix(".sock") && !SocketFile.isAbandoned("\(folder)/\($0)")
            }.map { String($0.dropLast(".sock".count)) }
        }

        func path(_ name: String) -> String { "\(folder)/\(name).sock" }

        /// The names of each run: the profiles of one run have hard links to the same socket.
        var runs: [[String]] {
            var runs: [ino_t: [String]] = [:]
            for name in names {
                var status = stat()
                guard stat(path(name), &status) == 0 else { continue }
                runs[status.st_ino, default: []].append(name)
            }
            return runs.values.sorted { $0[0] < $1[0] }
        }

        /// The socket with the name of a profile; `nil` if there is none.
        func socket(of profile: String) -> String? {
            if names.contains(profile) { return path(profile) }
            // The socket of `beaconry advertise` is `advertise-PID.sock`.
            let numbered = names.filter {
                profile == "advertise" && $0.hasPrefix("\(profile)-") && Int($0.dropFirst(profile.count + 1)) != nil
            }
            return numbered.count == 1 ? path(numbered[0]) : nil
        }
    }

    /// A name, or this name with a number after it, that no run has.
    package static func freeName(_ name: String, in folders: [String] = Folders.control) -> String {
        let used = Set(folders.flatMap { Place($0).names })
        var number = 1
        var free = name
        while used.contains(free) {
            number += 1
            free = "\(name)-\(number)"
        }
        return free
    }

    /// The path of the control socket of the only run. Runs of the user come before services of the system.
    /// - Throws: `EmulatorError` if there is none, or the user may not see it; `Failure` if there are several.
    static func path(in folders: [String] = Folders.control) throws -> String {
        guard let place = folders.map(Place.init).first(where: { !$0.names.isEmpty }), let run = place.runs.first else {
            throw missing(in: folders)
        }
        guard place.runs.count == 1 else {
            throw Failure.usage(
                "several profiles run (\(place.names.joined(separator: ", "))); name one with --profile")
        }
        return place.path(run[0])
    }

    /// The run that has a profile, or whose control socket has this name, and the name of the profile in it.
    /// - Throws: `EmulatorError` if there is none, or the user may not see it.
    static func find(
        _ profile: String, in folders: [String] = Folders.control
    ) async throws -> (client: ControlClient, profile: String?) {
        if let path = path(of: profile, in: folders) {
            let client = ControlClient(path: path)
            return (client, try await has(profile, client) ? profile : nil)
        }
        var matches: [(client: ControlClient, name: String)] = []
        var running: [String] = []
        for place in folders.map(Place.init) {
            for names in place.runs {
                let client = ControlClient(path: place.path(names[0]))
                if (try? await has(profile, client)) == true { matches.append((client, names[0])) }
                let first = try? await client.send(ShowProfile()).record.profile
                running += names.map { name in name == first ? name : first.map { "\(name) (\($0))" } ?? name }
            }
        }
        guard matches.count <= 1 else {
            let names = matches.map(\.name).joined(separator: ", ")
            throw Failure.usage(
                "several runs have the profile \"\(profile)\"; name one of their sockets: --profile \(names)")
        }
        if let match = matches.first { return (match.client, profile) }
        guard !running.isEmpty else { throw missing(in: folders) }
        throw EmulatorError(
            .unknownProfile, "no run has the profile \"\(profile)\"",
            hint: "name one of these: \(running.joined(separator: ", "))")
    }

    /// The path of the socket with the name of a profile; `nil` if there is none.
    static func path(of profile: String, in folders: [String]) -> String? {
        folders.lazy.compactMap { Place($0).socket(of: profile) }.first
    }

    /// Whether a run has a profile.
    private static func has(_ profile: String, _ client: ControlClient) async throws -> Bool {
        do {
            _ = try await client.send(ShowProfile { $0.profile = profile })
            return true
        } catch let error as RefusedRequest where error.code == "unknown-profile" {
            return false
        }
    }

    /// The error without a socket: there is no run, or the user may not look into a folder of sockets.
    private static func missing(in folders: [String]) -> EmulatorError {
        if let closed = folders.first(where: { access($0, R_OK | X_OK) != 0 && errno == EACCES }) {
            return EmulatorError(
                .inputOutput, "you may not use the control sockets in \(closed)", hint: SocketAccess.hint(for: closed))
        }
        return EmulatorError(
            .inputOutput, "no running beaconry was found (no socket in \(folders.joined(separator: " or ")))",
            hint: "start one (beaconry run PROFILE), or name its socket (--control PATH)")
    }
}
