// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// An option that takes a text, such as a key of a format or a setting of all beacons.
struct DeclaredOption: Sendable {
    /// Without the two minus signs.
    let name: String
    let help: String
    /// - Throws: an error whose sentence follows the name of the option, for a text that is not a value.
    let check: @Sendable (String) throws -> Void
}

/// A list of options.
protocol OptionList {
    static var options: [DeclaredOption] { get }
}

/// The options of a list.
///
/// ArgumentParser finds the options of a type by reflection, and decodes each by the label that it found. This type has no
/// stored property for each option: it reflects and decodes the list instead.
struct DeclaredOptions<List: OptionList>: ParsableArguments, CustomReflectable {
    /// The texts that were given, by the names of their options.
    private(set) var texts: [String: String] = [:]

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Label.self)
        for option in List.options {
            let label = Label(stringValue: option.name)
            texts[option.name] = try container.decode(Option<String?>.self, forKey: label).wrappedValue
        }
    }

    var customMirror: Mirror {
        Mirror(
            self,
            children: List.options.map { option in
                let value = Option<String?>(
                    name: .customLong(option.name),
                    // Values may begin with a minus sign.
                    parsing: .unconditional, help: ArgumentHelp(option.help),
                    transform: { text in
                        try option.check(text)
                        return text
                    })
                return (label: option.name, value: value)
            })
    }

    /// The label of an option: any name.
    private struct Label: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
