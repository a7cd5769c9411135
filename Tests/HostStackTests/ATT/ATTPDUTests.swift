// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import TestSupport
import Testing

@testable import HostStack

/// A PDU and its bytes.
struct GoldenPDU: Sendable, CustomTestStringConvertible {
    let hexadecimal: String
    let pdu: ATTPDU

    init(_ hexadecimal: String, _ pdu: ATTPDU) {
        self.hexadecimal = hexadecimal
        self.pdu = pdu
    }

    var testDescription: String { hexadecimal }

    static let signature: [UInt8] = Array(1...12)
    static let long = UUID128("2173E519-9155-4862-AB64-7953AB146156")

    static let all: [GoldenPDU] = [
        GoldenPDU(
            "01 0a 2a00 02", .errorResponse(.init(request: .readRequest, handle: 0x2A, error: .readNotPermitted))),
        GoldenPDU("02 0502", .exchangeMTURequest(.init(clientMTU: 517))),
        GoldenPDU("03 1700", .exchangeMTUResponse(.init(serverMTU: 23))),
        GoldenPDU(
            "04 0100 ffff", .findInformationRequest(.init(startingHandle: 1, endingHandle: .last))),
        GoldenPDU(
            "05 01 0100 0028 0200 0328",
            .findInformationResponse(
                .init([.init(handle: 1, type: .primaryService), .init(handle: 2, type: .characteristic)]))),
        GoldenPDU(
            "05 02 1500 566114ab5379 64ab 6248 5591 19e57321",
            .findInformationResponse(.init([.init(handle: 0x15, type: longUUID)]))),
        GoldenPDU(
            "06 0100 ffff 0028 0f18",
            .findByTypeValueRequest(
                .init(startingHandle: 1, endingHandle: .last, type: 0x2800, value: [0x0F, 0x18]))),
        GoldenPDU(
            "07 0e00 1200 2000 2100",
            .findByTypeValueResponse(
                .init([.init(found: 0x0E, groupEnd: 0x12), .init(found: 0x20, groupEnd: 0x21)]))),
        GoldenPDU(
            "08 0100 1300 0328",
            .readByTypeRequest(.init(startingHandle: 1, endingHandle: 0x13, type: .characteristic))),
        GoldenPDU(
            "08 0100 ffff 566114ab5379 64ab 6248 5591 19e57321",
            .readByTypeRequest(.init(startingHandle: 1, endingHandle: .last, type: longUUID))),
        GoldenPDU(
            "09 07 0200 020300002a 0400 020500012a",
            .readByTypeResponse(
                .init([
                    .init(handle: 2, value: [2, 3, 0, 0, 0x2A]), .init(handle: 4, value: [2, 5, 0, 1, 0x2A]),
                ]))),
        GoldenPDU("09 02 0200", .readByTypeResponse(.init([.init(handle: 2, value: [])]))),
        GoldenPDU("0a 1500", .readRequest(.init(handle: 0x15))),
        GoldenPDU("0b 0200a000", .readResponse(.init(value: [2, 0, 0xA0, 0]))),
        GoldenPDU("0b", .readResponse(.init(value: []))),
        GoldenPDU("0c 1500 1600", .readBlobRequest(.init(handle: 0x15, offset: 22))),
        GoldenPDU("0d 01", .readBlobResponse(.init(value: [1]))),
        GoldenPDU("0e 1500 1700", .readMultipleRequest(.init(handles: [0x15, 0x17]))),
        GoldenPDU("0f 010203", .readMultipleResponse(.init(value: [1, 2, 3]))),
        GoldenPDU(
            "10 0100 ffff 0028",
            .readByGroupTypeRequest(.init(startingHandle: 1, endingHandle: .last, type: .primaryService))),
        GoldenPDU(
            "11 06 0100 0500 0018 0600 0d00 0118",
            .readByGroupTypeResponse(
                .init([
                    .init(handle: 1, groupEnd: 5, value: [0, 0x18]), .init(handle: 6, groupEnd: 13, value: [1, 0x18]),
                ]))),
        GoldenPDU("20 1500 1700 1500", .readMultipleVariableRequest(.init(handles: [0x15, 0x17, 0x15]))),
        GoldenPDU(
            "21 0200 0102 0000 0500 0102",
            .readMultipleVariableResponse(
                .init([.init(length: 2, value: [1, 2]), .init(length: 0, value: []), .init(length: 5, value: [1, 2])]))),
        GoldenPDU("12 1100 0100", .writeRequest(.init(handle: 0x11, value: [1, 0]))),
        GoldenPDU("13", .writeResponse(.init())),
        GoldenPDU("52 1a00 ff", .writeCommand(.init(handle: 0x1A, value: [0xFF]))),
        GoldenPDU("16 1500 1200 0a0b", .prepareWriteRequest(.init(handle: 0x15, offset: 18, value: [10, 11]))),
        GoldenPDU("17 1500 1200 0a0b", .prepareWriteResponse(.init(handle: 0x15, offset: 18, value: [10, 11]))),
        GoldenPDU("18 00", .executeWriteRequest(.cancel)),
        GoldenPDU("18 01", .executeWriteRequest(.write)),
        GoldenPDU("19", .executeWriteResponse(.init())),
        GoldenPDU("1b 1000 64", .handleValueNotification(.init(handle: 0x10, value: [100]))),
        GoldenPDU("1d 0800 0100ffff", .handleValueIndication(.init(handle: 8, value: [1, 0, 0xFF, 0xFF]))),
        GoldenPDU("1e", .handleValueConfirmation(.init())),
        GoldenPDU(
            "23 1000 0100 64 1700 0000",
            .multipleHandleValueNotification(
                .init([.init(handle: 0x10, value: [100]), .init(handle: 0x17, value: [])]))),
        GoldenPDU("d2 1500 ff 0102030405060708090a0b0c", signedWrite),
        GoldenPDU("14 0102", .unknown(ATTOpcode(rawValue: 0x14), [1, 2])),
        GoldenPDU("ff", .unknown(ATTOpcode(rawValue: 0xFF), [])),
    ]

