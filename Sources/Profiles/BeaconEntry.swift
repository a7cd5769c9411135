// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Devices

extension BeaconDefinition {
    /// Reads one beacon, without a profile around it.
    /// - Parameters:
    ///   - text: the keys of an entry of `beacons`, in YAML or JSON; `id` may be left out.
    ///   - id: the id of the beacon.
    ///   - file: the name of the text, for messages.
    /// - Throws: `ProfileFaults` with all faults, each with line and column.
    package init(parsing text: String, id: String, file: String) throws(ProfileFaults) {
        let root = try YAMLText(text, file: file).root(of: "a beacon", example: "profiles/")
        var rewriter = NodeRewriter(file: file, environment: nil)
        let node = rewriter.rewritten(root)
        var pairs = node.mapping?.pairs ?? []
        if let own = node.mapping?["id"] {
            guard own.text == id else {
                throw ProfileFaults([
                    ProfileFault(
                        file: file, line: own.place.line, column: own.place.column, field: "id",
                        message: "the id is \"\(id)\"; leave it out here, or write the same")
                ])
            }
        } else {
            pairs.append((ProfileNode(.scalar("id"), at: root.place), ProfileNode(.scalar(id), at: root.place)))
        }
        let entry = node.mapping == nil ? node : ProfileNode(.mapping(ProfileNode.Mapping(pairs)), at: root.place)
        var reader = ProfileReader(entry, file: file, path: "")
        let beacon = entry.mapping == nil ? nil : BeaconDefinition(from: &reader)
        let faults = rewriter.faults + reader.finish()
        guard faults.isEmpty, let beacon else { throw ProfileFaults(faults) }
        self = beacon
    }
}
