// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
import Emulator
import Glibc
import Persistence
import Profiles
import Receiving

/// Profiles in files.
enum ProfileFiles {
    /// Reads them all.
    /// - Throws: `ProfileFaults`: everything that is wrong in any of them.
    static func load(_ paths: [String]) throws(ProfileFaults) -> [Profile] {
        var profiles: [Profile] = []
        var faults: [ProfileFault] = []
        for path in paths {
            do throws(ProfileFaults) {
                let profile = try Profile(parsing: try text(path), file: path, files: files(beside: path))
                if let index = profiles.firstIndex(where: { $0.name == profile.name }) {
                    let message = "the name \"\(profile.name)\" is \(paths[index])'s already"
                    faults.append(ProfileFault(file: path, line: 1, column: 1, field: "profile", message: message))
                }
                profiles.append(profile)
            } catch {
                faults += error.faults
            }
        }
        guard faults.isEmpty else { throw ProfileFaults(faults) }
        return profiles
    }

    /// Reads them all, of which some may be phones'.
    /// - Throws: `ProfileFaults`: everything that is wrong in any of them.
    static func loadWithPhones(
        _ paths: [String]
    ) throws(ProfileFaults) -> (beacons: [Profile], phones: [PhoneProfile]) {
        var others: [String] = []
        var phones: [PhoneProfile] = []
        var faults: [ProfileFault] = []
        for path in paths {
            do throws(ProfileFaults) {
                let text = try text(path)
                if PhoneProfile.isPhone(text) {
                    phones.append(try PhoneProfile(parsing: text, file: path))
                } else {
                    others.append(path)
                }
            } catch {
                faults += error.faults
            }
        }
        var profiles: [Profile] = []
        do throws(ProfileFaults) {
            profiles = try load(others)
        } catch {
            faults += error.faults
        }
        guard faults.isEmpty else { throw ProfileFaults(faults) }
        return (profiles, phones)
    }

    /// Puts a measured power into a profile's file, for the beacons that advertise these numbers; nothing else changes.
    /// - Returns: their ids.
    /// - Throws: `Failure` when there is none, `ProfileFaults` when it cannot be done, `SystemError`.
    static func setMeasuredPower(_ power: MeasuredPower, of frame: IBeacon, in path: String) throws -> [String] {
        var editor = ProfileEditor(try text(path), file: path, files: files(beside: path))
        let profile = try Profile(parsing: editor.text, file: path, files: files(beside: path))
        let ids = profile.beacons.filter { beacon in
            beacon.device.frame.map { BeaconIdentity($0) } == BeaconIdentity(frame)
        }.map(\.id)
        guard !ids.isEmpty else {
            throw Failure.badData(
                "\(path): no beacon has \(BeaconIdentity(frame)); write measured-power: \(power.decibelMilliwatts) where it "
                    + "belongs")
        }
        try editor.setMeasuredPower(power, of: Set(ids))
        // A name that leads elsewhere stays one.
        let target = realpath(path, nil).map { pointer in
            defer { free(pointer) }
            return String(cString: pointer)
        }
        var status = stat()
        let mode = stat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
        try LocalFileSystem().replace(target ?? path, with: Array(editor.text.utf8))
        if let mode { chmod(target ?? path, mode) }
        return ids
    }

    /// What reads the files that a profile names, whose paths begin in the profile's folder.
    private static func files(beside profile: String) -> ProfileFileReader {
        let folder = profile.lastIndex(of: "/").map { profile[...$0] } ?? ""
        return { path throws(ValueFault) in
            let full = path.hasPrefix("/") ? path : folder + path
            let bytes: [UInt8]?
            do throws(SystemError) {
                bytes = try LocalFileSystem().read(full)
            } catch {
                throw ValueFault("\(error)")
            }
            guard let bytes else {
                throw ValueFault("there is no file \"\(full)\"; its path begins in the profile's folder")
            }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw ValueFault("\(full) is not UTF-8 text")
            }
            return text
        }
    }

    /// The text of a file.
    /// - Parameter examples: where to see such files.
    static func text(_ path: String, examples: String = "profiles/") throws(ProfileFaults) -> String {
        func fault(_ message: String) -> ProfileFaults {
            ProfileFaults([ProfileFault(file: path, line: 0, column: 0, field: "", message: message)])
        }
        let bytes: [UInt8]?
        do throws(SystemError) {
            bytes = try LocalFileSystem().read(path)
        } catch {
            throw fault("\(error)")
        }
        guard let bytes else { throw fault("there is no such file; \(examples) has examples") }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw fault("the file is not UTF-8 text") }
        return text
    }
}
