// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import KernelBluetooth

/// The checks of the adapter of the beacons.
enum AdapterChecks {
    /// In the order in which the page has them.
    static let all = [
        block, power, address, duplicateAddress, discoverable, ownAdvertising, scanning, connections, instances, quirks,
        kernelLog,
    ]

    /// Those that do not depend on the state of the adapter.
    static let ofIdentity = [address, duplicateAddress, quirks]

    private static let block = MachineCheck(
        "rfkill", "Does rfkill block the adapter?", from: "/sys/class/rfkill"
    ) { adapter, subject in
        guard let block = adapter.block else { return [.ok("\(adapter.name) is not blocked")] }
        return [.problem(Fault(block: block), at: subject.place(), "\(adapter.name) is blocked \(block)")]
    }

    private static let power = MachineCheck(
        "power", "Is the adapter on?", from: "Powered of org.bluez.Adapter1, Read Controller Information"
    ) { adapter, subject in
        switch adapter.isPowered {
        case true?: return [.ok("\(adapter.name) is powered on")]
        // What blocks it is the fault then.
        case false? where adapter.block != nil:
            return [.note("\(adapter.name) is powered off", meaning: "it is blocked")]
        case false? where !adapter.isManaged && subject.facts.daemon.isRunning:
            return [.note("\(adapter.name) is powered off", meaning: "bluetoothd does not manage it")]
        case false?: return [.problem(.adapterOff, at: subject.place())]
        case nil:
            return [
                .unknown(
                    "whether \(adapter.name) is powered is not known",
                    meaning: "neither bluetoothd nor the kernel reports it")
            ]
        }
    }

    private static let address = MachineCheck(
        "address", "Does the adapter have an address?",
        from: "Address of org.bluez.Adapter1, Read Controller Information"
    ) { adapter, subject in
        guard let address = adapter.address else {
            return [.unknown("the address of \(adapter.name) is not known", meaning: "nothing reports it")]
        }
        guard address != "00:00:00:00:00:00" else { return [.problem(.noAddress, at: subject.place())] }
        return [.ok("the address of \(adapter.name) is \(MachineFacts.manufacturerPart(of: address))")]
    }

    private static let duplicateAddress = MachineCheck(
        "duplicate-address", "Do adapters have the same address?", from: "as address, of all adapters"
    ) { adapter, subject in
        let others = subject.facts.adapters.filter {
            $0.name != adapter.name && $0.address != nil && $0.address == adapter.address && $0.isPowered != false
        }
        guard let other = others.first else { return [.ok("no other adapter has the address of \(adapter.name)")] }
        let names = ([adapter.name] + others.map(\.name)).joined(separator: " and ")
        return [
            .problem(
                .duplicateAddress, at: subject.place(other: other.name),
                "\(names) have the same address (\(MachineFacts.manufacturerPart(of: adapter.address ?? "")))")
        ]
    }

    private static let discoverable = MachineCheck(
        "discoverable", "Is the adapter discoverable, or connectable?",
        from: "Discoverable of org.bluez.Adapter1, the setting connectable of Read Controller Information"
    ) { adapter, subject in
        if adapter.isDiscoverable == true { return [.problem(.discoverable, at: subject.place())] }
        if adapter.isConnectable == true { return [.problem(.connectable, at: subject.place())] }
        guard adapter.isDiscoverable != nil else {
            return [
                .unknown(
                    "whether \(adapter.name) is discoverable is not known", meaning: "bluetoothd does not report it")
            ]
        }
        return [.ok("\(adapter.name) is not discoverable")]
    }

    private static let ownAdvertising = MachineCheck(
        "own-advertising", "Is the kernel's own advertising off?",
        from: "the setting advertising of Read Controller Information"
    ) { adapter, subject in
        switch adapter.hasOwnAdvertising {
        case false?: return [.ok("the kernel's own advertising of \(adapter.name) is off")]
        case true?: return [.problem(.ownAdvertising, at: subject.place())]
        // Without a kernel with Bluetooth there is no such setting.
        case nil: return []
        }
    }

    private static let scanning = MachineCheck(
        "scanning", "Does a program, or the kernel, scan with this adapter?",
        from: "Discovering of org.bluez.Adapter1, device_list of debugfs, paired devices, the test of the air"
    ) { adapter, subject in
        guard adapter.isDiscovering != nil || !adapter.awaitedDevices.isEmpty else { return [] }
        if adapter.isDiscovering == true {
            guard adapter.isExtended == false else {
                return [.ok("a program scans with \(adapter.name), which its controller does beside advertising")]
            }
            return [.problem(.scan, at: subject.place())]
        }
        let wasInTheWay = subject.air.warnings.contains("scan-in-the-way")
        guard let device = adapter.awaitedDevices.first else {
            guard wasInTheWay, adapter.isExtended == false else {
                return [.ok("no program scans with \(adapter.name)")]
            }
            return [.problem(.scan, at: subject.place(), "something scanned with \(adapter.name) during the test")]
        }
        guard adapter.isExtended == false else {
            return [
                .ok(
                    "the kernel scans with \(adapter.name) for a device that is away, which its controller does beside "
                        + "advertising")
            ]
        }
        let place = subject.place(device: device)
        if adapter.isAwaitingForSure || wasInTheWay || subject.air.outcome == .silent {
            return [.problem(.backgroundScan, at: place)]
        }
        return [
            .note(
                .backgroundScan, at: place,
                "the device \(device) is paired and away, and the kernel may scan for it with \(adapter.name)")
        ]
    }

