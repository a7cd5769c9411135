// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI
import HostStack
import Radio

extension LEHostFailure {
    /// What to do about it, as a clause that names the cause where it is known.
    var hint: String {
        switch self {
        case .unanswered, .noRoom, .hardware: Self.hintAfterSilence
        case .command(_, let status): Self.hint(for: status)
        case .conflict(_, _, .connection):
            "it continues when the connection has ended; use another adapter for what must not stop"
        case .conflict(_, _, .scanning): "stop the scan, or scan with another adapter"
        case .conflict(_, _, .connecting): "wait until the connection is made, or connect with another adapter"
        case .conflict(_, _, .advertising): "stop the beacons, or run them on another adapter"
        case .tooManyAdvertisingSets: "run fewer beacons here, and the others on another controller"
        case .noPublicAddress, .notStaticRandom: "give an address whose first byte is C0 or more, or leave address out"
        case .unreadable, .malformed, .invalidParameters, .timedOut, .cancelled, .connection, .restarted, .busy:
            "see the reason"
        }
    }

    /// For a controller that hangs: its firmware has stopped, and only the loss of power restarts it.
    static let hintAfterSilence =
        "the controller hangs: replug the adapter, or switch the machine off and on if it is built in; "
        + "the kernel's log (dmesg) may say more"

    /// For a controller that does less than it reports.
    static func hint(about quirk: String) -> String {
        "the adapter is \(quirk), which does less than it reports: use another one"
    }

    private static func hint(for status: HCIStatus) -> String {
        switch status {
        case .memoryCapacityExceeded, .connectionLimitExceeded, .rejectedLimitedResources:
            "run fewer beacons here, and the others on another controller"
        case .unsupportedFeatureOrParameterValue, .invalidCommandParameters:
            "request other values, such as a longer interval, or no tx-power"
        case .unknownCommand: "the firmware of the adapter lacks this command: use another adapter"
        case .controllerBusy: "the controller has other work on the air: try again, or use another adapter"
        case .hardwareFailure: hintAfterSilence
        default: "see the reason"
        }
    }
}

extension ControllerSource {
    /// The hint after the end of the link.
    var hintAfterEnd: String {
        switch self {
        case .transport(.userChannel): "plug the adapter in again"
        case .transport(.serial): "check its cable and its power"
        case .transport, .air: "start its server again"
        }
    }

    /// The hint after a failure of the controller.
    /// - Parameter controller: what it reported, if it was ready before.
    func hint(for failure: LEHostFailure, of controller: LEHostCapabilities?) -> String {
        if let quirk = controller?.quirk { return LEHostFailure.hint(about: quirk) }
        guard case .unanswered(HCIReset.opcode, _) = failure else { return failure.hint }
        return switch self {
        case .transport(.serial(let device, let baud)):
            "is the speed right? \(baud) baud is set; for Zephyr's hci_uart, use serial:\(device),1000000. RTS and CTS "
                + "must be connected, and the kernel must not own the line: a Raspberry Pi's own controller is hci-socket:0"
        case .transport(.userChannel), .air: failure.hint
        case .transport: "check that a controller is behind it, which speaks H4"
        }
    }
}

extension LEHostCapabilities {
    /// The controller, for people: `Bluetooth 5.0 controller without extended advertising`.
    /// - Parameter newName: the kernel's name of the adapter, if it has changed.
    func summary(now newName: String?) -> String {
        var parts = [
            "Bluetooth \(versionName) controller \(hasExtendedAdvertising ? "with" : "without") extended advertising"
        ]
        if let quirk { parts.append(quirk) }
        if let silentCommand { parts.append("\(silentCommand.name) has no answer") }
        if address == nil { parts.append("no public address") }
        if let newName { parts.append("now \(newName)") }
        return parts.joined(separator: ", ")
    }
}
