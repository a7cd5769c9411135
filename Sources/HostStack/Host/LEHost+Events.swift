// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

extension LEHost {
    /// Takes an event; one that is not known, or not well-formed, is left alone.
    mutating func receive(_ packet: HCIEventPacket) {
        switch packet.code {
        case HCICommandComplete.eventCode: read(packet) { $0.receive($1 as HCICommandComplete) }
        case CommandStatus.eventCode: read(packet) { $0.receive($1 as CommandStatus) }
        case NumberOfCompletedPackets.eventCode: read(packet) { $0.receive($1 as NumberOfCompletedPackets) }
        case DisconnectionComplete.eventCode: read(packet) { $0.receive($1 as DisconnectionComplete) }
        case EncryptionChange.eventCode: read(packet) { $0.receive($1 as EncryptionChange) }
        case EncryptionKeyRefreshComplete.eventCode: read(packet) { $0.receive($1 as EncryptionKeyRefreshComplete) }
        case HardwareError.eventCode: read(packet) { $0.receive($1 as HardwareError) }
        case HCIEventPacket.lowEnergyMetaCode: receiveMeta(packet)
        default: break
        }
    }

    private mutating func receiveMeta(_ packet: HCIEventPacket) {
        // Before the controller is ready, such an event is left from its former life.
        guard isReady else { return }
        switch packet.subeventCode {
        case LEConnectionComplete.subeventCode:
            read(packet) { $0.receive(LinkDetails($1 as LEConnectionComplete), $1.status) }
        case LEEnhancedConnectionComplete.subeventCode:
            read(packet) { $0.receive(LinkDetails($1 as LEEnhancedConnectionComplete), $1.status) }
        case LEAdvertisingSetTerminated.subeventCode: read(packet) { $0.receive($1 as LEAdvertisingSetTerminated) }
        case LEConnectionUpdateComplete.subeventCode: read(packet) { $0.receive($1 as LEConnectionUpdateComplete) }
        case LERemoteConnectionParameterRequest.subeventCode:
            read(packet) { $0.receive($1 as LERemoteConnectionParameterRequest) }
        case LELongTermKeyRequest.subeventCode: read(packet) { $0.receive($1 as LELongTermKeyRequest) }
        case LEAdvertisingReport.subeventCode: read(packet) { $0.receive($1 as LEAdvertisingReport) }
        case LEExtendedAdvertisingReport.subeventCode: read(packet) { $0.receive($1 as LEExtendedAdvertisingReport) }
        default: break
        }
    }

    private mutating func read<Event: HCIEvent>(_ packet: HCIEventPacket, _ body: (inout LEHost, Event) -> Void) {
        // More than is known may follow, as later versions of the specification may add it.
        var reader = ByteReader(packet.parameters)
        guard let event = try? Event(parsing: &reader) else { return }
        body(&self, event)
    }

    private mutating func receive(_ event: HardwareError) {
        switch phase {
        case .initialising, .ready: fail(.hardware(code: event.hardwareCode))
        case .idle, .failed: break
        }
    }

    private mutating func receive(_ event: LEAdvertisingReport) {
        guard scanner.isOn else { return }
        for report in event.reports { emit(.scanReport(ScanReport(report))) }
    }

    private mutating func receive(_ event: LEExtendedAdvertisingReport) {
        guard scanner.isOn else { return }
        for report in event.reports {
            guard let whole = scanner.assembler.take(report) else { continue }
            emit(.scanReport(whole))
        }
    }
}

extension LinkDetails {
    init(_ event: LEConnectionComplete) {
        self.init(
            handle: event.connectionHandle, role: event.role == .central ? .central : .peripheral,
            peer: PeerAddress(event.peerAddress, type: event.peerAddressType), interval: event.connectionInterval,
            latency: event.peripheralLatency, supervisionTimeout: event.supervisionTimeout)
    }

    init(_ event: LEEnhancedConnectionComplete) {
        self.init(
            handle: event.connectionHandle, role: event.role == .central ? .central : .peripheral,
            peer: PeerAddress(event.peerAddress, type: event.peerAddressType), interval: event.connectionInterval,
            latency: event.peripheralLatency, supervisionTimeout: event.supervisionTimeout)
    }
}
