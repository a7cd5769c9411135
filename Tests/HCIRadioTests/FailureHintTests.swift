// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import HostStack
import Testing

@testable import HCIRadio

/// Hints name the cause.
@Suite struct FailureHintTests {
    private static let silentReset = LEHostFailure.unanswered(HCIReset.opcode, after: .seconds(5))
    private static let serial = ControllerSource.transport(.serial(device: "/dev/ttyACM0", baud: 115_200))
    private static let userChannel = ControllerSource.transport(.userChannel(0))

    @Test(
        arguments: [
            (LEHostFailure.hardware(code: 0x0C), "the controller hangs"),
            (.unanswered(LESetAdvertisingData.opcode, after: .seconds(5)), "the controller hangs"),
            (.conflict(LESetAdvertisingEnable.opcode, .commandDisallowed, with: .connection), "connection has ended"),
            (.conflict(LESetAdvertisingEnable.opcode, .commandDisallowed, with: .scanning), "stop the scan"),
            (.conflict(LECreateConnection.opcode, .commandDisallowed, with: .advertising), "stop the beacons"),
            (.command(LESetAdvertisingData.opcode, .unknownCommand), "lacks this command"),
            (.command(LESetExtendedAdvertisingParameters.opcode, .memoryCapacityExceeded), "run fewer beacons"),
            (.tooManyAdvertisingSets(limit: 4), "run fewer beacons"),
        ] as [(LEHostFailure, String)])
    func failureHasAHint(failure: LEHostFailure, words: String) {
        #expect(failure.hint.contains(words))
    }

    @Test func silentResetOnASerialLineAsksForTheSpeed() {
        let hint = Self.serial.hint(for: Self.silentReset, of: nil)
        #expect(hint.contains("115200 baud is set") && hint.contains("serial:/dev/ttyACM0,1000000"))
        #expect(Self.userChannel.hint(for: Self.silentReset, of: nil).contains("the controller hangs"))
        let later = LEHostFailure.unanswered(LESetEventMask.opcode, after: .seconds(5))
        #expect(Self.serial.hint(for: later, of: nil).contains("the controller hangs"))
    }

    @Test func cloneIsNamed() {
        var clone = Self.capabilities
        clone.quirk = "an unbranded clone of a CSR controller"
        #expect(Self.userChannel.hint(for: Self.silentReset, of: clone).contains("unbranded clone of a CSR"))
        #expect(clone.summary(now: nil).contains("without extended advertising, an unbranded clone"))
    }

    @Test func summaryNamesWhatIsUnusual() {
        #expect(Self.capabilities.summary(now: nil) == "Bluetooth 5.0 controller without extended advertising")
        var odd = Self.capabilities
        (odd.address, odd.hasExtendedAdvertising, odd.silentCommand) = (nil, true, LEReadTransmitPower.opcode)
        #expect(
            odd.summary(now: "hci1")
                == "Bluetooth 5.0 controller with extended advertising, LE Read Transmit Power has no answer, "
                + "no public address, now hci1")
    }

    /// A controller of version 5.0 with legacy advertising.
    private static var capabilities: LEHostCapabilities {
        var capabilities = LEHostCapabilities()
        (capabilities.version, capabilities.address) = (.core50, BluetoothAddress("00:11:22:33:44:55"))
        return capabilities
    }
}
