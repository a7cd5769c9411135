// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import TestSupport
import Testing

@Suite struct H4DecoderTests {
    /// A packet of each kind, an empty one among them.
    private static let packets: [HCIPacket] = [
        .command(HCICommandPacket(HCIReset())),
        .event(HCIEventPacket(HCICommandComplete(opcode: HCIReset.opcode, status: .success))),
        .acl(ACLDataPacket(handle: ConnectionHandle(0x40), boundary: .firstFlushable, payload: [3, 0, 4, 0, 2, 5, 2])),
        .synchronous([0x01, 0x00, 1, 9]),
        .isochronous([0x60, 0x20, 2, 0, 8, 9]),
        .acl(ACLDataPacket(handle: ConnectionHandle(0x41), boundary: .continuing, payload: [])),
        .event(HCIEventPacket(LEScanTimeout())),
    ]
    private static let stream = packets.flatMap { $0.serialized() }

    /// Takes all complete packets.
    private func drain(_ decoder: inout H4Decoder) throws -> [HCIPacket] {
        var packets: [HCIPacket] = []
        while let packet = try decoder.next() { packets.append(packet) }
        return packets
    }

    @Test func packetsAreReassembledFromAnyParts() throws {
        let stream = Self.stream
        for first in 0...stream.count {
            for second in first...stream.count {
                var decoder = H4Decoder()
                var packets: [HCIPacket] = []
                for part in [stream[..<first], stream[first..<second], stream[second...]] {
                    decoder.append(part)
                    packets += try drain(&decoder)
                }
                guard packets == Self.packets, decoder.count == 0 else {
                    Issue.record("split at \(first) and \(second): \(packets)")
                    return
                }
            }
        }
    }

    @Test func packetIsCompleteWithItsLastByte() throws {
        var decoder = H4Decoder()
        var expected: [Int: HCIPacket] = [:]
        var end = 0
        for packet in Self.packets {
            end += packet.serialized().count
            expected[end] = packet
        }
        for (index, byte) in Self.stream.enumerated() {
            decoder.append([byte])
            #expect(try decoder.next() == expected[index + 1])
            #expect(try decoder.next() == nil)
        }
    }

    @Test func packetsMayBeTakenLate() throws {
        var decoder = H4Decoder()
        for byte in Self.stream { decoder.append(CollectionOfOne(byte)) }
        #expect(decoder.count == Self.stream.count)
        #expect(try drain(&decoder) == Self.packets)
        #expect(decoder.count == 0)
    }

    @Test func unknownPacketTypeEndsTheStream() throws {
        var decoder = H4Decoder()
        decoder.append(Self.stream)
        #expect(try drain(&decoder) == Self.packets)
        decoder.append([1, 3, 0x0C, 0, 0x45])
        #expect(try decoder.next() == .command(HCICommandPacket(HCIReset())))
        let error = WireError(.badValue(field: "packet type"), offset: Self.stream.count + 4)
        #expect(throws: error) { _ = try decoder.next() }
        decoder.append([1, 3, 0x0C, 0])
        #expect(throws: error) { _ = try decoder.next() }
    }

    @Test func randomStreamIsReassembledFromRandomParts() throws {
        var generator = SplitMix64(seed: 4)
        for _ in 0..<200 {
            let packets = (0..<20).compactMap { _ in Self.packets.randomElement(using: &generator) }
            var rest = packets.flatMap { $0.serialized() }[...]
            var decoder = H4Decoder()
            var decoded: [HCIPacket] = []
            while !rest.isEmpty {
                let count = min(rest.count, Int.random(in: 0...40, using: &generator))
                decoder.append(rest.prefix(count))
                rest = rest.dropFirst(count)
                if Bool.random(using: &generator) { decoded += try drain(&decoder) }
            }
            decoded += try drain(&decoder)
            #expect(decoded == packets)
        }
    }

    /// Noise ends in an error or an incomplete packet, and taken packets equal the sent bytes.
    @Test func randomBytesDoNotTrap() throws {
        var generator = SplitMix64(seed: 5)
        for _ in 0..<2000 {
            let noise = generator.bytes(Int.random(in: 0...60, using: &generator))
            var decoder = H4Decoder()
            decoder.append(noise)
            var taken: [UInt8] = []
            do throws(WireError) {
                while let packet = try decoder.next() { taken += packet.serialized() }
            } catch {
                #expect(error.offset == taken.count)
            }
            #expect(taken == Array(noise.prefix(taken.count)))
            #expect(decoder.count == noise.count - taken.count)
        }
    }
}
