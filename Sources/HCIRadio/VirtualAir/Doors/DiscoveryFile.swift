// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Radio

/// The file by which Android emulators find netsim, `netsim.ini`: all emulators of the user that are started without
/// `-packet-streamer-endpoint` connect to the server in it.
///
/// The file of another program is never replaced.
struct DiscoveryFile {
    private static let key = "netsim-ini"

    private let path: String
    private let content: String
    private let ledger: (any RadioLedger)?

    /// Creates the file.
    /// - Throws: `RadioError` `.cannotServe` if there is one, or if it cannot be written.
    init(port: Int, _ ledger: (any RadioLedger)?) throws(RadioError) {
        path = "\(Self.folder)/netsim.ini"
        content = "grpc.port=\(port)\n"
        self.ledger = ledger
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw Self.failure(path, errno) }
        // Before it has its content, by which a later run knows it: a run that is killed in between leaves an empty file.
        ledger?.record(["\(port) \(path)"], under: Self.key)
        let bytes = Array(content.utf8)
        let written = Glibc.write(descriptor, bytes, bytes.count)
        let code = errno
        Glibc.close(descriptor)
        guard written == bytes.count else {
            unlink(path)
            ledger?.record([], under: Self.key)
            throw Self.failure(path, code)
        }
    }

    /// Removes the file, unless another program has written it since.
    func remove() {
        Self.remove(path, if: content)
        ledger?.record([], under: Self.key)
    }

    /// Removes the files of runs that were killed.
    static func removeLeftovers(_ ledger: (any RadioLedger)?) {
        for entry in ledger?.takeLeftovers(under: key) ?? [] {
            let parts = entry.split(separator: " ", maxSplits: 1)
            guard parts.count == 2 else { continue }
            remove(String(parts[1]), if: "grpc.port=\(parts[0])\n")
        }
    }

    /// Where netsim and the emulator look first.
    private static var folder: String {
        for name in ["TMPDIR", "XDG_RUNTIME_DIR"] {
            if let value = getenv(name).map({ String(cString: $0) }), value.hasPrefix("/"),
                !value.contains("\n")
            {
                return value.count > 1 && value.hasSuffix("/") ? String(value.dropLast()) : value
            }
        }
        return "/tmp"
    }

    private static func remove(_ path: String, if content: String) {
        let found = read(path)
        if found == content || found == "" { unlink(path) }
    }

    /// The beginning of a file; `nil` if it cannot be read.
    private static func read(_ path: String) -> String? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { Glibc.close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    private static func failure(_ path: String, _ code: Int32) -> RadioError {
        guard code == EEXIST else {
            return RadioError(
                .cannotServe,
                "\(path), by which emulators would find the air, cannot be written: "
                    + String(cString: strerror(code)),
                hint: "leave --netsim-ini out, and start the emulator with -packet-streamer-endpoint HOST:PORT")
        }
        let first = read(path)?.split(separator: "\n").first.map { " (\($0))" } ?? ""
        return RadioError(
            .cannotServe, "\(path) is there already\(first): another netsim serves the emulators of this user",
            hint:
                "end it, or remove the file if it does not run any more; or leave --netsim-ini out, and start the emulator "
                + "with -packet-streamer-endpoint HOST:PORT")
    }
}
