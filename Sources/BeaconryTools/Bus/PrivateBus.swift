// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Persistence
import SystemPackage

/// A message bus of its own: `dbus-daemon` with a configuration and a socket in a temporary folder, for this user.
///
/// It ends with `stop()`, and with this process, however that ends: a shell between them ends the daemon and removes the
/// folder. If the shell is killed as well, the next bus removes the folder: its lock is free.
package final class PrivateBus: Sendable {
    /// The address, for DBUS_SYSTEM_BUS_ADDRESS.
    package let address: String
    private let folder: String
    private let lock: FileLock
    /// The shell that ends the daemon.
    private let lifeline: Lifeline

    private init(address: String, folder: String, lock: FileLock, lifeline: Lifeline) {
        self.address = address
        self.folder = folder
        self.lock = lock
        self.lifeline = lifeline
    }

    /// Starts a bus, and waits until it accepts connections.
    /// - Throws: `Failure` if there is no `dbus-daemon`, or if it does not start.
    package static func start() async throws(Failure) -> PrivateBus {
        guard let program = ExecutableSearch.find("dbus-daemon") else {
            throw Failure(
                exitCode: 69,
                message:
                    "there is no dbus-daemon on this machine; install it (apt install dbus-daemon), or name a bus that "
                    + "runs with --bus ADDRESS")
        }
        removeLeftovers()
        let (folder, lock) = try makeFolder()
        do throws(Failure) {
            return try await start(program, in: folder, lock)
        } catch {
            remove(folder)
            throw error
        }
    }

    private static func start(
        _ program: String, in folder: String, _ lock: FileLock
    ) async throws(Failure) -> PrivateBus {
        let output: (readEnd: FileDescriptor, writeEnd: FileDescriptor)
        let lifeline: Lifeline
        do {
            try write(configuration(listeningIn: folder), to: folder + "/bus.conf")
            output = try Lifeline.makePipe()
            lifeline = try Lifeline(script, [program, folder], output: output.writeEnd)
        } catch {
            throw Failure(exitCode: 73, message: "a bus cannot be made in \(folder): \(error)")
        }
        let address = await Lifeline.firstLine(of: output.readEnd)
        let bus = PrivateBus(address: address ?? "", folder: folder, lock: lock, lifeline: lifeline)
        guard address != nil else {
            let reason = lastLine(of: folder + "/bus.log")
            await bus.stop()
            throw Failure(
                exitCode: 69,
                message: "\(program) did not start: \(reason ?? "no reason given"); try it by itself: dbus-daemon "
                    + "--session --print-address")
        }
        return bus
    }

    /// Ends the bus and removes its folder.
    package func stop() async {
        await lifeline.close()
        Self.remove(folder)
    }

    /// Standard output has the address, then nothing: its end means that the daemon has ended. Its messages go to a file:
    /// in containers it warns about limits that it does not need.
    private static let script = """
        "$1" --config-file="$2/bus.conf" --nofork --nopidfile --nosyslog --print-address=1 </dev/null 2>"$2/bus.log" &
        exec >&-
        read -r end
        kill $! 2>/dev/null
        wait
        for file in \(files.joined(separator: " ")); do rm -f "$2/$file"; done
        rmdir "$2"
        """

    /// Everything is permitted: the folder of the socket is for this user only. The limits are the same as for session
    /// buses.
    private static func configuration(listeningIn folder: String) -> String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>unix:path=\(escaped(folder))/bus</listen>
          <auth>EXTERNAL</auth>
          <policy context="default">
            <allow user="*"/>
            <allow own="*"/>
            <allow send_destination="*" eavesdrop="true"/>
            <allow receive_sender="*" eavesdrop="true"/>
          </policy>
          <limit name="max_incoming_bytes">1000000000</limit>
          <limit name="max_outgoing_bytes">1000000000</limit>
          <limit name="max_message_size">134217728</limit>
          <limit name="max_completed_connections">100000</limit>
          <limit name="max_incomplete_connections">10000</limit>
          <limit name="max_connections_per_user">100000</limit>
          <limit name="max_names_per_connection">50000</limit>
          <limit name="max_match_rules_per_connection">50000</limit>
          <limit name="max_replies_per_connection">50000</limit>
        </busconfig>

        """
    }

    /// D-Bus Specification, "Server Addresses": other bytes than these are written as `%` and two digits.
    private static func escaped(_ path: String) -> String {
        let plain = Set("-_/.*0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
        return path.utf8.map { byte in
            plain.contains(byte)
                ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    // MARK: - Files

    /// The longest path of a folder for a socket: the path of the socket itself has at most 107 bytes.
    private static let longestFolder = 100

    private static let prefix = "beaconry-dbus-"
    private static let lockName = "bus.lock"
    /// The files of the folder.
    private static let files = ["bus", "bus.conf", "bus.log", lockName]

    /// The folder in which folders of buses are.
    private static var parent: String {
        let chosen = Environment.value("TMPDIR") ?? "/tmp"
        return chosen.utf8.count + prefix.utf8.count + 7 > longestFolder ? "/tmp" : chosen
    }

    /// Makes the folder of a bus, with a lock that this process holds.
    private static func makeFolder() throws(Failure) -> (String, FileLock) {
        while true {
            var template = Array((parent + "/\(prefix)XXXXXX").utf8CString)
            guard mkdtemp(&template) != nil else {
                throw Failure(
                    exitCode: 73,
                    message:
                        "no folder for the bus can be made in \(parent): \(String(cString: strerror(errno))); set TMPDIR "
                        + "to one that is writable")
            }
            let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            do throws(FileLock.Failure) {
                return (folder, try FileLock("\(folder)/\(lockName)"))
            } catch {
                remove(folder)
                // Another process may have just taken the folder for a leftover.
                if case .system(let error) = error, error.code != .noSuchFileOrDirectory {
                    throw Failure(exitCode: 73, message: "no folder for the bus can be made in \(parent): \(error)")
                }
            }
        }
    }

    /// Removes the folders of processes that were killed together with their shells.
    private static func removeLeftovers() {
        for name in Folder.names(in: parent) where name.hasPrefix(prefix) {
            let folder = "\(parent)/\(name)"
            var status = stat()
            guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
                Folder.exists("\(folder)/\(lockName)"), let lock = try? FileLock("\(folder)/\(lockName)")
            else { continue }
            lock.release()
            remove(folder)
        }
    }

    private static func remove(_ folder: String) {
        for name in files { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }

    /// The last line of a small file; `nil` if it has none.
    private static func lastLine(of path: String) -> String? {
        guard let file = try? FileDescriptor.open(FilePath(path), .readOnly) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = (try? file.closeAfter { try bytes.withUnsafeMutableBytes { try file.read(into: $0) } }) ?? 0
        return String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n").last.map(String.init)
    }

    private static func write(_ text: String, to path: String) throws {
        let file = try FileDescriptor.open(
            FilePath(path), .writeOnly, options: [.create, .exclusiveCreate], permissions: .ownerReadWrite)
        _ = try file.closeAfter { try file.writeAll(text.utf8) }
    }
}
