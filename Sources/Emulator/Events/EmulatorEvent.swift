// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import Devices
package import FoundationEssentials
package import Radio

/// Something that happens in a run, or on an emulated phone.
///
/// `EventHub` broadcasts events to their readers. Its `form` has the kind, the sentence and the fields in JSON.
package enum EmulatorEvent: Hashable, Sendable {
    /// The radio is usable, for the first time or again.
    // Rare events with many values are indirect, so that they do not make the others larger.
    indirect case radioReady(RadioCapabilities)
    /// The radio is not usable any more; the run waits for it.
    case radioLost(RadioError)
    /// Everything that should be on the air is on the air, for the first time.
    case ready(AirSummary)
    /// Something that should be on the air is not, or the profiles in use are the last good ones.
    case degraded(AirSummary)
    /// Everything that should be on the air is on the air again, by profiles that can be read.
    case recovered(AirSummary)
    /// The run is controlled over HTTP at this URL, too.
    case controlServed(url: String)
    /// The profiles were read again.
    case reloaded(beacons: Int)
    /// The profiles were read again and cannot be used; nothing changed.
    case reloadFailed(EmulatorError)
    /// A scenario started, performed a change, or ended.
    indirect case scenario(ScenarioRecord)
    /// The last packet of a recording was sent again.
    case replayEnded(packets: Int)
    /// The run ends.
    case stopping
    /// Another program's host did something on the radio's air.
    indirect case host(HostEvent)
    /// Something happened to a receiver.
    indirect case receiver(String, ReceiverEvent)
    /// The path between two ends is overridden; `nil` is the end of the override.
    indirect case link(from: String, to: String, OverrideRecord?)
    /// The virtual air has this physics, and this number of walls, from now on.
    indirect case physics(AirRecord.Physics, walls: Int)
    /// A problem that does not concern a single beacon.
    case warning(Warning)
    /// The place of events that this reader lost, because it was too slow.
    case lost(count: Int)
    /// Something happened to a beacon.
    case beacon(BeaconIdentifier, BeaconEvent)
    /// Something happened on a phone, which may be connected to an accessory.
    indirect case phone(BeaconIdentifier, accessory: RemoteAddress?, PhoneEvent)

    /// The beacon or phone that it concerns; `nil` for none.
    package var device: String? {
        switch self {
        case .beacon(let beacon, _): beacon.name
        case .phone(let phone, _, _): phone.name
        case .receiver(_, .connected(let connection)), .receiver(_, .disconnected(let connection)): connection.device
        default: nil
        }
    }

    /// The beacon or the receiver whose label the event has; `nil` for none.
    var subject: String? {
        switch self {
        case .beacon(let beacon, _): beacon.name
        case .receiver(let name, _): name
        default: nil
        }
    }

    /// Whether the event is a warning.
    package var isWarning: Bool {
        switch self {
        case .warning, .beacon(_, .warning), .phone(_, _, .serviceFailed): true
        default: false
        }
    }
}

/// Something that happens to a beacon.
package enum BeaconEvent: Hashable, Sendable {
    /// The beacon is on the air, or its advertisement has changed.
    case advertising(AdvertisingStatus, radio: String, isNew: Bool)
    /// The beacon is off the air.
    case advertisingStopped(AdvertisingStop)
    /// The radio refuses the beacon's advertisement.
    case advertisingRefused(RadioError)
    /// A central connected.
    case connected(central: String)
    /// A central disconnected.
    case disconnected(central: String)
    /// A central subscribed to a characteristic, or unsubscribed.
    case subscribed(central: String, NamedCharacteristic, isOn: Bool)
    /// A central wrote a characteristic. `settings` are those that changed, and the one with the characteristic's name.
    indirect case written(central: String, NamedCharacteristic, value: [UInt8], settings: [String: String])
    /// A central's request was answered with an error.
    indirect case refused(AttributeRequest, ATTError, name: String?)
    /// The progress or result of pairing with a central.
    indirect case pairing(central: String, PairingEvent)
    /// Settings were saved in a file.
    case settingsSaved(file: String)
    /// Saved settings replace the values of the profile; `reset` is the command that removes them.
    case settingsRestored(file: String, reset: String)
    /// A client has changed the label; `nil` is the end of it.
    case labelled(String?)
    /// Saved settings were removed.
    case settingsReset(file: String)
    /// Bonds were saved in a file.
    case bondsSaved(file: String)
    /// Saved bonds were removed.
    case bondsReset(file: String)
    /// Nothing that the beacon sends is received, for this time or until `unmuted`.
    case muted(Duration?)
    /// What the beacon sends is received again.
    case unmuted
    /// The next connections to it fail, or no more if their count is 0.
    case connectionsFailing(ConnectionFault)
    /// Its battery is flat, or full again.
    case battery(BatteryState)
    /// The device shows something to its user.
    case report(DeviceReport)
    /// A problem.
    case warning(Warning)
}

