// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Devices
import TestSupport
import Testing

@Suite struct ANCSResponseAssemblerTests {
    private static let command = ANCSCommand.notificationAttributes(
        7, [ANCSAttributeRequest(.title), ANCSAttributeRequest(.subtitle), ANCSAttributeRequest(.message)])
    private static let answer = ANCSResponse.notificationAttributes(
        7,
        [
            ANCSAttribute(1, value: Array("Title".utf8)), ANCSAttribute(2, value: []),
            ANCSAttribute(3, value: Array(repeating: 0x41, count: 300)),
        ])

    @Test(arguments: 1...310)
    func anyCutIsPutTogether(_ length: Int) throws {
        var assembler = try #require(ANCSResponseAssembler(answering: Self.command))
        let pieces = Self.answer.fragments(ofAtMost: length)
        for piece in pieces.dropLast() { #expect(try assembler.append(piece) == nil) }
        #expect(try assembler.append(#require(pieces.last)) == Self.answer)
    }

    @Test func lastEmptyAttributeEndsIt() throws {
        let command = ANCSCommand.appAttributes("a", [0])
        var assembler = try #require(ANCSResponseAssembler(answering: command))
        #expect(try assembler.append([1, 0x61, 0, 0]) == nil)
        #expect(try assembler.append([0]) == nil)
        #expect(try assembler.append([0]) == .appAttributes("a", [ANCSAttribute(0, value: [])]))
    }

    @Test(arguments: [
        // Of another notification, another command, another app; more than was asked for.
        [0, 8, 0, 0, 0], [1, 0x61, 0], [2], Array(repeating: 1, count: 40), answer.serialized() + [1],
    ])
    func strangersAreRefused(_ bytes: [UInt8]) throws {
        var assembler = try #require(ANCSResponseAssembler(answering: Self.command))
        #expect(throws: WireError.self) { try assembler.append(bytes) }
    }

    @Test func appNameWithoutEndIsRefused() throws {
        var assembler = try #require(ANCSResponseAssembler(answering: .appAttributes("abc", [0])))
        #expect(try assembler.append([1, 0x61, 0x62]) == nil)
        #expect(throws: WireError.self) { try assembler.append([0x63, 0x64, 0x65]) }
    }

    @Test func actionsHaveNoAnswer() {
        #expect(ANCSResponseAssembler(answering: .performAction(1, .positive)) == nil)
        #expect(ANCSResponseAssembler(answering: .unknown(9, [])) == nil)
    }
}
