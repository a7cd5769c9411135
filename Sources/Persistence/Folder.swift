// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// Folders of the local file system, and the rules for those that this process may trust.
package enum Folder {
    /// Whether a file or a folder exists.
    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The names in a folder, sorted; empty if the folder cannot be read.
    package static func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    /// The folder that contains a file; `.` for a path without folders.
    package static func containing(_ path: String) -> String {
        guard let end = path.lastIndex(of: "/") else { return "." }
        return end == path.startIndex ? "/" : String(path[..<end])
    }

    /// Creates a folder, and those above it, with access for this user only.
    package static func create(_ path: String) throws(SystemError) {
        var parent = ""
        for component in path.split(separator: "/", omittingEmptySubsequences: true) {
            parent += (parent.isEmpty && !path.hasPrefix("/") ? "" : "/") + component
            guard mkdir(parent, 0o700) != 0, errno != EEXIST else { continue }
            let failure = SystemError.current("create \(parent)")
            if access(parent, F_OK) != 0 { throw failure }
        }
    }

    /// Creates a folder for settings and bonds, and those above it; an existing folder is checked.
    ///
    /// Root may use the folder of any user. Only folders above it may be symbolic links: systemd links the state folders
    /// of dynamic users.
    static func createForState(_ path: String) throws(SystemError) {
        try create(path)
        var status = stat()
        guard lstat(path, &status) == 0 else { throw .current("use \(path)") }
        let reason: String? =
            if status.st_mode & S_IFMT == S_IFLNK {
                "it is a symbolic link"
            } else if geteuid() != 0, status.st_uid != geteuid() {
                "it belongs to user \(status.st_uid), and this process runs as user \(geteuid())"
            } else if status.st_mode & 0o002 != 0 {
                "every user can write to it"
            } else {
                nil
            }
        if let reason { throw SystemError(code: EACCES, attempt: "use \(path)", reason: reason) }
    }

    /// Creates a folder, and those above it, with access for this user only; an existing folder is checked.
    ///
    /// In a folder that all users can write to, such as /tmp, another user may have created the folder first, to make this
    /// process write to their files or read them.
    /// - Parameter user: The required owner of the folder.
    /// - Throws: `SystemError`, also for a symbolic link, a folder of another user, and a folder that others can write to;
    ///   within a folder that others can write to, also for a folder that others have any access to.
    static func createOwn(_ path: String, user: uid_t = geteuid()) throws(SystemError) {
        try create(path)
        func refusal(_ reason: String) -> SystemError {
            SystemError(code: EACCES, attempt: "use \(path)", reason: reason)
        }
        let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        var status = stat()
        guard lstat(path, &status) == 0 else { throw .current("use \(path)") }
        guard status.st_mode & S_IFMT != S_IFLNK else { throw refusal("it is a symbolic link") }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw refusal("it is not a folder") }
        guard status.st_uid == user else {
            throw refusal("it belongs to user \(status.st_uid), and this process runs as user \(user)")
        }
        var parent = stat()
        let isShared = stat("\(path)/..", &parent) == 0 && parent.st_mode & 0o022 != 0
        guard status.st_mode & (isShared ? 0o077 : 0o022) == 0 else {
            let mode = String(status.st_mode & 0o7777, radix: 8)
            throw refusal("other users have access to it (mode \(mode))")
        }
    }
}