/// Why a beacon is off the air.
package enum AdvertisingStop: Hashable, Sendable {
    /// The beacon is switched off.
    case disabled
    /// The schedule of the beacon has switched it off.
    case scheduled
    /// A central is connected, and the beacon does not advertise meanwhile.
    case connected
    /// The device stopped advertising.
    case device
    /// The radio stopped advertising; the reason is a clause.
    case radio(String)

    /// The radio's reason; a radio stops a beacon that does not advertise while a central is connected.
    init(radio reason: String) { self = reason == Self.connected.reason ? .connected : .radio(reason) }

    /// The reason as a clause.
    package var reason: String {
        switch self {
        case .disabled: "disabled"
        case .scheduled: "off by its schedule"
        case .connected: "a central is connected"
        case .device: "requested by the beacon"
        case .radio(let reason): reason
        }
    }
}

/// A characteristic and the name that its profile gives it.
package struct NamedCharacteristic: Hashable, Sendable {
    /// The characteristic.
    package let identifier: CharacteristicIdentifier
    /// The name; `nil` if the profile gives none.
    package let name: String?

    /// A characteristic with this name.
    package init(identifier: CharacteristicIdentifier, name: String?) {
        self.identifier = identifier
        self.name = name
    }
}

/// Something that happens on a phone, which looks for an accessory and serves notifications to it.
package enum PhoneEvent: Hashable, Sendable {
    /// The phone scans for an accessory.
    case looking
    /// The phone received an accessory's advertisement.
    case accessoryFound(RemoteAddress, advertisingData: [UInt8])
    /// The phone could not connect to the accessory.
    case connectionFailed(RemoteAddress, RadioError)
    /// The phone is connected to the accessory.
    case connected
    /// The connection ended; the reason is a clause.
    case disconnected(reason: String)
    /// The connection is encrypted.
    case encrypted(LinkProtection)
    /// The phone and the accessory could not pair.
    case pairingFailed(PairingError, hint: String)
    /// A notification could not be sent.
    case notNotified(BluetoothUUID, value: [UInt8])
    /// The phone's notification service was added or removed.
    case serviceChanged(isPresent: Bool)
    /// The notification service could not be added or removed.
    case serviceFailed(RadioError)
    /// The notification service reports something.
    case service(ANCSProvider.Report)
}

/// An event and the time at which it was posted.
package struct PostedEvent: Hashable, Sendable {
    /// Its number in the run, from 1; 0 before it is posted, and for `.lost`.
    package var sequence: UInt64 = 0
    /// The time.
    package let time: Date
    /// In the heap, so that the queues of many readers share it.
    private let content: Content

    /// The event.
    package var event: EmulatorEvent { content.event }
    /// The kind of the event.
    var kind: EventKind { content.kind }
    /// The label that the beacon or receiver has at this moment; `nil` for none.
    package var label: String? { content.label }

    private final class Content: Hashable, Sendable {
        let event: EmulatorEvent
        let label: String?
        /// Made once, because each reader of selected events compares it.
        let kind: EventKind

        init(_ event: EmulatorEvent, _ label: String?) {
            self.event = event
            self.label = label
            kind = event.form.kind
        }

        static func == (left: Content, right: Content) -> Bool {
            left.event == right.event && left.label == right.label
        }
        func hash(into hasher: inout Hasher) { hasher.combine(event) }
    }

    /// An event of this moment.
    package init(_ event: EmulatorEvent, label: String? = nil) {
        time = Date(timeIntervalSince1970: Duration.sinceUnixEpoch / .seconds(1))
        content = Content(event, label)
    }
}
