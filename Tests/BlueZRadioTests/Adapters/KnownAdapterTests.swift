// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BlueZRadio
import Bluetooth
import Foundation
import Testing

@Suite struct KnownAdapterTests {
    private static func usb(
        _ vendor: UInt16, _ product: UInt16, release: UInt16? = nil, manufacturer: UInt16? = nil
    ) -> AdapterIdentity {
        AdapterIdentity(
            bus: "usb", usb: .init(vendor: vendor, product: product, release: release), manufacturer: manufacturer)
    }

    @Test func namesAreUnique() {
        #expect(Set(KnownAdapter.names).count == KnownAdapter.names.count)
        for name in KnownAdapter.names { #expect(KnownAdapter.named(name) != nil) }
    }

    @Test(arguments: KnownAdapter.all)
    func isRecognisedByItsIdentification(_ adapter: KnownAdapter) {
        for model in adapter.identification.usb {
            let identity = Self.usb(
                model.vendor, model.product,
                // The identifiers of the clone are those of the original.
                release: adapter.name == "csr-clone" ? 0x0134 : nil, manufacturer: adapter.identification.manufacturer)
            #expect(KnownAdapter.recognise(identity, board: "Raspberry Pi 4 Model B Rev 1.4") == adapter)
        }
        for board in adapter.identification.boards {
            let identity = AdapterIdentity(bus: "serial")
            #expect(KnownAdapter.recognise(identity, board: "\(board) Rev 1.2") == adapter, "\(board)")
            #expect(KnownAdapter.recognise(AdapterIdentity(), board: board) == nil)
            #expect(KnownAdapter.recognise(identity, board: nil) == nil)
        }
        if adapter.identification.usb.isEmpty, let manufacturer = adapter.identification.manufacturer {
            #expect(KnownAdapter.recognise(AdapterIdentity(manufacturer: manufacturer), board: nil) == adapter)
        }
    }

    /// Names of the device tree.
    @Test(
        arguments: [
            ("Raspberry Pi 3 Model B Rev 1.2", "raspberry-pi-3"), ("Raspberry Pi Zero W Rev 1.1", "raspberry-pi-3"),
            ("Raspberry Pi Zero 2 W Rev 1.0", "raspberry-pi-zero-2w"),
            ("Raspberry Pi 3 Model B Plus Rev 1.3", "raspberry-pi-4"),
            ("Raspberry Pi 3 Model A Plus Rev 1.0", "raspberry-pi-4"),
            ("Raspberry Pi 4 Model B Rev 1.5", "raspberry-pi-4"), ("Raspberry Pi 400 Rev 1.0", "raspberry-pi-4"),
            ("Raspberry Pi Compute Module 4 Rev 1.0", "raspberry-pi-4"),
            ("Raspberry Pi 5 Model B Rev 1.0", "raspberry-pi-4"), ("Raspberry Pi 2 Model B Rev 1.1", nil),
            ("Orange Pi 5", nil),
        ] as [(String, String?)])
    func boardsAreRecognised(_ board: String, name: String?) {
        #expect(KnownAdapter.recognise(AdapterIdentity(bus: "serial"), board: board)?.name == name)
    }

    @Test(
        arguments: [
            (0x8891, 10, false, "csr8510"), (0x8891, nil, false, "csr8510"), (nil, nil, false, "csr8510"),
            (0x2520, 10, false, "csr-clone"), (0x0134, nil, false, "csr-clone"), (0x8891, 0x1D, false, "csr-clone"),
            (0x8891, 10, true, "csr-clone"),
        ] as [(UInt16?, UInt16?, Bool, String)])
    func clonesDifferFromTheOriginal(_ release: UInt16?, manufacturer: UInt16?, log: Bool, name: String) {
        var identity = Self.usb(0x0A12, 0x0001, release: release, manufacturer: manufacturer)
        identity.isUnbrandedClone = log
        #expect(KnownAdapter.recognise(identity, board: nil)?.name == name)
    }

    @Test func otherAdaptersAreNotRecognised() {
        #expect(KnownAdapter.recognise(Self.usb(0x1234, 0x5678), board: nil) == nil)
        #expect(KnownAdapter.recognise(Self.usb(0x8087, 0x0AAB), board: nil) == nil)
        #expect(KnownAdapter.recognise(AdapterIdentity(), board: nil) == nil)
        #expect(KnownAdapter.recognise(AdapterIdentity(manufacturer: 2), board: nil) == nil)
    }

    @Test func versionsOfHCIAreNamed() {
        #expect(AdapterIdentity(version: 9).versionText == "HCI 5.0")
        #expect(AdapterIdentity(version: 99).versionText == "HCI version 99")
        #expect(AdapterIdentity().versionText == nil)
        #expect(AdapterIdentity.USB(vendor: 0x0A12, product: 1).identifier == "0a12:0001")
    }

    @Test func powerRangesAreThoseOfTransmitters() {
        for adapter in KnownAdapter.all {
            #expect(adapter.transmitPower.map { $0.upperBound <= 20 } ?? true, "\(adapter.name)")
            if !adapter.isExtended { #expect(adapter.transmitPower == nil, "\(adapter.name)") }
        }
    }

    // MARK: - The documentation

    /// The table of adapters in docs/adapters.md, made from the list.
    private static var adapterTable: [String] {
        KnownAdapter.all.map { adapter in
            let names = ([adapter.name] + adapter.aliases).map { "`\($0)`" }.joined(separator: ", ")
            let cells = [
                adapter.title, names, recognition(adapter.identification),
                adapter.isExtended ? "extended" : "legacy",
                adapter.instances.map { adapter.isExtended ? "\($0)" : "\($0) in turns" } ?? "not known",
                adapter.isExtended
                    ? adapter.transmitPower.map { "\($0.lowerBound) to \($0.upperBound) dBm" } ?? "not known" : "fixed",
                "\(shortestInterval(of: adapter))" + (adapter.isExtended ? "" : ", chosen by the kernel"),
                "\(adapter.confidence.rawValue): " + adapter.sources.map(link).joined(separator: ", "),
            ]
            return "| \(cells.joined(separator: " | ")) |"
        }
    }

    /// The shortest interval of an advertisement that is not connectable, through the kernel. Without advertising sets the
    /// kernel lets the controller choose from 160 to 240 ticks, whatever is requested.
    private static func shortestInterval(of adapter: KnownAdapter) -> AdvertisingInterval {
        AdvertisingInterval(adapter.isExtended ? 32 : 160)
    }

    /// Each text once, with the adapters that have it.
    private static var quirkTable: [String] {
        let quirks = KnownAdapter.all.flatMap { adapter in
            adapter.quirks.map { (adapter.name, $0.meaning + ($0.hint.map { "; \($0)" } ?? "")) }
        }
        var texts: [String] = []
        for (_, text) in quirks where !texts.contains(text) { texts.append(text) }
        return texts.map { text in
            let names = quirks.filter { $0.1 == text }.map { "`\($0.0)`" }.joined(separator: ", ")
            return "| \(names) | \(text) |"
        }
    }

    private static func recognition(_ identification: KnownAdapter.Identification) -> String {
        let usb = identification.usb.map {
            "`\(AdapterIdentity.USB(vendor: $0.vendor, product: $0.product).identifier)`"
        }
        var parts = usb.isEmpty ? [] : ["USB \(usb.joined(separator: ", "))"]
        if !identification.boards.isEmpty { parts.append("the name of the board") }
        if let manufacturer = identification.manufacturer {
            parts.append("manufacturer 0x\(String(manufacturer, radix: 16, uppercase: true))")
        }
        return parts.isEmpty ? "–" : parts.joined(separator: ", ")
    }

    /// Issues and pull requests as links, files of the kernel as code.
    private static func link(_ source: String) -> String {
        let parts = source.split(separator: "#")
        if parts.count == 2 { return "[\(source)](https://github.com/\(parts[0])/issues/\(parts[1]))" }
        return source.hasSuffix(".c") ? "`\(source)`" : "[\(source)](https://github.com/\(source))"
    }

    /// The rows of the table of a page whose first line is this.
    private static func rows(after heading: String) throws -> [String] {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: package.appending(path: "docs/adapters.md"), encoding: .utf8)
        let lines = text.components(separatedBy: "\n").drop { !$0.hasPrefix(heading) }
        return Array(lines.dropFirst(2).prefix { $0.hasPrefix("|") })
    }

    /// Where they differ, the page gets what the message shows.
    @Test(
        arguments: [
            ("| adapter | `check --assume` |", adapterTable), ("| adapter | peculiarity |", quirkTable),
            ("| check | question |", MachineCheck.all.map { "| `\($0.name)` | \($0.question) (\($0.source)) |" }),
        ])
    func tablesOfThePageAreThoseOfTheList(_ heading: String, expected: [String]) throws {
        let found = try Self.rows(after: heading)
        let isEqual = found == expected
        #expect(isEqual, "\(heading) in docs/adapters.md must be\n\(expected.joined(separator: "\n"))")
    }
}
