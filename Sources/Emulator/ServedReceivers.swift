// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Profiles
import Radio
import Space

/// The receivers of the profiles as the radio has them.
///
/// They are there from the start to the end of a run; a reload changes their movements only.
/// Confined to the actor of the run.
final class ServedReceivers {
    /// By name.
    private var receivers: [String: ReceiverDefinition] = [:]
    private var hasWarned = false

    /// Takes the profiles that the run starts with.
    func begin(with profiles: [Profile]) {
        for receiver in profiles.flatMap(\.receivers) { receivers[receiver.id] = receiver }
    }

    /// The receiver of this name; `nil` if there is none.
    subscript(name: String) -> ReceiverDefinition? { receivers[name] }

    /// Those that scan within the run, in the order of their names.
    var listening: [ReceiverDefinition] {
        receivers.values.filter { $0.listener != nil }.sorted { $0.id < $1.id }
    }

    /// The warning of a radio without positions, once; `nil` if nothing needs them.
    /// - Parameter movements: the movements of the beacons.
    func warning(ofRadio name: String, _ movements: [Movement]) -> Warning? {
        let needPositions = receivers.values.contains { $0.listener == nil || $0.movement != nil }
        guard !hasWarned, needPositions || movements.contains(where: \.motion.isMoving) else { return nil }
        hasWarned = true
        return Warning(
            code: "no-movement", message: "receivers and movement have no effect: \(name) has no positions",
            hint: "run on the virtual air (--radio virtual), or leave them out of the profile")
    }

    /// Applies the receivers of a reload: their movements at once.
    /// - Returns: a warning with the names of those that were added, removed or given another server; `nil` for none.
    func replace(by next: [ReceiverDefinition], on radio: any PositioningRadio) async -> Warning? {
        // Receivers that scan within the run have been replaced; a receiver moves as in its profile only if its
        // movement has changed.
        let formerListeners = receivers.filter { $0.value.listener != nil }
        for name in formerListeners.keys { receivers[name] = nil }
        for receiver in next where receiver.listener != nil { receivers[receiver.id] = receiver }
        var pending = Set(receivers.keys).subtracting(next.map(\.id))
        for receiver in next {
            let former = receivers[receiver.id]
            if receiver.listener != nil {
                guard let known = formerListeners[receiver.id], known.movement != receiver.movement else { continue }
                _ = await radio.setMotion(receiver.movement?.motion, ofReceiver: receiver.id)
                continue
            }
            if let former, former.server != receiver.server || former.proxy != receiver.proxy {
                pending.insert(receiver.id)
            }
            if former?.traits != receiver.traits {
                _ = await radio.setHardware(receiver.traits.hardware(in: Propagation()), ofReceiver: receiver.id)
                if let former {
                    receivers[receiver.id] = ReceiverDefinition(
                        id: receiver.id, movement: former.movement, server: former.server, proxy: former.proxy,
                        traits: receiver.traits)
                }
            }
            guard former == nil || former?.movement != receiver.movement else { continue }
            // A server of the command line may have the name of a new receiver.
            guard await radio.setMotion(receiver.movement?.motion, ofReceiver: receiver.id) else {
                pending.insert(receiver.id)
                continue
            }
            receivers[receiver.id] = ReceiverDefinition(
                id: receiver.id, movement: receiver.movement, server: (former ?? receiver).server,
                proxy: (former ?? receiver).proxy, traits: receiver.traits)
        }
        guard !pending.isEmpty else { return nil }
        return Warning(
            code: "receivers-not-changed",
            message: "a reload does not add or remove receivers, and does not change their servers: "
                + pending.sorted().joined(separator: ", "),
            hint: "start a new run")
    }
}
