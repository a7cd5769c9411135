// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BeaconryCentral
package import Bluetooth
import Emulator
import Radio
package import Receiving

/// `scan`: prints the advertising devices as they are received.
///
/// On a terminal it is a table that is redrawn; otherwise a line or an object for every device with news.
package struct Scanning {
    /// How devices are printed.
    private enum Form {
        case reports(OutputFormat)
        case table(LiveScreen)
    }

    /// Devices leave the table after this time without an advertisement.
    private static let tableAge = Duration.seconds(30)
    private static let maximumPending = 4096

    private let filter: ScanFilter
    private let printsAll: Bool
    private let form: Form
    private let radio: String
    /// Whether the radio reports each advertisement, so that intervals can be estimated.
    private let showsIntervals: Bool
    private var table = AdvertiserTable<RemoteAddress>()
    private var histories = RSSIHistories<RemoteAddress>()
    /// Devices with news that the filter has rejected so far; they are printed once it accepts them.
    private var pending: Set<RemoteAddress> = []

    private init(
        _ filter: ScanFilter, printsAll: Bool, format: OutputFormat, radio: String, showsIntervals: Bool
    ) {
        self.filter = filter
        self.printsAll = printsAll
        self.radio = radio
        self.showsIntervals = showsIntervals
        form = LiveScreen.forResults(as: format).map(Form.table) ?? .reports(format)
    }

    /// Scans until the end of the listening.
    /// - Parameter printsAll: whether to print every advertisement instead of only news.
    package static func run(
        on listening: Listening, _ settings: ScanParameters, filter: ScanFilter, printsAll: Bool, format: OutputFormat
    ) async throws {
        try await listening.run { radio, capabilities in
            var scanning = Scanning(
                filter, printsAll: printsAll, format: format, radio: capabilities.name,
                showsIntervals: capabilities.reportsRepetitions(scanningActively: settings.isActive))
            for await reception in try await radio.receptions(settings, every: .milliseconds(250)) {
                scanning.take(reception)
            }
            if case .table(let screen) = scanning.form { screen.finish() }
        }.check()
    }

    private mutating func take(_ reception: Reception) {
        switch (reception, form) {
        case (.received(let sighting, let time), .table):
            _ = table.take(sighting, at: time)
            if let rssi = sighting.rssi { histories.append(rssi.decibelMilliwatts, of: sighting.device) }
        case (.received(let sighting, let time), .reports(let format)): report(sighting, at: time, as: format)
        case (.passed(let time), .table(let screen)): draw(at: time, on: screen)
        case (.passed, .reports): break
        }
    }

    private mutating func report(_ sighting: Sighting, at time: Duration, as format: OutputFormat) {
        let (advertiser, news) = table.take(sighting, at: time)
        guard filter.accepts(advertiser) else {
            if pending.count >= Self.maximumPending { pending.removeAll() }
            if news != .nothing { pending.insert(sighting.device) }
            return
        }
        let wasPending = pending.remove(sighting.device) != nil
        guard printsAll || wasPending || news != .nothing else { return }
        Output.report(ScanRecord(sighting, advertiser), as: format)
    }

    private mutating func draw(at time: Duration, on screen: LiveScreen) {
        table.forget(notSeenSince: time - Self.tableAge)
        histories.forgetAll(except: table.advertisers.map(\.source))
        var shown = table.advertisers.filter { filter.accepts($0) }
        let isByRSSI = screen.isReordered
        if isByRSSI {
            shown.sort { ($0.meanRSSI ?? -.infinity, $1.firstSeen) > ($1.meanRSSI ?? -.infinity, $0.firstSeen) }
        }
        // One width for all rows: the terminal may be resized meanwhile.
        let columns = Terminal.size.columns
        let rows = shown.map { advertiser in
            var cells = [
                advertiser.source.address.description, advertiser.lastRSSI.map { "\($0.decibelMilliwatts)" } ?? "?",
            ]
            if let trend = histories.sparkline(of: advertiser.source, columns: columns) { cells.append(trend) }
            if showsIntervals { cells.append(advertiser.interval.map { "\($0)" } ?? "") }
            cells += [
                "\(advertiser.advertisements)",
                Self.age(time - advertiser.lastSeen), advertiser.localName ?? "", ScanRecord.identity(of: advertiser),
            ]
            return cells
        }
        let trend = RSSILine.width(columns: columns) > 0 ? ["TREND"] : []
        let interval = showsIntervals ? ["INTERVAL"] : []
        let heading = ["ADDRESS", "RSSI"] + trend + interval + ["COUNT", "AGE", "NAME", "IDENTITY"]
        let lines = TextTable(rows: [heading] + rows).lines
        screen.show(
            ListView.Content(
                title: "\(Formatting.count(shown.count, "device")) on \(radio); Ctrl-C ends",
                heading: lines.first, lines: Array(lines.dropFirst()),
                order: isByRSSI ? "sort by first seen" : "sort by RSSI"))
    }

    /// The time since the last advertisement in whole seconds; empty below one.
    private static func age(_ time: Duration) -> String {
        time < .seconds(1) ? "" : "\(time.components.seconds) s"
    }
}

