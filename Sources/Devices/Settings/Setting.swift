// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth

/// A setting of a kind of device: its key, what can be written, and how it is read, written and changed.
///
/// A kind lists its settings once. The profile's parser and writer, `ctl set`, the status, JSON, help and the tables of the
/// documentation are derived from that list:
///
///     static let settings: [Setting<Configuration>] = [
///         Setting(.uuid, \.uuid, in: "ibeacon", isRequired: true),
///         .flag("presentation", "true: descriptor 2904 declares a percentage", \.hasPresentationFormat),
///     ] + Setting.advertising()
package struct Setting<Configuration: Sendable>: Sendable {
    /// The key in profiles.
    let key: String
    /// The key of the mapping that contains it; `nil` for a key of the beacon itself.
    let group: String?
    /// What can be written, with unit and range.
    let meaning: String
    /// What the value is in a profile.
    let form: SettingForm
    /// Whether a profile must give it.
    let isRequired: Bool
    /// The default in words; `nil` for the value of the kind's template.
    let standard: String?
    /// The common setting that it is; `nil` for a setting of one kind of device, or one that only profiles give.
    let common: CommonSetting?
    /// The text for a profile; `nil` when there is none, or when it takes more than one line.
    fileprivate let text: @Sendable (Configuration) -> String?
    /// Reads the value from a profile; `false` when a required value is missing or wrong.
    fileprivate let read: @Sendable (inout ProfileReader, inout Configuration) -> Bool
    /// Writes the value into a profile.
    fileprivate let write: @Sendable (Configuration, inout DeviceWriter) -> Void
    /// Sets the value from its text in a profile; `nil` for a value that is more than a text.
    fileprivate let set: (@Sendable (String, inout Configuration) throws(ValueFault) -> Void)?
    /// The value at present, and how it is changed; `nil` for a setting that only profiles give.
    fileprivate let live: Live?

    /// A setting that can be changed while a beacon runs.
    fileprivate struct Live: Sendable {
        /// The value at present.
        let value: @Sendable (Configuration) -> SettingValue
        /// Changes the value.
        let change: @Sendable (String, inout Configuration) throws(ValueFault) -> Void
    }

    /// A common setting, which can be changed while a beacon runs.
    package init<Value>(
        _ kind: SettingKind<Value>, _ path: any WritableKeyPath<Configuration, Value> & Sendable,
        in group: String? = nil,
        isRequired: Bool = false, standard: String? = nil
    ) {
        key = kind.key
        self.group = group
        meaning = kind.meaning
        form = .value(kind.shape)
        self.isRequired = isRequired
        self.standard = standard
        common = CommonSetting(kind)
        text = { kind.profileText($0[keyPath: path]) }
        read = Self.read(kind.key, isRequired: isRequired, path, kind.parseProfile)
        write = { $1.write(kind.key, kind.profileText($0[keyPath: path])) }
        set = { text, configuration throws(ValueFault) in configuration[keyPath: path] = try kind.parseProfile(text) }
        live = Live(
            value: { SettingValue(kind, $0[keyPath: path]) },
            change: { text, configuration throws(ValueFault) in
                let value = try kind.parse(text)
                if let refusal = kind.refusal(value) { throw ValueFault(refusal) }
                configuration[keyPath: path] = value
            })
    }

    /// A setting of one kind of device.
    /// - Parameters:
    ///   - shape: The texts that `parse` reads.
    ///   - omits: Whether a value is left out of a written profile.
    ///   - isChangeable: Whether it can be changed while a beacon runs.
    ///   - parse: Reads what people write.
    ///   - print: What people write; `nil` for a value that is expressed by leaving the key out.
    package init<Value: Sendable>(
        _ key: String, _ meaning: String, _ shape: ValueShape,
        _ path: any WritableKeyPath<Configuration, Value> & Sendable,
        isRequired: Bool = false, standard: String? = nil, isChangeable: Bool = false,
        omits: @escaping @Sendable (Value) -> Bool = { _ in false },
        parse: @escaping @Sendable (String) throws(ValueFault) -> Value,
        print: @escaping @Sendable (Value) -> String?
    ) {
        self.key = key
        group = nil
        self.meaning = meaning
        form = .value(shape)
        self.isRequired = isRequired
        self.standard = standard
        common = nil
        text = { print($0[keyPath: path]) }
        read = Self.read(key, isRequired: isRequired, path, parse)
        write = { configuration, writer in
            let value = configuration[keyPath: path]
            if !omits(value) { writer.write(key, print(value)) }
        }
        let assign: @Sendable (String, inout Configuration) throws(ValueFault) -> Void = {
            text, configuration throws(ValueFault) in configuration[keyPath: path] = try parse(text)
        }
        set = assign
        live = isChangeable ? Live(value: { SettingValue(key, print($0[keyPath: path]) ?? "") }, change: assign) : nil
    }

    /// A setting that only profiles give and whose value is more than a text, or depends on other settings.
    /// - Parameters:
    ///   - standard: The default in words.
    ///   - read: Reads the value; `false` when a required value is missing or wrong.
    package init(
        _ key: String, in group: String? = nil, _ meaning: String, _ form: SettingForm, isRequired: Bool = false,
        standard: String,
        read: @escaping @Sendable (inout ProfileReader, inout Configuration) -> Bool,
        write: @escaping @Sendable (Configuration, inout DeviceWriter) -> Void
    ) {
        self.key = key
        self.group = group
        self.meaning = meaning
        self.form = form
        self.isRequired = isRequired
        self.standard = standard
        common = nil
        text = { _ in nil }
        self.read = read
        self.write = write
        set = nil
        live = nil
    }

    private static func read<Value: Sendable>(
        _ key: String, isRequired: Bool, _ path: any WritableKeyPath<Configuration, Value> & Sendable,
        _ parse: @escaping @Sendable (String) throws(ValueFault) -> Value
    ) -> @Sendable (inout ProfileReader, inout Configuration) -> Bool {
        { reader, configuration in
            let value = isRequired ? reader.required(key, parse) : reader.value(key, parse)
            guard let value else { return !isRequired }
            configuration[keyPath: path] = value
            return true
        }
    }
}

