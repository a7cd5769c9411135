// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import BluetoothCore

/// All declared characteristics of a device while it runs: it answers centrals, tells them values when they are due, and
/// keeps what is stored.
///
/// The part of a device that what is declared says already; what only code can say is the device's own. Inputs are
/// handed on to the function of their name; after each of them, `nextDeadline` says when time has to pass.
package struct AttributeBank: Hashable, Sendable {
    /// The services as a radio is told of them.
    package let services: [GATTService]
    private var states: [CharacteristicState]
    private let places: [CharacteristicIdentifier: Int]
    private let identifiers: [CharacteristicIdentifier]
    /// Characteristics of which more than subscribers want to know when they change.
    private let watched: Set<String>
    /// When time has to pass for it, in uptime; `nil` when nothing is due by itself.
    package private(set) var nextDeadline: Duration?

    /// A bank of these services, before power comes.
    /// - Parameter watched: names of characteristics that are to change in time although nobody has subscribed.
    package init(_ declared: [DeclaredService], watched: Set<String> = []) {
        services = declared.map(\.declaration)
        states = declared.flatMap(\.characteristics).map { CharacteristicState($0) }
        identifiers = services.identifiedCharacteristics.map(\.identifier)
        places = Dictionary(zip(identifiers, identifiers.indices), uniquingKeysWith: { first, _ in first })
        self.watched = watched
    }

    /// Power comes: what is not stored begins again, and nobody has subscribed.
    package mutating func powerOn(at now: DeviceTime) {
        for index in states.indices { states[index].powerOn(at: now) }
        plan(at: now)
    }

    /// The value of the characteristic of this name; `nil` where there is none.
    package func value(of name: String, at now: DeviceTime) -> [UInt8]? {
        states.first { $0.declared.name == name }?.value(at: now)
    }

    /// The result of reading a characteristic.
    package func read(_ identifier: CharacteristicIdentifier, offset: Int, at now: DeviceTime) -> ReadResult {
        guard let place = places[identifier], states[place].declared.properties.contains(.read) else {
            return .error(.readNotPermitted)
        }
        return states[place].read(from: offset, at: now)
    }

    /// Counts a read whose result was `isCounted`.
    package mutating func countRead(of identifier: CharacteristicIdentifier) {
        if let place = places[identifier] { states[place].countRead() }
    }

    /// A central writes.
    package mutating func write(
        _ value: [UInt8], to identifier: CharacteristicIdentifier, offset: Int, at now: DeviceTime
    ) -> DeviceResponse {
        guard let place = places[identifier], states[place].declared.isWritable else {
            return .rejected(.writeNotPermitted)
        }
        let declared = states[place].declared
        do throws(ATTError) {
            try states[place].write(value, from: offset, at: now)
        } catch {
            return .rejected(error, delay: declared.writeDelay)
        }
        for name in declared.restarts { restart(name, at: now) }
        let echoed = declared.echo.map { echo(states[place].value(at: now), to: $0, at: now) } ?? []
        let isSaved = states.contains {
            $0.declared.isStored && ($0.declared == declared || $0.declared.name == declared.echo)
        }
        return .done(
            echoed + due(at: now), flash: isSaved ? flash(at: now) : nil, delay: declared.writeDelay)
    }

    /// A central wants to be told other things than before.
    package mutating func subscribe(
        _ central: Central, to identifier: CharacteristicIdentifier,
        _ configuration: ClientCharacteristicConfiguration, at now: DeviceTime
    ) -> [DeviceEffect] {
        guard let place = places[identifier] else { return [] }
        states[place].subscribe(central, configuration, at: now)
        return due(at: now)
    }

    /// A central is gone.
    package mutating func forget(_ central: Central, at now: DeviceTime) {
        for index in states.indices { states[index].unsubscribe(central) }
        plan(at: now)
    }

    /// Tells what is due, and says when it is next.
    package mutating func due(at now: DeviceTime) -> [DeviceEffect] {
        var outputs: [DeviceEffect] = []
        for (index, identifier) in zip(states.indices, identifiers) {
            guard let value = states[index].dueValue(at: now) else { continue }
            outputs.append(.notify(identifier, value: value, to: nil))
        }
        plan(at: now)
        return outputs
    }

    private mutating func echo(_ value: [UInt8], to name: String, at now: DeviceTime) -> [DeviceEffect] {
        guard let place = states.firstIndex(where: { $0.declared.name == name }),
            // What the other characteristic cannot take is not echoed.
            (try? states[place].take(value)) != nil, let told = states[place].echoedValue(at: now)
        else { return [] }
        return [.notify(identifiers[place], value: told, to: nil)]
    }

    private mutating func restart(_ name: String, at now: DeviceTime) {
        for index in states.indices {
            let own = states[index].declared.name
            if own == name {
                states[index].restart(field: nil, at: now)
            } else if states[index].has(setting: name) {
                states[index].restart(field: String(name.dropFirst(own.count + 1)), at: now)
            }
        }
    }

    private mutating func plan(at now: DeviceTime) {
        var deadlines: [Duration] = []
        for index in states.indices {
            let state = states[index]
            if let settling = states[index].settle(at: now) { deadlines.append(settling) }
            if let telling = state.nextTelling(after: now) { deadlines.append(telling) }
            if watched.contains(state.declared.name), let change = state.nextChange(after: now) {
                deadlines.append(change)
            }
        }
        nextDeadline = deadlines.min()
    }
}

