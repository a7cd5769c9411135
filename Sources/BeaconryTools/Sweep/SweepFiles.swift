// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import FoundationEssentials
import JSON
import Profiles
import Synchronization

/// What a sweep is read from: its spec, the scenario, all files that these name, and the environment variables that
/// they refer to.
///
/// They are read once, so that all runs have the same files, also in other processes and on other machines.
final class SweepFiles: Sendable {
    /// What was read.
    struct Contents: Codable {
        /// The bytes of the files in Base64, by paths that begin as that of the spec.
        var files: [String: String] = [:]
        /// The environment variables; `nil` for those that are not set.
        var variables: [String: String?] = [:]
    }

    private let read: Mutex<Contents>
    /// Whether only what was read before can be read.
    private let isCopy: Bool

    /// The files of this machine.
    init() {
        read = Mutex(Contents())
        isCopy = false
    }

    /// Files that another process has read.
    init(_ contents: Contents) {
        read = Mutex(contents)
        isCopy = true
    }

    /// What was read so far.
    var contents: Contents { read.withLock(\.self) }

    /// The hash of the files and variables.
    /// - Parameters:
    ///   - folder: the folder of the spec, which does not count: empty, or with a final slash.
    ///   - others: further lines that count.
    func hash(in folder: String, _ others: [String]) -> ContentHash {
        let contents = contents
        let files = contents.files.map { path, bytes in
            let name = path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path
            return "\(ContentHash(of: bytes.utf8))  \(name)"
        }
        let variables = contents.variables.map { name, value in
            "\(name)\(value.map { "=\(ContentHash(of: $0.utf8))" } ?? " is not set")"
        }
        return ContentHash(of: (others + files.sorted() + variables.sorted()).joined(separator: "\n").utf8)
    }

    /// The text of a file.
    /// - Parameter examples: where to find examples of such files.
    func text(_ path: String, examples: String) throws(ProfileFaults) -> String {
        if let text = kept(path).map({ String(decoding: $0, as: UTF8.self) }) { return text }
        guard !isCopy else {
            throw ProfileFaults([
                ProfileFault(
                    file: path, line: 0, column: 0, field: "", message: "the copy of the sweep does not have this file")
            ])
        }
        let text = try ProfileFiles.text(path, examples: examples)
        keep(Array(text.utf8), path)
        return text
    }

    /// The files beside a spec, a scenario or a profile.
    func sources(beside path: String) -> ProfileSources {
        let own = ProfileFiles.sources(beside: path)
        return ProfileSources { [self] name throws(ValueFault) in
            let full = ProfileFiles.full(name, beside: path)
            if let bytes = try bytes(full) { return String(decoding: bytes, as: UTF8.self) }
            let text = try own.files(name)
            keep(Array(text.utf8), full)
            return text
        } environment: { [self] name in
            if let known = read.withLock({ $0.variables[name] }) { return known }
            let value = isCopy ? nil : own.environment?(name)
            _ = read.withLock { $0.variables.updateValue(value, forKey: name) }
            return value
        } pictures: { [self] name throws(ValueFault) in
            let full = ProfileFiles.full(name, beside: path)
            if let bytes = try bytes(full) { return try Picture(bytes, named: name) }
            let picture = try own.pictures(name)
            keep(picture.bytes, full)
            return picture
        }
    }

    /// The bytes of a file that was read before; `nil` if it can be read now.
    private func bytes(_ path: String) throws(ValueFault) -> [UInt8]? {
        let bytes = kept(path)
        guard bytes == nil, isCopy else { return bytes }
        throw ValueFault("the copy of the sweep does not have the file \"\(path)\"")
    }

    private func kept(_ path: String) -> [UInt8]? {
        read.withLock { $0.files[path] }.flatMap { Data(base64Encoded: $0) }.map { Array($0) }
    }

    private func keep(_ bytes: [UInt8], _ path: String) {
        let text = Data(bytes).base64EncodedString()
        read.withLock { $0.files[path] = text }
    }
}
