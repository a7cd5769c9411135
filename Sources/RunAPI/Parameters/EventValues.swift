// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Devices
package import Emulator
package import JSON

/// Names of events, with commas between them.
package struct EventTypes: Parameter, Hashable {
    package var names: Set<String>

    package init(_ names: Set<String>) { self.names = names }

    package init(json: JSONValue) throws(ValueFault) {
        names = Set(try String(json: json).split(separator: ",").map(String.init))
    }

    package var json: JSONValue { .text(names.sorted().joined(separator: ",")) }
    package static var schema: Schema {
        let name = "(\(EventKind.all.map(\.name).sorted().joined(separator: "|")))"
        return .text(pattern: "\(name)(,\(name))*", example: "connected,disconnected")
    }
}

/// The number of an event, from 1; 0 is before all.
package struct EventNumber: Parameter, Hashable {
    package var number: UInt64

    package init(_ number: UInt64) { self.number = number }

    package init(json: JSONValue) throws(ValueFault) {
        guard let number = json.wholeNumber, 0...JSONValue.largestInteger ~= number else {
            throw ValueFault("write the number of an event")
        }
        self.number = UInt64(number)
    }

    package var json: JSONValue { .number(Double(number)) }
    package static var schema: Schema { .integer(from: 0) }
}

/// Where a part of the journal begins: after the event with a number, or a duration ago.
package struct JournalBegin: Parameter, Hashable {
    /// A number or a duration.
    package var text: String

    package init(_ text: String) { self.text = text }

    package init(json: JSONValue) throws(ValueFault) {
        if let number = try? EventNumber(json: json) {
            text = "\(number.number)"
        } else {
            _ = try Duration(json: json)
            text = try String(json: json)
        }
    }

    package var json: JSONValue { .text(text) }
    package static var schema: Schema { .anyOf([EventNumber.schema, Duration.schema]) }
}

/// Expectations of the journal.
package struct Conditions: Parameter, Hashable {
    package var expectations: [JournalExpectation]

    package init(_ expectations: [JournalExpectation] = []) { self.expectations = expectations }

    package init(json: JSONValue) throws(ValueFault) {
        guard let elements = json.elements, !elements.isEmpty else {
            throw ValueFault("write an array of objects with \"match\"")
        }
        expectations = []
        for element in elements {
            guard let members = element.members else { throw ValueFault("a condition is an object with \"match\"") }
            do throws(EmulatorError) {
                expectations.append(try JournalExpectation(JournalExpectation.Fields(members)))
            } catch {
                throw ValueFault(error.description)
            }
        }
    }

    package var json: JSONValue {
        .array(expectations.map { (try? JSONValue(parsing: Array(JSONLine.encode($0.fields).utf8))) ?? .null })
    }

    package static var schema: Schema {
        .array(
            .record(
                "Condition",
                [
                    .required(
                        "match", .anyObject,
                        "members of an event; a * at the end of a text stands for any text, a number equals its text"),
                    .optional("count", .integer(from: 0), "the exact number of events"),
                    .optional("atLeast", .integer(from: 0), "the least number of events; without both, 1"),
                    .optional("except", .anyObject, "members that an event must not have all"),
                    .optional("mayAppear", .boolean, "whether its beacons and hosts need not be there yet"),
                ]), 1...10_000)
    }
}
