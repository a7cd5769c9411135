// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import DBus
public import Radio

// Connections of centrals whose own attributes a beacon uses. bluetoothd discovers them as soon as a central has
// connected, and has them below the central's object.

extension BlueZRadio: LinkOwner {
    public func link(to central: String) async throws(RadioError) -> any RemoteLink {
        if let link = links[central] { return link }
        guard let attachment, let (path, device) = await object(of: central, attachment), centrals[central] != nil,
            self.attachment?.daemon.owner == attachment.daemon.owner
        else {
            throw RadioError(.refused, "\(central) is not connected", hint: "wait until it is")
        }
        await hearValues(on: attachment.daemon.connection)
        if let link = links[central] { return link }
        let link = BlueZRemoteLink(
            device, path, on: BlueZCentral.Attachment(daemon: attachment.daemon, adapter: attachment.adapter),
            database: RemoteDatabase(of: path, in: []), owner: self)
        links[central] = link
        return link
    }

    /// Where bluetoothd has a central, which it may hear of later than the kernel tells it here.
    private func object(of central: String, _ attachment: Attachment) async -> (ObjectPath, RemoteAddress)? {
        for _ in 0..<50 where centrals[central] != nil {
            for object in (try? await attachment.daemon.objects()) ?? [] {
                guard let path = object.key.objectPathValue, path.parent == attachment.adapter.path,
                    let values = object.value.dictionaryValue?[DeviceProperties.interface]?.dictionaryValue,
                    case let properties = DeviceProperties(values), properties.isConnected,
                    let device = properties.device
                else { continue }
                // A peer that told who it is when it paired keeps the path that it had before.
                if [device.address, BlueZDevice.address(of: path)].contains(BluetoothAddress(central)) {
                    return (path, device)
                }
            }
            try? await Task.sleep(for: .milliseconds(100))
        }
        return nil
    }

    /// Listens to what centrals tell of their characteristics.
    private func hearValues(on connection: DBusConnection) async {
        guard valuesHeardOn !== connection else { return }
        valuesHeardOn = connection
        let rule = MatchRule(
            sender: BlueZDaemon.busName, pathNamespace: "/org/bluez", interface: "org.freedesktop.DBus.Properties",
            member: "PropertiesChanged", argument0: RemoteDatabase.characteristicInterface)
        // A bus that takes no rule is closing; the loop finds that out by itself.
        guard let signals = try? await connection.subscribe(rule) else { return }
        keep(
            Task { [weak self] in
                for await signal in signals { await self?.noteValue(signal) }
            })
    }

    private func noteValue(_ signal: DBusMessage) {
        guard let path = signal.path, let device = path.parent?.parent,
            let value = signal.body.dropFirst().first?.dictionaryValue?["Value"]?.bytesValue
        else { return }
        link(at: device)?.take(value, from: path)
    }

    /// Takes services that bluetoothd found, or finds no more.
    func noteServices(_ signal: DBusMessage) {
        guard !links.isEmpty, signal.body.count == 2, let path = signal.body[0].objectPathValue,
            let device = path.parent, let link = link(at: device)
        else { return }
        let interface = RemoteDatabase.serviceInterface
        if signal.member == "InterfacesRemoved", signal.body[1].stringsValue?.contains(interface) == true {
            link.noteService(at: path, isThere: false)
        } else if signal.member == "InterfacesAdded",
            let service = signal.body[1].dictionaryValue?[interface]?.dictionaryValue,
            service["Primary"]?.boolValue == true
        {
            link.noteService(at: path, isThere: true)
        }
    }

    private func link(at path: ObjectPath) -> BlueZRemoteLink? { links.values.first { $0.path == path } }

    // MARK: - What a link asks of its radio

    func check(_ path: ObjectPath) async {
        guard let attachment, let link = link(at: path), let loss = await attachment.daemon.loss(of: path) else {
            return
        }
        link.end(loss.reason)
        if !loss.isKnown { wake() }
    }

    func drop(_ link: BlueZRemoteLink) {
        links = links.filter { $0.value !== link }
        link.end("this side ended it")
    }

    func notify(_ value: [UInt8], of characteristic: CharacteristicIdentifier) -> Bool { false }

    func answerPairings(by answer: (@Sendable (AgentRequest) async -> PairingAnswer)?) -> Bool { false }
}