// MARK: - Settings that only profiles give

extension Setting {
    /// The complete name to advertise; `nil` advertises none.
    package static func name(_ path: any WritableKeyPath<Configuration, String?> & Sendable) -> Setting {
        Setting(
            "name", nameMeaning, .localName, path, standard: "none",
            parse: { text throws(ValueFault) in try ValueText.localName(text) }, print: { $0.map(DeviceWriter.quoted) })
    }

    /// The complete name to advertise, of a device that has one by default.
    package static func name(
        _ path: any WritableKeyPath<Configuration, String> & Sendable, meaning: String? = nil,
        _ shape: ValueShape = .localName, standard: String,
        parse: @escaping @Sendable (String) throws(ValueFault) -> String = ValueText.localName
    ) -> Setting {
        Setting(
            "name", meaning ?? nameMeaning, shape, path, standard: standard, parse: parse,
            print: { DeviceWriter.quoted($0) })
    }

    private static var nameMeaning: String {
        "advertised in the scan response; a name that does not fit is shortened and marked so"
    }

    /// The address; `nil` leaves it to the radio.
    package static func address(_ path: any WritableKeyPath<Configuration, BluetoothAddress?> & Sendable) -> Setting {
        Setting(
            "address", "C0:FF:EE:00:00:01; BlueZ cannot set it", .address, path,
            standard: "BlueZ: the adapter's address; else derived from profile and id, the same in every run",
            parse: { text throws(ValueFault) in try ValueText.address(text) }, print: { $0?.description })
    }

    /// The flags in the advertising data; `nil` leaves them out.
    package static func flags(_ path: any WritableKeyPath<Configuration, AdvertisingFlags?> & Sendable) -> Setting {
        Setting(
            "flags", "a byte such as 0x06, or none", .flags, path, omits: { $0 == .beacon }, parse: ValueText.flags,
            print: DeviceWriter.text)
    }

    /// The PDU type.
    /// - Parameter standard: The default in words, which depends on other settings.
    package static func pdu(
        _ path: any WritableKeyPath<Configuration, AdvertisingPDU> & Sendable, standard: String
    ) -> Setting {
        Setting(
            "pdu", "ADV_NONCONN_IND, ADV_SCAN_IND or ADV_IND", .pdu, path, standard: standard, parse: ValueText.pdu,
            print: { $0.rawValue })
    }

    /// `true` or `false`; `false` is not written.
    package static func flag(
        _ key: String, _ meaning: String, _ path: any WritableKeyPath<Configuration, Bool> & Sendable
    ) -> Setting {
        Setting(key, meaning, .boolean, path, omits: { !$0 }, parse: ValueText.boolean, print: { "\($0)" })
    }
}

// MARK: - Derived from a list of settings

extension ProfiledDevice {
    /// By default, the settings are read in the order of their list.
    package init?(from reader: inout ProfileReader) {
        var configuration = Self.template
        let isComplete = reader.read(Self.settings, into: &configuration)
        Self.complete(&configuration, from: &reader)
        guard isComplete else { return nil }
        self.init(configuration)
    }

    /// By default, the settings are written in the order of their list.
    package func write(to writer: inout DeviceWriter) { writer.write(Self.settings, of: configuration) }

    /// The settings of the kind, for help and documentation.
    package static var declarations: [SettingDeclaration] {
        settings.map { SettingDeclaration($0, in: template) }
    }

    /// The settings of the kind that other kinds have as well.
    package static var commonSettings: [CommonSetting] { settings.compactMap(\.common) }
}

extension SelfContainedDevice {
    /// By default, the settings that can be changed are part of the configuration.
    package var settings: [SettingValue] { Self.settings.values(of: configuration) }
}

