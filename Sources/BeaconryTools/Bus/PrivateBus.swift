// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Subprocess
import SystemPackage

/// A message bus of its own: `dbus-daemon` with a configuration and a socket in a temporary folder, for this user.
///
/// It ends with `stop()`, and with this process, however that ends: a shell between them ends the daemon when the pipe to it
/// is closed.
package final class PrivateBus: Sendable {
    /// The address, for DBUS_SYSTEM_BUS_ADDRESS.
    package let address: String
    private let folder: String
    /// The shell ends the daemon when the last descriptor of this end is closed.
    private let lifeline: FileDescriptor
    private let daemon: Task<Void, Never>

    private init(address: String, folder: String, lifeline: FileDescriptor, daemon: Task<Void, Never>) {
        self.address = address
        self.folder = folder
        self.lifeline = lifeline
        self.daemon = daemon
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
        let folder = try makeFolder()
        do throws(Failure) {
            return try await start(program, in: folder)
        } catch {
            remove(folder)
            throw error
        }
    }

    private static func start(_ program: String, in folder: String) async throws(Failure) -> PrivateBus {
        let lifeline: (readEnd: FileDescriptor, writeEnd: FileDescriptor)
        let output: (readEnd: FileDescriptor, writeEnd: FileDescriptor)
        do {
            try write(configuration(listeningIn: folder), to: folder + "/bus.conf")
            lifeline = try closedOnExec(FileDescriptor.pipe())
            output = try closedOnExec(FileDescriptor.pipe())
        } catch {
            throw Failure(exitCode: 73, message: "a bus cannot be made in \(folder): \(error)")
        }
        let daemon = Task {
            var options = PlatformOptions()
            // Ctrl-C at our terminal must not end the bus before those that use it.
            options.processGroupID = 0
            _ = try? await Subprocess.run(
                .path("/bin/sh"),
                arguments: ["-c", script, "beaconry-bus", program, folder],
                platformOptions: options,
                input: .fileDescriptor(lifeline.readEnd, closeAfterSpawningProcess: true),
                output: .fileDescriptor(output.writeEnd, closeAfterSpawningProcess: true),
                error: .fileDescriptor(.standardError, closeAfterSpawningProcess: false))
        }
        let address = await firstLine(of: output.readEnd)
        let bus = PrivateBus(address: address ?? "", folder: folder, lifeline: lifeline.writeEnd, daemon: daemon)
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
        try? lifeline.close()
        await daemon.value
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
        """

    /// Everything is permitted: the folder of the socket is for this user only. The limits are those of session buses.
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

    /// The longest path of a folder for a socket: that of a socket is at most 107 bytes.
    private static let longestFolder = 100

    private static func makeFolder() throws(Failure) -> String {
        let name = "/beaconry-dbus-XXXXXX"
        let chosen = Environment.value("TMPDIR") ?? "/tmp"
        let parent = chosen.utf8.count + name.utf8.count > longestFolder ? "/tmp" : chosen
        var template = Array((parent + name).utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Failure(
                exitCode: 73,
                message:
                    "no folder for the bus can be made in \(parent): \(String(cString: strerror(errno))); set TMPDIR to "
                    + "one that is writable")
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func remove(_ folder: String) {
        for name in ["bus", "bus.conf", "bus.log"] { unlink("\(folder)/\(name)") }
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

    private static func closedOnExec(
        _ pipe: (readEnd: FileDescriptor, writeEnd: FileDescriptor)
    ) -> (readEnd: FileDescriptor, writeEnd: FileDescriptor) {
        for end in [pipe.readEnd, pipe.writeEnd] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
        return pipe
    }

    /// Reads a line, and closes the descriptor; `nil` if it ends before.
    private static func firstLine(of file: FileDescriptor) async -> String? {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "PrivateBus").async {
                var text: [UInt8] = []
                var byte = [UInt8](repeating: 0, count: 1)
                while text.count < 4096, (try? byte.withUnsafeMutableBytes({ try file.read(into: $0) })) == 1,
                    byte[0] != UInt8(ascii: "\n")
                {
                    text.append(byte[0])
                }
                try? file.close()
                let isComplete = byte[0] == UInt8(ascii: "\n") && !text.isEmpty
                continuation.resume(returning: isComplete ? String(decoding: text, as: UTF8.self) : nil)
            }
        }
    }
}
