// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import HostStack
import TestSupport

extension FuzzTarget {
    /// Damaged messages of the security manager, at every step of every pairing.
    ///
    /// An input is the number of a moment, a seed for other events, and messages with their lengths.
    static let smp = FuzzTarget(name: "smp", divisor: 4) { generator in
        let moments = PairingRecorder.all
        let number = Int.random(in: moments.indices, using: &generator)
        var bytes = UInt16(number).littleEndianOctets + [UInt8.random(in: 0...255, using: &generator)]
        let samples = [moments[number].payload]
        for _ in 0..<4 {
            let payload: [UInt8]
            switch Int.random(in: 0...7, using: &generator) {
            case 0: payload = Mutation.noise(70, &generator)
            case 1...3:
                payload = Mutation.damaged([moments.randomElement(using: &generator)?.payload ?? []], &generator)
            default: payload = Mutation.damaged(samples, count: 2, &generator)
            }
            bytes += [UInt8(min(payload.count, 255))] + payload.prefix(255)
        }
        return bytes
    } parse: { bytes in
        let moments = PairingRecorder.all
        guard bytes.count > 3, moments.count < 65536 else { FuzzReport.fail("no pairing was recorded") }
        let moment = moments[(Int(bytes[0]) | Int(bytes[1]) << 8) % moments.count]
        var rest = bytes.dropFirst(3)
        var host = moment.host
        var random = SplitMix64(seed: UInt64(bytes[2]))
        var outcome: Outcome?
        while let length = rest.popFirst() {
            let payload = Array(rest.prefix(Int(length)))
            rest = rest.dropFirst(Int(length))
            let frame = L2CAPFrame(channel: .securityManager, payload: payload).serialized()
            let data = ACLDataPacket(handle: moment.handle, boundary: .firstFlushable, payload: frame)
            host.receive(.acl(data), at: moment.time)
            disturb(&host, moment, &random)
            let result = check(host.takeOutputs(), bytes)
            // Later messages mostly arrive after the pairing has failed.
            outcome = outcome ?? result
        }
        host.advance(to: moment.time + .seconds(31))
        _ = check(host.takeOutputs(), bytes)
        guard host.currentConnections.count == 1 else { FuzzReport.fail("the connection ended after \(bytes)") }
        return outcome ?? .refused
    }

    /// Actions of users and the controller in between.
    private static func disturb(_ host: inout LEHost, _ moment: PairingMoment, _ random: inout SplitMix64) {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: host.replyPasskey(UInt32.random(in: 0...2_000_000, using: &random), of: moment.connection)
        case 1: host.replyPasskey(nil, of: moment.connection)
        case 2: host.replyComparison(true, of: moment.connection)
        case 3: host.replyComparison(false, of: moment.connection)
        case 4: host.cancelPairing(of: moment.connection)
        case 5: host.pair(moment.connection, renewing: Bool.random(using: &random))
        case 6: host.replyPairing(true, of: moment.connection)
        case 7, 8:
            let status = Bool.random(using: &random) ? HCIStatus.success : .pinOrKeyMissing
            let event = EncryptionChange(
                status: status, connectionHandle: moment.handle,
                encryptionEnabled: UInt8.random(in: 0...2, using: &random))
            host.receive(.event(HCIEventPacket(event)), at: moment.time)
        case 9:
            let event = LELongTermKeyRequest(
                connectionHandle: moment.handle, randomNumber: UInt64.random(in: 0...1, using: &random),
                encryptedDiversifier: 0)
            host.receive(.event(HCIEventPacket(event)), at: moment.time)
        default: break
        }
    }

    /// Checks that the other side can parse what is sent, and that a bond has the security that it claims.
    private static func check(_ outputs: [LEHostOutput], _ bytes: [UInt8]) -> Outcome {
        var outcome = Outcome.parsed
        for output in outputs {
            switch output {
            case .send(.acl(let data)):
                guard let frame = try? L2CAPFrame(parsing: data.payload), frame.channel == .securityManager else {
                    continue
                }
                guard let pdu = try? SecurityManagerPDU(parsing: frame.payload), 1...0x0E ~= pdu.code else {
                    FuzzReport.fail("\(Hexadecimal.string(frame.payload)) is sent for \(bytes)")
                }
                if case .pairingFailed = pdu { outcome = .refused }
            case .event(.paired(_, let bond, _)):
                guard 7...16 ~= bond.keySize, let copy = try? Bond(record: bond.record), copy == bond else {
                    FuzzReport.fail("an invalid bond results from \(bytes)")
                }
            default: break
            }
        }
        return outcome
    }
}

extension UInt16 {
    fileprivate var littleEndianOctets: [UInt8] {
        [UInt8(truncatingIfNeeded: self), UInt8(truncatingIfNeeded: self >> 8)]
    }
}