    private static let longUUID = BluetoothUUID.bit128(long)

    private static let signedWrite =
        ATTSignedWriteCommand(handle: 0x15, value: [0xFF], signature: signature)
        .map { ATTPDU.signedWriteCommand($0) } ?? .unknown(.signedWriteCommand, [])
}

@Suite struct ATTPDUTests {
    @Test(arguments: GoldenPDU.all)
    func isParsedAndSerialized(_ golden: GoldenPDU) throws {
        let bytes = try Hexadecimal.bytes(golden.hexadecimal)
        #expect(try checkWire(ATTPDU.self, bytes: bytes) == golden.pdu)
        #expect(golden.pdu.serialized() == bytes)
        #expect(golden.pdu.opcode.rawValue == bytes[0])
        if let message = golden.pdu.message {
            #expect(message.pduBytes == bytes)
            try checkParameters(message)
        }
    }

    /// The parameters of a PDU are a wire type themselves.
    private func checkParameters<Message: ATTMessage>(_ message: Message) throws {
        let bytes = message.serialized()
        #expect(try checkWire(Message.self, bytes: bytes) == message)
        try fuzzWire(Message.self, samples: [bytes], rounds: 1000)
    }

    @Test func everyKnownOpcodeHasAGoldenPDU() {
        let known = (UInt8.min...UInt8.max).filter { opcode in
            let bytes = [opcode] + [UInt8](repeating: 1, count: 14)
            guard let pdu = try? ATTPDU(parsing: bytes) else { return true }
            return pdu.message != nil
        }
        let golden = Set(GoldenPDU.all.filter { $0.pdu.message != nil }.map(\.pdu.opcode.rawValue))
        #expect(golden == Set(known))
        #expect(golden.count == 31)
    }

