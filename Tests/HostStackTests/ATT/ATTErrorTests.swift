// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Testing

@Suite struct ATTErrorTests {
    /// The codes of the specification (Core 5.4, Vol 3, Part F, 3.4.1.1) and its supplement.
    static let codes: [(UInt8, ATTError)] = [
        (0x01, .invalidHandle), (0x02, .readNotPermitted), (0x03, .writeNotPermitted), (0x04, .invalidPDU),
        (0x05, .insufficientAuthentication), (0x06, .requestNotSupported), (0x07, .invalidOffset),
        (0x08, .insufficientAuthorization), (0x09, .prepareQueueFull), (0x0A, .attributeNotFound),
        (0x0B, .attributeNotLong), (0x0C, .encryptionKeySizeTooShort), (0x0D, .invalidAttributeValueLength),
        (0x0E, .unlikely), (0x0F, .insufficientEncryption), (0x10, .unsupportedGroupType),
        (0x11, .insufficientResources), (0x12, .databaseOutOfSync), (0x13, .valueNotAllowed),
        (0xFC, .writeRequestRejected), (0xFD, .clientConfigurationImproperlyConfigured),
        (0xFE, .procedureAlreadyInProgress), (0xFF, .outOfRange),
    ]

    @Test(arguments: codes)
    func codeMatchesTheSpecification(_ code: UInt8, _ error: ATTError) {
        #expect(error.rawValue == code)
        #expect(error.description.contains("("))
    }

    @Test func unknownCodesAreDescribedAsNumbers() {
        #expect(ATTError(rawValue: 0x80).description == "0x80")
        #expect(ATTError(rawValue: 0x0A).description == "0x0A (attribute not found)")
        #expect(ATTError.applicationCodes.contains(0x9F))
        #expect(!ATTError.applicationCodes.contains(0xA0))
    }
}
