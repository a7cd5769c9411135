// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import SystemPackage

/// Why a management command failed.
package enum ManagementError: Error, Hashable {
    /// The kernel's status (mgmt-api, "Error codes").
    case status(ManagementOpcode, UInt8)
    /// The kernel did not reply in time, or with a reply of another form.
    case noAnswer(ManagementOpcode)
    /// The socket failed.
    case socket(Errno)

    /// The status in the kernel's reply; `nil` if there was no reply.
    package var status: UInt8? {
        if case .status(_, let status) = self { status } else { nil }
    }

    /// A command to the controller failed, or its driver did.
    package static let failed: UInt8 = 0x03
    /// Authentication Failed, which is also the kernel's status for a controller that does not answer (ETIMEDOUT in
    /// `mgmt_errno_status` of Linux).
    package static let silentController: UInt8 = 0x05
    /// The controller is busy with something else.
    package static let busy: UInt8 = 0x0A
    /// Parameters that are not valid, or an instance that the controller cannot advertise beside its connections.
    package static let invalidParameters: UInt8 = 0x0D

    /// There is no controller with this index.
    package static let invalidIndex: UInt8 = 0x11

    /// The hint for people, as a clause.
    package var hint: String {
        let hint: String? =
            switch self {
            case .status(_, let status): Self.hints[status]
            case .noAnswer: Self.silence
            case .socket: nil
            }
        return hint ?? "see the kernel's log (dmesg), and try another interval or fewer beacons"
    }

    private static let silence = "power the adapter off and on, or unplug it and plug it in again; see dmesg"

    private static let hints: [UInt8: String] = [
        failed: "see dmesg; if the controller refuses a command, switch the machine off and on: a restart alone does "
            + "not reset the controller",
        silentController: silence,
        busy: "stop the program that scans or connects with this adapter, or give the beacons an adapter of their own",
        0x12: "\(Fault.blocked.action()) (sudo rfkill unblock bluetooth)",
    ]

    private static let names: [UInt8: String] = [
        0x01: "unknown command", failed: "failed", silentController: "the controller does not answer",
        0x07: "no resources", busy: "busy", 0x0B: "rejected", 0x0C: "not supported",
        invalidParameters: "invalid parameters", 0x0F: "not powered", invalidIndex: "invalid index",
        0x12: "blocked by rfkill", 0x14: "permission denied",
    ]
}

extension ManagementError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .status(let opcode, let status):
            "management command \(opcode.rawValue): \(Self.names[status] ?? "status \(status)")"
        case .noAnswer(let opcode): "management command \(opcode.rawValue): no answer from the kernel"
        case .socket(let error): "management socket: \(error)"
        }
    }
}
