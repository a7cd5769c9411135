// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// An attribute protocol PDU: opcode and parameters (Core 5.4, Vol 3, Part F, 3.3).
enum ATTPDU: Hashable, Sendable {
    case errorResponse(ATTErrorResponse)
    case exchangeMTURequest(ATTExchangeMTURequest)
    case exchangeMTUResponse(ATTExchangeMTUResponse)
    case findInformationRequest(ATTFindInformationRequest)
    case findInformationResponse(ATTFindInformationResponse)
    case findByTypeValueRequest(ATTFindByTypeValueRequest)
    case findByTypeValueResponse(ATTFindByTypeValueResponse)
    case readByTypeRequest(ATTReadByTypeRequest)
    case readByTypeResponse(ATTReadByTypeResponse)
    case readRequest(ATTReadRequest)
    case readResponse(ATTReadResponse)
    case readBlobRequest(ATTReadBlobRequest)
    case readBlobResponse(ATTReadBlobResponse)
    case readMultipleRequest(ATTReadMultipleRequest)
    case readMultipleResponse(ATTReadMultipleResponse)
    case readByGroupTypeRequest(ATTReadByGroupTypeRequest)
    case readByGroupTypeResponse(ATTReadByGroupTypeResponse)
    case readMultipleVariableRequest(ATTReadMultipleVariableRequest)
    case readMultipleVariableResponse(ATTReadMultipleVariableResponse)
    case writeRequest(ATTWriteRequest)
    case writeResponse(ATTWriteResponse)
    case writeCommand(ATTWriteCommand)
    case signedWriteCommand(ATTSignedWriteCommand)
    case prepareWriteRequest(ATTPrepareWriteRequest)
    case prepareWriteResponse(ATTPrepareWriteResponse)
    case executeWriteRequest(ATTExecuteWriteRequest)
    case executeWriteResponse(ATTExecuteWriteResponse)
    case handleValueNotification(ATTHandleValueNotification)
    case handleValueIndication(ATTHandleValueIndication)
    case handleValueConfirmation(ATTHandleValueConfirmation)
    case multipleHandleValueNotification(ATTMultipleHandleValueNotification)
    /// Any other opcode, with its parameters.
    case unknown(ATTOpcode, [UInt8])

    /// The message; `nil` for an unknown opcode.
    var message: (any ATTMessage)? {
        switch self {
        case .errorResponse(let message): message
        case .exchangeMTURequest(let message): message
        case .exchangeMTUResponse(let message): message
        case .findInformationRequest(let message): message
        case .findInformationResponse(let message): message
        case .findByTypeValueRequest(let message): message
        case .findByTypeValueResponse(let message): message
        case .readByTypeRequest(let message): message
        case .readByTypeResponse(let message): message
        case .readRequest(let message): message
        case .readResponse(let message): message
        case .readBlobRequest(let message): message
        case .readBlobResponse(let message): message
        case .readMultipleRequest(let message): message
        case .readMultipleResponse(let message): message
        case .readByGroupTypeRequest(let message): message
        case .readByGroupTypeResponse(let message): message
        case .readMultipleVariableRequest(let message): message
        case .readMultipleVariableResponse(let message): message
        case .writeRequest(let message): message
        case .writeResponse(let message): message
        case .writeCommand(let message): message
        case .signedWriteCommand(let message): message
        case .prepareWriteRequest(let message): message
        case .prepareWriteResponse(let message): message
        case .executeWriteRequest(let message): message
        case .executeWriteResponse(let message): message
        case .handleValueNotification(let message): message
        case .handleValueIndication(let message): message
        case .handleValueConfirmation(let message): message
        case .multipleHandleValueNotification(let message): message
        case .unknown: nil
        }
    }

    /// The opcode.
    var opcode: ATTOpcode {
        if case .unknown(let opcode, _) = self { return opcode }
        return message.map { type(of: $0).opcode } ?? ATTOpcode(rawValue: 0)
    }
}

