// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Space
import Testing
import VirtualRadio

/// An air, and hosts that log the packets of their controllers.
struct Bench {
    var air: Air
    private var logs: [ControllerIdentifier: [HCIPacket]] = [:]

    init(_ configuration: AirConfiguration = AirConfiguration(seed: 1)) {
        air = Air(configuration)
    }

    /// Adds a controller whose host enables all events except some LE ones.
    mutating func add(
        _ number: UInt8, position: Position? = nil, power: Int8 = 0, masked: [UInt8] = [0x06, 0x0A],
        character: ControllerCharacter = .none, isOfBeacon: Bool = false
    ) -> ControllerIdentifier {
        let identifier = air.addController(
            ControllerConfiguration(
                publicAddress: Self.address(number), position: position, transmitPower: TransmitPower(power),
                character: character, isOfBeacon: isOfBeacon))
        expectSuccess(HCIReset(), identifier)
        prepare(identifier, masked: masked)
        return identifier
    }

    /// Enables all events except these LE ones.
    mutating func prepare(_ identifier: ControllerIdentifier, masked: [UInt8] = []) {
        var mask = LEEventMask(rawValue: .max)
        for subevent in masked { mask.subtract(LEEventMask(subeventCode: subevent)) }
        expectSuccess(SetEventMask(eventMask: EventMask(rawValue: .max)), identifier)
        expectSuccess(LESetEventMask(eventMask: mask), identifier)
    }

    /// `C0:00:00:00:00:xx`
    static func address(_ number: UInt8) -> BluetoothAddress {
        BluetoothAddress(octets: [0xC0, 0, 0, 0, 0, number]) ?? .zero
    }

    /// Sends a command.
    /// - Returns: the status of the answer; `nil` without an answer.
    @discardableResult
    mutating func send(_ command: some HCICommand, _ identifier: ControllerIdentifier) -> HCIStatus? {
        sendPacket(HCICommandPacket(command), identifier)?.status
    }

    /// Sends a command that must succeed.
    mutating func expectSuccess(
        _ command: some HCICommand, _ identifier: ControllerIdentifier,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(send(command, identifier) == .success, "\(command)", sourceLocation: sourceLocation)
    }

    /// Sends a command.
    /// - Returns: the return parameters.
    mutating func returned<Command: HCIReturningCommand>(
        _ command: Command, _ identifier: ControllerIdentifier
    ) throws -> Command.Returned {
        let octets = try #require(sendPacket(HCICommandPacket(command), identifier)).octets
        return try Command.Returned(parsing: octets)
    }

    /// Sends a command, and removes the answer from the log.
    /// - Returns: the status and the return parameters.
    mutating func sendPacket(
        _ packet: HCICommandPacket, _ identifier: ControllerIdentifier
    ) -> (status: HCIStatus, octets: [UInt8])? {
        drain(identifier)
        let start = logs[identifier, default: []].count
        let isTaken = air.receive(.command(packet), from: identifier)
        #expect(isTaken)
        drain(identifier)
        let log = logs[identifier, default: []]
        for index in start..<max(start, log.count) {
            guard case .event(let event) = log[index] else { continue }
            if let complete = try? event.parameters(as: HCICommandComplete.self), complete.opcode == packet.opcode {
                logs[identifier]?.remove(at: index)
                return (complete.status ?? .success, complete.returnParameters)
            }
            if let status = try? event.parameters(as: CommandStatus.self), status.opcode == packet.opcode {
                logs[identifier]?.remove(at: index)
                return (status.status, [])
            }
        }
        return nil
    }

    mutating func sendData(
        _ payload: [UInt8], _ handle: ConnectionHandle, _ identifier: ControllerIdentifier,
        boundary: PacketBoundary = .firstNonFlushable
    ) {
        air.receive(.acl(ACLDataPacket(handle: handle, boundary: boundary, payload: payload)), from: identifier)
    }

    /// Moves all packets of a controller for its host to the log.
    mutating func drain(_ identifier: ControllerIdentifier) {
        while let packet = air.takeOutput(of: identifier) { logs[identifier, default: []].append(packet) }
    }

    /// Takes the packets of a host from the log.
    mutating func takePackets(_ identifier: ControllerIdentifier) -> [HCIPacket] {
        drain(identifier)
        return logs.removeValue(forKey: identifier) ?? []
    }

    /// Takes the events of a type from the log of a host; other packets stay.
    mutating func takeEvents<Event: HCIEvent>(_: Event.Type, _ identifier: ControllerIdentifier) -> [Event] {
        var events: [Event] = []
        var rest: [HCIPacket] = []
        for packet in takePackets(identifier) {
            if case .event(let event) = packet, let parsed = try? event.parameters(as: Event.self) {
                events.append(parsed)
            } else {
                rest.append(packet)
            }
        }
        logs[identifier] = rest
        return events
    }

