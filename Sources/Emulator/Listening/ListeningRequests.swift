// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import Devices
package import Profiles
import Radio
package import Receiving
package import Space

/// A change of a listening receiver; what is `nil` stays.
package struct ListenerChange: Hashable, Sendable {
    package var label: LabelChange?
    package var position: Position?
    package var phone: PhoneModel?
    package var scan: ScanChange?
    package var isListening: Bool?
    package var screen: Screen?
    package var bluetooth: PhoneBluetooth?
    package var permission: PhonePermission?
    package var estimator: EstimatorChange?
    package var traits = ReceiverTraits()

    /// Parts of the parameters of a scan.
    package struct ScanChange: Hashable, Sendable {
        package var window: AdvertisingInterval?
        package var interval: AdvertisingInterval?
        package var isActive: Bool?

        package init() {}
    }

    /// What estimates its place from now on; none for `off`.
    package struct EstimatorChange: Hashable, Sendable {
        /// The text for none.
        package static let off = "off"

        package let kind: PlaceEstimator.Kind?

        /// Reads the name of an estimator, or `off`.
        /// - Throws: `ValueFault` for a name that none has.
        package init(_ text: String) throws(ValueFault) {
            kind = text == Self.off ? nil : try PlaceEstimator.Kind(named: text, or: [Self.off])
        }

        /// As it is read.
        package var text: String { kind?.rawValue ?? Self.off }
    }

    package init() {}

    /// Whether a receiver whose hosts are other programs can have it: it changes no more than the label and the traits.
    var isOfAnyReceiver: Bool {
        var rest = self
        (rest.label, rest.traits) = (nil, ReceiverTraits())
        return rest == ListenerChange()
    }

    /// Settings with this change.
    /// - Throws: `EmulatorError` `.badProfile` for a scan out of range.
    func applied(to settings: ListenerSettings) throws(EmulatorError) -> ListenerSettings {
        var next = settings
        if let phone {
            next.phone = phone
            next.scan = nil
        }
        if let scan {
            let former = next.scan
            do throws(ValueFault) {
                next.scan = try ScanParameters(
                    window: scan.window ?? former?.window, interval: scan.interval ?? former?.interval,
                    isActive: scan.isActive ?? former?.isActive, of: next.phone)
            } catch {
                throw EmulatorError(.badProfile, "scan: \(error.message)")
            }
        }
        if let isListening { next.isListening = isListening }
        if let screen { next.screen = screen }
        if let bluetooth { next.bluetooth = bluetooth }
        if let permission { next.permission = permission }
        if let estimator { next.estimator = estimator.kind }
        next.traits = next.traits.replaced(by: traits)
        return next
    }
}

/// What clients request of listening receivers.
extension Emulator {
    /// The listening receiver of this name. A receiver whose hosts are other programs listens, too, from the first request on, as the
    /// phone `exact`.
    /// - Throws: `EmulatorError` `.unknownBeacon` if there is none.
    package nonisolated func listener(_ name: String) async throws(EmulatorError) -> ListeningReceiver {
        if let listener = listeners[name] { return listener }
        if let listener = try await listenerBesideHosts(name) { return listener }
        throw Self.noListener(name)
    }

    private static func noListener(_ name: String) -> EmulatorError {
        EmulatorError(
            .unknownBeacon, "there is no listening receiver \"\(name)\"",
            hint: "add it: PUT /v1/receivers/\(name) with {}, or beaconry ctl receiver listen \(name)")
    }

    /// The listening receiver beside the hosts of a server, which is added if necessary; `nil` if no receiver has the name.
    private func listenerBesideHosts(_ name: String) async throws(EmulatorError) -> ListeningReceiver? {
        try await inOrder { emulator throws(EmulatorError) in try await emulator.listenBesideHosts(name) }
    }

    private func listenBesideHosts(_ name: String) async throws(EmulatorError) -> ListeningReceiver? {
        if let listener = listeners[name] { return listener }
        guard placedRadio is any ListeningRadio else { return nil }
        let served = (try? await air.receivers())?.first { $0.name == name }
        // In virtual time without servers, the receivers of the profiles have no hosts.
        guard let definition = receivers[name] ?? served.map({ ReceiverDefinition(id: $0.name) }) else { return nil }
        var settings = definition.listener ?? ListenerSettings()
        settings.traits = served.map { ReceiverTraits(of: $0.hardware) } ?? definition.traits
        let motion = definition.movement?.motion ?? served?.position.map(Motion.rest)
        return try await listeners.add(
            name, settings, motion: motion, isAdded: false, isBesideHosts: served != nil, on: placedRadio, runClock)
    }

    /// Adds a listening receiver, or gives the one of this name these settings: what the change does not have is as of a new one.
    /// - Parameter isNew: whether there must be none of this name.
    /// - Returns: The receiver, and whether it is new.
    /// - Throws: `EmulatorError` `.exists`, `.conflict` if something else has the name, `.badProfile`, or `.unsupported` if the radio cannot
    ///   receive, or has no positions for the one that is given.
    package func putListener(
        _ name: String, _ change: ListenerChange, isNew: Bool = false
    ) async throws(EmulatorError) -> (listener: ListeningReceiver, isNew: Bool) {
        let settings = try change.applied(to: ListenerSettings())
        if let position = change.position { try air.positioning(for: [position]) }
        return try await inOrder { emulator throws(EmulatorError) in
            if let listener = try await emulator.listenBesideHosts(name) {
                guard !isNew else { throw EmulatorError(.exists, "there is a receiver \"\(name)\" already") }
                // Regions stay when an app starts again.
                try await listener.replace(by: settings)
                await emulator.setLabel(change.label?.label, ofReceiver: name)
                if let position = change.position { try await emulator.air.move(name, to: position) }
                return (listener, false)
            }
            guard emulator.directory.beacon(BeaconIdentifier(name)) == nil else {
                throw EmulatorError(
                    .conflict, "a beacon is named \"\(name)\" already", hint: "give the receiver another name")
            }
            // The event of the addition has it.
            _ = await emulator.setLabel(change.label?.label, of: name)
            let listener = try await emulator.listeners.add(
                name, settings, motion: change.position.map(Motion.rest), isAdded: true, on: emulator.placedRadio,
                emulator.runClock)
            return (listener, true)
        }
    }