/// A received advertisement with what is known of its device.
struct ScanRecord: Encodable, Report {
    private let event = "heard"
    private let time = Timestamp.now
    private let address: String
    private let addressType: String
    /// The PDU that was just received; absent when the radio does not report it.
    private let pdu: String?
    /// In dBm; absent when the radio does not know.
    private let rssi: Int8?
    /// The latest advertising data.
    private let advertisingData: String
    /// The latest scan response; absent when none was received.
    private let scanResponse: String?
    /// The local name; absent when the device advertises none.
    private let name: String?
    /// The advertised service UUIDs.
    private let services: [String]
    /// The beacon frames.
    private let frames: [DecodedFrame]
    /// What the data is known as that is no frame, such as "Find My"; absent if there is none.
    private let recognized: [String]?
    /// Classic mistakes in the data; absent if there are none.
    private let nearMisses: [DecodedPayload.Mistake]?

    init(_ sighting: Sighting, _ advertiser: Advertiser<RemoteAddress>) {
        address = sighting.device.address.description
        addressType = sighting.device.isRandom ? "random" : "public"
        pdu = sighting.pdu?.rawValue
        rssi = sighting.rssi?.decibelMilliwatts
        advertisingData = Hexadecimal.string(advertiser.advertisingBytes)
        scanResponse = advertiser.scanResponses > 0 ? Hexadecimal.string(advertiser.scanResponseBytes) : nil
        name = advertiser.localName
        services = advertiser.services.map(\.description)
        frames = advertiser.frames.map(DecodedFrame.init)
        recognized = advertiser.recognized.isEmpty ? nil : advertiser.recognized
        nearMisses = DecodedPayload.Mistake.list(advertiser.nearMisses)
    }

    var lines: [String] {
        [
            Formatting.row([
                "\(address) (\(addressType))", rssi.map { "\($0) dBm" } ?? "RSSI unknown", pdu, name,
                frames.isEmpty ? nil : frames.map(\.line).joined(separator: ", "),
                services.isEmpty ? nil : "services \(services.joined(separator: " "))",
                recognized.map { $0.joined(separator: ", ") },
                frames.isEmpty && services.isEmpty && recognized == nil ? advertisingData : nil,
                nearMisses.map { "almost: " + $0.map { "\($0.text); \($0.hint)" }.joined(separator: "; ") },
            ])
        ]
    }

    /// What identifies a device: its beacon frames, else what its data is known as, else its services, else its data.
    static func identity(of advertiser: Advertiser<RemoteAddress>) -> String {
        let frames = advertiser.frames.map { frame in
            if let beacon = frame.content as? IBeacon {
                return "ibeacon \(beacon.major)/\(beacon.minor) \(beacon.uuid)"
            }
            return DecodedFrame(frame).line
        }
        if !frames.isEmpty { return frames.joined(separator: ", ") }
        let known = advertiser.recognized + advertiser.nearMisses.map { "almost: \($0.text)" }
        if !known.isEmpty { return known.joined(separator: ", ") }
        let services = advertiser.services.map(\.description)
        return services.isEmpty ? Hexadecimal.string(advertiser.advertisingBytes) : services.joined(separator: " ")
    }
}