/// A change that a device refuses.
struct SettingRefusal: Error, Hashable, Sendable {
    /// The setting and the reason: one sentence.
    let sentence: String
}

extension ProfileReader {
    /// Reads settings in the order of their list.
    /// - Returns: `false` when a required one is missing or wrong.
    mutating func read<Configuration>(
        _ settings: [Setting<Configuration>], into configuration: inout Configuration
    ) -> Bool {
        var isComplete = true
        for part in settings.grouped() {
            guard let group = part.group else {
                for setting in part.settings where !setting.read(&self, &configuration) { isComplete = false }
                continue
            }
            for setting in part.settings { owners[setting.key] = group }
            guard let node = node(group) else {
                guard part.settings.contains(where: \.isRequired) else { continue }
                add("\"\(group)\" is missing", field: nil, at: place)
                isComplete = false
                continue
            }
            var reader = child(node, group)
            if node.mapping != nil {
                for setting in part.settings where !setting.read(&reader, &configuration) { isComplete = false }
            }
            add(reader.finish())
        }
        return isComplete
    }
}

extension ProfileReader {
    /// The PDU type that was read, or a default when the profile gives none.
    func pdu(_ pdu: AdvertisingPDU, default standard: AdvertisingPDU) -> AdvertisingPDU {
        present("pdu")?.text == pdu.rawValue ? pdu : standard
    }
}

extension DeviceWriter {
    /// Writes settings in the order of their list.
    mutating func write<Configuration>(_ settings: [Setting<Configuration>], of configuration: Configuration) {
        for part in settings.grouped() {
            var writer = part.group == nil ? self : DeviceWriter()
            for setting in part.settings { setting.write(configuration, &writer) }
            if let group = part.group {
                write(group, "{ \(writer.lines.joined(separator: ", ")) }")
            } else {
                self = writer
            }
        }
    }
}

extension Array {
    /// Neighbours that belong to one mapping, together.
    fileprivate func grouped<Configuration>() -> [(group: String?, settings: [Setting<Configuration>])]
    where Element == Setting<Configuration> {
        var parts: [(group: String?, settings: [Setting<Configuration>])] = []
        for setting in self {
            if let last = parts.last, last.group == setting.group {
                parts[parts.count - 1].settings.append(setting)
            } else {
                parts.append((setting.group, [setting]))
            }
        }
        return parts
    }

    /// The present values of the settings that can be changed.
    func values<Configuration>(of configuration: Configuration) -> [SettingValue]
    where Element == Setting<Configuration> {
        compactMap { $0.live?.value(configuration) }
    }

    /// Whether there is a setting of this key that can be changed.
    func canChange<Configuration>(_ key: String) -> Bool where Element == Setting<Configuration> {
        contains { $0.key == key && $0.live != nil }
    }

    /// Changes a configuration.
    /// - Throws: `SettingRefusal` for the first change that is refused; nothing is changed then.
    func apply<Configuration>(
        _ changes: [SettingChange], to configuration: inout Configuration
    ) throws(SettingRefusal) where Element == Setting<Configuration> {
        var changed = configuration
        for change in changes {
            guard let live = first(where: { $0.key == change.key && $0.live != nil })?.live else {
                let keys = values(of: configuration).map(\.key).joined(separator: ", ")
                throw SettingRefusal(
                    sentence: "\(change.key): this device has no such setting; it has \(keys)")
            }
            do throws(ValueFault) {
                try live.change(change.text, &changed)
            } catch {
                throw SettingRefusal(sentence: "\(change.key): \(error.message)")
            }
        }
        configuration = changed
    }
}

extension AdvertisingSettings {
    /// The advertising settings that all kinds of devices have, for options.
    package static let declarations = Setting<Beacon.Configuration>.advertising().map {
        SettingDeclaration($0, in: Beacon.template)
    }

    /// Advertising settings with values of `declarations`, by their keys; the others have their defaults.
    /// - Throws: `ValueFault` for a text that is not a value of the setting.
    package init(_ texts: [String: String]) throws(ValueFault) {
        var configuration = Beacon.template
        for setting in Setting<Beacon.Configuration>.advertising() {
            if let text = texts[setting.key] { try setting.set?(text, &configuration) }
        }
        self = configuration.advertising
    }
}

/// A setting of a kind of device, for help and documentation.
package struct SettingDeclaration: Sendable {
    /// The key in profiles.
    package let key: String
    /// The key of the mapping that contains it; `nil` for a key of the beacon itself.
    package let group: String?
    /// What can be written, with unit and range.
    package let meaning: String
    /// What the value is in a profile.
    package let form: SettingForm
    /// The default.
    package let standard: String

    init<Configuration>(_ setting: Setting<Configuration>, in template: Configuration) {
        key = setting.key
        group = setting.group
        meaning = setting.meaning
        form = setting.form
        standard = setting.isRequired ? "required" : setting.standard ?? setting.text(template) ?? "none"
    }
}
