// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import ArgumentParser
import BeaconryTools
import Devices
import Profiles
import Synchronization

/// By the words of the command.
private let configurations = Mutex<[String: CommandConfiguration]>([:])

/// The options of a frame of one format: its keys, and the flags in front of it.
struct FrameOptions<Frame: TransmittableBeacon>: ParsableArguments {
    @OptionGroup var keys: DeclaredOptions<FrameKeys<Frame>>

    @Option(help: "Flags byte in front of the frame, or none.")
    var flags = "0x06"

    /// The advertising data.
    /// - Throws: `Failure` for a required key that is missing, for flags that are no byte, and for a frame that is too long
    ///   for a PDU.
    func payload() throws(Failure) -> FramePayload {
        let frame = try FrameKeys<Frame>.frame(keys.texts)
        let flags: AdvertisingFlags?
        do throws(ValueFault) {
            flags = try ValueText.flags(self.flags)
        } catch {
            throw .usage("--flags: \(error.message)")
        }
        return try FramePayload(frame, flags: flags)
    }

    /// The configuration of a command with these options. It is made once: ArgumentParser reads that of every command several times
    /// in each process, and generic types have no stored properties.
    /// - Parameter command: the command in front of the format, such as `encode`.
    static func configuration(of command: String, abstract: String) -> CommandConfiguration {
        let path = "beaconry \(command) \(Frame.formatName)"
        return configurations.withLock { made in
            if let configuration = made[path] { return configuration }
            let configuration = configuration(path, abstract: abstract)
            made[path] = configuration
            return configuration
        }
    }

    private static func configuration(_ path: String, abstract: String) -> CommandConfiguration {
        let example = Frame.example.map { "--\($0.key) \($0.value)" }.joined(separator: " ")
        let required = Frame.requiredKeys.map { "--\($0) <\($0)> " }.joined()
        return CommandConfiguration(
            commandName: Frame.formatName, abstract: abstract, usage: "\(path) \(required)[<options>]",
            discussion: "Example: \(path) \(example)")
    }
}

/// One option for each key that a format declares, such as `--uuid`.
enum FrameKeys<Frame: TransmittableBeacon>: OptionList {
    static var options: [DeclaredOption] {
        Frame.keys.map { key in
            let value =
                key.isRequired ? "required" : key.text(Frame.template).map { "default: \($0)" } ?? "default: none"
            return DeclaredOption(name: key.name, help: "\(key.summary): \(key.meaning) (\(value)).") { text in
                var frame = Frame.template
                guard key.set(text, &frame) else { throw ValueFault(key.fault(text)) }
            }
        }
    }

    /// The frame with the values that were given, and the defaults of the format for the others.
    ///
    /// A missing required key is found here, and not by ArgumentParser, which would report it in place of the misspelled
    /// option that was meant.
    /// - Throws: `Failure` for a required key that is missing.
    static func frame(_ texts: [String: String]) throws(Failure) -> Frame {
        var frame = Frame.template
        for key in Frame.keys {
            if let text = texts[key.name] {
                _ = key.set(text, &frame)
            } else if key.isRequired {
                let example = Frame.example.first { $0.key == key.name }?.value ?? "VALUE"
                throw .usage("--\(key.name) is missing; write it as in --\(key.name) \(example)")
            }
        }
        return frame
    }
}

/// One option for each advertising setting that all beacons have, such as `--interval`.
enum AdvertisingKeys: OptionList {
    static var options: [DeclaredOption] {
        AdvertisingSettings.declarations.map { setting in
            DeclaredOption(
                name: setting.key, help: "As in profiles: \(setting.meaning) (default: \(setting.standard))."
            ) { text in _ = try AdvertisingSettings([setting.key: text]) }
        }
    }
}
