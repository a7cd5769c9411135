// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import JSON

/// JSON with places.
struct JSONNodeTests {
    @Test func valuesHavePlacesAndOrder() throws {
        let text = #"{"b": [1, "x"], "a": {"c": null}}"#
        let node = try JSONNode(parsing: Array(text.utf8), .file)
        #expect(node.members?.map(\.name) == ["b", "a"] && node.offset == 0)
        #expect(node["b"]?.offset == 6 && node["b"]?.elements?.map(\.offset) == [7, 10])
        #expect(node["a"]?["c"]?.offset == 27 && node["a"]?["c"]?.scalar == .null)
        #expect(node["c"] == nil && node.elements == nil && node.scalar == nil)
    }

    @Test(arguments: [("[1,]", 3), ("[1\n,{\"a\":}]", 9), (#"{"a":1,"a":2}"#, 12), ("", 0), ("[\"a", 2), ("[1] 2", 4)])
    func faultsHavePlaces(_ text: String, _ offset: Int) throws {
        let fault = try #require(throws: JSONNode.Fault.self) { try JSONNode(parsing: Array(text.utf8), .file) }
        #expect(fault.offset == offset && !fault.fault.message.isEmpty)
    }
}
