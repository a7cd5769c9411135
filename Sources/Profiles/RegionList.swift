// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Devices
package import Receiving

/// Regions to monitor, with their messages.
package struct RegionList: Hashable, Sendable {
    /// One region.
    package struct Entry: Hashable, Sendable {
        /// The region's name, which is unique in the list.
        package var identifier: String
        /// The identifiers of the region's beacons.
        package var identifiers: BeaconRegion.Identifiers
        /// The message on entering; `nil` for none.
        package var hello: String?
        /// The message on leaving; `nil` for none.
        package var goodbye: String?
        /// The minimum time between two hellos, and between two goodbyes; `nil` for no minimum.
        package var atMostOncePer: Duration?
        /// The time without an advertisement after which the region is left; `nil` for the monitor's default.
        package var exitAfter: Duration?
        /// Whether a receiver reports the state again when its screen comes on inside the region.
        package var notifiesOnDisplay = false

        package init(
            identifier: String, _ identifiers: BeaconRegion.Identifiers, hello: String? = nil, goodbye: String? = nil,
            atMostOncePer: Duration? = nil, exitAfter: Duration? = nil
        ) {
            self.identifier = identifier
            self.identifiers = identifiers
            self.hello = hello
            self.goodbye = goodbye
            self.atMostOncePer = atMostOncePer
            self.exitAfter = exitAfter
        }
    }

    /// The regions in the order of the file.
    package let entries: [Entry]

    /// Reads a list.
    /// - Parameters:
    ///   - text: the YAML.
    ///   - file: its path, for messages.
    /// - Throws: `ProfileFaults` with all faults, each with line and column.
    package init(parsing text: String, file: String) throws(ProfileFaults) {
        let root = try YAMLText(text, file: file).root(of: FileKind.regions.name, example: "docs/receiving.md")
        try FileKind.regions.check(root, file: file)
        var reader = ProfileReader(root, file: file, path: "")
        guard root.mapping != nil else { throw ProfileFaults(reader.faults) }
        let entries = reader.requiredParts("regions", of: "region", Self.entry)
        reader.addDuplicates(in: "regions", entries, key: "identifier", name: \.identifier) { earlier, identifier in
            "\(earlier) has the identifier \"\(identifier)\" already; give every region its own"
        }
        let faults = reader.finish()
        guard faults.isEmpty else { throw ProfileFaults(faults) }
        self.entries = entries.compactMap(\.self)
    }

    private static func entry(_ reader: inout ProfileReader) -> Entry? {
        let identifier = reader.required("identifier", ValueText.label)
        let identifiers = BeaconRegion.Identifiers(from: &reader)
        let hello = reader.value("hello", ValueText.message)
        let goodbye = reader.value("goodbye", ValueText.message)
        let atMostOncePer = reader.value("at-most-once-per", ValueText.duration)
        let exitAfter = reader.value("exit-after", ValueText.duration)
        guard let identifier, let identifiers else { return nil }
        return Entry(
            identifier: identifier, identifiers, hello: hello, goodbye: goodbye, atMostOncePer: atMostOncePer,
            exitAfter: exitAfter)
    }
}
