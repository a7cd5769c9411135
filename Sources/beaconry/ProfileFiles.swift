// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import Profiles

/// Profiles in files.
enum ProfileFiles {
    /// Reads them all.
    /// - Throws: `ProfileFaults`: everything that is wrong in any of them.
    static func load(_ paths: [String]) throws(ProfileFaults) -> [Profile] {
        var profiles: [Profile] = []
        var faults: [ProfileFault] = []
        for path in paths {
            do throws(ProfileFaults) {
                let profile = try Profile(parsing: try text(path), file: path)
                if let index = profiles.firstIndex(where: { $0.name == profile.name }) {
                    let message = "the name \"\(profile.name)\" is \(paths[index])'s already"
                    faults.append(ProfileFault(file: path, line: 1, column: 1, field: "profile", message: message))
                }
                profiles.append(profile)
            } catch {
                faults += error.faults
            }
        }
        guard faults.isEmpty else { throw ProfileFaults(faults) }
        return profiles
    }

    private static func text(_ path: String) throws(ProfileFaults) -> String {
        func fault(_ message: String) -> ProfileFaults {
            ProfileFaults([ProfileFault(file: path, line: 0, column: 0, field: "", message: message)])
        }
        let bytes: [UInt8]?
        do throws(SystemError) {
            bytes = try LocalFileSystem().read(path)
        } catch {
            throw fault("\(error)")
        }
        guard let bytes else { throw fault("there is no such file; profiles/ has examples") }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw fault("the file is not UTF-8 text") }
        return text
    }
}
