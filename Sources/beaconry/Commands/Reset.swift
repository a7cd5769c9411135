// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Devices
import Emulator
import Persistence
import Profiles

/// `beaconry reset`
struct Reset: ParsableCommand, ReportsErrorsAsJSON {
    static let configuration = CommandConfiguration(
        abstract: "Forget the persisted settings and bonds of beacons, or the bonds of phones: a factory reset.",
        discussion: """
            Example: beaconry reset museum/entrance

            A beacon is named PROFILE/ID, by the names in the profile; PROFILE alone means all of its beacons. A phone \
            (beaconry phone) is named as in its profile: beaconry reset --phone iphone
            """)

    @Argument(help: "Beacons as PROFILE/ID, or PROFILE for all of one; with --phone, phones.")
    var devices: [String]

    @Flag(help: "Treat the names as phones, not beacons.")
    var phone = false

    @Option(help: StateOptions.folderHelp)
    var state: String?

    @Flag(help: "One JSON object a line on standard output.")
    var json = false

    private struct Record: Encodable {
        let v = 1
        let device: String
        let erased: Bool
    }

    var writesJSON: Bool { json }

    func run() throws {
        let folder = StateFolder(Folders.state(state))
        for name in devices { try check(name, in: folder) }
        for name in devices {
            if phone {
                try reset(phone: name, in: folder)
                continue
            }
            let parts = name.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
            guard 1...2 ~= parts.count, parts.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") }) else {
                throw Failure.usage("\"\(name)\" is not a beacon; write PROFILE/ID, or PROFILE")
            }
            let kept = folder.beacons(of: parts[0])
            let beacons = parts.count == 2 ? kept.filter { $0 == parts[1] } : kept
            if beacons.isEmpty { tell(name, erased: false) }
            for beacon in beacons { try reset(beacon, of: parts[0], in: folder) }
        }
    }

    /// Fails for a name of which nothing was ever persisted. What was reset before leaves its folder, so that it can be
    /// reset again; there, a name that is like another one is a misspelling.
    private func check(_ name: String, in folder: StateFolder) throws {
        let owner = phone ? ".phones" : String(name.prefix { $0 != "/" })
        let isReadable = !owner.isEmpty && (phone ? !name.contains("/") : !owner.hasPrefix("."))
        // What can be no name is refused with more words later.
        guard isReadable else { return }
        let beacons = folder.beacons(of: owner)
        let names = phone ? beacons : beacons.map { "\(owner)/\($0)" }
        let profiles = Folder.names(in: folder.path).filter { !$0.hasPrefix(".") }
        if name == owner ? profiles.contains(name) : names.contains(name) { return }
        let similar = Spelling.closest(to: name, among: names + (phone ? [] : profiles))
        let isReset = phone || profiles.contains(owner)
        if similar == nil, isReset, Folder.exists("\(folder.path)/\(owner)") { return }
        throw Failure.usage(
            "nothing was ever persisted of \(name) in \(folder.path); "
                + (similar.map { "did you mean \"\($0)\"?" } ?? "--state DIR names another folder"))
    }

    private func reset(_ beacon: String, of profile: String, in folder: StateFolder) throws {
        let lock = try folder.lock(profile: profile, beacon: beacon)
        defer { lock.release() }
        let flash = folder.flash(profile: profile, beacon: beacon, kind: IoTDesignShopBeacon.kind)
        let bonds = folder.bonds(profile: profile, beacon: beacon)
        let (hadSettings, hadBonds) = (try flash.erase(), try bonds.erase())
        tell("\(profile)/\(beacon)", erased: hadSettings || hadBonds)
    }

    private func reset(phone: String, in folder: StateFolder) throws {
        guard !phone.isEmpty, !phone.hasPrefix("."), !phone.contains("/") else {
            throw Failure.usage("\"\(phone)\" is not a phone; write its name, as its profile has it")
        }
        let lock = try folder.lock(phone: phone)
        defer { lock.release() }
        let isErased = try folder.bonds(phone: phone).erase()
        if json { return Output.line(JSONLine.encode(Record(device: phone, erased: isErased))) }
        Output.line(isErased ? "\(phone): knows nobody any more" : "\(phone): nothing was persisted")
    }

    private func tell(_ device: String, erased: Bool) {
        if json { return Output.line(JSONLine.encode(Record(device: device, erased: erased))) }
        Output.line(erased ? "\(device): reset to its profile's values" : "\(device): nothing was persisted")
    }
}
