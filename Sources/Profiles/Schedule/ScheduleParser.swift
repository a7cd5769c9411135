// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import Devices

extension ValueShape {
    /// A time of the day (`WeeklyWindow`).
    package static let window: ValueShape = {
        let day = "(mon|tue|wed|thu|fri|sat|sun)"
        let days = "\(day)(-\(day))?"
        let time = "([01][0-9]:[0-5][0-9]|2[0-3]:[0-5][0-9]|24:00)"
        return .pattern("(\(days)(,\(days))* +)?\(time)-\(time)")
    }()
}

extension Schedule {
    /// Enough for a week; the search for the next change looks at all of them.
    package static let maximumWindows = 64
    private static let times = Duration.milliseconds(100) ... .seconds(3_600_000)

    private static func time(_ text: String) throws(ValueFault) -> Duration {
        try ValueText.duration(text, in: times, limits: "100ms to 1000h")
    }

    /// Reads `schedule` of a beacon; `nil` when it is missing or has faults, which are added to the reader.
    /// - Parameter device: the device of the beacon, whose settings may rotate; `nil` if it has faults.
    static func read(
        from reader: inout ProfileReader, device: (any ProfiledDevice)?, pairing: PairingSettings?
    ) -> Schedule? {
        reader.part("schedule") { part in
            let windows = readWindows(from: &part)
            let on = part.value("on", time)
            let off = part.value("off", time)
            if part.has("on") != part.has("off") {
                let (key, other) = part.has("on") ? ("on", "off") : ("off", "on")
                part.add("\(key) needs \(other): write on: 10s, off: 50s", field: key, at: part.place(of: key))
            }
            let rotation = part.part("rotate") { Rotation(from: &$0, device: device, pairing: pairing) }
            if !["between", "on", "off", "rotate"].contains(where: part.has), !part.hasUnknownKeys {
                part.add("write between, on and off, or rotate", field: nil, at: part.place)
            }
            var duty: DutyCycle?
            if let on, let off { duty = DutyCycle(on: on, off: off) }
            return Schedule(windows: windows, duty: duty, rotation: rotation)
        }
    }

    /// `between: 09:00-17:00`, or a list.
    private static func readWindows(from reader: inout ProfileReader) -> [WeeklyWindow] {
        func window(_ text: String) throws(ValueFault) -> WeeklyWindow { try WeeklyWindow(text) }
        guard let node = reader.node("between") else { return [] }
        guard node.text == nil else { return reader.value("between", window).map { [$0] } ?? [] }
        let windows = reader.values("between", example: "[mon-fri 09:00-17:00]", window)
        if node.sequence?.isEmpty == true {
            reader.add("a list of at least one time of the day is expected here", field: "between", at: node.place)
        }
        if let count = node.sequence?.count, count > maximumWindows {
            reader.add(
                "a schedule has at most \(maximumWindows) times of the day, not \(count)", field: "between",
                at: node.place)
        }
        return windows ?? []
    }

    /// As YAML in one line.
    var text: String {
        var parts: [String] = []
        if !windows.isEmpty { parts.append("between: [\(windows.map { "\"\($0.text)\"" }.joined(separator: ", "))]") }
        if let duty { parts.append("on: \(DeviceWriter.text(duty.on)), off: \(DeviceWriter.text(duty.off))") }
        if let rotation { parts.append("rotate: { every: \(DeviceWriter.text(rotation.period))\(rotation.text) }") }
        return "{ \(parts.joined(separator: ", ")) }"
    }
}

extension Rotation {
    /// Reads `rotate: { every: 15m, minor: [1, 2, 3], address: random }`.
    fileprivate init?(from reader: inout ProfileReader, device: (any ProfiledDevice)?, pairing: PairingSettings?) {
        let period = reader.required("every") { text throws(ValueFault) in
            try ValueText.duration(text, in: .seconds(1) ... .seconds(3_600_000), limits: "1s to 1000h")
        }
        var addresses = Addresses.fixed
        if let node = reader.node("address") {
            if node.text == "random" {
                addresses = .random
            } else if let list = reader.values("address", example: "[C0:FF:EE:00:00:01], or random", Self.address) {
                addresses = .list(list)
                if list.isEmpty, node.sequence?.isEmpty == true { Self.addEmptyList("address", to: &reader) }
            }
            if pairing?.hidesAddress == true {
                reader.add(
                    "private-address changes the address already; leave one of them out", field: "address",
                    at: node.place)
            }
        }
        guard let device else {
            reader.acceptAllKeys()
            return nil
        }
        let settings = Self.settings(of: device, from: &reader)
        if settings.isEmpty, !reader.has("address"), !reader.hasUnknownKeys, reader.faults.isEmpty {
            reader.add("write what rotates, such as minor: [1, 2, 3] or address: random", field: nil, at: reader.place)
        }
        guard let period else { return nil }
        self.init(period: period, settings: settings, addresses: addresses)
    }

    private static func address(_ text: String) throws(ValueFault) -> String {
        guard let address = BluetoothAddress(text), address.isStaticRandom else {
            throw ValueFault(
                "\"\(text)\" is not a static random address, whose first digit is C to F, such as C0:FF:EE:00:00:01")
        }
        return address.description
    }

    private static func addEmptyList(_ key: String, to reader: inout ProfileReader) {
        reader.add("a list of at least one value is expected here", field: key, at: reader.place(of: key))
    }

    /// The lists of settings that `ctl set` changes; each value is one that the device takes.
    private static func settings(of device: any ProfiledDevice, from reader: inout ProfileReader) -> [Setting] {
        var settings: [Setting] = []
        for key in device.settings.map(\.key) {
            // Every setting is known, so that an unknown key gets a suggestion.
            guard let node = reader.node(key) else { continue }
            guard !device.savesSettings else {
                reader.add(
                    "a beacon of this kind saves its settings, so they do not rotate; leave \(key) out, or use device: "
                        + "ibeacon", field: key, at: node.place)
                continue
            }
            let values = reader.values(key, example: "[1, 2, 3]") { text throws(ValueFault) in
                try check(SettingChange(key, text), of: device)
                return text
            }
            if let values, !values.isEmpty { settings.append(Setting(key: key, values: values)) }
            if node.sequence?.isEmpty == true { addEmptyList(key, to: &reader) }
        }
        return settings
    }

    /// Changes a copy of the device.
    private static func check(_ change: SettingChange, of device: any ProfiledDevice) throws(ValueFault) {
        if let setting = DeviceRegistry.commonSetting(change.key) { _ = try setting.value(change.text) }
        var copy = device
        if case .refused(let sentence)? = copy.handle(.set([change]), at: DeviceTime()).reply {
            throw ValueFault(sentence)
        }
    }

    /// The keys after `every`, as YAML.
    fileprivate var text: String {
        var lists = settings.map { ($0.key, "[\($0.values.map { DeviceWriter.quoted($0) }.joined(separator: ", "))]") }
        switch addresses {
        case .fixed: break
        case .list(let list): lists.append(("address", "[\(list.joined(separator: ", "))]"))
        case .random: lists.append(("address", "random"))
        }
        return lists.map { ", \($0): \($1)" }.joined()
    }
}
