// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

@testable import BlueZRadio

/// A controller whose traffic an `AdvertisingObserver` and an `ObservedController` read.
final class MonitoredController {
    private(set) var observer = AdvertisingObserver()
    private(set) var controller = ObservedController()
    private var commands = MonitoredCommands()
    /// The observed packets.
    private var packets: [MonitorPacket] = []
    private static let succeeded: [UInt8] = [0]

    /// Observes a command and its reply with these return parameters.
    /// - Returns: whether that led to an observation.
    @discardableResult
    func run(_ opcode: HCIOpcode, _ parameters: [UInt8], returning returned: [UInt8] = succeeded) -> Bool {
        let isObservedBefore = observe(Self.command(opcode, parameters))
        let isObservedAfter = observe(Self.complete(opcode, returned))
        return isObservedBefore || isObservedAfter
    }

    /// Passes a packet to the observer.
    /// - Returns: whether that led to an observation.
    func observe(_ packet: MonitorPacket) -> Bool {
        packets.append(packet)
        _ = controller.observe(packet)
        return observer.observe(packet, commands.completion(by: packet))
    }

    @discardableResult
    func run(_ command: some HCICommand, returning returned: [UInt8] = succeeded) -> Bool {
        run(type(of: command).opcode, command.serialized(), returning: returned)
    }

    static func command(_ opcode: HCIOpcode, _ parameters: [UInt8]) -> MonitorPacket {
        var writer = ByteWriter()
        writer.writeLittleEndian(opcode.rawValue)
        writer.write(UInt8(truncatingIfNeeded: parameters.count))
        writer.write(parameters)
        return MonitorPacket(kind: MonitorPacket.command, index: 0, data: writer.bytes)
    }

    static func complete(_ opcode: HCIOpcode, _ returned: [UInt8]) -> MonitorPacket {
        let event = HCICommandComplete(commandCredits: 1, opcode: opcode, returnParameters: returned).serialized()
        return MonitorPacket(
            kind: MonitorPacket.event, index: 0,
            data: [HCICommandComplete.eventCode, UInt8(event.count)] + event)
    }

    /// Returns the packets since the last call.
    func takePackets() -> [MonitorPacket] {
        defer { packets = [] }
        return packets
    }

    /// Observes the event of an HCI packet.
    func report(_ event: some HCIEvent) {
        _ = observe(
            MonitorPacket(kind: MonitorPacket.event, index: 0, data: HCIEventPacket(event).serialized()))
    }

    /// Observes a connection.
    func connect(_ role: ConnectionRole, handle: UInt16 = 64) {
        report(
            LEConnectionComplete(
                connectionHandle: ConnectionHandle(handle), role: role, peerAddressType: .random,
                peerAddress: .zero, connectionInterval: ConnectionInterval(24), peripheralLatency: 0,
                supervisionTimeout: SupervisionTimeout(100)))
    }

    /// Observes the end of a connection: HCI Disconnection Complete.
    func disconnect(handle: UInt16 = 64) {
        _ = observe(
            MonitorPacket(
                kind: MonitorPacket.event, index: 0, data: [0x05, 4, 0, UInt8(handle & 0xFF), UInt8(handle >> 8), 0x13])
        )
    }

    /// Observes the start or the end of a scan: an active one of a program, or a passive one of the kernel.
    func scan(_ isEnabled: Bool, type: ScanType = .active) {
        if isEnabled {
            run(LESetScanParameters(scanType: type, scanInterval: ScanTime(96), scanWindow: ScanTime(48)))
        }
        run(LESetScanEnable(enable: isEnabled ? 1 : 0, filterDuplicates: 1))
    }

    /// What bluetoothd reports of scans.
    func note(isDiscovering: Bool) { _ = controller.note(isDiscovering: isDiscovering) }

    // MARK: - Legacy advertising

    /// The commands of the kernel when another instance takes its turn on a legacy controller.
    func turn(
        data: [UInt8]?, response: [UInt8]? = [], interval: ClosedRange<UInt16> = 160...160, type: UInt8 = 0,
        ownAddressType: UInt8 = 0
    ) {
        run(LESetAdvertisingEnable.opcode, [0])
        if let data { run(LESetAdvertisingData(data: data, padding: Self.padding(data))) }
        if let response { run(LESetScanResponseData(data: response, padding: Self.padding(response))) }
        var writer = ByteWriter()
        writer.writeLittleEndian(interval.lowerBound)
        writer.writeLittleEndian(interval.upperBound)
        writer.write([type, ownAddressType, 0, 0, 0, 0, 0, 0, 0, 7, 0])
        run(LESetAdvertisingParameters.opcode, writer.bytes)
        run(LESetAdvertisingEnable.opcode, [1])
    }

    /// The packets of a `turn` of one instance.
    static func packetsOfTurn(data: [UInt8]) -> [MonitorPacket] {
        let controller = MonitoredController()
        controller.turn(data: data)
        return controller.packets
    }

    private static func padding(_ data: [UInt8]) -> [UInt8] { [UInt8](repeating: 0, count: 31 - data.count) }

    // MARK: - Extended advertising

    func setParameters(
        handle: UInt8, properties: UInt16 = 0x0013, interval: UInt16 = 160, ownAddressType: UInt8 = 0,
        selectedPower: Int8 = 0
    ) {
        var writer = ByteWriter()
        writer.write(handle)
        writer.writeLittleEndian(properties)
        for _ in 0..<2 {
            writer.writeLittleEndian(interval)
            writer.write(UInt8(0))
        }
        writer.write([7, ownAddressType] + [UInt8](repeating: 0, count: 8) + [127, 1, 0, 1, 0, 0])
        run(
            LESetExtendedAdvertisingParameters.opcode, writer.bytes,
            returning: [0, UInt8(bitPattern: selectedPower)])
    }

    func setData(handle: UInt8, _ data: [UInt8]) {
        run(LESetExtendedAdvertisingData(advertisingHandle: handle, data: data))
    }

    func setResponse(handle: UInt8, _ data: [UInt8]) {
        run(LESetExtendedScanResponseData(advertisingHandle: handle, data: data))
    }

    @discardableResult
    func enable(_ isEnabled: Bool = true, handles: [UInt8], returning returned: [UInt8] = succeeded) -> Bool {
        run(
            LESetExtendedAdvertisingEnable.opcode,
            [isEnabled ? 1 : 0, UInt8(handles.count)] + handles.flatMap { [$0, 0, 0, 0] }, returning: returned)
    }
}
