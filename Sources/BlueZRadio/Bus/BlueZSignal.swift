// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus

/// What a signal of the bus or of bluetoothd reports.
///
/// Parsed from NameOwnerChanged, org.freedesktop.DBus.ObjectManager, org.freedesktop.DBus.Properties, and the Disconnected
/// signal of org.bluez.Device1.
enum BlueZSignal: Hashable {
    /// bluetoothd started or ended.
    case daemonChanged
    /// An adapter, or one of its interfaces, appeared or vanished, or has other values of these properties.
    case adapterChanged(Set<String>)
    /// A device appeared.
    case deviceAdded(ObjectPath, [String: DBusValue])
    /// Properties of a device have other values, or none any more.
    case deviceChanged(ObjectPath, changed: [String: DBusValue], invalidated: [String])
    /// A device vanished.
    case deviceRemoved(ObjectPath)
    /// A device disconnected, with bluetoothd's reason. Since BlueZ 5.83.
    case deviceDisconnected(ObjectPath, reason: String)
    /// A primary service of a device was discovered, or vanished.
    case serviceChanged(ObjectPath, isPresent: Bool)
    /// Other properties of a device's characteristic have other values.
    case characteristicChanged(ObjectPath)
    /// The value of a device's characteristic: notified, indicated or read.
    case valueChanged(characteristic: ObjectPath, [UInt8])

    private static let root: ObjectPath = "/org/bluez"

    /// The signals that a radio which advertises subscribes to.
    static let rules: [MatchRule] = {
        let properties = "org.freedesktop.DBus.Properties"
        return [
            MatchRule(
                sender: DBusConnection.busName, interface: DBusConnection.busName, member: "NameOwnerChanged",
                argument0: BlueZDaemon.busName),
            MatchRule(sender: BlueZDaemon.busName, interface: "org.freedesktop.DBus.ObjectManager"),
            MatchRule(
                sender: BlueZDaemon.busName, pathNamespace: "/org/bluez", interface: properties,
                member: "PropertiesChanged", argument0: BlueZAdapter.interface),
            MatchRule(
                sender: BlueZDaemon.busName, pathNamespace: "/org/bluez", interface: properties,
                member: "PropertiesChanged", argument0: DeviceProperties.interface),
        ]
    }()

    /// Added with the first link: the values of centrals' characteristics.
    static let valueRule = MatchRule(
        sender: BlueZDaemon.busName, pathNamespace: "/org/bluez", interface: "org.freedesktop.DBus.Properties",
        member: "PropertiesChanged", argument0: RemoteDatabase.characteristicInterface)

    /// What a signal reports; empty for a signal that no radio uses.
    static func parse(_ signal: DBusMessage) -> [BlueZSignal] {
        switch signal.member {
        case "NameOwnerChanged": [.daemonChanged]
        case "InterfacesAdded": added(signal.body)
        case "InterfacesRemoved": removed(signal.body)
        case "PropertiesChanged": changed(signal)
        case "Disconnected": disconnected(signal)
        default: []
        }
    }

    private static func added(_ body: [DBusValue]) -> [BlueZSignal] {
        guard body.count == 2, let path = body[0].objectPathValue, let interfaces = body[1].dictionaryValue else {
            return []
        }
        var signals: [BlueZSignal] = []
        if isAdapter(path) { signals.append(.adapterChanged([])) }
        if let device = interfaces[DeviceProperties.interface]?.dictionaryValue {
            signals.append(.deviceAdded(path, device))
        }
        if let service = interfaces[RemoteDatabase.serviceInterface]?.dictionaryValue,
            service["Primary"]?.boolValue == true
        {
            signals.append(.serviceChanged(path, isPresent: true))
        }
        return signals
    }

    private static func removed(_ body: [DBusValue]) -> [BlueZSignal] {
        guard body.count == 2, let path = body[0].objectPathValue, let interfaces = body[1].stringsValue else {
            return []
        }
        var signals: [BlueZSignal] = []
        if isAdapter(path) { signals.append(.adapterChanged([])) }
        if interfaces.contains(RemoteDatabase.serviceInterface) {
            signals.append(.serviceChanged(path, isPresent: false))
        }
        if interfaces.contains(DeviceProperties.interface) { signals.append(.deviceRemoved(path)) }
        return signals
    }

    private static func changed(_ signal: DBusMessage) -> [BlueZSignal] {
        guard let path = signal.path, signal.body.count == 3, let interface = signal.body[0].stringValue,
            let changed = signal.body[1].dictionaryValue
        else { return [] }
        let invalidated = signal.body[2].stringsValue ?? []
        switch interface {
        case DeviceProperties.interface:
            return [.deviceChanged(path, changed: changed, invalidated: invalidated)]
        case RemoteDatabase.characteristicInterface:
            let value = changed["Value"]?.bytesValue
            let signals = value.map { [BlueZSignal.valueChanged(characteristic: path, $0)] } ?? []
            return value != nil && changed.count == 1 ? signals : signals + [.characteristicChanged(path)]
        default:
            return isAdapter(path) ? [.adapterChanged(Set(changed.keys).union(invalidated))] : []
        }
    }

    private static func disconnected(_ signal: DBusMessage) -> [BlueZSignal] {
        guard let path = signal.path, signal.body.count > 1 else { return [] }
        return [.deviceDisconnected(path, reason: signal.body[1].stringValue ?? "")]
    }

    /// Whether the object is an adapter, or the one that has the managers of agents and profiles.
    private static func isAdapter(_ path: ObjectPath) -> Bool { path == root || path.parent == root }
}
