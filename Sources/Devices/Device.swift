// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth
package import BluetoothCore

/// What a piece of hardware is, whatever radio carries it.
///
/// A device is a value and a state machine: it takes an input and says what is to be done, in that order. It has no
/// clock, no files and no radio of its own. The caller performs the outputs; when a `.persist` fails it drops the changed
/// copy and answers `ATTError.insufficientResources`, so the device is as it was.
package protocol Device: Sendable {
    /// The name of its kind, as profiles and flash files have it.
    static var kind: String { get }
    /// Whether its settings survive a power cut.
    static var hasFlash: Bool { get }
    /// Whether this one keeps any: a device with flash may have nothing to put there.
    var keepsSettings: Bool { get }
    /// The GATT services it has; empty when nothing can connect to it.
    var services: [GATTService] { get }
    /// Its present settings, for people and for `ctl show`.
    var settings: [DeviceSetting] { get }
    /// What those of its settings are now that change by themselves, by their keys.
    func presentValues(at now: DeviceTime) -> [String: String]
    /// The name that its owner gave a characteristic; `nil` where it has none but its UUID.
    func name(of characteristic: CharacteristicIdentifier) -> String?
    /// When, in uptime, it wants to be told that time has passed; `nil` when nothing is due by itself.
    var nextDeadline: Duration? { get }
    /// Takes one input and says what is to be done, in order.
    mutating func handle(_ input: DeviceInput, at now: DeviceTime) -> [DeviceOutput]
    /// Takes over what flash holds; keys that it does not know are left alone.
    /// - Throws: `FlashFault` when a value is missing or cannot be one; the device is unchanged then.
    mutating func restore(from flash: FlashImage) throws(FlashFault)
}

extension Device {
    /// What has flash uses it.
    package var keepsSettings: Bool { Self.hasFlash }

    /// Nothing is due by itself.
    package var nextDeadline: Duration? { nil }

    /// Nothing changes by itself.
    package func presentValues(at now: DeviceTime) -> [String: String] { [:] }

    /// Nothing has a name of its own.
    package func name(of characteristic: CharacteristicIdentifier) -> String? { nil }
}

/// A central, by the name its radio has for it: its address, or a path on a bus.
package struct Central: Hashable, Sendable {
    /// The name, unique among the centrals of one radio.
    package let name: String
    /// A central of this name.
    package init(_ name: String) { self.name = name }
}

/// Something that happens to a device.
package enum DeviceInput: Hashable, Sendable {
    /// Power comes: say what is to be advertised.
    case poweredOn
    /// A central has connected.
    case connected(Central)
    /// A central is gone.
    case disconnected(Central)
    /// A characteristic's value is read from this offset; answered by `.respond` or `.reject`. It changes nothing, unless
    /// a `.wait` comes first, of no time at all if need be.
    case read(CharacteristicIdentifier, offset: Int)
    /// A characteristic's value is written from this offset; answered by `.acknowledge` or `.reject`.
    case wrote(CharacteristicIdentifier, offset: Int, value: [UInt8])
    /// A central wants to be told other things of a characteristic's value than before; nothing, when it is gone.
    case subscribed(Central, CharacteristicIdentifier, ClientCharacteristicConfiguration)
    /// A central's connection has this timing, at its beginning or from now on; not every radio tells.
    case connectionUpdated(Central, ConnectionParameters)
    /// What was asked of a central's own attributes by `.ask` has come to this; nothing comes of it when the central goes
    /// before.
    case asked(Central, ClientRequest, ClientResult)
    /// A central tells the value of one of its own characteristics, by the handle of that value.
    case told(Central, AttributeHandle, [UInt8])
    /// Its owner wants it to do something; answered by `.acknowledge` or `.refuse`.
    case perform(DeviceCommand)
    /// The time is `nextDeadline` or later.
    case timePassed
    /// Its owner changes settings past the radio; answered by `.acknowledge` or `.refuse`.
    case set([DeviceSetting])
}

/// Something that a device wants done.
package enum DeviceOutput: Hashable, Sendable {
    /// This, and nothing else of this device, is to be on the air; `nil` is silence.
    case advertise(Advertisement?)
    /// This is to be durable before the next output is performed.
    case persist(FlashImage)
    /// A read succeeded.
    case respond([UInt8])
    /// A write or set is done.
    case acknowledge
    /// A read or write failed, as the peer is told.
    case reject(ATTError)
    /// A set is refused: one sentence for its owner.
    case refuse(String)
    /// This value of a characteristic is told to a central, by notification or indication as it wants; `nil` for all
    /// that want either. Whoever wants neither is told nothing.
    case notify(CharacteristicIdentifier, value: [UInt8], to: Central?)
    /// This is asked of a central's own attributes, as their client, when what was asked before has ended; `.asked` is the
    /// answer.
    case ask(ClientRequest, of: Central)
    /// Something that it shows to people.
    case report(DeviceReport)
    /// What follows is performed so much later, and the input counts as answered only then.
    case wait(Duration)
    /// A central is asked for another timing of its connection; if it agrees, `.connectionUpdated` follows.
    case updateConnection(Central, ConnectionParameters)
    /// This central must go.
    case disconnect(Central)
    /// Something its owner should know.
    case warn(Warning)

    /// The answer to `.perform` of a device that has nothing to do at a command.
    static let takesNoCommands = DeviceOutput.refuse("this device takes no commands")
}
