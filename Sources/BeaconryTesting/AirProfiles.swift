// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Emulator
import JSON
import Profiles
import Space
import Synchronization

/// The profiles of an air: one that was given, and one of the beacons that were added.
final class AirProfiles: Sendable {
    private let given: Profile?
    /// The beacons that were added, as items of a YAML list.
    private let added = Mutex<[(name: String, text: String)]>([])

    /// - Throws: `VirtualAirError` if the profile has faults, or receivers.
    init(_ profile: String?) throws {
        given = try VirtualAirError.parsing {
            guard let profile else { return nil }
            return try Profile(parsing: profile, file: "profile")
        }
        if given?.receivers.isEmpty == false {
            throw VirtualAirError(
                "receivers of a profile have servers for other processes; add them with receiver(_:at:)")
        }
    }

    func load() throws(ProfileFaults) -> [Profile] {
        let items = added.withLock { $0.map(\.text) }
        let list = items.isEmpty ? "beacons: []\n" : "beacons:\n\(items.joined())"
        return [given, try Profile(parsing: "profile: air\n\(list)", file: "air")].compactMap(\.self)
    }

    /// - Parameter device: its kind, unless the keys have it.
    /// - Throws: `VirtualAirError` if the name is in use, or the beacon has faults.
    func add(_ name: String, _ position: Position?, _ device: String?, _ keys: String) throws {
        var text = "  - id: \(JSONLine.encode(name))\n"
        if let device, !keys.split(separator: "\n").contains(where: { $0.hasPrefix("device:") }) {
            text += "    device: \(JSONLine.encode(device))\n"
        }
        if let position { text += "    position: [\(position.x), \(position.y), \(position.z)]\n" }
        for line in keys.split(separator: "\n") { text += "    \(line)\n" }
        do throws(ProfileFaults) {
            _ = try Profile(parsing: "profile: air\nbeacons:\n\(text)", file: "air")
        } catch {
            // Without the places: they are in no file of the caller.
            throw VirtualAirError("the beacon \(name): \(error.faults.map(\.message).joined(separator: "; "))")
        }
        try added.withLock { added in
            guard !added.contains(where: { $0.name == name }) else {
                throw VirtualAirError("there is a beacon \(name) already; give every beacon its own name")
            }
            added.append((name, text))
        }
    }

    /// - Returns: whether it was there.
    @discardableResult
    func remove(_ name: String) -> Bool {
        added.withLock { added in
            let count = added.count
            added.removeAll { $0.name == name }
            return added.count < count
        }
    }
}
