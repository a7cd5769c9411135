// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// A declared characteristic while its device runs: its value, its subscribers, and the number of reads and writes.
struct CharacteristicState: Hashable, Sendable {
    let declared: DeclaredCharacteristic
    private var parts: [Part]
    private(set) var subscribers: [Central: ClientCharacteristicConfiguration] = [:]
    private var reads = 0
    private var writes = 0
    private var isWritten = false
    private var lastNotified: [UInt8] = []
    private var nextNotification: Duration?

    /// A field while the device runs.
    private struct Part: Hashable {
        var field: ValueField
        /// The start of the field's generator, in uptime.
        var origin = Duration.zero
        /// The value that was written or set; `nil` for the value of the field's source.
        var content: [UInt8]?
        /// Whether the owner has set `content`, which then survives power cuts until the run ends.
        var isPinned = false

        func octets(at now: DeviceTime) -> [UInt8] {
            content ?? field.octets(at: now.uptime - origin, sinceUnixEpoch: now.sinceUnixEpoch)
        }

        func nextChange(after now: DeviceTime) -> Duration? {
            guard content == nil else { return nil }
            return field.nextChange(after: now.uptime - origin, sinceUnixEpoch: now.sinceUnixEpoch).map { origin + $0 }
        }
    }

    init(_ declared: DeclaredCharacteristic) {
        self.declared = declared
        parts = declared.fields.map { Part(field: $0) }
    }

    /// Resets the state at power-on, except for values that are stored or set by the owner.
    mutating func powerOn(at now: DeviceTime) {
        for index in parts.indices {
            parts[index].origin = now.uptime
            if !declared.isStored, !parts[index].isPinned { parts[index].content = nil }
        }
        subscribers = [:]
        (reads, writes, isWritten, nextNotification) = (0, 0, false, nil)
    }

    func value(at now: DeviceTime) -> [UInt8] { parts.flatMap { $0.octets(at: now) } }

    /// The time of the next change that a generator or a clock makes.
    func nextChange(after now: DeviceTime) -> Duration? { parts.compactMap { $0.nextChange(after: now) }.min() }

    /// Stores the positions of random walks.
    /// - Returns: the uptime at which to call this again; `nil` without random walks.
    mutating func settle(at now: DeviceTime) -> Duration? {
        var next: Duration?
        for index in parts.indices {
            guard case .quantity(var quantity) = parts[index].field.source else { continue }
            let elapsed = now.uptime - parts[index].origin
            quantity.settle(at: elapsed)
            parts[index].field.source = .quantity(quantity)
            guard let later = quantity.nextSettling(after: elapsed) else { continue }
            next = min(next ?? parts[index].origin + later, parts[index].origin + later)
        }
        return next
    }

    /// Restarts the generator of the field with this name, or of all fields for `nil`.
    mutating func restart(field name: String?, at now: DeviceTime) {
        for index in parts.indices where name == nil || parts[index].field.name == name {
            parts[index].origin = now.uptime
        }
    }
}

// MARK: - Reading and writing

extension CharacteristicState {
    /// The result of a read. A read from offset 0 is delayed, and counted if the declared error applies to the
    /// Nth read.
    func read(from offset: Int, at now: DeviceTime) -> ReadResult {
        let isFirst = offset == 0
        var isCounted = false
        if isFirst, case .time = declared.readFault?.occasion { isCounted = true }
        var result = ReadResult.value(value(at: now), from: offset)
        if let fault = declared.readFault, applies(fault, number: isCounted ? reads + 1 : reads) {
            result = .error(fault.error)
        }
        result.delay = isFirst ? declared.readDelay : .zero
        result.isCounted = isCounted
        return result
    }

    /// Counts a read whose result was `isCounted`.
    mutating func countRead() { reads += 1 }

    /// Writes a value at an offset.
    /// - Throws: `ATTError`; the value is unchanged then.
    mutating func write(_ octets: [UInt8], from offset: Int, at now: DeviceTime) throws(ATTError) {
        writes += 1
        if let fault = declared.writeFault, applies(fault, number: writes) { throw fault.error }
        let present = value(at: now)
        guard 0...present.count ~= offset else { throw .invalidOffset }
        try take(present[..<offset] + octets)
        isWritten = true
    }

    /// Replaces the whole value.
    /// - Throws: `ATTError` when the length or the value of a field is invalid.
    mutating func take(_ value: [UInt8]) throws(ATTError) {
        guard let contents = split(value), declared.possibleLengths.contains(value.count) else {
            throw .invalidAttributeValueLength
        }
        for (part, content) in zip(parts, contents) {
            if part.field.format == .boolean, part.field.format.number(of: content) == nil { throw declared.rangeError }
            if part.field.format == .text, String(validating: content, as: UTF8.self) == nil { throw .valueNotAllowed }
            if let accepted = part.field.accepted {
                guard let number = part.field.format.number(of: content), accepted.contains(number) else {
                    throw declared.rangeError
                }
            }
        }
        for (index, content) in contents.enumerated() { parts[index].content = content }
    }

