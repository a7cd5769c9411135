// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

@testable import HostStack

/// A table with attributes of every kind, and its contents by handle.
enum AttributeFixture {
    static let service = uuid("2173E519-9155-4862-AB64-7953AB146156")
    static let identity = uuid("2173E519-9155-4862-AB64-7953AB146157")
    static let numbers = uuid("2173E519-9155-4862-AB64-7953AB146158")
    static let command = uuid("2173E519-9155-4862-AB64-7953AB146159")
    static let text = uuid("2173E519-9155-4862-AB64-7953AB14615A")
    static let battery = BluetoothUUID.bit16(0x2A19)

    static let services: [GATTService] = [
        // 0x000E to 0x0013
        GATTService(
            uuid: .bit16(0x180F),
            characteristics: [
                GATTCharacteristic(
                    uuid: battery, properties: [.read, .notify, .broadcast],
                    descriptors: [.presentationFormat(PresentationFormat(format: 4, unit: 0x27AD))])
            ]),
        // 0x0014 to 0x0021
        GATTService(
            uuid: service, includedServices: [.bit16(0x180F), uuid("2173E519-9155-4862-AB64-7953AB1461FF")],
            characteristics: [
                GATTCharacteristic(uuid: identity, properties: [.read, .write]),
                GATTCharacteristic(uuid: numbers, properties: [.read, .write, .notify, .indicate]),
                GATTCharacteristic(
                    uuid: command, properties: .writeWithoutResponse, descriptors: [.userDescription("Command")]),
                GATTCharacteristic(
                    uuid: text, properties: [.read, .write, .extendedProperties],
                    descriptors: [.extendedProperties(.reliableWrite)]),
            ]),
        // 0x0022 to 0x002F
        GATTService(
            uuid: .bit16(0x1815),
            characteristics: [
                protected(0x2A56, AttributePermissions(read: .encryption, write: .encryption)),
                protected(0x2A57, AttributePermissions(read: .authentication, write: .authentication)),
                protected(0x2A58, AttributePermissions(read: .authorization, write: .authorization)),
                protected(0x2A59, AttributePermissions(read: .encryption, minimumKeySize: 16)),
                GATTCharacteristic(
                    uuid: .bit16(0x2A5A), properties: .notify,
                    permissions: AttributePermissions(subscribe: .encryption)),
                GATTCharacteristic(
                    uuid: .bit16(0x2A5B), properties: .read, descriptors: [.clientConfiguration]),
            ]),
        // 0x0031
        GATTService(
            uuid: uuid("2173E519-9155-4862-AB64-7953AB1461FF"), isPrimary: false, characteristics: []),
    ]

    static let batteryValue: AttributeHandle = 0x0010
    static let batteryClientConfiguration: AttributeHandle = 0x0011
    static let batteryServerConfiguration: AttributeHandle = 0x0012
    static let identityValue: AttributeHandle = 0x0018
    static let numbersValue: AttributeHandle = 0x001A
    static let numbersClientConfiguration: AttributeHandle = 0x001B
    static let commandValue: AttributeHandle = 0x001D
    static let textValue: AttributeHandle = 0x0020

    static func database(name: String = "Beacon") throws -> AttributeDatabase {
        try AttributeDatabase(services: services, genericAccess: GenericAccess(name: name))
    }

    private static func protected(_ short: UInt16, _ permissions: AttributePermissions) -> GATTCharacteristic {
        GATTCharacteristic(uuid: .bit16(short), properties: [.read, .write], permissions: permissions)
    }

    private static func uuid(_ text: String) -> BluetoothUUID {
        guard let uuid = BluetoothUUID(text) else { preconditionFailure("\(text) is a UUID") }
        return uuid
    }
}

/// The owner of the table's values, which behaves as a device does: a write at an offset replaces the end.
struct AttributeOwner {
    var values: [AttributeHandle: [UInt8]] = [
        AttributeFixture.batteryValue: [100],
        AttributeFixture.identityValue: Array(0..<16),
        AttributeFixture.numbersValue: [1, 0, 1, 0],
        AttributeFixture.commandValue: [],
        AttributeFixture.textValue: [],
    ]
    /// Characteristics whose values have a fixed length, as settings do.
    var fixedLengths: Set<AttributeHandle> = [AttributeFixture.identityValue, AttributeFixture.numbersValue]
    /// All writes, in order.
    var written: [AttributeValue] = []

    /// The answer to a question; `nil` for any other output.
    mutating func answer(_ output: ATTServerOutput) -> (token: ATTToken, result: Result<[UInt8], ATTError>)? {
        switch output {
        case .read(let token, let handle, _, let offset): (token, read(handle, from: offset))
        case .write(let token, let handle, _, let offset, let value, _):
            (token, write(value, to: handle, from: offset).map { [] })
        default: nil
        }
    }

    private func read(_ handle: AttributeHandle, from offset: Int) -> Result<[UInt8], ATTError> {
        let value = values[handle] ?? [0xEE]
        return offset <= value.count ? .success(Array(value[offset...])) : .failure(.invalidOffset)
    }

    private mutating func write(
        _ value: [UInt8], to handle: AttributeHandle, from offset: Int
    ) -> Result<Void, ATTError> {
        let present = values[handle] ?? []
        guard offset <= present.count else { return .failure(.invalidOffset) }
        let changed = present[..<offset] + value
        guard !fixedLengths.contains(handle) || changed.count == present.count else {
            return .failure(.invalidAttributeValueLength)
        }
        values[handle] = Array(changed)
        written.append(AttributeValue(handle: handle, value: Array(changed)))
        return .success(())
    }
}

/// A server with an owner that answers at once.
struct ServerBench {
    var server: ATTServer
    var owner = AttributeOwner()
    /// The outputs of the server other than PDUs and questions, in order.
    var events: [ATTServerOutput] = []
    var now = Duration.zero

    init(
        client: ATTClientState = ATTClientState(), limits: ATTServer.Limits = ATTServer.Limits(),
        security: LinkSecurity = .open
    ) throws {
        server = ATTServer(database: try AttributeFixture.database(), client: client, limits: limits)
        server.security = security
    }

    /// Sends PDUs, and returns the responses as hexadecimal digits.
    mutating func send(_ pdus: String...) throws -> [String] {
        try pdus.flatMap { try send(try Hexadecimal.bytes($0)) }
    }

    mutating func send(_ pdu: [UInt8]) throws -> [String] {
        perform(server.receive(pdu, at: now))
    }

    /// Performs outputs until there are no more.
    mutating func perform(_ outputs: [ATTServerOutput]) -> [String] {
        var sent: [String] = []
        var queue = outputs
        while !queue.isEmpty {
            let output = queue.removeFirst()
            if case .send(let pdu) = output {
                sent.append(Hexadecimal.string(pdu))
            } else if let (token, result) = owner.answer(output) {
                queue += server.respond(token, result, at: now)
            } else {
                events.append(output)
            }
        }
        return sent
    }
}
