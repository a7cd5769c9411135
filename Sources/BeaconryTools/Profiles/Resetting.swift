// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
package import Persistence
import Profiles
import Sockets

/// `reset`: erases the saved settings and bonds of beacons, or the bonds of phones.
package struct ResetTool {
    private let folder: StateFolder
    private let arePhones: Bool
    private let format: OutputFormat

    /// - Parameter arePhones: whether the names are names of phones.
    package init(_ folder: StateFolder, arePhones: Bool, format: OutputFormat) {
        self.folder = folder
        self.arePhones = arePhones
        self.format = format
    }

    /// Erases; if one of the names is wrong, nothing is erased.
    package func run(_ names: [String]) throws {
        try checkAccess()
        for name in names { try check(name) }
        for name in names {
            if arePhones { try reset(phone: name) } else { try reset(beacons: name) }
        }
    }

    /// Throws for a folder of another user, in which nothing would be found.
    private func checkAccess() throws {
        guard access(folder.path, R_OK | X_OK) != 0, errno == EACCES else { return }
        throw Failure(
            exitCode: 73,
            message: "you may not use the state folder \(folder.path); \(SocketAccess.hint(for: folder.path))")
    }

    /// Throws for a name of which nothing was ever saved. A reset leaves an empty folder behind, so that it can be repeated;
    /// in such a folder, only a name similar to another one is a misspelling.
    private func check(_ name: String) throws {
        let owner = arePhones ? ".phones" : String(name.prefix { $0 != "/" })
        let isReadable = !owner.isEmpty && (arePhones ? !name.contains("/") : !owner.hasPrefix("."))
        // Malformed names are rejected later, with a better message.
        guard isReadable else { return }
        let beacons = folder.beacons(of: owner)
        let names = arePhones ? beacons : beacons.map { "\(owner)/\($0)" }
        let profiles = Folder.names(in: folder.path).filter { !$0.hasPrefix(".") }
        if name == owner ? profiles.contains(name) : names.contains(name) { return }
        let similar = Spelling.closest(to: name, among: names + (arePhones ? [] : profiles))
        let isReset = arePhones || profiles.contains(owner)
        if similar == nil, isReset, Folder.exists("\(folder.path)/\(owner)") { return }
        throw Failure.usage(
            "nothing was ever saved for \(name) in \(folder.path); "
                + (similar.map { "did you mean \"\($0)\"?" } ?? "--state DIR names another folder"))
    }

    private func reset(beacons name: String) throws {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
        guard 1...2 ~= parts.count, parts.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") }) else {
            throw Failure.usage("\"\(name)\" is not a beacon; write PROFILE/ID, or PROFILE")
        }
        let saved = folder.beacons(of: parts[0])
        let beacons = parts.count == 2 ? saved.filter { $0 == parts[1] } : saved
        if beacons.isEmpty { report(name, isErased: false) }
        for beacon in beacons {
            let lock = try folder.lock(profile: parts[0], beacon: beacon)
            defer { lock.release() }
            let flash = folder.flash(profile: parts[0], beacon: beacon, kind: IoTDesignShopBeacon.kind)
            let bonds = folder.bonds(profile: parts[0], beacon: beacon)
            let (hadSettings, hadBonds) = (try flash.erase(), try bonds.erase())
            report("\(parts[0])/\(beacon)", isErased: hadSettings || hadBonds)
        }
    }

    private func reset(phone: String) throws {
        guard !phone.isEmpty, !phone.hasPrefix("."), !phone.contains("/") else {
            throw Failure.usage("\"\(phone)\" is not a phone; write the name in its profile")
        }
        let lock = try folder.lock(phone: phone)
        defer { lock.release() }
        report(phone, isErased: try folder.bonds(phone: phone).erase())
    }

    private func report(_ device: String, isErased: Bool) {
        Output.report(ResetReport(device: device, erased: isErased, isPhone: arePhones), as: format)
    }
}

/// What was erased of one device.
private struct ResetReport: Encodable, Report {
    let device: String
    let erased: Bool
    let isPhone: Bool

    private enum CodingKeys: CodingKey {
        case device, erased
    }

    var lines: [String] {
        guard erased else { return ["\(device): nothing was saved"] }
        return [isPhone ? "\(device): bonds erased" : "\(device): reset to its profile's values"]
    }
}