    /// Changes a listening receiver; the label also of one whose hosts are other programs.
    /// - Throws: `EmulatorError` as `putListener`, `.unknownBeacon`, or `.conflict` if its phone does not permit another start
    ///   of the scan.
    package func changeListener(_ name: String, _ change: ListenerChange) async throws(EmulatorError) {
        guard change != ListenerChange() else {
            throw EmulatorError(.badProfile, "the change is empty", hint: "send members, such as {\"screen\":\"off\"}")
        }
        if change.isOfAnyReceiver, await isServed(name) {
            if let label = change.label { setLabel(label.label, ofReceiver: name) }
            try await air.changeTraits(of: name, change.traits)
            guard listeners[name] != nil, change.traits != ReceiverTraits() else { return }
        }
        let listener = try await listener(name)
        if let position = change.position { try air.positioning(for: [position]) }
        try await listener.change(change)
        if let label = change.label { setLabel(label.label, ofReceiver: name) }
        if let position = change.position { try await air.move(name, to: position) }
    }

    /// Whether there is a receiver of this name whose hosts are other programs.
    private func isServed(_ name: String) async -> Bool {
        (try? await air.receivers())?.contains { $0.name == name } == true
    }

    /// Sets the label of a receiver; `nil` removes it.
    private func setLabel(_ label: String?, ofReceiver name: String) {
        guard setLabel(label, of: name) else { return }
        events.post(.receiver(name, .labelled(label)))
    }

    /// Adds a receiver of a scenario.
    /// - Parameter observe: called with each packet and each report.
    /// - Throws: `EmulatorError` as `putListener`.
    package func addListener(
        _ receiver: ReceiverDefinition, _ settings: ListenerSettings,
        observe: @escaping @Sendable (ListeningReceiver.Observation) -> Void
    ) async throws(EmulatorError) {
        _ = try await listeners.add(
            receiver.id, settings, motion: receiver.movement?.motion, isAdded: false, on: placedRadio, runClock,
            observe: observe)
    }

    /// Removes a listening receiver that was added.
    /// - Throws: `EmulatorError` `.conflict` for one of the profiles, which stays until the next reload.
    package func removeListener(_ name: String) async throws(EmulatorError) {
        // After an addition that is under way.
        try await inOrder { emulator throws(EmulatorError) in
            guard emulator.listeners[name] != nil else { throw Self.noListener(name) }
            guard emulator.listeners.isAdded(name) else {
                throw EmulatorError(
                    .conflict, "the receiver \"\(name)\" is one of the profile",
                    hint: "remove it from the profile, or switch it off (listening: false)")
            }
            await emulator.listeners.remove(name)
            _ = await emulator.setLabel(nil, of: name)
        }
    }

    /// Adds the listening receivers of the profiles; the receivers of a scenario may be there already. A receiver that
    /// the radio refuses is a warning.
    func beginListening() async {
        for receiver in receivers.listening { await beginListening(receiver) }
    }

    /// Replaces the listening receivers of the profiles by the receivers of a reload.
    func replaceListeners(by next: [ReceiverDefinition]) async {
        let wanted = Dictionary(next.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        for listener in listeners.all where !listeners.isAdded(listener.name) {
            // One beside the hosts of a server stays with it.
            if wanted[listener.name]?.listener == nil, listeners.isBesideHosts(listener.name) { continue }
            guard let settings = wanted[listener.name]?.listener else {
                await listeners.remove(listener.name)
                continue
            }
            do throws(EmulatorError) {
                try await listener.become(settings)
            } catch {
                warn(of: listener.name, error)
            }
        }
        for receiver in next where receiver.listener != nil {
            if listeners.isAdded(receiver.id) {
                warn(of: receiver.id, EmulatorError(.conflict, "a client has added one of this name"))
            } else if listeners[receiver.id] == nil {
                await beginListening(receiver)
            }
        }
    }

    private func beginListening(_ receiver: ReceiverDefinition) async {
        guard let settings = receiver.listener else { return }
        do throws(EmulatorError) {
            _ = try await listeners.add(
                receiver.id, settings, motion: receiver.movement?.motion, isAdded: false, on: placedRadio, runClock,
                observe: observerOnBench(receiver.id))
        } catch {
            warn(of: receiver.id, error)
        }
    }

    private func warn(of receiver: String, _ error: EmulatorError) {
        let hint = error.hint.isEmpty ? "remove that one (beaconry ctl receiver remove \(receiver))" : error.hint
        let message = "the receiver \(receiver) does not listen with the settings of its profile: \(error.message)"
        events.post(.warning(Warning(code: "not-listening", message: message, hint: hint)))
    }
}
