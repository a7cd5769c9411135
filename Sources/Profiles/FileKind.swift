// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices

/// The kinds of YAML files that commands read, and what distinguishes them: the keys of their roots.
enum FileKind {
    case profile
    case scenario
    case regions
    case expectations
    case phone
    case sweep

    /// The kind of a file, valid or not; `nil` if its keys do not show it.
    init?(_ reader: ProfileReader) {
        if reader.has("sweep") || reader.has("variants") {
            self = .sweep
        } else if reader.has("scenario") || reader.has("timeline") {
            self = .scenario
        } else if reader.has("expect") {
            // A scenario without its name has beacons or a profile.
            self = reader.has("beacons") || reader.has("profile") ? .scenario : .expectations
        } else if PhoneProfile.isPhone(reader) {
            self = .phone
        } else if reader.has("profile") {
            self = .profile
        } else if reader.has("regions"), !reader.has("beacons") {
            self = .regions
        } else {
            return nil
        }
    }

    /// The kind with its article, for messages.
    var name: String {
        switch self {
        case .profile: "a profile"
        case .scenario: "a scenario"
        case .regions: "a list of regions"
        case .expectations: "a list of expectations"
        case .phone: "a phone's profile"
        case .sweep: "a sweep"
        }
    }

    /// The commands that read it.
    private var hint: String {
        switch self {
        case .profile: "run it with beaconry run, or check it with beaconry check"
        case .scenario: "run it with beaconry test"
        case .regions: "monitor them with beaconry monitor"
        case .expectations: "give it to beaconry expect"
        case .phone: "run it with beaconry phone, or check it with beaconry check"
        case .sweep: "run it with beaconry sweep"
        }
    }

    /// Checks that a file is not of another kind.
    /// - Throws: `ProfileFaults` with the kind of the file and the commands that read it.
    func check(_ root: ProfileNode, file: String) throws(ProfileFaults) {
        guard root.mapping != nil, let found = FileKind(ProfileReader(root, file: file, path: "")), found != self
        else { return }
        let message = "this is \(found.name), not \(name); \(found.hint)"
        throw ProfileFaults([
            ProfileFault(
                file: file, line: root.place.line, column: root.place.column, field: "", message: message)
        ])
    }
}
