// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Yams

extension Profile {
    /// More than any installation needs; a larger file is refused unread.
    public static let maximumSize = 1 << 20
    private static let maximumDepth = 200

    /// Reads a profile.
    /// - Parameters:
    ///   - text: the YAML.
    ///   - file: its path, for messages.
    /// - Throws: `ProfileFaults`: everything that is wrong, with line and column.
    public init(parsing text: String, file: String) throws(ProfileFaults) {
        // Some editors put a byte order mark in front, which the YAML parser takes for a word.
        let root = try Self.root(of: text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text, file: file)
        var reader = MappingReader(root, file: file, path: "")
        guard root.mapping != nil else { throw ProfileFaults(reader.faults) }
        let name = reader.required("profile", BeaconParser.name)
        var beacons: [BeaconProfile] = []
        if let list = reader.node("beacons") {
            beacons = Self.beacons(in: list, &reader)
        } else {
            reader.add("\"beacons\" is missing", field: nil, mark: root.mark)
        }
        let faults = reader.finish()
        guard faults.isEmpty, let name else { throw ProfileFaults(faults) }
        self.init(name: name, beacons: beacons)
    }

    private static func beacons(in list: Node, _ reader: inout MappingReader) -> [BeaconProfile] {
        guard let sequence = list.sequence, !sequence.isEmpty else {
            reader.add("a list of at least one beacon is expected here", field: "beacons", mark: list.mark)
            return []
        }
        var beacons: [BeaconProfile] = []
        for (number, node) in sequence.enumerated() {
            var parser = BeaconParser(node, file: reader.file, path: "beacons[\(number)]")
            let beacon = parser.parse()
            reader.add(parser.faults)
            guard let beacon else { continue }
            if let index = beacons.firstIndex(where: { $0.id == beacon.id }) {
                reader.add(
                    "the id \"\(beacon.id)\" is beacons[\(index)]'s already; give every beacon its own",
                    field: "beacons[\(number)].id", mark: node.mapping?["id"]?.mark)
            }
            beacons.append(beacon)
        }
        return beacons
    }

    private static func root(of text: String, file: String) throws(ProfileFaults) -> Node {
        func fault(_ message: String, line: Int = 0, column: Int = 0) -> ProfileFaults {
            ProfileFaults([ProfileFault(file: file, line: line, column: column, field: "", message: message)])
        }
        guard text.utf8.count <= maximumSize else { throw fault("a profile has at most \(maximumSize) bytes") }
        if let line = lineNestedTooDeep(text) { throw fault("this is nested too deep", line: line, column: 1) }
        do {
            if let mark = try AliasMeasure.excess(in: text) {
                throw fault("aliases stand for too much here", line: mark.line, column: mark.column)
            }
            guard let node = try Yams.compose(yaml: text) else {
                throw fault("the file is empty; see profiles/iot-design-shop.yaml for an example")
            }
            return node
        } catch let faults as ProfileFaults {
            throw faults
        } catch let error as YamlError {
            switch error {
            case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
                .composer(_, let problem, let mark, _):
                throw fault("this is not YAML: \(problem)", line: mark.line, column: mark.column)
            case .duplicatedKeysInMapping(let duplicates, let context):
                let names = duplicates.map { "\($0)" }.joined(separator: ", ")
                throw fault(
                    "the key \(names) stands here more than once", line: context.mark.line, column: context.mark.column)
            case .reader(let problem, let offset, _, _):
                let (line, column) = offset.map { place(of: $0, in: text) } ?? (0, 0)
                throw fault("this is not YAML: \(problem)", line: line, column: column)
            default:
                throw fault("this is not YAML: \(error)")
            }
        } catch {
            throw fault("this is not YAML: \(error)")
        }
    }

    /// Line and column, counted from 1, of the character behind the first `offset` ones.
    private static func place(of offset: Int, in text: String) -> (line: Int, column: Int) {
        let lines = text.prefix(offset).unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        return (lines.count, (lines.last?.count ?? 0) + 1)
    }

    /// The first line on which nesting could exhaust the stack of a parser that recurses.
    private static func lineNestedTooDeep(_ text: String) -> Int? {
        var brackets = 0
        for (number, line) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        {
            let indicators = line.prefix { " -?:[{!&*'\"\t".utf8.contains($0) }.count
            for byte in line {
                if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") { brackets += 1 }
                if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") { brackets = max(0, brackets - 1) }
                if brackets > maximumDepth { return number + 1 }
            }
            if indicators > maximumDepth { return number + 1 }
        }
        return nil
    }
}
