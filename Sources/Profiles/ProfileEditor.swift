// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
package import Bluetooth
package import Devices

/// Sets the measured power of beacons in a profile's text, and preserves everything else: comments, order, spaces.
package struct ProfileEditor: Sendable {
    /// The text.
    package private(set) var text: String
    private let file: String
    private let sources: ProfileSources

    /// An editor of this text.
    /// - Parameters:
    ///   - file: its path, for messages.
    ///   - sources: what the profile may refer to.
    package init(_ text: String, file: String, sources: ProfileSources = ProfileSources()) {
        self.text = text
        self.file = file
        self.sources = sources
    }

    /// Sets the measured power of the beacons with these ids.
    /// - Throws: `ProfileFaults` if the text is not a valid profile, has no such beacon, or cannot be changed in place;
    ///   then the text is unchanged.
    package mutating func setMeasuredPower(_ power: MeasuredPower, of ids: Set<String>) throws(ProfileFaults) {
        var profile = try Profile(parsing: text, file: file, sources: sources)
        let original = self
        for index in profile.beacons.indices where ids.contains(profile.beacons[index].id) {
            let id = profile.beacons[index].id
            var hint = "set measured-power: \(power.decibelMilliwatts)"
            do throws(ProfileFaults) {
                try setMeasuredPower(power, ofBeacon: id)
                let changed = try Profile(parsing: text, file: file, sources: sources)
                guard Self.differOnlyInMeasuredPower(profile, changed, at: index, power: power) else {
                    throw fault("another value changed, too")
                }
                // Hardware whose measured power follows its transmit power does not advertise the one of its frame.
                guard changed.beacons[index].device.measuredPower == power else {
                    hint = "measured-power-by-tx-power determines it"
                    throw fault("the value is not advertised")
                }
                profile = changed
            } catch {
                self = original
                throw fault("the measured power of \"\(id)\" cannot be changed in place; edit the file: \(hint)")
            }
        }
        let missing = ids.subtracting(profile.beacons.map(\.id))
        guard missing.isEmpty else {
            self = original
            throw fault("there is no beacon \(missing.sorted().joined(separator: ", "))")
        }
    }

    private static func differOnlyInMeasuredPower(
        _ old: Profile, _ new: Profile, at index: Int, power: MeasuredPower
    ) -> Bool {
        guard old.name == new.name, old.beacons.count == new.beacons.count else { return false }
        let others = old.beacons.indices.filter { $0 != index }
        let (before, after) = (old.beacons[index].device, new.beacons[index].device)
        guard var frame = before.frame, others.allSatisfy({ old.beacons[$0] == new.beacons[$0] }) else { return false }
        frame.measuredPower = power
        return before.kind == after.kind && after.frame == frame
    }

    private mutating func setMeasuredPower(_ power: MeasuredPower, ofBeacon id: String) throws(ProfileFaults) {
        let root = try YAMLText(text, file: file).root(of: "a profile", example: "profiles/iot-design-shop.yaml")
        // Beacons of included files, and copies of an entry, are not here.
        let beacons = root.mapping?["beacons"]?.sequence?.compactMap(\.mapping) ?? []
        guard let beacon = beacons.first(where: { $0["id"]?.text == id && $0["count"] == nil }) else {
            throw fault("the beacon has no entry of its own")
        }
        let value = "\(power.decibelMilliwatts)"
        guard let frame = beacon["ibeacon"]?.mapping else {
            return insert("ibeacon: { measured-power: \(value) }", into: beacon)
        }
        guard let old = frame["measured-power"]?.place else {
            return insert("measured-power: \(value)", into: frame)
        }
        replaceScalar(at: old, with: value)
    }

    /// Inserts a pair before the first one of a mapping.
    private mutating func insert(_ pair: String, into mapping: ProfileNode.Mapping) {
        guard let first = mapping.pairs.first?.key.place, let place = index(of: first) else { return }
        let opening = text.unicodeScalars[..<place].last { !$0.properties.isWhitespace }
        let separator = opening == "{" ? ", " : "\n" + String(repeating: " ", count: first.column - 1)
        text.unicodeScalars.insert(contentsOf: (pair + separator).unicodeScalars, at: place)
    }

    private mutating func replaceScalar(at place: TextPlace, with value: String) {
        guard let start = index(of: place) else { return }
        let scalars = text.unicodeScalars
        var end = start
        if end < scalars.endIndex, "\"'".unicodeScalars.contains(scalars[end]) {
            let closing = scalars[scalars.index(after: end)...].firstIndex(of: scalars[end])
            end = closing.map { scalars.index(after: $0) } ?? end
        } else {
            end = scalars[start...].firstIndex { ",}]#\r\n".unicodeScalars.contains($0) } ?? scalars.endIndex
            while end > start, scalars[scalars.index(before: end)] == " " { end = scalars.index(before: end) }
        }
        text.unicodeScalars.replaceSubrange(start..<end, with: value.unicodeScalars)
    }

    private func index(of place: TextPlace) -> String.UnicodeScalarView.Index? {
        let scalars = text.unicodeScalars
        var index = scalars.first == "\u{FEFF}" ? scalars.index(after: scalars.startIndex) : scalars.startIndex
        for _ in 1..<max(1, place.line) {
            guard let end = scalars[index...].firstIndex(of: "\n") else { return nil }
            index = scalars.index(after: end)
        }
        return scalars.index(index, offsetBy: place.column - 1, limitedBy: scalars.endIndex)
    }

    private func fault(_ message: String) -> ProfileFaults {
        ProfileFaults([ProfileFault(file: file, line: 0, column: 0, field: "", message: message)])
    }
}
