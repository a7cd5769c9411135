// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Devices
import Emulator
import JSON
import RunAPI

/// The ends of a connection.
struct ConnectionOptions: ParsableArguments {
    @Argument(help: "The receiver's name.") var name: String
    @Argument(help: "The address of a device, or the id of a beacon of the run.", completion: .beacons)
    var device: String

    var value: ConnectionEnds {
        var ends = ConnectionEnds()
        (ends.receiver, ends.device) = (AirName(name), DeviceReference(device))
        return ends
    }
}

/// A characteristic of a connected device.
struct CharacteristicOptions: ParsableArguments {
    @OptionGroup var ends: ConnectionOptions
    @Argument(help: "The handle of its value, or its UUID.") var characteristic: String

    /// - Throws: `ValueFault` for a text that is neither.
    var reference: CharacteristicReference {
        get throws(ValueFault) { try CharacteristicReference(json: .text(characteristic)) }
    }
}

/// `beaconry ctl receiver connect`
struct ControlReceiverConnect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "connect", abstract: "Connect a receiver that scans within the run to a device.",
        discussion: "Example: beaconry ctl receiver connect phone door --timeout 5s")
    @OptionGroup var ends: ConnectionOptions
    @Option(help: "Time limit, at most 60s (default: 10s).", transform: ValueText.duration) var timeout: Duration?
    @Option(
        help: """
            Type of the address: public or random (default: the type in the last packet from the device, else random).
            """,
        transform: { try ValueText.choice($0, of: DeviceAddressType.self) })
    var addressType: DeviceAddressType?
    @Flag(help: "Pair when the device requires it, not only for a write.") var pair = false
    @OptionGroup var options: ControlOptions

    func run() async throws {
        let connect = ConnectDevice {
            ($0.ends, $0.timeout, $0.type, $0.pairs) = (ends.value, timeout, addressType, pair ? true : nil)
        }
        try await options.tool.perform(connect) { AttributeText.list([$0]) }
    }
}

/// `beaconry ctl receiver disconnect`
struct ControlReceiverDisconnect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disconnect", abstract: "End the connection of a receiver to a device.",
        discussion: "Example: beaconry ctl receiver disconnect phone door")
    @OptionGroup var ends: ConnectionOptions
    @OptionGroup var options: ControlOptions

    func run() async throws {
        try await options.tool.perform(DisconnectDevice { $0.ends = ends.value })
    }
}

/// `beaconry ctl receiver connections`
struct ControlReceiverConnections: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "connections", abstract: "Show the devices that a receiver is connected to.",
        discussion: "Example: beaconry ctl receiver connections phone")
    @Argument(help: "The receiver's name.") var name: String
    @OptionGroup var options: ControlOptions

    func run() async throws {
        try await options.tool.perform(ListConnections { $0.receiver = AirName(name) }, list: AttributeText.list)
    }
}

/// `beaconry ctl receiver services`
struct ControlReceiverServices: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "services", abstract: "Show the services of a connected device with their characteristics.",
        discussion: "Example: beaconry ctl receiver services phone door")
    @OptionGroup var ends: ConnectionOptions
    @OptionGroup var options: ControlOptions

    func run() async throws {
        try await options.tool.perform(ListServices { $0.ends = ends.value }, list: AttributeText.list)
    }
}

/// `beaconry ctl receiver read`
struct ControlReceiverRead: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Read a characteristic of a connected device.",
        discussion: "Example: beaconry ctl receiver read phone door 2A19")
    @OptionGroup var target: CharacteristicOptions
    @OptionGroup var options: ControlOptions

    func run() async throws {
        let read = try ReadCharacteristic {
            ($0.ends, $0.characteristic) = (target.ends.value, try target.reference)
        }
        try await options.tool.perform(read) { [$0.value] }
    }
}

/// `beaconry ctl receiver write`
struct ControlReceiverWrite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "write", abstract: "Write a characteristic of a connected device.",
        discussion: "Example: beaconry ctl receiver write phone door FFF1 0164")
    @OptionGroup var target: CharacteristicOptions
    @Argument(help: "The value in hexadecimal digits, at most 512 bytes.") var value: String
    @Flag(inversion: .prefixedNo, help: "Whether the device acknowledges it (default: yes).") var response: Bool?
    @OptionGroup var options: ControlOptions

    func run() async throws {
        let write = try WriteCharacteristic {
            ($0.ends, $0.characteristic, $0.response) = (target.ends.value, try target.reference, response)
            $0.value = try WrittenValue(json: .text(value))
        }
        try await options.tool.perform(write)
    }
}

/// `beaconry ctl receiver notifications`
struct ControlReceiverNotifications: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notifications",
        abstract: "Print the values that a connected device notifies, as JSON, until the connection ends.",
        discussion: """
            Example: beaconry ctl receiver notifications phone door 2A37

            The receiver is subscribed to the characteristic meanwhile. Without one, the values of all are printed, and the \
            receiver subscribes to none.
            """)
    @OptionGroup var ends: ConnectionOptions
    @Argument(help: "The handle of its value, or its UUID (default: all).") var characteristic: String?
    @OptionGroup var options: ControlOptions

    func run() async throws {
        let follow = try FollowNotifications {
            $0.ends = ends.value
            $0.characteristic = try characteristic.map { try CharacteristicReference(json: .text($0)) }
        }
        try await options.tool.printRecords(follow)
    }
}

/// `beaconry ctl receiver unsubscribe`
struct ControlReceiverUnsubscribe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unsubscribe", abstract: "End the subscription to a characteristic, and what prints its values.",
        discussion: "Example: beaconry ctl receiver unsubscribe phone door 2A37")
    @OptionGroup var target: CharacteristicOptions
    @OptionGroup var options: ControlOptions

    func run() async throws {
        let unsubscribe = try Unsubscribe {
            ($0.ends, $0.characteristic) = (target.ends.value, try target.reference)
        }
        try await options.tool.perform(unsubscribe)
    }
}