extension ATTPDU: WireCodable {
    package init(parsing reader: inout ByteReader) throws(WireError) {
        let opcode = ATTOpcode(rawValue: try reader.readUInt8())
        switch opcode {
        case .errorResponse: self = .errorResponse(try ATTErrorResponse(parsing: &reader))
        case .exchangeMTURequest: self = .exchangeMTURequest(try ATTExchangeMTURequest(parsing: &reader))
        case .exchangeMTUResponse: self = .exchangeMTUResponse(try ATTExchangeMTUResponse(parsing: &reader))
        case .findInformationRequest: self = .findInformationRequest(try ATTFindInformationRequest(parsing: &reader))
        case .findInformationResponse:
            self = .findInformationResponse(try ATTFindInformationResponse(parsing: &reader))
        case .findByTypeValueRequest: self = .findByTypeValueRequest(try ATTFindByTypeValueRequest(parsing: &reader))
        case .findByTypeValueResponse:
            self = .findByTypeValueResponse(try ATTFindByTypeValueResponse(parsing: &reader))
        case .readByTypeRequest: self = .readByTypeRequest(try ATTReadByTypeRequest(parsing: &reader))
        case .readByTypeResponse: self = .readByTypeResponse(try ATTReadByTypeResponse(parsing: &reader))
        case .readRequest: self = .readRequest(try ATTReadRequest(parsing: &reader))
        case .readResponse: self = .readResponse(try ATTReadResponse(parsing: &reader))
        case .readBlobRequest: self = .readBlobRequest(try ATTReadBlobRequest(parsing: &reader))
        case .readBlobResponse: self = .readBlobResponse(try ATTReadBlobResponse(parsing: &reader))
        case .readMultipleRequest: self = .readMultipleRequest(try ATTReadMultipleRequest(parsing: &reader))
        case .readMultipleResponse: self = .readMultipleResponse(try ATTReadMultipleResponse(parsing: &reader))
        case .readByGroupTypeRequest: self = .readByGroupTypeRequest(try ATTReadByGroupTypeRequest(parsing: &reader))
        case .readByGroupTypeResponse:
            self = .readByGroupTypeResponse(try ATTReadByGroupTypeResponse(parsing: &reader))
        case .readMultipleVariableRequest:
            self = .readMultipleVariableRequest(try ATTReadMultipleVariableRequest(parsing: &reader))
        case .readMultipleVariableResponse:
            self = .readMultipleVariableResponse(try ATTReadMultipleVariableResponse(parsing: &reader))
        case .writeRequest: self = .writeRequest(try ATTWriteRequest(parsing: &reader))
        case .writeResponse: self = .writeResponse(try ATTWriteResponse(parsing: &reader))
        case .writeCommand: self = .writeCommand(try ATTWriteCommand(parsing: &reader))
        case .signedWriteCommand: self = .signedWriteCommand(try ATTSignedWriteCommand(parsing: &reader))
        case .prepareWriteRequest: self = .prepareWriteRequest(try ATTPrepareWriteRequest(parsing: &reader))
        case .prepareWriteResponse: self = .prepareWriteResponse(try ATTPrepareWriteResponse(parsing: &reader))
        case .executeWriteRequest: self = .executeWriteRequest(try ATTExecuteWriteRequest(parsing: &reader))
        case .executeWriteResponse: self = .executeWriteResponse(try ATTExecuteWriteResponse(parsing: &reader))
        case .handleValueNotification:
            self = .handleValueNotification(try ATTHandleValueNotification(parsing: &reader))
        case .handleValueIndication: self = .handleValueIndication(try ATTHandleValueIndication(parsing: &reader))
        case .handleValueConfirmation:
            self = .handleValueConfirmation(try ATTHandleValueConfirmation(parsing: &reader))
        case .multipleHandleValueNotification:
            self = .multipleHandleValueNotification(try ATTMultipleHandleValueNotification(parsing: &reader))
        default: self = .unknown(opcode, Array(reader.readAll()))
        }
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(opcode.rawValue)
        if case .unknown(_, let parameters) = self {
            writer.write(parameters)
        } else {
            message?.serialize(into: &writer)
        }
    }
}

/// The parameters of an attribute protocol PDU, without its opcode (Core 5.4, Vol 3, Part F, 3.4).
protocol ATTMessage: WireCodable, Hashable {
    /// The opcode.
    static var opcode: ATTOpcode { get }
}

/// A PDU with an attribute and a value.
protocol ATTValueMessage: ATTMessage {
    var handle: AttributeHandle { get }
    var value: [UInt8] { get }
    init(handle: AttributeHandle, value: [UInt8])
}

extension ATTValueMessage {
    init(parsing reader: inout ByteReader) throws(WireError) {
        self.init(handle: try AttributeHandle(parsing: &reader), value: Array(reader.readAll()))
    }

    func serialize(into writer: inout ByteWriter) {
        handle.serialize(into: &writer)
        writer.write(value)
    }
}

/// A request for the attributes of a type in a range of handles.
protocol ATTRangeRequest: ATTMessage {
    var startingHandle: AttributeHandle { get }
    var endingHandle: AttributeHandle { get }
    var type: BluetoothUUID { get }
    init(startingHandle: AttributeHandle, endingHandle: AttributeHandle, type: BluetoothUUID)
}