    @Test func randomBytesAreParsedOrRefused() throws {
        let samples = try GoldenPDU.all.map { try Hexadecimal.bytes($0.hexadecimal) }
        try fuzzWire(ATTPDU.self, samples: samples, rounds: 20000)
    }

    /// Malformed PDUs, with their errors.
    static let malformed: [(String, WireError)] = [
        ("", WireError(.truncated(needed: 1, available: 0), offset: 0)),
        ("02 17", WireError(.truncated(needed: 2, available: 1), offset: 1)),
        ("02 170000", WireError(.trailingBytes(1), offset: 3)),
        ("13 00", WireError(.trailingBytes(1), offset: 1)),
        ("05 03 0100 0028", WireError(.badValue(field: "format"), offset: 1)),
        ("05 01", WireError(.badLength(0), offset: 2)),
        ("05 01 0100 002800", WireError(.badLength(5), offset: 2)),
        ("07", WireError(.badLength(0), offset: 1)),
        ("08 0100 ffff 000328", WireError(.badLength(3), offset: 5)),
        ("09 01 02", WireError(.badLength(1), offset: 1)),
        ("09 00", WireError(.badLength(0), offset: 1)),
        ("09 04 0100 0102 0200", WireError(.badLength(6), offset: 2)),
        ("0e", WireError(.badLength(0), offset: 1)),
        ("0e 010002", WireError(.badLength(3), offset: 1)),
        ("11 03 010002", WireError(.badLength(3), offset: 1)),
        ("21 0200 01 02 00", WireError(.truncated(needed: 2, available: 1), offset: 5)),
        ("23 0100 0200 01", WireError(.truncated(needed: 2, available: 1), offset: 5)),
        ("d2 1500 0102030405060708090a0b", WireError(.truncated(needed: 12, available: 11), offset: 3)),
    ]

    @Test(arguments: malformed)
    func malformedBytesAreRefused(_ hexadecimal: String, _ error: WireError) throws {
        let bytes = try Hexadecimal.bytes(hexadecimal)
        #expect(throws: error) { _ = try ATTPDU(parsing: bytes) }
    }

    @Test func listsHaveOneLength() {
        let byType = ATTReadByTypeResponse([
            .init(handle: 1, value: [1, 2]), .init(handle: 2, value: [3, 4]), .init(handle: 3, value: [5]),
            .init(handle: 4, value: [6, 7]),
        ])
        #expect(byType.entries.map(\.handle) == [1, 2])
        let byGroupType = ATTReadByGroupTypeResponse([
            .init(handle: 1, groupEnd: 1, value: [1, 2]), .init(handle: 2, groupEnd: 2, value: []),
        ])
        #expect(byGroupType.entries.map(\.handle) == [1])
        #expect(ATTSignedWriteCommand(handle: 1, value: [], signature: [1]) == nil)
    }

    /// If one type has 128 bits, all types are written with 128 bits.
    @Test func typesAreWrittenInOneFormat() throws {
        let long = GoldenPDU.long
        let response = ATTFindInformationResponse([
            .init(handle: 1, type: .primaryService), .init(handle: 2, type: .bit128(long)),
        ])
        let bytes = response.serialized()
        #expect(bytes.count == 1 + 2 * 18)
        #expect(try ATTFindInformationResponse(parsing: bytes) == response)
    }

    @Test func directionsAreDefined() {
        let fromServer = Set(GoldenPDU.all.filter(\.pdu.opcode.isFromServer).map(\.pdu.opcode.rawValue))
        #expect(fromServer == [1, 3, 5, 7, 9, 0xB, 0xD, 0xF, 0x11, 0x13, 0x17, 0x19, 0x1B, 0x1D, 0x21, 0x23])
        let commands = Set(GoldenPDU.all.filter(\.pdu.opcode.isCommand).map(\.pdu.opcode.rawValue))
        #expect(commands == [0x52, 0xD2, 0xFF])
        #expect(ATTOpcode.readBlobRequest.description == "0x0C")
    }
}