    /// Takes the data from the log of a host; other packets stay.
    mutating func takeData(_ identifier: ControllerIdentifier) -> [ACLDataPacket] {
        var data: [ACLDataPacket] = []
        var rest: [HCIPacket] = []
        for packet in takePackets(identifier) {
            if case .acl(let acl) = packet { data.append(acl) } else { rest.append(packet) }
        }
        logs[identifier] = rest
        return data
    }

    mutating func run(milliseconds: Int64) {
        air.advance(to: air.now + milliseconds * 1000)
    }
}

extension Bench {
    /// Starts legacy advertising; the interval is in ticks.
    mutating func advertise(
        _ identifier: ControllerIdentifier, _ type: AdvertisingType = .connectableUndirected, interval: UInt32 = 160,
        data: [UInt8] = [2, 1, 6], scanResponse: [UInt8] = [], target: BluetoothAddress = .zero,
        channels: AdvertisingChannelMap = .all, policy: AdvertisingFilterPolicy = []
    ) throws {
        expectSuccess(
            LESetAdvertisingParameters(
                minimumInterval: AdvertisingInterval(interval), maximumInterval: AdvertisingInterval(interval),
                advertisingType: type, peerAddress: target, channelMap: channels, filterPolicy: policy), identifier)
        expectSuccess(try #require(LESetAdvertisingData(data: data)), identifier)
        expectSuccess(try #require(LESetScanResponseData(data: scanResponse)), identifier)
        expectSuccess(LESetAdvertisingEnable(enable: 1), identifier)
    }

    /// Starts a legacy scan; times are in ticks.
    mutating func scan(
        _ identifier: ControllerIdentifier, _ type: ScanType = .passive, interval: UInt32 = 16, window: UInt32 = 16,
        policy: ScanningFilterPolicy = .unfiltered, filterDuplicates: Bool = false
    ) {
        expectSuccess(
            LESetScanParameters(
                scanType: type, scanInterval: ScanTime(interval), scanWindow: ScanTime(window),
                scanningFilterPolicy: policy), identifier)
        expectSuccess(LESetScanEnable(enable: 1, filterDuplicates: filterDuplicates ? 1 : 0), identifier)
    }

    mutating func takeReports(_ identifier: ControllerIdentifier) -> [LEAdvertisingReport.Report] {
        takeEvents(LEAdvertisingReport.self, identifier).flatMap(\.reports)
    }

    mutating func takeExtendedReports(_ identifier: ControllerIdentifier) -> [LEExtendedAdvertisingReport.Report] {
        takeEvents(LEExtendedAdvertisingReport.self, identifier).flatMap(\.reports)
    }

    /// A command with times in units of the wire.
    static func createConnection(
        _ peer: BluetoothAddress, interval: UInt32 = 24, latency: UInt16 = 0, timeout: UInt32 = 100
    ) -> LECreateConnection {
        LECreateConnection(
            scanInterval: ScanTime(96), scanWindow: ScanTime(96), peerAddress: peer,
            minimumConnectionInterval: ConnectionInterval(interval),
            maximumConnectionInterval: ConnectionInterval(interval), maximumLatency: latency,
            supervisionTimeout: SupervisionTimeout(timeout))
    }

    /// An advertising set with legacy PDUs.
    static func extendedParameters(
        _ handle: UInt8 = 0, _ properties: AdvertisingEventProperties = .legacyConnectable, power: Int8 = 127
    ) -> LESetExtendedAdvertisingParameters {
        LESetExtendedAdvertisingParameters(
            advertisingHandle: handle, properties: properties, minimumInterval: AdvertisingInterval(160),
            maximumInterval: AdvertisingInterval(160), transmitPower: TransmitPower(power))
    }

    static func extendedEnable(_ enable: UInt8 = 1, _ handle: UInt8 = 0) -> LESetExtendedAdvertisingEnable {
        LESetExtendedAdvertisingEnable(enable: enable, sets: [.init(advertisingHandle: handle)])
    }

    /// Adds two connected controllers.
    mutating func connect(
        interval: UInt32 = 24, latency: UInt16 = 0, timeout: UInt32 = 100, masked: [UInt8] = [0x06, 0x0A]
    ) throws -> Pair {
        let central = add(1, masked: masked)
        let peripheral = add(2, masked: masked)
        try advertise(peripheral)
        expectSuccess(
            Self.createConnection(Self.address(2), interval: interval, latency: latency, timeout: timeout), central)
        run(milliseconds: 200)
        let atCentral = try #require(takeEvents(LEConnectionComplete.self, central).first)
        let atPeripheral = try #require(takeEvents(LEConnectionComplete.self, peripheral).first)
        _ = (takePackets(central), takePackets(peripheral))
        return Pair(
            central: central, peripheral: peripheral, centralHandle: atCentral.connectionHandle,
            peripheralHandle: atPeripheral.connectionHandle)
    }

    struct Pair {
        let central: ControllerIdentifier
        let peripheral: ControllerIdentifier
        let centralHandle: ConnectionHandle
        let peripheralHandle: ConnectionHandle
    }
}
