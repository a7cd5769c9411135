// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import TestSupport
import Testing

@testable import HostStack

@Suite struct L2CAPReassemblerTests {
    private static let frame = L2CAPFrame(channel: .attribute, payload: Array(0..<23))

    @Test func `a frame is parsed and serialized`() throws {
        let bytes = try Hexadecimal.bytes("0300 0400 0a1500")
        let frame = try checkWire(L2CAPFrame.self, bytes: bytes)
        #expect(frame == L2CAPFrame(channel: .attribute, payload: [0x0A, 0x15, 0]))
        #expect(ChannelIdentifier.signalling.rawValue == 5)
        #expect(ChannelIdentifier.securityManager.rawValue == 6)
        try fuzzWire(L2CAPFrame.self, samples: [bytes])
        try fuzzWire(ChannelIdentifier.self, samples: [[4, 0]])
    }

    @Test(arguments: 1...28)
    func `fragments of any length are reassembled`(_ count: Int) {
        var reassembler = L2CAPReassembler()
        let fragments = Self.frame.fragments(ofAtMost: count)
        #expect(fragments.allSatisfy { 1...count ~= $0.count })
        #expect(fragments.flatMap { $0 } == Self.frame.serialized())
        // Twice: the state after the first frame must not affect the second.
        for _ in 0..<2 {
            for (number, fragment) in fragments.enumerated() {
                let outputs = reassembler.receive(fragment, isStart: number == 0)
                #expect(outputs == (number == fragments.count - 1 ? [.frame(Self.frame)] : []))
            }
        }
    }

    @Test func `a fragment has at least one byte`() {
        #expect(L2CAPFrame(channel: .attribute, payload: []).fragments(ofAtMost: 0) == [[0], [0], [4], [0]])
    }

    @Test func `the start of a frame drops an incomplete one`() {
        var reassembler = L2CAPReassembler()
        let bytes = Self.frame.serialized()
        #expect(reassembler.receive(bytes[..<10], isStart: true) == [])
        #expect(reassembler.receive(bytes, isStart: true) == [.dropped(.incomplete(10)), .frame(Self.frame)])
        #expect(reassembler.receive(bytes[..<1], isStart: true) == [])
        #expect(reassembler.receive(bytes[..<2], isStart: true) == [.dropped(.incomplete(1))])
        #expect(reassembler.receive(bytes[2...], isStart: false) == [.frame(Self.frame)])
    }

    @Test func `a continuation without a start is dropped`() {
        var reassembler = L2CAPReassembler()
        #expect(reassembler.receive([1, 2, 3], isStart: false) == [.dropped(.unexpectedContinuation(3))])
        #expect(reassembler.receive(Self.frame.serialized(), isStart: true) == [.frame(Self.frame)])
        #expect(reassembler.receive([1], isStart: false) == [.dropped(.unexpectedContinuation(1))])
    }

    @Test func `a frame that is too long is dropped and skipped`() {
        var reassembler = L2CAPReassembler(maximumPayload: 22)
        let fragments = Self.frame.fragments(ofAtMost: 10)
        #expect(reassembler.receive(fragments[0], isStart: true) == [.dropped(.tooLong(23))])
        #expect(reassembler.receive(fragments[1], isStart: false) == [])
        #expect(reassembler.receive(fragments[2], isStart: false) == [])
        let short = L2CAPFrame(channel: .attribute, payload: Array(0..<22))
        #expect(reassembler.receive(short.serialized(), isStart: true) == [.frame(short)])
        #expect(reassembler.receive(Self.frame.serialized(), isStart: true) == [.dropped(.tooLong(23))])
        #expect(reassembler.receive([1], isStart: false) == [.dropped(.unexpectedContinuation(1))])
    }

    @Test func `a frame with more bytes than announced is dropped`() {
        var reassembler = L2CAPReassembler()
        #expect(reassembler.receive(Self.frame.serialized() + [1, 2], isStart: true) == [.dropped(.overrun(2))])
        #expect(reassembler.receive(Self.frame.serialized(), isStart: true) == [.frame(Self.frame)])
        // A frame without payload may also be followed by extra bytes.
        #expect(reassembler.receive([0, 0, 4], isStart: true) == [])
        #expect(reassembler.receive([0, 9], isStart: false) == [.dropped(.overrun(1))])
    }

    @Test func `empty fragments are ignored`() {
        var reassembler = L2CAPReassembler()
        #expect(reassembler.receive([], isStart: true) == [])
        let bytes = Self.frame.serialized()
        #expect(reassembler.receive(bytes[..<3], isStart: false) == [])
        #expect(reassembler.receive([], isStart: false) == [])
        #expect(reassembler.receive(bytes[3...], isStart: false) == [.frame(Self.frame)])
    }

    /// After any bytes, a valid frame is reassembled.
    @Test func `random fragments do not affect later frames`() {
        var generator = SplitMix64(seed: 2)
        var reassembler = L2CAPReassembler(maximumPayload: 64)
        var frames = 0
        for round in 0..<5000 {
            var fragment = generator.bytes(Int.random(in: 0...40, using: &generator))
            // A valid length, often enough for complete frames.
            if fragment.count > 2, round % 2 == 0 {
                fragment[0] = UInt8(max(fragment.count - 4, 0)) + UInt8.random(in: 0...1, using: &generator)
                fragment[1] = 0
            }
            for output in reassembler.receive(fragment, isStart: Bool.random(using: &generator)) {
                if case .frame(let frame) = output {
                    #expect(frame.payload.count <= 64)
                    frames += 1
                }
            }
            if round % 10 == 0 {
                #expect(reassembler.receive(Self.frame.serialized(), isStart: true).last == .frame(Self.frame))
            }
        }
        #expect(frames > 100)
    }
}
