// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The checks of the adapter of the beacons.
enum AdapterChecks {
    /// In the order in which a reader fixes what they find.
    static let all = [
        block, power, address, duplicateAddress, discoverable, ownAdvertising, scanning, instances, quirks, kernelLog,
    ]

    /// Those that do not depend on the state of the adapter.
    static let ofIdentity = [address, duplicateAddress, quirks]

    private static let block = MachineCheck(
        "rfkill", "Does rfkill block the adapter?", from: "/sys/class/rfkill"
    ) { adapter, _ in
        guard let block = adapter.block else { return [.ok("\(adapter.name) is not blocked")] }
        return [
            .problem(
                "\(adapter.name) is blocked \(block)",
                meaning: block == "by software"
                    ? "it cannot be switched on; a new Raspberry Pi OS has it blocked"
                    : "it cannot be switched on before the machine's switch or key for wireless is",
                command: "rfkill unblock bluetooth")
        ]
    }

    private static let power = MachineCheck(
        "power", "Is the adapter on?", from: "Powered of org.bluez.Adapter1, Read Controller Information"
    ) { adapter, subject in
        switch adapter.isPowered {
        case true?: return [.ok("\(adapter.name) is powered on")]
        case false?:
            return [
                .problem(
                    "\(adapter.name) is powered off", meaning: "nothing is sent",
                    command: subject.facts.set("Powered", "true", "bluetoothctl power on", on: adapter))
            ]
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
    ) { adapter, _ in
        guard let address = adapter.address else {
            return [.unknown("the address of \(adapter.name) is not known", meaning: "nothing reports it")]
        }
        guard address != "00:00:00:00:00:00" else {
            return [
                .problem(
                    "\(adapter.name) has the address 00:00:00:00:00:00",
                    meaning: "its controller did not start as it should: its firmware is missing, or its serial line "
                        + "fails",
                    command: "sudo dmesg | grep -i bluetooth")
            ]
        }
        return [.ok("the address of \(adapter.name) is \(MachineFacts.manufacturerPart(of: address))")]
    }

    private static let duplicateAddress = MachineCheck(
        "duplicate-address", "Do adapters have the same address?", from: "as address, of all adapters"
    ) { adapter, subject in
        let others = subject.facts.adapters.filter {
            $0.name != adapter.name && $0.address != nil && $0.address == adapter.address
        }
        guard !others.isEmpty else { return [.ok("no other adapter has the address of \(adapter.name)")] }
        let names = ([adapter.name] + others.map(\.name)).joined(separator: " and ")
        return [
            .problem(
                "\(names) have the same address (\(MachineFacts.manufacturerPart(of: adapter.address ?? "")))",
                meaning: "cheap dongles are sold like that; receivers take both for one device, and so may "
                    + "bluetoothd: unplug one, or block it",
                command: "rfkill list bluetooth")
        ]
    }

    private static let discoverable = MachineCheck(
        "discoverable", "Is the adapter discoverable, or connectable?",
        from: "Discoverable of org.bluez.Adapter1, the setting connectable of Read Controller Information"
    ) { adapter, subject in
        let meaning =
            "the kernel makes every advertisement connectable meanwhile, with the adapter's own address: ADV_IND "
            + "instead of ADV_NONCONN_IND"
        if adapter.isDiscoverable == true {
            return [
                .problem(
                    "\(adapter.name) is discoverable", meaning: meaning,
                    command: subject.facts.set("Discoverable", "false", "bluetoothctl discoverable off", on: adapter))
            ]
        }
        if adapter.isConnectable == true {
            return [
                .problem(
                    "\(adapter.name) is connectable", meaning: meaning,
                    command: "sudo btmgmt --index \(adapter.name.dropFirst(3)) connectable off")
            ]
        }
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
    ) { adapter, _ in
        switch adapter.hasOwnAdvertising {
        case false?: return [.ok("the kernel's own advertising of \(adapter.name) is off")]
        case true?:
            return [
                .problem(
                    "the kernel's own advertising of \(adapter.name) is on",
                    meaning: "another program switched it on; the kernel accepts advertisements and sends none of them",
                    command: "sudo btmgmt --index \(adapter.name.dropFirst(3)) advertising off")
            ]
        // Without a kernel with Bluetooth there is no such setting.
        case nil: return []
        }
    }

    private static let scanning = MachineCheck(
        "scanning", "Does another program scan with this adapter?", from: "Discovering of org.bluez.Adapter1"
    ) { adapter, _ in
        guard adapter.isDiscovering == true else {
            return adapter.isDiscovering == nil ? [] : [.ok("no program scans with \(adapter.name)")]
        }
        guard adapter.isExtended == false else {
            return [.ok("a program scans with \(adapter.name), which its controller does beside advertising")]
        }
        return [
            .problem(
                "a program scans with \(adapter.name), which has legacy advertising",
                meaning: "beacons that are not connectable are off the air while it scans: the controller refuses "
                    + "their new random addresses; give Home Assistant and other receivers an adapter of their own",
                command: "sudo systemctl restart bluetooth")
        ]
    }

    private static let instances = MachineCheck(
        "instances", "Do other programs advertise?", from: "Read Advertising Features, ActiveInstances of org.bluez"
    ) { adapter, _ in
        guard let total = adapter.instances, let occupied = adapter.occupiedInstances else {
            return [
                .unknown(
                    "the advertising instances of \(adapter.name) are not known",
                    meaning: "neither bluetoothd nor the kernel reports them")
            ]
        }
        let restart = "sudo systemctl restart bluetooth"
        if occupied == 0 { return [.ok("\(total) of \(total) advertising instances of \(adapter.name) are free")] }
        guard occupied < total else {
            return [
                .problem(
                    "all \(total) advertising instances of \(adapter.name) are in use",
                    meaning: "a beacon is refused; if no program advertises, they were left by programs that failed",
                    command: restart)
            ]
        }
        let finding = "\(occupied) of \(total) advertising instances of \(adapter.name) are in use by others"
        return [
            .note(
                finding,
                meaning: adapter.isExtended == false
                    ? "advertisements take turns: a beacon is on the air 1/\(occupied + 1) of the time"
                    : "they are sent beside a beacon, and it has fewer advertising sets",
                command: restart)
        ]
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
        "kernel-log", "Does the kernel report trouble with the controller?", from: "/dev/kmsg"
    ) { adapter, subject in
        guard let lines = subject.facts.kernelLog else {
            return [
                .unknown(
                    "the kernel's log may not be read",
                    meaning: "failures of firmware and controller are reported there only",
                    command: "sudo dmesg | grep -i bluetooth")
            ]
        }
        let found = KernelLog.found(in: lines, of: adapter.name)
        guard !found.isEmpty else { return [.ok("the kernel reports no trouble with \(adapter.name)")] }
        return found.map { kind, count, last in
            let times = count == 1 ? "" : " (\(count) times)"
            let finding = "the kernel reports\(times): \(subject.facts.withoutAddresses(last))"
            return Finding(kind.isProblem ? .problem : .note, finding, meaning: kind.meaning, command: kind.command)
        }
    }
}

extension MachineFacts {
    /// The command that sets a property of an adapter: bluetoothctl's where that has only this adapter to use.
    fileprivate func set(
        _ property: String, _ value: String, _ command: String, on adapter: MachineFacts.Adapter
    ) -> String {
        adapters.count == 1
            ? command
            : "busctl set-property org.bluez /org/bluez/\(adapter.name) org.bluez.Adapter1 \(property) b \(value)"
    }
}
