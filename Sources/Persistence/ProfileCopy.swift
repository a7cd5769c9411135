// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import FoundationEssentials
import SystemPackage

/// What profiles were read from: their files, and the environment variables that they refer to.
package struct ProfileCopy: Hashable, Sendable {
    /// The texts of the files, by their paths.
    package var files: [String: String]
    /// The values of the variables; `nil` for a variable that was not set.
    package var variables: [String: String?]
    package init(files: [String: String] = [:], variables: [String: String?] = [:]) {
        self.files = files
        self.variables = variables
    }
}

/// A copy of profiles on disk, which is replaced as a whole: after a crash, the former one or the new one is there, never a mixture.
///
/// The texts are files of one of two slots, `a` and `b`; `manifest.json` has the slot, the names and paths of its files, and the
/// variables. A new copy is written to the other slot and flushed, then the manifest is replaced. A profile has up to a hundred
/// files of up to 1 MiB, so they are not in one file.
package struct ProfileCopyFile: Sendable {
    /// The folder.
    package let folder: String
    private let run: [String]
    private let manifest: AtomicFile
    private let fileSystem: any FileSystem

    private struct Manifest: Codable {
        struct File: Codable {
            let path: String
            let name: String
        }

        var v = 1
        let kept: String
        let run: [String]
        let slot: String
        let files: [File]
        let variables: [String: String]
        let unset: [String]
    }

    /// A copy and the time when it was stored, as text.
    package struct Kept: Sendable {
        package let copy: ProfileCopy
        package let time: String
        fileprivate let slot: String
        fileprivate let names: [String]
    }

    /// The copy of a run.
    /// - Parameter run: What distinguishes the run from others.
    package init(folder: String, of run: [String], fileSystem: any FileSystem = LocalFileSystem()) {
        self.folder = folder
        self.run = run
        self.fileSystem = fileSystem
        manifest = AtomicFile(path: "\(folder)/manifest.json", fileSystem: fileSystem)
    }

    /// The name of the copy of a run: the name of its first profile, and a hash of all that distinguishes the run.
    static func name(of run: [String]) -> String {
        let hash = String(run.joined(separator: "\0").stableHash, radix: 16)
        return plain(run.first ?? "") + "-" + String(repeating: "0", count: 16 - hash.count) + hash
    }

    /// The last component of a path, in plain characters.
    private static func plain(_ path: String) -> String {
        let last = path.split(separator: "/").last ?? "profile"
        let characters = last.prefix(40).map { character in
            character.isASCII && (character.isLetter || character.isNumber || "._-".contains(character))
                ? character : "_"
        }
        return String(characters)
    }

    // MARK: - Reading

    /// Reads the copy; `nil` if there is none.
    /// - Throws: `PersistenceError` if it cannot be used.
    package func load() throws(PersistenceError) -> Kept? {
        do throws(SystemError) {
            let bytes: [UInt8]
            switch try manifest.read() {
            case .absent: return nil
            case .tooLarge(let reason): throw damaged(reason)
            case .bytes(let content): bytes = content
            }
            guard let document = try? JSONDecoder().decode(Manifest.self, from: Data(bytes)), document.v == 1 else {
                throw damaged("it is not the manifest of a copy")
            }
            guard document.run == run else { return nil }
            var copy = ProfileCopy(variables: document.variables.mapValues { $0 })
            for name in document.unset { copy.variables.updateValue(nil, forKey: name) }
            for file in document.files {
                guard let bytes = try fileSystem.read("\(folder)/\(file.name)"),
                    let text = String(validating: bytes, as: UTF8.self)
                else { throw damaged("the file \(file.name) is missing, or is not text") }
                copy.files[file.path] = text
            }
            return Kept(copy: copy, time: document.kept, slot: document.slot, names: document.files.map(\.name))
        } catch {
            let path = Folder.containing(Folder.containing(folder))
            throw PersistenceError("\(error)", hint: StateFolder.hint(for: error, in: path))
        }
    }

    private func damaged(_ reason: String) -> SystemError {
        SystemError(.invalidArgument, attempt: "use the copy in \(folder)", reason: reason)
    }

    // MARK: - Writing

    /// Replaces the copy, unless it is the same. On return the new one is on the medium; after an error the former one is there.
    /// - Parameter time: The time as text.
    package func store(_ copy: ProfileCopy, at time: String) throws(SystemError) {
        // The state folder may have been removed during the run.
        try Folder.createForState(folder)
        let former = try? load()
        guard former?.copy != copy else { return }
        let slot = former?.slot == "a" ? "b" : "a"
        let files = copy.files.keys.sorted().enumerated().map { number, path in
            Manifest.File(path: path, name: "\(slot)-\(number)-\(Self.plain(path))")
        }
        for file in files {
            try fileSystem.replace(
                "\(folder)/\(file.name)", with: Array((copy.files[file.path] ?? "").utf8), isPrivate: true)
        }
        try fileSystem.synchronizeFolder(folder)
        let document = Manifest(
            kept: time, run: run, slot: slot, files: files, variables: copy.variables.compactMapValues { $0 },
            unset: copy.variables.filter { $0.value == nil }.keys.sorted())
        try manifest.store(JSONDocument.encode(document))
        removeAll(except: files.map(\.name), and: former?.names ?? [])
    }

    /// Removes the files of the former copy, and what a killed process has left.
    private func removeAll(except names: [String], and former: [String]) {
        let present = Folder.names(in: folder).filter { $0.hasPrefix("a-") || $0.hasPrefix("b-") }
        for name in Set(present + former).subtracting(names) { try? fileSystem.remove("\(folder)/\(name)") }
    }
}
