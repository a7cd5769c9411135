// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Testing

@testable import DBus

struct ExportTableTests {
    private static func export(_ path: ObjectPath, isManager: Bool = false) -> ExportTable.Export {
        ExportTable.Export(
            identifier: 1, server: .object(ExportedObject(path: path, isObjectManager: isManager)), mailbox: nil)
    }

    /// Compares the table with a list that is searched linearly.
    @Test func tableAnswersAsAList() throws {
        var random = SplitMix64(seed: 7)
        let parts = ["a", "ab", "b", "c"]
        let paths = try (0..<60).map { _ in
            try (0..<(1 + Int.random(in: 0..<4, using: &random))).reduce(ObjectPath.root) { path, _ in
                try path.appending(parts[Int.random(in: 0..<parts.count, using: &random)])
            }
        }
        var table = ExportTable()
        var list: Set<ObjectPath> = []
        for _ in 0..<3000 {
            let path = paths[Int.random(in: 0..<paths.count, using: &random)]
            if Int.random(in: 0..<2, using: &random) == 0 {
                table.add(Self.export(path, isManager: path.rawValue.hasSuffix("b")), at: path)
                list.insert(path)
            } else {
                #expect((table.remove(at: path) != nil) == (list.remove(path) != nil))
            }
            let chosen = Int.random(in: 0...paths.count, using: &random)
            let query = chosen == paths.count ? .root : paths[chosen]
            let below = list.filter { $0.isDescendant(of: query) }
            let found = table.paths(below: query)
            #expect(Set(found) == below && found.count == below.count)
            for (index, path) in found.enumerated() {
                #expect(!found[..<index].contains { $0.isDescendant(of: path) })
            }
            let components = below.compactMap {
                $0.rawValue.dropFirst(query == .root ? 1 : query.rawValue.count + 1).split(separator: "/").first
            }
            #expect(table.children(of: query) == Set(components.map(String.init)).sorted())
            let managers = list.filter { query.isDescendant(of: $0) && $0.rawValue.hasSuffix("b") }
            #expect(Set(table.managers(above: query)) == managers)
        }
        for path in list { _ = table.remove(at: path) }
        #expect(table.children(of: .root).isEmpty)
    }

    @Test func lastComponentsAndParents() {
        #expect(ObjectPath.root.lastComponent == "" && ObjectPath.root.parent == nil)
        #expect(("/a" as ObjectPath).lastComponent == "a" && ("/a" as ObjectPath).parent == .root)
        #expect(("/a/bc" as ObjectPath).lastComponent == "bc" && ("/a/bc" as ObjectPath).parent == "/a")
    }
}
