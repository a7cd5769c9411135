// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth

/// Writes declared services and advertised content as YAML, which is read as the same values.
enum AttributeWriter {
    /// The value of the key `advertise`.
    static func text(advertised content: AdvertisedContent) -> String {
        mapping([
            ("services", list(content.services.map(\.description))),
            ("solicited-services", list(content.solicitedServices.map(\.description))),
            ("service-data", listOrNothing(content.serviceData.map(text))),
            ("manufacturer-data", content.manufacturerData.map(text)),
            ("tx-power", "\(content.includesTransmitPower)"),
        ])
    }

    /// The text of a quantity.
    static func text(_ quantity: Quantity) -> String {
        if case .fixed(let number) = quantity { return ValueText.text(number) }
        return mapping([entry(quantity)])
    }

    /// The lines of services, as a list.
    static func lines(of services: [DeclaredService]) -> [String] {
        services.flatMap { service in
            ["- uuid: \(service.uuid)", "  characteristics:"] + service.characteristics.map { "    - \(text($0))" }
        }
    }

    // MARK: - Characteristics

    private static func text(_ declared: DeclaredCharacteristic) -> String {
        let isSimple = declared.fields.count == 1 && declared.fields[0].name.isEmpty
        let value: [(String, String?)] =
            isSimple
            ? entries(of: declared.fields[0])
            : [
                (
                    "fields",
                    list(declared.fields.map { mapping([("name", DeviceWriter.quoted($0.name))] + entries(of: $0)) })
                )
            ]
        return mapping(
            [
                ("name", DeviceWriter.quoted(declared.name)), ("uuid", declared.uuid.description),
                ("properties", list(names(of: declared.properties))), ("permissions", text(declared.permissions)),
            ] + value + behaviour(of: declared))
    }

    private static func behaviour(of declared: DeclaredCharacteristic) -> [(String, String?)] {
        let notifies = !declared.properties.isDisjoint(with: [.notify, .indicate])
        let writing: [(String, String?)] = [
            ("stored", declared.isStored ? "true" : nil), ("echo", declared.echo.map(DeviceWriter.quoted)),
            ("restarts", listOrNothing(declared.restarts.map(DeviceWriter.quoted))),
            ("range-error", declared.rangeError == .valueNotAllowed ? nil : text(declared.rangeError)),
        ]
        return [
            ("descriptors", listOrNothing(declared.descriptors.map(text))),
            ("length", declared.lengths.map { mapping([("min", "\($0.lowerBound)"), ("max", "\($0.upperBound)")]) }),
            ("notify", notifies ? text(declared.notificationPolicy) : nil),
        ] + writing + [
            ("read-error", declared.readFault.map(text)), ("write-error", declared.writeFault.map(text)),
            ("read-delay", declared.readDelay > .zero ? text(declared.readDelay) : nil),
            ("write-delay", declared.writeDelay > .zero ? text(declared.writeDelay) : nil),
            ("deviations", listOrNothing(declared.deviations.map(\.rawValue).sorted())),
        ]
    }

    private static func entries(of field: ValueField) -> [(String, String?)] {
        let range = field.accepted.map { list([$0.lowerBound, $0.upperBound].map(ValueText.text)) }
        switch field.source {
        case .fixed(let octets):
            return type(of: field.format) + [
                ("range", range), ("value", DeviceWriter.quoted(field.format.text(of: octets))),
            ]
        case .quantity(.fixed(let number)):
            let octets = field.format.octets(of: number)
            return type(of: field.format) + [
                ("range", range), ("value", DeviceWriter.quoted(field.format.text(of: octets))),
            ]
        case .quantity(let quantity): return type(of: field.format) + [("range", range), entry(quantity)]
        case .clock(.unix): return type(of: field.format) + [("range", range), ("clock", ClockForm.unix.rawValue)]
        case .clock(let form): return [("clock", form.rawValue)]
        }
    }

    private static func type(of format: ValueFormat) -> [(String, String?)] {
        var entries: [(String, String?)] = [("type", FormatText.text(format))]
        if case .integer(let integer) = format, integer.scale != 1 { entries.append(("scale", "\(integer.scale)")) }
        if case .medical(_, let decimals?) = format { entries.append(("decimals", "\(decimals)")) }
        return entries
    }

