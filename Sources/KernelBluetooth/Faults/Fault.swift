// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A fault of adapters, bluetoothd or rights that `doctor` finds, and that a run reports in the same words.
///
/// The cases are in the order of what explains most: of two faults the first one explains what is seen, if it explains it at
/// all. The table of docs/troubleshooting.md is made from `FaultTable`; the identifiers are stable.
package enum Fault: String, CaseIterable, Codable, Hashable, Sendable {
    case noKernelBluetooth = "no-kernel-bluetooth"
    case noBus = "no-bus"
    case daemonForbidden = "daemon-forbidden"
    case daemonOff = "daemon-off"
    case daemonHangs = "daemon-hangs"
    case daemonOld = "daemon-old"
    case noAdapter = "no-adapter"
    case otherAdapter = "other-adapter"
    case switchOff = "switch-off"
    case blocked = "rfkill"
    case classicMode = "controller-mode"
    case noLowEnergy = "no-low-energy"
    case adapterInUse = "adapter-in-use"
    case notStarted = "not-started"
    case noAddress = "no-address"
    case adapterOff = "adapter-off"
    case lowEnergyOff = "low-energy-off"
    case kernelCrash = "kernel-crash"
    case strictKernel = "kernel-of-2026"
    case controllerSilent = "controller-silent"
    case controllerLocked = "controller-locked"
    case serialLine = "serial-line"
    case hardwareError = "hardware-error"
    case ownAdvertising = "own-advertising"
    case leftovers
    case instancesFull = "instances-full"
    case scan
    case backgroundScan = "background-scan"
    case connection
    case controllerRefuses = "controller-refuses"
    case noFirmware = "no-firmware"
    case sendsRarely = "sends-rarely"
    case notReceived = "not-received"
    case discoverable
    case connectable
    case duplicateAddress = "duplicate-address"
    case instancesShared = "instances-shared"
    case capabilitiesNosuid = "capabilities-nosuid"
    case noNewPrivileges = "no-new-privileges"
    case noNetAdmin = "no-net-admin"
    case noNetRaw = "no-net-raw"
    case intervalsIgnored = "intervals-ignored"
    case noPatch = "no-patch"

    /// What a fault does to beacons.
    package enum Effect: Hashable, Sendable {
        /// The adapter cannot be used at all, so that nothing can be tried.
        case unusable
        /// Nothing of what is advertised is on the air.
        case silent
        /// What is on the air differs from what was requested, or is on the air less often.
        case changed
    }

    /// What the texts of a fault name.
    package struct Place: Sendable {
        /// `hciN`
        package var adapter: String
        /// Whether the machine has no other adapter, so that bluetoothctl uses this one.
        package var isOnly: Bool
        /// The address of a device.
        package var device: String?
        /// `hciN` of another adapter.
        package var other: String?
        /// The number of a process.
        package var process: Int32?
        /// The radio of --via.
        package var receiver: String?

        package init(
            _ adapter: String = "", isOnly: Bool = true, device: String? = nil, other: String? = nil,
            process: Int32? = nil, receiver: String? = nil
        ) {
            self.adapter = adapter
            self.isOnly = isOnly
            self.device = device
            self.other = other
            self.process = process
            self.receiver = receiver
        }

        /// A text of the table with the names of this place.
        package func named(_ text: String) -> String {
            var named = text.replacing("{hciN}", with: adapter).replacing("{N}", with: adapter.dropFirst(3))
            if let other {
                named = named.replacing("{hciM}", with: other).replacing("{M}", with: other.dropFirst(3))
            }
            if let device {
                let path = device.replacing(":", with: "_")
                named = named.replacing("{DEVICE}", with: device).replacing("{DEVICE_PATH}", with: path)
            }
            if let process { named = named.replacing("{PROCESS}", with: "\(process)") }
            return receiver.map { named.replacing("{VIA}", with: $0) } ?? named
        }
    }

    /// What it does to beacons.
    package var effect: Effect { entry.effect }

    /// What is wrong, as a sentence without its full stop.
    package func sentence(at place: Place = Place()) -> String { place.named(entry.sentence) }

    /// What that means, as a sentence without its full stop.
    package var meaning: String { entry.meaning }

    /// What to do, as a clause.
    package func action(at place: Place = Place()) -> String { place.named(entry.action) }

    /// The command that does it; `nil` if it cannot be done by a command, or the place does not have what it names.
    package func command(at place: Place = Place()) -> String? {
        let template = place.isOnly ? entry.command : entry.commandAmongSeveral ?? entry.command
        return template.map(place.named).flatMap { $0.contains("{") ? nil : $0 }
    }

    /// What to do, with the command: the hint of an error.
    package func hint(at place: Place = Place()) -> String {
        action(at: place) + (command(at: place).map { " (\($0))" } ?? "")
    }
}
