// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Glibc
import Persistence

/// `init`: writes a first profile.
package enum FirstProfile {
    /// Writes a profile with the name of the file, and prints how to use it.
    /// - Parameter replaces: Whether a file that exists is replaced.
    /// - Throws: `Failure` if the file exists, or if a profile cannot have the name of the file; `SystemError`.
    package static func write(to path: String, replaces: Bool, as format: OutputFormat) throws {
        let name = try name(of: path)
        try Failure.unlessFree(path, force: replaces)
        let text = text(name: name, uuid: "\(newUUID())", schema: SchemaTool.line(for: .profile))
        try OutputFile.write(Array(text.utf8), to: path)
        Output.report(WrittenProfile(profile: name, file: path), as: format)
    }

    /// The name of a profile in this file.
    /// - Throws: `Failure` if no profile can have it.
    static func name(of path: String) throws(Failure) -> String {
        let file = path.split(separator: "/").last.map { String($0) } ?? path
        let stem = file.lastIndex(of: ".").map { String(file[..<$0]) } ?? file
        do throws(ValueFault) {
            return try ValueText.name(stem)
        } catch {
            throw .usage("\(path): the file has the name of the profile; \(error.message)")
        }
    }

    /// A UUID that nobody has (version 4, RFC 9562).
    static func newUUID() -> UUID128 {
        var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        guard let uuid = UUID128(octets: bytes) else { preconditionFailure("16 bytes") }
        return uuid
    }

    /// The profile.
    /// - Parameter schema: the line for editors; `nil` for none.
    static func text(name: String, uuid: String, schema: String?) -> String {
        let keys = InstalledFiles.installed("docs/profiles.md") == nil ? "docs/profiles.md" : "man 5 beaconry-profile"
        return """
            \(schema.map { $0 + "\n" } ?? "")# The beacons of one place. All keys: \(keys)
            profile: \(name)

            # What all beacons have in common. The UUID is yours: apps find your beacons by it.
            defaults:
              device: ibeacon
              ibeacon: { uuid: \(uuid), major: 1, measured-power: -59 }
              interval: 100ms

            beacons:
              # One beacon. Positions are metres on the virtual air, where a phone is 1 m away from beacons without one.
              - { id: entrance, ibeacon: { minor: 1 }, position: [0, 0] }

              # Three beacons: shelf-1, shelf-2, shelf-3.
              - { id: shelf, count: 3, ibeacon: { minor: 11..13 }, position: [2..6, 4] }

              # A beacon that an app can configure over the air, like the hardware of IoT Design Shop.
              - { id: door, device: iot-design-shop, ibeacon: { minor: 2 }, position: [8, 0], name: Door }

            """
    }
}

/// The output of `init`.
private struct WrittenProfile: Encodable, Report {
    let profile: String
    let file: String

    var lines: [String] {
        ["\(file) is written; run it: beaconry run \(file) --watch"]
    }
}