    private static func entry(_ quantity: Quantity) -> (String, String?) {
        switch quantity {
        case .fixed(let number): ("value", ValueText.text(number))
        case .counter(let counter):
            (
                "counter",
                mapping([
                    ("start", "\(counter.start)"), ("step", "\(counter.step)"), ("every", text(counter.every)),
                    ("min", "\(counter.range.lowerBound)"), ("max", "\(counter.range.upperBound)"),
                    ("wrap", "\(counter.wraps)"),
                ])
            )
        case .waveform(let waveform):
            (
                "waveform",
                mapping(
                    [("shape", waveform.shape.rawValue)] + bounds(waveform.range) + [
                        ("period", text(waveform.period)), ("phase", ValueText.text(waveform.phase)),
                        ("every", text(waveform.every)),
                    ])
            )
        case .randomWalk(let walk):
            (
                "random-walk",
                mapping(
                    [
                        ("seed", "\(walk.seed)"), ("start", ValueText.text(walk.start)),
                        ("step", ValueText.text(walk.step)),
                    ]
                        + bounds(walk.range) + [("every", text(walk.every))])
            )
        case .trace(let trace):
            (
                "trace",
                mapping([
                    ("points", list(trace.points.map { list([text($0.time), ValueText.text($0.value)]) })),
                    ("repeat", "\(trace.repeats)"),
                ])
            )
        }
    }

    private static func bounds(_ range: ClosedRange<Double>) -> [(String, String?)] {
        [("min", ValueText.text(range.lowerBound)), ("max", ValueText.text(range.upperBound))]
    }

    // MARK: - Parts

    private static func names(of properties: CharacteristicProperties) -> [String] {
        FormatText.properties.filter { properties.contains($0.property) }.map(\.name)
    }

    private static func text(_ permissions: AttributePermissions) -> String? {
        guard permissions != .open else { return nil }
        return mapping([
            ("read", text(permissions.read)), ("write", text(permissions.write)),
            ("subscribe", text(permissions.subscribe)),
        ])
    }

    private static func text(_ security: AttributeSecurity) -> String {
        FormatText.securities.last { $0.security.isSubset(of: security) }?.name ?? "open"
    }

    private static func text(_ descriptor: GATTDescriptor) -> String {
        mapping([
            ("uuid", descriptor.uuid.description),
            ("value", DeviceWriter.quoted(Hexadecimal.string(descriptor.value))),
            ("permissions", descriptor.read.isEmpty ? nil : text(descriptor.read)),
        ])
    }

    private static func text(_ policy: NotificationPolicy) -> String {
        switch policy {
        case .never: "never"
        case .onChange: "on-change"
        case .every(let period): text(period)
        }
    }

    private static func text(_ fault: AttributeFault) -> String {
        switch fault.occasion {
        case .always: text(fault.error)
        case .time(let time): mapping([("code", text(fault.error)), ("time", "\(time)")])
        case .untilWritten: mapping([("code", text(fault.error)), ("until-written", "true")])
        }
    }

    private static func text(_ error: ATTError) -> String { "0x" + Hexadecimal.string([error.rawValue]) }

    private static func text(_ data: AdvertisedContent.ServiceData) -> String {
        mapping([("uuid", data.service.description), entry(data.octets)])
    }

    private static func text(_ data: AdvertisedContent.ManufacturerData) -> String {
        mapping([("company", "\(data.company.rawValue)"), entry(data.octets)])
    }

    private static func entry(_ octets: AdvertisedContent.Octets) -> (String, String?) {
        switch octets {
        case .fixed(let octets): ("data", DeviceWriter.quoted(Hexadecimal.string(octets)))
        case .value(let name): ("value-of", DeviceWriter.quoted(name))
        }
    }

    private static func text(_ duration: Duration) -> String { DeviceWriter.text(duration) }

    private static func mapping(_ entries: [(key: String, value: String?)]) -> String {
        "{ " + entries.compactMap { entry in entry.value.map { "\(entry.key): \($0)" } }.joined(separator: ", ") + " }"
    }

    private static func list(_ parts: [String]) -> String { "[\(parts.joined(separator: ", "))]" }

    private static func listOrNothing(_ parts: [String]) -> String? { parts.isEmpty ? nil : list(parts) }
}
