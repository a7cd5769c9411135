// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Emulator

/// Changes of a beacon, from the members of a merge patch (RFC 7396).
struct BeaconPatch: Sendable {
    private var settings: [String: String] = [:]
    private var position: [Double]?
    private var isMuted: (Bool, for: String?)?
    private var battery: String?
    private var isEnabled: Bool?

    /// The members that are no settings.
    private static let others = ["position", "muted", "battery", "enabled", "settings"]

    /// - Throws: `Problem` 422 for a member that has a wrong type.
    init(_ members: [String: JSONValue]) throws(Problem) {
        guard !members.isEmpty else {
            throw .invalid("the patch is empty", hint: "send settings, such as {\"major\":7}")
        }
        for (key, value) in members {
            switch key {
            case "position": position = try Self.position(value)
            case "enabled": isEnabled = try Self.boolean(value, key)
            case "muted":
                if case .text(let time) = value {
                    isMuted = (true, time)
                } else {
                    isMuted = (try Self.boolean(value, key), nil)
                }
            case "battery":
                guard let state = value.string else { throw .invalid("battery must be \"flat\" or \"full\"") }
                battery = state
            case "settings":
                guard let members = value.members else { throw .invalid("settings must be an object") }
                for (key, value) in members { try add(key, value) }
            default: try add(key, value)
            }
        }
    }

    private mutating func add(_ key: String, _ value: JSONValue) throws(Problem) {
        guard let text = value.setting else {
            throw .invalid("\(key) must be a string, a number, true or false", hint: "a setting cannot be removed")
        }
        guard settings.updateValue(text, forKey: key) == nil else {
            throw .invalid("\(key) is given twice, in settings and beside them")
        }
    }

    /// Members that the device has no settings for, but that are spelt nearly as another member of the patch.
    /// - Parameter known: the settings of the device.
    /// - Throws: `Problem` 422.
    func check(_ known: Set<String>) throws(Problem) {
        for key in settings.keys.sorted() where !known.contains(key) {
            let question = Spelling.question(key, among: Self.others)
            guard question.isEmpty else { throw .invalid("there is no setting \"\(key)\"\(question)") }
        }
    }

    private static func boolean(_ value: JSONValue, _ key: String) throws(Problem) -> Bool {
        guard case .boolean(let value) = value else { throw .invalid("\(key) must be true or false") }
        return value
    }

    /// The metres of a position.
    static func position(_ value: JSONValue?) throws(Problem) -> [Double] {
        let numbers = value?.elements?.map(\.double) ?? []
        guard 2...3 ~= numbers.count, !numbers.contains(nil) else {
            throw .invalid("position must be an array of two or three numbers, in metres")
        }
        return numbers.compactMap { $0 }
    }

    /// The requests that make the changes.
    func requests(for name: String) -> [ControlRequest] {
        var requests: [ControlRequest] = []
        if !settings.isEmpty { requests.append(.set(name, settings)) }
        if let position { requests.append(.move(name, position)) }
        if let isMuted { requests.append(isMuted.0 ? .mute(name, for: isMuted.for) : .unmute(name)) }
        if let battery { requests.append(.battery(name, battery)) }
        if let isEnabled { requests.append(isEnabled ? .enable(name) : .disable(name)) }
        return requests
    }
}