extension ATTRangeRequest {
    init(parsing reader: inout ByteReader) throws(WireError) {
        self.init(
            startingHandle: try AttributeHandle(parsing: &reader), endingHandle: try AttributeHandle(parsing: &reader),
            type: try reader.readAttributeType())
    }

    func serialize(into writer: inout ByteWriter) {
        startingHandle.serialize(into: &writer)
        endingHandle.serialize(into: &writer)
        writer.writeAttributeType(type)
    }
}

extension ATTMessage {
    /// The whole PDU: opcode and parameters.
    var pduBytes: [UInt8] {
        var writer = ByteWriter()
        writer.write(Self.opcode.rawValue)
        serialize(into: &writer)
        return writer.bytes
    }
}

/// The opcode of an attribute protocol PDU: its first byte (Core 5.4, Vol 3, Part F, 3.3.1).
struct ATTOpcode: RawRepresentable, Hashable, Sendable {
    let rawValue: UInt8
    init(rawValue: UInt8) { self.rawValue = rawValue }

    static let errorResponse = ATTOpcode(rawValue: 0x01)
    static let exchangeMTURequest = ATTOpcode(rawValue: 0x02)
    static let exchangeMTUResponse = ATTOpcode(rawValue: 0x03)
    static let findInformationRequest = ATTOpcode(rawValue: 0x04)
    static let findInformationResponse = ATTOpcode(rawValue: 0x05)
    static let findByTypeValueRequest = ATTOpcode(rawValue: 0x06)
    static let findByTypeValueResponse = ATTOpcode(rawValue: 0x07)
    static let readByTypeRequest = ATTOpcode(rawValue: 0x08)
    static let readByTypeResponse = ATTOpcode(rawValue: 0x09)
    static let readRequest = ATTOpcode(rawValue: 0x0A)
    static let readResponse = ATTOpcode(rawValue: 0x0B)
    static let readBlobRequest = ATTOpcode(rawValue: 0x0C)
    static let readBlobResponse = ATTOpcode(rawValue: 0x0D)
    static let readMultipleRequest = ATTOpcode(rawValue: 0x0E)
    static let readMultipleResponse = ATTOpcode(rawValue: 0x0F)
    static let readByGroupTypeRequest = ATTOpcode(rawValue: 0x10)
    static let readByGroupTypeResponse = ATTOpcode(rawValue: 0x11)
    static let writeRequest = ATTOpcode(rawValue: 0x12)
    static let writeResponse = ATTOpcode(rawValue: 0x13)
    static let prepareWriteRequest = ATTOpcode(rawValue: 0x16)
    static let prepareWriteResponse = ATTOpcode(rawValue: 0x17)
    static let executeWriteRequest = ATTOpcode(rawValue: 0x18)
    static let executeWriteResponse = ATTOpcode(rawValue: 0x19)
    static let handleValueNotification = ATTOpcode(rawValue: 0x1B)
    static let handleValueIndication = ATTOpcode(rawValue: 0x1D)
    static let handleValueConfirmation = ATTOpcode(rawValue: 0x1E)
    static let readMultipleVariableRequest = ATTOpcode(rawValue: 0x20)
    static let readMultipleVariableResponse = ATTOpcode(rawValue: 0x21)
    static let multipleHandleValueNotification = ATTOpcode(rawValue: 0x23)
    static let writeCommand = ATTOpcode(rawValue: 0x52)
    static let signedWriteCommand = ATTOpcode(rawValue: 0xD2)

    /// Whether it is a command, which has no response.
    var isCommand: Bool { rawValue & 0x40 != 0 }

    /// Whether servers send it to clients; all others go from clients to servers.
    var isFromServer: Bool {
        switch self {
        case .errorResponse, .exchangeMTUResponse, .findInformationResponse, .findByTypeValueResponse,
            .readByTypeResponse, .readResponse, .readBlobResponse, .readMultipleResponse, .readByGroupTypeResponse,
            .writeResponse, .prepareWriteResponse, .executeWriteResponse, .handleValueNotification,
            .handleValueIndication, .readMultipleVariableResponse, .multipleHandleValueNotification:
            true
        default: false
        }
    }
}

extension ATTOpcode: CustomStringConvertible {
    /// `0x0A`
    package var description: String {
        let digits = String(rawValue, radix: 16, uppercase: true)
        return "0x" + (digits.count < 2 ? "0" : "") + digits
    }
}
