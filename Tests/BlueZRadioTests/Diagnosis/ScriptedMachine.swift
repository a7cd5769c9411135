// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import KernelBluetooth

@testable import BlueZRadio

/// A machine that has what a test gives it.
struct ScriptedMachine: MachineReader {
    var kernelHasBluetooth = true
    var rights = (mayManage: true, mayMonitor: true)
    var adapterNames: [String] = []
    var blocks: [String: String] = [:]
    var files: [String: String] = [:]
    var links: [String: String] = [:]
    var messages: [KernelMessage]?
    var now = 0.0
    var program = MachineFacts.ProgramFile()
    var isUp: [String: Bool] = [:]
    var users: [MachineFacts.Process] = []
    var leftovers: [String: [UInt8]] = [:]
    var leftoverTime = 0.0
    var state: DaemonState = (MachineFacts.Daemon(fault: .daemonOff), [:], [:])
    var controllers: [UInt16: (information: [UInt8]?, features: [UInt8]?)] = [:]

    func block(of adapter: String) -> String? { blocks[adapter] }
    func text(of path: String) -> String? { files[path] }
    func lastComponent(ofLink path: String) -> String? { links[path] }
    func kernelMessages() -> [KernelMessage]? { messages }
    func isUp(_ adapter: String) -> Bool? { isUp[adapter] }
    func controllerUsers() -> [MachineFacts.Process] { users }
    func leftoverInstances(of adapter: String, address: String?, since time: Double) -> [UInt8] {
        time > leftoverTime ? [] : leftovers[adapter] ?? []
    }
    func daemon() async -> DaemonState { state }
    func controller(_ index: UInt16) async -> (information: [UInt8]?, features: [UInt8]?) {
        controllers[index] ?? (nil, nil)
    }

    /// The reply to Read Controller Information.
    static func information(
        _ address: String, version: UInt8 = 9, manufacturer: UInt16 = 2, supported: UInt32 = 0x0001_FEFF,
        current: UInt32 = 0x0000_0AD1
    ) throws -> [UInt8] {
        var writer = ByteWriter()
        (BluetoothAddress(address) ?? .zero).serialize(into: &writer)
        writer.write(version)
        writer.writeLittleEndian(manufacturer)
        writer.writeLittleEndian(supported)
        writer.writeLittleEndian(current)
        // Class of device, name and short name.
        writer.write([UInt8](repeating: 0, count: 3 + 249 + 11))
        return writer.bytes
    }

    /// The objects of an adapter of bluetoothd.
    static func interfaces(
        _ address: String, powered: Bool = true, discoverable: Bool = false, discovering: Bool = false,
        active: UInt8 = 0, free: UInt8 = 5, channels: [String] = [], powers: (Int16, Int16)? = nil
    ) -> [String: DBusValue] {
        var advertising: [String: DBusValue] = [
            "ActiveInstances": .byte(active), "SupportedInstances": .byte(free),
            "SupportedSecondaryChannels": channels.isEmpty ? .array("s", []) : .strings(channels),
        ]
        if let powers {
            advertising["SupportedCapabilities"] = .variants([
                "MaxAdvLen": .byte(31), "MinTxPower": .int16(powers.0), "MaxTxPower": .int16(powers.1),
            ])
        }
        return [
            "org.bluez.Adapter1": .variants([
                "Address": .string(address), "Powered": .boolean(powered), "Discoverable": .boolean(discoverable),
                "Discovering": .boolean(discovering), "Modalias": "usb:v1D6Bp0246d0552",
            ]),
            "org.bluez.LEAdvertisingManager1": .variants(advertising),
        ]
    }
}
