// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// An attribute protocol PDU: opcode and parameters (Core 5.4, Vol 3, Part F, 3.3).
package enum ATTPDU: Hashable, Sendable {
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
    /// Any other opcode, with what stands behind it.
    case unknown(ATTOpcode, [UInt8])

    /// The message inside; `nil` when it is unknown.
    package var message: (any ATTMessage)? {
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

    /// The first octet.
    package var opcode: ATTOpcode {
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
