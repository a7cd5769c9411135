// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth

/// The behaviour of a piece of hardware, on any radio.
///
/// A device is a value and a state machine without clock, files or radio. Its owner passes it inputs with `handle` and carries
/// out the response: it saves `flash` first, waits for `delay`, then sends the reply and performs the effects in order. If
/// saving fails, the owner discards the changed copy of the device and the response, and answers
/// `ATTError.insufficientResources`. Reads do not change a device.
package protocol Device: Sendable {
    /// The name of the kind in profiles and flash files.
    static var kind: String { get }
    /// Whether the hardware has flash memory, so that settings survive a power cut.
    static var hasFlash: Bool { get }
    /// Whether this device has settings to save: one with flash may have none.
    var savesSettings: Bool { get }
    /// The GATT services; empty when nothing can connect.
    var services: [GATTService] { get }
    /// Whether it advertises while a central is connected.
    var advertisesWhileConnected: Bool { get }
    /// The present values of the settings that can be changed.
    var settings: [SettingValue] { get }
    /// The present values of the settings that change by themselves, by key.
    func presentValues(at now: DeviceTime) -> [String: String]
    /// The name that the profile gives a characteristic; `nil` when it gives none.
    func name(of characteristic: CharacteristicIdentifier) -> String?
    /// The commands that it performs, in addition to settings.
    var commands: [DeviceCommand.Declaration] { get }
    /// When `.timePassed` is due next, in uptime; `nil` when nothing is due.
    var nextDeadline: Duration? { get }
    /// The result of reading a characteristic's value from an offset.
    func read(_ characteristic: CharacteristicIdentifier, offset: Int, at now: DeviceTime) -> ReadResult
    /// Takes one input.
    mutating func handle(_ input: DeviceInput, at now: DeviceTime) -> DeviceResponse
    /// Restores settings from flash; unknown keys are ignored.
    /// - Throws: `FlashFault` when a value is missing or out of range; the device is unchanged then.
    mutating func restore(from flash: FlashImage) throws(FlashFault)
}

extension SelfContainedDevice {
    /// By default, a device with flash saves its settings there.
    package var savesSettings: Bool { Self.hasFlash }

    /// By default, there is nothing to connect to.
    package var services: [GATTService] { [] }

    /// By default, no deadline.
    package var nextDeadline: Duration? { nil }

    /// By default, no command.
    package var commands: [DeviceCommand.Declaration] { [] }

    /// By default, no setting changes by itself.
    package func presentValues(at now: DeviceTime) -> [String: String] { [:] }

    /// By default, characteristics have no names.
    package func name(of characteristic: CharacteristicIdentifier) -> String? { nil }

    /// By default, nothing can be read.
    package func read(_ characteristic: CharacteristicIdentifier, offset: Int, at now: DeviceTime) -> ReadResult {
        .error(.readNotPermitted)
    }

    /// By default, nothing to restore.
    package mutating func restore(from flash: FlashImage) throws(FlashFault) {}
}

extension Device {
    /// The advertisement when power comes on at the origin of time; `nil` for a device that is silent then.
    package var firstAdvertisement: Advertisement? {
        var copy = self
        for case .advertise(let advertisement) in copy.handle(.poweredOn, at: DeviceTime()).effects.reversed() {
            return advertisement
        }
        return nil
    }
}

/// A central, by the name that its radio gives it: an address, or an object path on D-Bus.
package struct Central: Hashable, Sendable {
    /// The name, unique among the centrals of one radio.
    package let name: String
    /// A central of this name.
    package init(_ name: String) { self.name = name }
}

/// A point in time for a device, as its owner measures it.
package struct DeviceTime: Hashable, Sendable {
    /// Monotonic time since an origin that the owner chose.
    package var uptime: Duration
    /// Time of day since 1970 in UTC; it may jump.
    package var sinceUnixEpoch: Duration

    /// A time; zero for both by default.
    package init(uptime: Duration = .zero, sinceUnixEpoch: Duration = .zero) {
        self.uptime = uptime
        self.sinceUnixEpoch = sinceUnixEpoch
    }
}

/// An input of a device.
package enum DeviceInput: Hashable, Sendable {
    /// Power came on. The effects contain the first advertisement.
    case poweredOn
    /// A central has connected.
    case connected(Central)
    /// A central has disconnected.
    case disconnected(Central)
    /// A read of this characteristic from offset 0 was answered, and its result was `isCounted`.
    case readAnswered(CharacteristicIdentifier)
    /// A characteristic's value was written from this offset. The reply is `.done` or `.rejected`.
    case wrote(CharacteristicIdentifier, offset: Int, value: [UInt8])
    /// A central changed its subscription to a characteristic; empty when it unsubscribed.
    case subscribed(Central, CharacteristicIdentifier, ClientCharacteristicConfiguration)
    /// A central's connection has these parameters now; not every radio reports them.
    case connectionUpdated(Central, ConnectionParameters)
    /// The response to a `.request`; there is none when the central disconnects first.
    case responseReceived(Central, ClientRequest, ClientResult)
    /// A notification or indication of one of a central's own characteristics, by the handle of its value.
    case notificationReceived(Central, AttributeHandle, [UInt8])
    /// A command of the device's owner. The reply is `.done` or `.refused`.
    case perform(DeviceCommand)
    /// The time is `nextDeadline` or later.
    case timePassed
    /// The device's owner changes settings, all or none. The reply is `.done` or `.refused`.
    case set([SettingChange])
}
