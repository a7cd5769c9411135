// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Radio
import Testing

@testable import BlueZRadio
@testable import KernelBluetooth

/// The table of faults, and the page that is made from it.
@Suite struct FaultTests {
    private static let place = Fault.Place(
        "hci0", isOnly: false, device: "C0:11:22:33:44:55", other: "hci1", process: 7, receiver: "bluez:hci1")

    @Test(arguments: Fault.allCases)
    func textsAreComplete(_ fault: Fault) {
        let texts = [
            fault.sentence(at: Self.place), fault.meaning, fault.action(at: Self.place),
            fault.command(at: Self.place) ?? "",
        ]
        #expect(texts.dropLast().allSatisfy { !$0.isEmpty && !$0.hasSuffix(".") })
        #expect(texts.allSatisfy { !$0.contains("{hci") && !$0.contains("{N}") && !$0.contains("{DEVICE") }, "\(texts)")
    }

    @Test func commandsNameTheAdapterOfSeveral() {
        #expect(Fault.adapterOff.command(at: Fault.Place("hci0")) == "bluetoothctl power on")
        #expect(Fault.adapterOff.command(at: Self.place)?.contains("/org/bluez/hci0 ") == true)
        #expect(Fault.lowEnergyOff.command(at: Self.place) == "sudo btmgmt --index 0 le on")
        // What is not known is not named.
        #expect(Fault.adapterInUse.command(at: Fault.Place("hci0")) == nil)
        #expect(Fault.noLowEnergy.command(at: Fault.Place("hci0")) == nil)
    }

    @Test func errorsOfRunsHaveTheSameWords() {
        let error = Fault.adapterOff.error(.poweredOff, at: Fault.Place("hci0"))
        #expect(error.message == "hci0 is powered off" && error.hint == "power it on (bluetoothctl power on)")
        #expect(Fault.noAdapter.error(.noAdapter).hint == Fault.noAdapter.action())
    }

    // MARK: - The documentation

    /// The first cells of the rows of docs/troubleshooting.md.
    private static var rows: [String] {
        Fault.allCases.map { fault in
            let command = fault.entry.command.map { ": `\(shown($0.replacing(" | ", with: #" \| "#)))`" } ?? ""
            let cells = ["`\(fault.rawValue)`", fault.entry.sentence, fault.meaning, fault.entry.action + command]
            return "| <a id=\"\(fault.rawValue)\"></a>\(shown(cells.joined(separator: " | "))) |"
        }
    }

    private static func shown(_ text: String) -> String { text.filter { $0 != "{" && $0 != "}" } }

    private static func page(_ name: String) throws -> String {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: package.appending(path: "docs/\(name)"), encoding: .utf8)
    }

    /// The last column, whether a test makes the fault, is that of Tests/EndToEnd/bluez/test_faults_and_fixes.py.
    @Test func tableOfThePageIsThatOfTheList() throws {
        let lines = try Self.page("troubleshooting.md").components(separatedBy: "\n")
            .drop { !$0.hasPrefix("| fault | finding |") }
        let found = lines.dropFirst(2).prefix { $0.hasPrefix("|") }.map { line in
            line.components(separatedBy: " | ").dropLast().joined(separator: " | ") + " |"
        }
        let isEqual = found == Self.rows
        #expect(isEqual, "the table in docs/troubleshooting.md must begin with\n\(Self.rows.joined(separator: "\n"))")
    }

    /// Links to rows, from all pages that have them.
    @Test func linksToRowsHaveRows() throws {
        let text = try Self.page("adapters.md")
        let links = text.matches(of: /troubleshooting\.md#([a-z0-9-]+)/).map { String($0.output.1) }
        #expect(!links.isEmpty)
        let headings = try Self.page("troubleshooting.md").matches(of: /(?m)^#+ (.*)$/).map {
            $0.output.1.lowercased().replacing(" ", with: "-")
        }
        for link in links { #expect(Fault(rawValue: link) != nil || headings.contains(link), "\(link)") }
    }
}
