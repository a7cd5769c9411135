// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import SystemPackage

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
        let folder = FilePath(path).removingLastComponent()
        return folder.isEmpty ? "." : folder.string
    }

    /// A path that does not depend on the working folder.
    package static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let pointer = getcwd(nil, 0) else { return path }
        defer { free(pointer) }
        return FilePath(String(cString: pointer)).pushing(FilePath(path)).lexicallyNormalized().string
    }

    /// Creates a folder, and those above it, with access for this user only.
    package static func create(_ path: String) throws(SystemError) {
        let whole = FilePath(path)
        var folder = FilePath(root: whole.root)
        for component in whole.components {
            folder.append(component)
            guard mkdir(folder.string, 0o700) != 0, errno != EEXIST else { continue }
            let failure = SystemError.current("create \(folder)")
            if !exists(folder.string) { throw failure }
        }
    }

    /// How the reason begins that a folder belongs to another user.
    fileprivate static let ownership = "it belongs to user"

    /// Creates a folder for settings and bonds, and those above it; an existing folder is checked.
    ///
    /// Root may use the folder of any user.
    /// - Parameter isWhole: whether it is the state folder itself. It may be a symbolic link, whose target is checked then: systemd links
    ///   the state folders of dynamic users. And it may belong to another user who has given it to a group of this process: in a
    ///   container, the volume belongs to the user of the image and to the group of root.
    static func createForState(_ path: String, isWhole: Bool = false) throws(SystemError) {
        try create(path)
        let status = try Self.status(of: path, followsLink: isWhole)
        let reason: String? =
            if status.type == .symbolicLink {
                "it is a symbolic link"
            } else if geteuid() != 0, status.userID.rawValue != geteuid(), !(isWhole && isShared(status)) {
                "\(ownership) \(status.userID.rawValue), and this process runs as user \(geteuid())"
            } else if status.permissions.contains(.otherWrite) {
                "every user can write to it"
            } else {
                nil
            }
        if let reason { throw SystemError(.permissionDenied, attempt: "use \(path)", reason: reason) }
    }

    /// Whether a folder was given to a group of this process.
    private static func isShared(_ status: Stat) -> Bool {
        guard status.permissions.contains(.groupWrite) else { return false }
        let group = status.groupID.rawValue
        var groups = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
        let count = Int(max(0, getgroups(Int32(groups.count), &groups)))
        return getegid() == group || groups.prefix(count).contains(group)
    }

    /// The status of a folder itself, or of the target of a symbolic link.
    private static func status(of path: String, followsLink: Bool = false) throws(SystemError) -> Stat {
        do throws(Errno) {
            // FilePath drops a slash at the end, which would follow a symbolic link.
            return try FilePath(path).stat(followTargetSymlink: followsLink)
        } catch {
            throw SystemError(error, attempt: "use \(path)")
        }
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
        if let reason = try fault(of: path, user) {
            throw SystemError(.permissionDenied, attempt: "use \(path)", reason: reason)
        }
    }

    /// Whether `createOwn` accepts a folder, and this process can create files in it; nothing is created.
    ///
    /// A folder that exists may belong to another user, or be on a read-only file system.
    package static func isUsableAsOwn(_ path: String) -> Bool {
        guard exists(path) || (try? status(of: path)) != nil else {
            let parent = containing(path)
            return exists(parent) ? isWritable(parent) : parent != path && isUsableAsOwn(parent)
        }
        do throws(SystemError) {
            return try fault(of: path, geteuid()) == nil && isWritable(path)
        } catch {
            return false
        }
    }

    /// Whether this process can create files in a folder; false for a file.
    private static func isWritable(_ path: String) -> Bool { access("\(path)/.", W_OK | X_OK) == 0 }

    /// Why a folder is not one of a user alone; `nil` if it is.
    private static func fault(of path: String, _ user: uid_t) throws(SystemError) -> String? {
        let status = try Self.status(of: path)
        if status.type == .symbolicLink { return "it is a symbolic link" }
        if status.type != .directory { return "it is not a folder" }
        if status.userID.rawValue != user {
            return "it belongs to user \(status.userID.rawValue), and this process runs as user \(user)"
        }
        let parent = try? FilePath(path).appending("..").stat()
        let isShared = parent.map { !$0.permissions.isDisjoint(with: [.groupWrite, .otherWrite]) } ?? false
        let forbidden: FilePermissions =
            isShared ? [.groupReadWriteExecute, .otherReadWriteExecute] : [.groupWrite, .otherWrite]
        if status.permissions.isDisjoint(with: forbidden) { return nil }
        return "other users have access to it (mode \(String(status.permissions.rawValue, radix: 8)))"
    }
}

extension SystemError {
    /// Whether another owner of a file or folder would fix it.
    package var isOfOwnership: Bool {
        reason?.hasPrefix(Folder.ownership) ?? (code == .permissionDenied || code == .notPermitted)
    }
}