// MARK: - Settings and flash

extension AttributeBank {
    /// The values as their owner may set them, by name.
    package var settings: [SettingValue] { states.flatMap(\.settings) }

    /// What those values are now that change by themselves, by the names of their settings.
    package func presentValues(at now: DeviceTime) -> [String: String] {
        states.map { $0.presentValues(at: now) }.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
    }

    /// The name of a characteristic; `nil` where it is its UUID, or there is none.
    package func name(of characteristic: CharacteristicIdentifier) -> String? {
        guard let declared = places[characteristic].map({ states[$0].declared }) else { return nil }
        return declared.name == declared.uuid.description ? nil : declared.name
    }

    /// Sets a value by the name of its setting.
    /// - Returns: whether it is stored.
    /// - Throws: `ValueFormatFault` when there is no such setting, or the text is no value of it.
    package mutating func set(_ name: String, _ text: String) throws(ValueFormatFault) -> Bool {
        guard let index = states.firstIndex(where: { $0.has(setting: name) }) else {
            let names = settings.map(\.key).joined(separator: ", ")
            throw ValueFormatFault("there is no setting of this name; settings are \(names)")
        }
        try states[index].set(name, text)
        return states[index].declared.isStored
    }

    /// Whether any value is stored.
    package var isStoring: Bool { states.contains(where: \.declared.isStored) }

    /// The stored values, by the names of their characteristics, as hexadecimal digits.
    package func flash(at now: DeviceTime) -> FlashImage {
        let stored = states.filter(\.declared.isStored)
        return FlashImage(
            Dictionary(
                stored.map { ($0.declared.name, .text(Hexadecimal.string($0.value(at: now)))) },
                uniquingKeysWith: { first, _ in first }))
    }

    /// Takes over the stored values; one that is not there stays as it is declared.
    /// - Throws: `FlashFault` for a value that cannot be one; all stay as they were then.
    package mutating func restore(from flash: FlashImage) throws(FlashFault) {
        var restored = states
        for index in states.indices where states[index].declared.isStored {
            let name = states[index].declared.name
            guard flash.values[name] != nil else { continue }
            guard let value = try? Hexadecimal.bytes(try flash.text(name)), (try? restored[index].take(value)) != nil
            else { throw FlashFault(name: name) }
        }
        states = restored
    }
}