    private static let connections = MachineCheck(
        "connections", "Is the adapter connected to a device?", from: "Connected of org.bluez.Device1"
    ) { adapter, subject in
        guard let device = adapter.connectedDevices.first else { return [.ok("\(adapter.name) has no connections")] }
        let isInTheWay = subject.air.outcome == .silent || subject.air.warnings.contains("connection-in-the-way")
        let place = subject.place(device: device)
        return [isInTheWay ? .problem(.connection, at: place) : .note(.connection, at: place)]
    }

    private static let instances = MachineCheck(
        "instances", "Do other programs advertise?",
        from: "Read Advertising Features, ActiveInstances of org.bluez, what runs of this user have recorded"
    ) { adapter, subject in
        guard let total = adapter.instances, let foreign = adapter.foreignInstances else {
            return [
                .unknown(
                    "the advertising instances of \(adapter.name) are not known",
                    meaning: "neither bluetoothd nor the kernel reports them")
            ]
        }
        let left = adapter.presentLeftovers.count
        var findings: [Finding] = []
        if left > 0 {
            let sentence = LeftoverInstances.sentence(left, on: adapter.name)
            findings.append(.problem(.leftovers, at: subject.place(), sentence))
        }
        if foreign >= total {
            findings.append(
                .problem(
                    .instancesFull, at: subject.place(),
                    "all \(total) advertising instances of \(adapter.name) are in use by others"))
        } else if foreign > 0 {
            let meaning =
                adapter.isExtended == false
                ? "advertisements take turns: a beacon is on the air 1/\(foreign + 1) of the time"
                : "they are sent beside a beacon, and it has fewer advertising sets"
            findings.append(
                .note(
                    .instancesShared, at: subject.place(),
                    "\(foreign) of \(total) advertising instances of \(adapter.name) are in use by others",
                    meaning: meaning))
        }
        guard findings.isEmpty else { return findings }
        return [.ok("\(total) of \(total) advertising instances of \(adapter.name) are free")]
    }

    private static let quirks = MachineCheck(
        "known-adapter", "What is known of this adapter?",
        from: "USB identifiers, board, manufacturer; docs/adapters.md"
    ) { adapter, subject in
        var findings: [Finding] = []
        if adapter.isLowEnergyOnly == true {
            findings.append(
                Finding(
                    .ok, "\(adapter.name) supports Low Energy only",
                    meaning: "the kernel adds flags (02 01 04) to data without flags, so a profile with flags: none "
                        + "gets them"))
        }
        if let power = adapter.transmitPower, adapter.plausibleTransmitPower == nil {
            findings.append(
                .note(
                    "\(adapter.name) reports transmit powers of \(power.map(String.init).joined(separator: " to "))",
                    meaning: "these are not dBm: a transmitter of Bluetooth Low Energy has 20 dBm at most"))
        }
        guard let known = subject.known else {
            let identifier = adapter.identity.usb.map { " (USB \($0.identifier))" } ?? ""
            return findings + [.ok("\(adapter.name)\(identifier) is not one of the known adapters")]
        }
        guard !known.quirks.isEmpty else {
            return findings + [.ok("\(adapter.name) is a known adapter without peculiarities: \(known.title)")]
        }
        return findings + known.quirks.map { .note("\(known.name): \($0.meaning)", meaning: $0.hint) }
    }

    private static let kernelLog = MachineCheck(
        Finding.kernelLog, "Does the kernel report trouble with the controller?", from: "/dev/kmsg"
    ) { adapter, subject in
        guard let lines = subject.facts.kernelLog else {
            return [
                .unknown(
                    "the kernel's log may not be read",
                    meaning: "failures of firmware and controller are reported there only",
                    command: "sudo dmesg | grep -i bluetooth")
            ]
        }
        let groups = KernelLog.groups(lines, of: adapter.name)
        let news = lines.filter { message in subject.air.began.map { message.time >= $0 } ?? false }
        let newGroups = Dictionary(uniqueKeysWithValues: KernelLog.groups(news, of: adapter.name).map { ($0.kind, $0) })
        guard !groups.isEmpty else { return [.ok("the kernel reports no trouble with \(adapter.name)")] }
        return groups.map { group in
            let text = subject.facts.withoutAddresses(group.last.text)
            if let new = newGroups[group.kind] {
                let times = new.count == 1 ? "" : " \(new.count) times"
                let sentence = "during the test the kernel reported\(times): \(text)"
                guard let fault = group.kind.fault else { return .note(sentence, meaning: group.kind.meaning) }
                return Finding(of: "", "", fault == .noPatch ? .note : .problem, fault, at: subject.place(), sentence)
            }
            let times = group.count == 1 ? "" : ", \(group.count) times in all"
            let age = KernelLog.age(subject.facts.time - group.last.time)
            var finding = Finding.note("\(age) the kernel reported: \(text)\(times)", meaning: group.kind.meaning)
            finding.isOld = true
            return finding
        }
    }
}
