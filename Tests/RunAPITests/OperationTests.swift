// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Emulator
import JSON
import Space
import Testing

@testable import RunAPI

@Suite struct OperationTests {
    @Test func namesAndRequestsAreThereOnce() {
        let requests = Operations.all.map { "\($0.method.rawValue) \($0.path)" }
        #expect(Set(requests).count == requests.count)
        #expect(Set(Operations.all.map(\.name)).count == Operations.all.count)
    }

    /// A request has one dictionary of values: of the path, the query, the head and the body.
    /// Of two different paths, none matches a request of the other: their order does not matter.
    @Test func noTwoPathsOverlap() {
        let paths = Set(Operations.all.map(\.path)).sorted().map { $0.split(separator: "/") }
        for (index, path) in paths.enumerated() {
            for other in paths[..<index] where other.count == path.count {
                let isApart = zip(path, other).contains { $0 != $1 && $0.first != "{" && $1.first != "{" }
                #expect(isApart, "\(path.joined(separator: "/")) and \(other.joined(separator: "/"))")
            }
        }
    }

    @Test(arguments: Operations.all.map(\.name))
    func fieldsOfAnOperationHaveDifferentNames(_ name: String) throws {
        let endpoint = try #require(Operations.all.first { $0.name == name })
        let names = endpoint.fields.map(\.name)
        #expect(Set(names).count == names.count)
        let inPath = endpoint.path.split(separator: "/").filter { $0.first == "{" }.map { $0.dropFirst().dropLast() }
        #expect(endpoint.fields.filter { $0.place == .path }.map(\.name) == inPath.map(String.init))
        #expect(endpoint.fields.filter { [.object, .text].contains($0.place) }.count <= 1)
        #expect(endpoint.sentence.hasSuffix(".") && !endpoint.sentence.dropLast().contains(". "))
        #expect(endpoint.fields.allSatisfy { !$0.meaning.isEmpty && !$0.meaning.hasSuffix(".") })
    }

    @Test func valuesAreReadAndWritten() throws {
        let values: [String: JSONValue] = [
            "name": .text("phone"), "position": .array([.number(1), .number(2.5)]),
        ]
        let move = try Move(reading: values)
        #expect(move.target.text == "phone")
        #expect(move.position == Position(x: 1, y: 2.5))
        #expect(
            Move.fields.map { $0.write(move) } == [.text("phone"), .array([.number(1), .number(2.5), .number(0)])])
    }

    @Test(
        arguments: [
            (["name": .text("phone")], "\"position\" is missing"),
            (["name": .text(""), "position": .array([.number(0), .number(0)])], "name: write a name on the air"),
            (["name": .text("a"), "position": .array([.number(0)])], "position: write two or three numbers"),
            (["name": .text("a"), "positon": .null], "this request has no \"positon\""),
        ] as [([String: JSONValue], String)])
    func faultsOfValuesNameThem(_ values: [String: JSONValue], _ message: String) {
        let error = #expect(throws: EmulatorError.self) { try Move(reading: values) }
        #expect(error?.description.hasPrefix(message) == true, "\(String(describing: error))")
        #expect(error?.code == .badProfile)
    }

    /// A position, a duration, a rate and others are the same after their way to a server.
    @Test func parametersSurviveTheirJSON() throws {
        func survives<Value: Parameter & Equatable>(_ value: Value) throws -> Bool {
            try Value(json: value.json) == value
        }
        #expect(try survives(Position(x: -1, y: 0.25, z: 3)))
        #expect(try survives(Duration.milliseconds(1500)))
        #expect(try survives(BeaconChange.Muting.during(.seconds(10))))
        #expect(try survives(["major": "7", "name": "door"]))
        #expect(try survives(EventNumber(1 << 40)))
        #expect(try survives(Tag("5")))
        #expect(try survives(Tag(nil)))
        #expect(try survives(CaptureNumber(3)))
        #expect(try survives(BatteryState.flat))
        #expect(try survives(#require(CharacteristicReference("0x000E"))))
        #expect(try survives(WrittenValue([1, 0x64])))
        #expect(throws: ValueFault.self) {
            try WrittenValue(json: WrittenValue(Array(repeating: 0, count: 513)).json)
        }
    }

    @Test func descriptionHasAllOperationsAndNoReferenceToNothing() throws {
        let document = try #require(OpenAPIDocument.document.members)
        let paths = try #require(document["paths"]?.members)
        #expect(paths.values.reduce(0) { $0 + ($1.members?.count ?? 0) } == Operations.all.count)
        let components = try #require(document["components"]?.members)
        var known: Set<String> = []
        for (kind, parts) in components {
            for name in (parts.members ?? [:]).keys { known.insert("#/components/\(kind)/\(name)") }
        }
        #expect(Set(Self.references(in: .object(document))).subtracting(known).isEmpty)
    }

    private static func references(in value: JSONValue) -> [String] {
        switch value {
        case .object(let members):
            members.flatMap { key, value in key == "$ref" ? [value.string ?? ""] : references(in: value) }
        case .array(let elements): elements.flatMap(references)
        default: []
        }
    }
}
