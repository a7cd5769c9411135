// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import Emulator
import Radio
import Receiving

/// Tells who advertises, as it is heard.
struct ScanOutput {
    /// How it is told.
    enum Format: Hashable, Sendable {
        case json
        case lines
        case table
    }

    /// A device that was not heard for so long leaves the table.
    private static let tableAge = Duration.seconds(30)
    private static let maximumPending = 4096

    let filter: ScanFilter
    let tellsAll: Bool
    let format: Format
    /// The radio's name, for the table's title.
    var radio = ""

    private var table = AdvertiserTable<RemoteAddress>()
    /// Who has news that the filter did not let through; they are told when it does.
    private var pending: Set<RemoteAddress> = []
    private let screen: LiveScreen?

    init(filter: ScanFilter, tellsAll: Bool, format: Format) {
        self.filter = filter
        self.tellsAll = tellsAll
        self.format = format
        screen = format == .table ? LiveScreen() : nil
    }

    /// Ends the table.
    func finish() { screen?.finish() }

    /// Takes what happened.
    mutating func take(_ reception: Reception) {
        switch reception {
        case .received(let sighting, let time): hear(sighting, at: time)
        case .passed(let time): if format == .table { draw(at: time) }
        }
    }

    private mutating func hear(_ sighting: Sighting, at time: Duration) {
        let isScanResponse = sighting.pdu == .scanResponse || sighting.pdu == .extendedScanResponse
        let (advertiser, news) = table.receive(
            sighting.data, from: sighting.device, isScanResponse: isScanResponse, rssi: sighting.rssi, at: time)
        guard format != .table else { return }
        guard filter.accepts(advertiser) else {
            if pending.count >= Self.maximumPending { pending.removeAll() }
            if news != .nothing { pending.insert(sighting.device) }
            return
        }
        let wasPending = pending.remove(sighting.device) != nil
        guard tellsAll || wasPending || news != .nothing else { return }
        let record = ScanRecord(sighting, advertiser)
        Output.line(format == .json ? JSONLine.encode(record) : record.line)
    }

    private mutating func draw(at time: Duration) {
        table.forget(notSeenSince: time - Self.tableAge)
        guard let screen else { return }
        var shown = table.advertisers.filter { filter.accepts($0) }
        let isByStrength = screen.isReordered
        if isByStrength {
            shown.sort { ($0.meanRSSI ?? -.infinity, $1.firstSeen) > ($1.meanRSSI ?? -.infinity, $0.firstSeen) }
        }
        let rows = shown.map { advertiser in
            [
                advertiser.source.address.description, advertiser.lastRSSI.map { "\($0.decibelMilliwatts)" } ?? "?",
                advertiser.interval.map { "\($0)" } ?? "",
                "\(advertiser.advertisements)", Self.age(time - advertiser.lastSeen),
                ScanRecord.name(of: advertiser) ?? "",
                ScanRecord.identity(of: advertiser),
            ]
        }
        let heading = ["ADDRESS", "RSSI", "INTERVAL", "COUNT", "AGE", "NAME", "IDENTITY"]
        let lines = TextTable(rows: [heading] + rows).lines
        screen.show(
            ListView.Content(
                title: "\(shown.count) device\(shown.count == 1 ? "" : "s") on \(radio); Ctrl-C ends",
                heading: lines.first, lines: Array(lines.dropFirst()),
                order: isByStrength ? "sort by first seen" : "sort by RSSI"))
    }

    /// Since it was received last: whole seconds, nothing below one.
    private static func age(_ time: Duration) -> String {
        time < .seconds(1) ? "" : "\(time.components.seconds) s"
    }
}
