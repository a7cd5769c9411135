// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Persistence
package import Profiles
import Receiving

/// `monitor add`, `remove` and `list`: the saved list of regions.
package struct SavedRegionList {
    private let folder: MonitorFolder
    private let format: OutputFormat

    package init(_ folder: MonitorFolder, format: OutputFormat) {
        self.folder = folder
        self.format = format
    }

    /// Saves a region; it replaces the one with the same identifier.
    /// - Parameter limit: the maximum number of regions; `nil` for no limit.
    package func add(_ entry: RegionList.Entry, limit: Int?) throws {
        let region = SavedRegion(entry)
        let lock = try folder.lock("saved.json")
        defer { lock.release() }
        var regions = try folder.savedRegions()
        if let index = regions.firstIndex(where: { $0.identifier == region.identifier }) {
            regions[index] = region
        } else {
            if let limit, regions.count >= limit {
                throw Failure.usage(
                    "\(limit) regions are saved already, which is the limit; remove one, or raise it (--max-regions)")
            }
            regions.append(region)
        }
        try folder.save(regions)
        Output.report(SavedRegionReport("added", region), as: format)
    }

    /// Removes a region.
    package func remove(_ identifier: String) throws {
        let lock = try folder.lock("saved.json")
        defer { lock.release() }
        let regions = try folder.savedRegions()
        guard let region = regions.first(where: { $0.identifier == identifier }) else {
            throw Failure.usage("no region \"\(identifier)\" is saved; beaconry monitor list shows the saved ones")
        }
        try folder.save(regions.filter { $0 != region })
        Output.report(SavedRegionReport("removed", region), as: format)
    }

    /// Prints the regions with their last states.
    package func list() throws {
        let states = try folder.states(of: MonitorFolder.savedListName)
        for region in try folder.savedRegions() {
            let state = states.first { $0.identifier == region.identifier && $0.identifiers == region.identifiers }
            Output.report(SavedRegionReport("saved", region, state: state?.state), as: format)
        }
    }
}

/// A region of the saved list.
private struct SavedRegionReport: Encodable, Report {
    /// added, removed or saved.
    private let event: String
    private let region: SavedRegion
    /// The last state; absent when unknown.
    private let state: String?

    init(_ event: String, _ region: SavedRegion, state: String? = nil) {
        self.event = event
        self.region = region
        self.state = state
    }

    var lines: [String] {
        [
            Formatting.row([
                region.identifier, region.identifiers.uuid ?? region.identifiers.namespace,
                region.identifiers.major.map { "major \($0)" }, region.identifiers.minor.map { "minor \($0)" },
                region.identifiers.instance.map { "instance \($0)" }, state, event == "saved" ? nil : event,
            ])
        ]
    }
}
