// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import HCI
import HostStack
import TestSupport
import VirtualRadio

/// A host in the middle of a pairing, before its next message of the security manager.
struct PairingMoment: Sendable {
    let host: LEHost
    let time: Duration
    let connection: ConnectionIdentifier
    let handle: ConnectionHandle
    /// The message that the peer sent.
    let payload: [UInt8]
}

/// Records pairings of every kind, message by message.
struct PairingRecorder {
    private struct End {
        var host: LEHost
        let controller: ControllerIdentifier
        var connection: ConnectionIdentifier?
        var shown: UInt32?
        var isEntering = false
    }

    private var air = Air()
    private var ends: [End] = []
    private var time: Duration = .zero
    private(set) var moments: [PairingMoment] = []

    /// The moments of all methods and generations, in both roles.
    static let all: [PairingMoment] = {
        var moments: [PairingMoment] = []
        for central in PairingSettings.InputOutput.allCases {
            for peripheral in PairingSettings.InputOutput.allCases {
                for secureConnections in [PairingSettings.Requirement.off, .preferred] {
                    var recorder = PairingRecorder()
                    recorder.record(
                        PairingSettings(
                            inputOutput: central, secureConnections: secureConnections),
                        PairingSettings(inputOutput: peripheral))
                    moments += recorder.moments
                }
            }
        }
        return moments
    }()

    private mutating func record(_ central: PairingSettings, _ peripheral: PairingSettings) {
        guard let set = AdvertisingSetIdentifier(0),
            let address = BluetoothAddress(octets: [0xC0, 0, 0, 0, 0, 1]),
            let other = BluetoothAddress(octets: [0xC0, 0, 0, 0, 0, 2])
        else { return }
        func identity(_ address: BluetoothAddress) -> LocalIdentity {
            LocalIdentity(address: PeerAddress(address, type: .random), resolvingKey: Octets(padding: address.octets))
        }
        for (number, own) in [OwnAddress.random(other), .resolvable(identity(other))].enumerated() {
            let controller = air.addController(ControllerConfiguration(publicAddress: other))
            let host = LEHost(
                configuration: LEHostConfiguration(centralAddress: own),
                random: RandomSource(SplitMix64(seed: UInt64(number))))
            ends.append(End(host: host, controller: controller))
            ends[number].host.start(at: time)
            settle()
        }
        ends[0].host.setPairing(peripheral, for: set)
        let interval = AdvertisingInterval(160)
        ends[0].host.setAdvertising(
            Advertisement(pdu: .connectableScannable, advertisingData: [], scanResponse: [], interval: interval),
            for: set, address: .resolvable(identity(address)))
        advance(by: .seconds(1))
        ends[1].host.setPairing(central, for: nil)
        ends[1].host.startScanning()
        advance(by: .seconds(10))
    }

    private mutating func advance(by duration: Duration) {
        let end = time + duration
        while time < end {
            time += .milliseconds(5)
            air.advance(to: Int64(time / .microseconds(1)))
            for index in ends.indices { ends[index].host.advance(to: time) }
            settle()
            attend()
        }
    }

    private mutating func settle() {
        var isQuiet = false
        while !isQuiet {
            isQuiet = true
            for index in ends.indices {
                for output in ends[index].host.takeOutputs() {
                    isQuiet = false
                    switch output {
                    case .send(let packet): air.receive(packet, from: ends[index].controller)
                    case .event(let event): take(event, at: index)
                    }
                }
                while let packet = air.takeOutput(of: ends[index].controller) {
                    isQuiet = false
                    note(packet, at: index)
                    ends[index].host.receive(packet, at: time)
                }
            }
        }
    }

    private mutating func note(_ packet: HCIPacket, at index: Int) {
        guard case .acl(let data) = packet, let connection = ends[index].connection,
            let frame = try? L2CAPFrame(parsing: data.payload), frame.channel == .securityManager
        else { return }
        moments.append(
            PairingMoment(
                host: ends[index].host, time: time, connection: connection, handle: data.handle,
                payload: frame.payload))
    }

    private mutating func take(_ event: LEHostEvent, at index: Int) {
        switch event {
        case .scanReport(let report, _):
            ends[index].host.stopScanning()
            ends[index].host.connect(to: report.address, type: report.addressType)
        case .connected(let link):
            ends[index].connection = link.id
            if index == 1 { ends[index].host.pair(link.id) }
        case .displayPasskey(_, let digits): ends[index].shown = digits
        case .passkeyWanted: ends[index].isEntering = true
        case .comparisonWanted(let link, _): ends[index].host.replyComparison(true, of: link)
        default: break
        }
    }

    private mutating func attend() {
        for index in ends.indices where ends[index].isEntering {
            let other = ends[1 - index]
            guard let connection = ends[index].connection, other.shown != nil || other.isEntering else { continue }
            ends[index].host.replyPasskey(other.shown ?? 1, of: connection)
            if other.shown != nil { ends[index].isEntering = false }
        }
        settle()
    }
}
