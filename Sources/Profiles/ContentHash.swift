// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Devices
import Synchronization

/// A hash by which contents are compared between machines: the first 16 hexadecimal digits of their SHA-256.
package struct ContentHash: Hashable, Sendable, CustomStringConvertible {
    /// The digits, in lower case.
    package let description: String

    /// The hash of these bytes.
    package init(of bytes: some Sequence<UInt8>) {
        var hash = SHA256()
        bytes.withContiguousStorageIfAvailable { hash.update(data: $0) } ?? hash.update(data: Array(bytes))
        description = String(Self.digits(of: hash.finalize()).prefix(16))
    }

    /// All digits of a hash.
    fileprivate static func digits(of digest: SHA256.Digest) -> String {
        digest.map { String($0 >> 4, radix: 16) + String($0 & 0xF, radix: 16) }.joined()
    }
}

/// The files that a profile is read from: its own text, and the files that it names.
///
/// The hash of one file is that of its bytes, as `sha256sum` prints it. With others it is that of lines: the SHA-256 of the profile, then
/// the SHA-256 and the name of each other file, as the profile writes it, in the order of the names. So it is the same on all machines
/// that have the same files beside the profile, wherever the folder is.
final class ReadFiles: Sendable {
    private let text: [UInt8]
    private let others = Mutex<[String: String]>([:])

    /// The files of a profile with this text.
    init(_ text: String) { self.text = Array(text.utf8) }

    /// Sources whose files are noted.
    func noting(_ sources: ProfileSources) -> ProfileSources {
        ProfileSources(
            files: { [self] name throws(ValueFault) in
                let text = try sources.files(name)
                note(Array(text.utf8), name)
                return text
            }, environment: sources.environment,
            pictures: { [self] name throws(ValueFault) in
                let picture = try sources.pictures(name)
                note(picture.bytes, name)
                return picture
            })
    }

    private func note(_ bytes: [UInt8], _ name: String) {
        let digits = ContentHash.digits(of: SHA256.hash(data: bytes))
        others.withLock { $0[name] = digits }
    }

    /// The hash of all files so far.
    var hash: ContentHash {
        let others = others.withLock(\.self)
        guard !others.isEmpty else { return ContentHash(of: text) }
        let own = ContentHash.digits(of: SHA256.hash(data: text))
        let lines = others.sorted { $0.key < $1.key }.map { "\($0.value)  \($0.key)\n" }
        return ContentHash(of: "\(own)\n\(lines.joined())".utf8)
    }
}
