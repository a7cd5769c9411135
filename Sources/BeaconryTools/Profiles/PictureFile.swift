// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import FoundationEssentials
import Glibc
import Persistence
import Profiles

/// Reads the pictures that profiles name: regular files in the folder of the profile, or below it.
enum PictureFile {
    /// The picture of a file.
    /// - Parameters:
    ///   - name: its path in the profile.
    ///   - files: takes the path of the file.
    /// - Throws: `ValueFault` for a path or a link that leaves the folder, and as `Picture`.
    static func read(
        _ name: String, beside profile: String, noting files: WatchedFiles?
    ) throws(ValueFault) -> Picture {
        let full = ProfileFiles.full(name, beside: profile)
        files?.insert(full)
        let folder = profile.lastIndex(of: "/").map { String(profile[...$0]) } ?? "."
        guard let root = resolved(folder), let path = resolved(full) else {
            throw ValueFault("there is no file \"\(full)\"; paths are relative to the profile's folder")
        }
        guard path.hasPrefix(root == "/" ? root : root + "/") else {
            throw ValueFault(
                "\"\(name)\" is outside of the profile's folder; copy the picture into the folder, and write its name")
        }
        return try Picture(try bytes(of: path, named: name), named: name)
    }

    /// The path without symbolic links; `nil` if there is no such file.
    private static func resolved(_ path: String) -> String? {
        guard let pointer = realpath(path, nil) else { return nil }
        defer { free(pointer) }
        return String(cString: pointer)
    }

    private static func bytes(of path: String, named name: String) throws(ValueFault) -> [UInt8] {
        // Without O_NONBLOCK, opening a FIFO blocks until there is a writer. The path has no links any more.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW)
        guard descriptor >= 0 else {
            throw ValueFault("\"\(name)\" cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ValueFault("\"\(name)\" is not a regular file; write the name of a picture")
        }
        guard status.st_size <= Picture.maximumSize else { throw Picture.tooLarge(name, Int(status.st_size)) }
        var bytes = [UInt8](repeating: 0, count: Picture.maximumSize + 1)
        var count = 0
        while count < bytes.count {
            let read = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress! + count, $0.count - count)
            }
            if read == 0 { break }
            guard read > 0 else {
                if errno == EINTR { continue }
                throw ValueFault("\"\(name)\" cannot be read: \(String(cString: strerror(errno)))")
            }
            count += read
        }
        return Array(bytes[..<count])
    }
}

/// Pictures in the copy of profiles: in Base64, in parts that files of the state folder have room for.
extension ProfileCopy {
    private static let part = 3 << 18

    private static func name(of part: Int, at path: String) -> String { "\(path)#\(part)" }

    /// Notes a picture of the file at an absolute path.
    mutating func note(_ picture: Picture, at path: String) {
        for (number, start) in stride(from: 0, to: picture.bytes.count, by: Self.part).enumerated() {
            let end = min(start + Self.part, picture.bytes.count)
            files[Self.name(of: number, at: path)] = Data(picture.bytes[start..<end]).base64EncodedString()
        }
    }

    /// The picture of the file at an absolute path.
    /// - Throws: `ValueFault` if the copy does not have it.
    func picture(named name: String, at path: String) throws(ValueFault) -> Picture {
        var bytes: [UInt8] = []
        var number = 0
        while let text = files[Self.name(of: number, at: path)] {
            guard let part = Data(base64Encoded: text) else { break }
            bytes += part
            number += 1
        }
        guard number > 0 else { throw ValueFault("the copy does not have the picture \"\(name)\"") }
        return try Picture(bytes, named: name)
    }
}
