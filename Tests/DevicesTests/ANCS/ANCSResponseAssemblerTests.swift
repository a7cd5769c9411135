// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import TestSupport
import Testing

@Suite struct ANCSResponseAssemblerTests {
    private static let command = ANCSCommand.notificationAttributes(
        7, [ANCSAttributeRequest(.title), ANCSAttributeRequest(.subtitle), ANCSAttributeRequest(.message)])
    private static let response = ANCSResponse.notificationAttributes(
        7,
        [
            ANCSAttribute(1, value: Array("Title".utf8)), ANCSAttribute(2, value: []),
            ANCSAttribute(3, value: Array(repeating: 0x41, count: 300)),
        ])

    @Test(arguments: 1...310)
    func fragmentsOfAnyLengthAreAssembled(_ length: Int) throws {
        var assembler = try #require(ANCSResponseAssembler(answering: Self.command))
        let fragments = Self.response.fragments(ofAtMost: length)
        for fragment in fragments.dropLast() { #expect(try assembler.append(fragment) == nil) }
        #expect(try assembler.append(#require(fragments.last)) == Self.response)
    }

    @Test func emptyLastAttributeCompletesTheResponse() throws {
        let command = ANCSCommand.appAttributes("a", [0])
        var assembler = try #require(ANCSResponseAssembler(answering: command))
        #expect(try assembler.append([1, 0x61, 0, 0]) == nil)
        #expect(try assembler.append([0]) == nil)
        #expect(try assembler.append([0]) == .appAttributes("a", [ANCSAttribute(0, value: [])]))
    }

    @Test(arguments: [
        // Another notification, other commands, too many bytes for a header, more attributes than requested.
        [0, 8, 0, 0, 0], [1, 0x61, 0], [2], Array(repeating: 1, count: 40), response.serialized() + [1],
    ])
    func foreignResponsesAreRefused(_ bytes: [UInt8]) throws {
        var assembler = try #require(ANCSResponseAssembler(answering: Self.command))
        #expect(throws: WireError.self) { try assembler.append(bytes) }
    }

    @Test func appIdentifierWithoutZeroByteIsRefused() throws {
        var assembler = try #require(ANCSResponseAssembler(answering: .appAttributes("abc", [0])))
        #expect(try assembler.append([1, 0x61, 0x62]) == nil)
        #expect(throws: WireError.self) { try assembler.append([0x63, 0x64, 0x65]) }
    }

    @Test func actionsHaveNoResponse() {
        #expect(ANCSResponseAssembler(answering: .performAction(1, .positive)) == nil)
        #expect(ANCSResponseAssembler(answering: .unknown(9, [])) == nil)
    }
}
