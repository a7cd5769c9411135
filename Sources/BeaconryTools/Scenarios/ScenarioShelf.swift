// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator
import Persistence

/// The scenarios that a run offers to its clients: those that are installed with the program, and those in a folder `scenarios` beside
/// its profiles, or beside their folder.
package enum ScenarioShelf {
    /// The limit of the number of files, of any size that profiles may have.
    private static let maximumCount = 100

    /// The files in the order of their names; of two with the same name, the one nearer to the profiles.
    /// - Parameter profiles: the paths of the profiles.
    package static func files(beside profiles: [String]) -> [ScenarioFile] {
        let near = profiles.flatMap { path in
            let folder = Folder.containing(Folder.absolute(path))
            return ["\(folder)/scenarios", "\(Folder.containing(folder))/scenarios"]
        }
        var found: [String: ScenarioFile] = [:]
        for folder in near + [InstalledFiles.installed("scenarios")].compactMap(\.self) {
            for name in Folder.names(in: folder).sorted() where name.hasSuffix(".yaml") && found[name] == nil {
                guard found.count < maximumCount, let text = try? ProfileFiles.text("\(folder)/\(name)") else {
                    continue
                }
                found[name] = ScenarioFile(file: name, text: text)
            }
        }
        return found.values.sorted { $0.file < $1.file }
    }
}
