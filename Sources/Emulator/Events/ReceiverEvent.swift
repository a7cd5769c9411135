// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Profiles
package import Receiving

/// Something that happens to a receiver of a run.
package enum ReceiverEvent: Hashable, Sendable {
    /// A receiver that scans within the run is there, with this position in metres if it has one.
    case added(ListenerSummary, position: [Double]?)
    /// A server is there, whose hosts are the receiver, with their position in metres if they have one.
    case served(server: String, position: [Double]?)
    /// A receiver that scans within the run has other settings.
    case changed(ListenerSummary)
    /// A client has changed the label; `nil` is the end of it.
    case labelled(String?)
    /// The receiver is not there any more.
    case removed
    /// The receiver is in a room from now on, with its position in metres.
    case entered(room: String, position: [Double])
    /// The receiver is not in a room any more, with its position in metres.
    case left(room: String, position: [Double])
    /// The estimator of the receiver has it in another room, or at another place.
    case estimated(EstimateRecord)
    /// The receiver monitors a region.
    case monitored(region: String, IdentifierRecord)
    /// The receiver does not monitor a region any more.
    case ended(region: String)
    /// The receiver connected to a device.
    case connected(ConnectionRecord)
    /// A connection of the receiver ended.
    case disconnected(ConnectionRecord)
}

/// The settings of a receiver that scans within the run, as events have them.
package struct ListenerSummary: Hashable, Sendable {
    /// The phone that it receives like.
    let phone: String
    /// Its handset; `nil` for any.
    let handset: String?
    /// Whether its app scans.
    let isListening: Bool
    /// The state of its screen: `on` or `off`.
    let screen: String
    /// Why its app receives nothing; `nil` if it can receive.
    let obstacle: PhoneObstacle?

    init(_ settings: ListenerSettings) {
        phone = settings.phone.name
        handset = settings.phone.handset?.name
        obstacle = settings.obstacle
        isListening = settings.isListening
        screen = settings.screen.rawValue
    }

    /// `exact, screen off`
    fileprivate var sentence: String {
        phone + (handset.map { " (\($0))" } ?? "") + (isListening ? "" : ", not listening")
            + (screen == Screen.off.rawValue ? ", screen off" : "") + (obstacle.map { ", \($0.sentence)" } ?? "")
    }

    fileprivate func write(to fields: inout EventFields) throws {
        try fields.set(.phone, phone)
        try fields.set(.handset, handset)
        try fields.set(.listening, isListening)
        try fields.set(.screen, screen)
        try fields.set(.obstacle, obstacle?.rawValue)
    }
}

extension PhoneObstacle {
    fileprivate var sentence: String {
        switch self {
        case .bluetoothOff: "Bluetooth off"
        case .permissionDenied: "permission denied"
        }
    }
}

extension ReceiverEvent {
    /// The form of the event of a receiver with a name.
    func form(of receiver: String) -> EventForm {
        form(named: "receiver \(receiver)").adding { try $0.set(.receiver, receiver) }
    }

    private func form(named receiver: String) -> EventForm {
        switch self {
        case .added(let settings, let position):
            EventForm(.receiverAdded, "\(receiver) added: \(settings.sentence)\(Self.place(position))") {
                try $0.set(.position, position)
                try settings.write(to: &$0)
            }
        case .served(let server, let position):
            EventForm(.receiverAdded, "\(receiver) added: its hosts join at \(server)\(Self.place(position))") {
                try $0.set(.server, server)
                try $0.set(.position, position)
            }
        case .changed(let settings):
            EventForm(.receiverChanged, "\(receiver) changed: \(settings.sentence)", settings.write)
        case .labelled(let label):
            EventForm(
                .labelChanged,
                label.map { "the label of \(receiver) is \"\($0)\"" } ?? "\(receiver) has no label any more")
        case .removed: EventForm(.receiverRemoved, "\(receiver) removed")
        case .entered(let room, let position):
            EventForm(.roomEntered, "\(receiver) entered the room \(room)\(Self.place(position))") {
                try $0.set(.room, room)
                try $0.set(.position, position)
            }
        case .left(let room, let position):
            EventForm(.roomLeft, "\(receiver) left the room \(room)\(Self.place(position))") {
                try $0.set(.room, room)
                try $0.set(.position, position)
            }
        case .estimated(let estimate):
            EventForm(
                .estimated,
                "\(receiver) is estimated \(estimate.room.map { "in the room \($0)" } ?? "in no room")\(Self.place(estimate.position))"
            ) {
                try $0.set(.estimator, estimate.estimator)
                try $0.set(.room, estimate.room)
                try $0.set(.position, estimate.position)
            }
        case .monitored(let region, let identifiers):
            EventForm(.regionMonitored, "\(receiver) monitors the region \(region)") {
                try $0.set(.region, region)
                try $0.set(.identifiers, identifiers)
            }
        case .ended(let region):
            EventForm(.regionEnded, "\(receiver) does not monitor the region \(region) any more") {
                try $0.set(.region, region)
            }
        case .connected(let connection):
            EventForm(.receiverConnected, "\(receiver) connected to \(connection.device ?? connection.address)") {
                try $0.set(.address, connection.address)
            }
        case .disconnected(let connection):
            EventForm(
                .receiverDisconnected, "\(receiver) disconnected from \(connection.device ?? connection.address)"
            ) { try $0.set(.address, connection.address) }
        }
    }

    /// `, at 2, 3 m`
    private static func place(_ position: [Double]?) -> String {
        guard let position else { return "" }
        let shown = position.count == 3 && position[2] == 0 ? position.dropLast() : position[...]
        return ", at \(shown.map { ValueText.text($0) }.joined(separator: ", ")) m"
    }
}

// MARK: - Paths and physics

extension EmulatorEvent {
    /// The form of a change of the path between two ends.
    static func link(from one: String, to other: String, _ override: OverrideRecord?) -> EventForm {
        let path = "the path from \(one) to \(other)"
        guard let override else {
            return EventForm(.linkReset, "\(path) is not overridden any more") { try write(&$0) }
        }
        return EventForm(.linkOverridden, "\(path) is overridden: \(override.sentence)") {
            try write(&$0)
            try $0.set(.override, override)
        }

        @Sendable func write(_ fields: inout EventFields) throws {
            try fields.set(.from, one)
            try fields.set(.to, other)
        }
    }

    /// The form of a change of the virtual air.
    static func physics(_ physics: AirRecord.Physics, walls: Int) -> EventForm {
        let model = physics.preset ?? "of its own"
        return EventForm(.physicsChanged, "physics: \(model), \(walls) wall\(walls == 1 ? "" : "s")") {
            try $0.set(.physics, physics)
            try $0.set(.walls, walls)
        }
    }
}
