// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The first octet of an attribute protocol PDU (Core 5.4, Vol 3, Part F, 3.3.1).
package struct ATTOpcode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let errorResponse = ATTOpcode(rawValue: 0x01)
    package static let exchangeMTURequest = ATTOpcode(rawValue: 0x02)
    package static let exchangeMTUResponse = ATTOpcode(rawValue: 0x03)
    package static let findInformationRequest = ATTOpcode(rawValue: 0x04)
    package static let findInformationResponse = ATTOpcode(rawValue: 0x05)
    package static let findByTypeValueRequest = ATTOpcode(rawValue: 0x06)
    package static let findByTypeValueResponse = ATTOpcode(rawValue: 0x07)
    package static let readByTypeRequest = ATTOpcode(rawValue: 0x08)
    package static let readByTypeResponse = ATTOpcode(rawValue: 0x09)
    package static let readRequest = ATTOpcode(rawValue: 0x0A)
    package static let readResponse = ATTOpcode(rawValue: 0x0B)
    package static let readBlobRequest = ATTOpcode(rawValue: 0x0C)
    package static let readBlobResponse = ATTOpcode(rawValue: 0x0D)
    package static let readMultipleRequest = ATTOpcode(rawValue: 0x0E)
    package static let readMultipleResponse = ATTOpcode(rawValue: 0x0F)
    package static let readByGroupTypeRequest = ATTOpcode(rawValue: 0x10)
    package static let readByGroupTypeResponse = ATTOpcode(rawValue: 0x11)
    package static let writeRequest = ATTOpcode(rawValue: 0x12)
    package static let writeResponse = ATTOpcode(rawValue: 0x13)
    package static let prepareWriteRequest = ATTOpcode(rawValue: 0x16)
    package static let prepareWriteResponse = ATTOpcode(rawValue: 0x17)
    package static let executeWriteRequest = ATTOpcode(rawValue: 0x18)
    package static let executeWriteResponse = ATTOpcode(rawValue: 0x19)
    package static let handleValueNotification = ATTOpcode(rawValue: 0x1B)
    package static let handleValueIndication = ATTOpcode(rawValue: 0x1D)
    package static let handleValueConfirmation = ATTOpcode(rawValue: 0x1E)
    package static let readMultipleVariableRequest = ATTOpcode(rawValue: 0x20)
    package static let readMultipleVariableResponse = ATTOpcode(rawValue: 0x21)
    package static let multipleHandleValueNotification = ATTOpcode(rawValue: 0x23)
    package static let writeCommand = ATTOpcode(rawValue: 0x52)
    package static let signedWriteCommand = ATTOpcode(rawValue: 0xD2)

    /// Whether nobody answers it, known or not.
    package var isCommand: Bool { rawValue & 0x40 != 0 }

    /// Whether a server sends it and a client takes it; every other goes the other way.
    package var isFromServer: Bool {
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
