// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The documents, profiles, scenarios and schemas that are installed with the program: `PREFIX/share`, if it is `PREFIX/bin`.
package enum InstalledFiles {
    /// `PREFIX`, without its final slash; `nil` if it is unknown.
    private static let prefix: String? = {
        guard let program = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(program) }
        let parts = String(cString: program).split(separator: "/")
        return parts.count >= 2 ? parts.dropLast(2).map { "/\($0)" }.joined() : nil
    }()

    /// Where a file or folder of the repository is installed, such as `docs/receiving.md`; `nil` if it is not.
    static func installed(_ name: String) -> String? {
        guard let prefix else { return nil }
        let path =
            name.hasPrefix("docs/")
            ? "\(prefix)/share/doc/beaconry/\(name.dropFirst("docs/".count))" : "\(prefix)/share/beaconry/\(name)"
        return access(path, F_OK) == 0 ? path : nil
    }

    /// The same, or else its name in the repository, for messages.
    package static func path(_ name: String) -> String { installed(name) ?? name }
}
