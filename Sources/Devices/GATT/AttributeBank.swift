// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// The declared characteristics of a device while it runs: their values, subscriptions, notifications and stored values.
///
/// The device passes each input to the function of that name. After each of them, `nextDeadline` is the time at which `due` is
/// called next.
package struct AttributeBank: Hashable, Sendable {
    /// The services as a radio hosts them.
    package let services: [GATTService]
    private var states: [CharacteristicState]
    private let places: [CharacteristicIdentifier: Int]
    private let identifiers: [CharacteristicIdentifier]
    /// The names of characteristics whose values are advertised.
    private let watched: Set<String>
    /// The time at which `due` is called next, in uptime; `nil` when nothing is due.
    package private(set) var nextDeadline: Duration?

    /// A bank of these services, before power comes on.
    /// - Parameter watched: the names of characteristics whose changes are due without subscribers, too.
    package init(_ declared: [DeclaredService], watched: Set<String> = []) {
        services = declared.map(\.declaration)
        states = declared.flatMap(\.characteristics).map { CharacteristicState($0) }
        identifiers = services.identifiedCharacteristics.map(\.identifier)
        places = Dictionary(zip(identifiers, identifiers.indices), uniquingKeysWith: { first, _ in first })
        self.watched = watched
    }

    /// Power comes on: values that are not stored restart, without subscribers.
    package mutating func powerOn(at now: DeviceTime) {
        for index in states.indices { states[index].powerOn(at: now) }
        plan(at: now)
    }

    /// The value of the characteristic of this name; `nil` when there is none.
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

    /// Writes a value at an offset.
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
        var response = DeviceResponse.done(
            echoed + due(at: now), flash: isSaved ? flash(at: now) : nil, delay: declared.writeDelay)
        response.repliesLast = declared.deviations.contains(.notifyBeforeResponse)
        return response
    }

    /// Subscribes a central that has connected to the characteristics without a descriptor for it.
    package mutating func connect(_ central: Central, at now: DeviceTime) -> [DeviceEffect] {
        var isSubscribed = false
        for index in states.indices {
            let subscription = states[index].declared.declaration.standingSubscription
            guard !subscription.isEmpty else { continue }
            states[index].subscribe(central, subscription, at: now)
            isSubscribed = true
        }
        return isSubscribed ? due(at: now) : []
    }

    /// Stores a central's subscription.
    package mutating func subscribe(
        _ central: Central, to identifier: CharacteristicIdentifier,
        _ configuration: ClientCharacteristicConfiguration, at now: DeviceTime
    ) -> [DeviceEffect] {
        guard let place = places[identifier] else { return [] }
        states[place].subscribe(central, configuration, at: now)
        return due(at: now)
    }

    /// Removes the subscriptions of a central that has disconnected.
    package mutating func forget(_ central: Central, at now: DeviceTime) {
        for index in states.indices { states[index].unsubscribe(central) }
        plan(at: now)
    }

    /// Notifies the values that are due, and updates `nextDeadline`.
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
            // A value that the other characteristic cannot have is not echoed.
            (try? states[place].take(value)) != nil, let echoed = states[place].echoedValue(at: now)
        else { return [] }
        return [.notify(identifiers[place], value: echoed, to: nil)]
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
            if let policy = state.nextNotification(after: now) { deadlines.append(policy) }
            if watched.contains(state.declared.name), let change = state.nextChange(after: now) {
                deadlines.append(change)
            }
        }
        nextDeadline = deadlines.min()
    }
}

// MARK: - Settings and flash

extension AttributeBank {
    /// The values that the owner can set.
    package var settings: [SettingValue] { states.flatMap(\.settings) }

    /// The present values of generators and clocks, by the names of their settings.
    package func presentValues(at now: DeviceTime) -> [String: String] {
        states.map { $0.presentValues(at: now) }.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
    }

    /// The name of a characteristic; `nil` when it is the UUID, or when there is no such characteristic.
    package func name(of characteristic: CharacteristicIdentifier) -> String? {
        guard let declared = places[characteristic].map({ states[$0].declared }) else { return nil }
        return declared.name == declared.uuid.description ? nil : declared.name
    }

    /// Sets a value by the name of its setting.
    /// - Returns: whether it is stored.
    /// - Throws: `ValueFormatFault` when there is no such setting, or when the text is not a value of it.
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

    /// Restores the stored values; a missing one is unchanged.
    /// - Throws: `FlashFault` for a value that the characteristic cannot have; all are unchanged then.
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