    /// Splits a value into the bytes of each field; `nil` when the value is too short or too long.
    private func split(_ value: [UInt8]) -> [[UInt8]]? {
        var rest = value[...]
        var contents: [[UInt8]] = []
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            let count = part.field.size ?? (isLast ? rest.count : part.octets(at: DeviceTime()).count)
            guard count <= rest.count else { return nil }
            contents.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return rest.isEmpty ? contents : nil
    }

    private func applies(_ fault: AttributeFault, number: Int) -> Bool {
        switch fault.occasion {
        case .always: true
        case .time(let time): number == time
        case .untilWritten: !isWritten
        }
    }
}

// MARK: - Notifying

extension CharacteristicState {
    /// Stores a central's subscription.
    mutating func subscribe(
        _ central: Central, _ configuration: ClientCharacteristicConfiguration, at now: DeviceTime
    ) {
        guard !configuration.isEmpty else { return unsubscribe(central) }
        if subscribers.isEmpty {
            lastNotified = value(at: now)
            if case .every(let period) = declared.notificationPolicy { nextNotification = now.uptime + period }
        }
        subscribers[central] = configuration
    }

    /// Removes a central's subscription.
    mutating func unsubscribe(_ central: Central) {
        subscribers[central] = nil
        if subscribers.isEmpty { nextNotification = nil }
    }

    /// The value to notify now; `nil` when nothing is due.
    mutating func dueValue(at now: DeviceTime) -> [UInt8]? {
        guard !subscribers.isEmpty else { return nil }
        switch declared.notificationPolicy {
        case .never: return nil
        case .onChange:
            let value = value(at: now)
            guard value != lastNotified else { return nil }
            lastNotified = value
            return value
        case .every(let period):
            guard let due = nextNotification, due <= now.uptime else { return nil }
            nextNotification = due + (now.uptime - due).nextStep(every: period)
            return value(at: now)
        }
    }

    /// The value to notify as an echo, changed or not; `nil` without subscribers.
    mutating func echoedValue(at now: DeviceTime) -> [UInt8]? {
        lastNotified = value(at: now)
        return subscribers.isEmpty ? nil : lastNotified
    }

    /// The time of the next notification by a period, a generator or a clock; `nil` when there is none.
    func nextNotification(after now: DeviceTime) -> Duration? {
        guard !subscribers.isEmpty else { return nil }
        return declared.notificationPolicy == .onChange ? nextChange(after: now) : nextNotification
    }
}

// MARK: - Settings

extension CharacteristicState {
    /// The text that removes a value that the owner set: the generator or clock provides the value again.
    static let automatic = "auto"

    /// The settings: one for each field, with the value as text, or `auto` for the value of a generator or a clock.
    var settings: [SettingValue] {
        parts.map { part in
            let fixed: [UInt8]? = if case .fixed(let octets) = part.field.source { octets } else { nil }
            let text = (part.content ?? fixed).map { part.field.format.text(of: $0) } ?? Self.automatic
            return SettingValue(declared.settingName(of: part.field), text)
        }
    }

    /// The present values of fields with a generator or a clock, by the names of their settings.
    func presentValues(at now: DeviceTime) -> [String: String] {
        var values: [String: String] = [:]
        for part in parts where part.content == nil {
            if case .fixed = part.field.source { continue }
            values[declared.settingName(of: part.field)] = part.field.text(of: part.octets(at: now))
        }
        return values
    }

    /// Whether it has a field whose setting has this name.
    func has(setting name: String) -> Bool { parts.contains { declared.settingName(of: $0.field) == name } }

    /// Sets a field by the name of its setting.
    /// - Throws: `ValueFormatFault` when the text is not a value of the field.
    mutating func set(_ name: String, _ text: String) throws(ValueFormatFault) {
        guard let index = parts.firstIndex(where: { declared.settingName(of: $0.field) == name }) else { return }
        let field = parts[index].field
        if case .fixed = field.source {
        } else if text == Self.automatic {
            parts[index].content = nil
            parts[index].isPinned = false
            return
        }
        if case .clock = field.source { throw ValueFormatFault("a clock cannot be set; write auto") }
        let octets = try field.format.octets(ofText: text)
        if let accepted = field.accepted {
            guard let number = field.format.number(of: octets), accepted.contains(number) else {
                let (low, high) = (ValueFormat.words(accepted.lowerBound), ValueFormat.words(accepted.upperBound))
                throw ValueFormatFault("\"\(text)\" is not from \(low) to \(high)")
            }
        }
        let others = parts.enumerated().filter { $0.offset != index }.map { $0.element.field.size ?? 0 }.reduce(0, +)
        guard field.size != nil || declared.possibleLengths.contains(others + octets.count) else {
            let lengths = declared.possibleLengths
            throw ValueFormatFault(
                "\(octets.count) bytes are not from \(lengths.lowerBound) to \(lengths.upperBound)")
        }
        parts[index].content = octets
        parts[index].isPinned = true
    }
}
