// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCIRadio
import NIOCore
import Testing

@testable import Emulator
@testable import RunServer

/// The table of limits in docs/http.md.
@Suite struct LimitDocumentationTests {
    private static func seconds(_ time: TimeAmount?) -> String { "\((time?.nanoseconds ?? 0) / 1_000_000_000) s" }

    private static func grouped(_ number: Int) -> String {
        number < 1000 ? "\(number)" : "\(number / 1000)," + String("\(number % 1000 + 1000)".dropFirst())
    }

    /// The rows, from the limits of the code.
    private static var rows: [String] {
        let limits = APILimits()
        return [
            "connections | \(grouped(limits.connections)); the next ones are answered with 503 and closed",
            "streams of events and of [receivers](phones.md) | \(grouped(limits.streams)); the next ones are answered with 503 and closed",
            "events that a reader may be behind | \(grouped(EventHub.usualCapacity)); they are kept once for all readers",
            "packets or values that a reader of a [receiver](phones.md) may be behind | \(grouped(ReceptionStreams.capacity)); it gets the number of those that it lost",
            "head of a request | \(limits.head / 1024) KiB, \(limits.fields) fields",
            "body | \(grouped(APIResponder.longestBody)) bytes",
            "time from the connection to the end of the first head | \(seconds(limits.headTime)); none on the control socket",
            "time from the head to the end of the body | \(seconds(limits.bodyTime))",
            "time from a reply to the end of the next head | \(seconds(limits.idleTime)); none on the control socket",
            "time in which a client reads something of a reply | \(seconds(limits.readingTime)); none for streams",
            "time until the reply begins to a client that has closed its side | \(seconds(limits.departureTime))",
            "records of a list that are encoded before the client reads them | \(BodyPieces.size / 1024) KiB of text for each connection",
            "what the system keeps of a reply that the client has not read | \(APIChannel.sendBuffer / 1024) KiB on TCP",
            "what replies hold for clients that have not read them | \(ReplyMemory.limit >> 20) MiB in all; above that, the connections are closed whose clients have read nothing for the longest time",
            "processor time of a request for which others wait | 100 ms; what may take longer has threads of its own, or pauses",
            "captures in memory | \(RunCaptures.maximum), with limits of \(RunCaptures.maximumSize >> 20) MiB in all",
            "devices that a receiver remembers | \(grouped(RecentAdvertisers.limit))",
            "connections of a receiver | \(ReceiverConnections.limit)",
            "time of the discovery of a device's attributes | \(ReceiverConnection.discoveryLimit.components.seconds) s of the run",
            "receivers that clients add | \(ListeningReceivers.addedLimit) that scan, and \(VirtualAirOptions.addedReceivers) with servers",
            "entries of a profile | as [docs/profiles.md](profiles.md) says of `count`",
        ]
    }

    @Test func tableHasTheLimitsOfTheCode() throws {
        let local = APILimits.local
        #expect(local.headTime == nil && local.idleTime == nil)
        let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: checkout.appending(path: "docs/http.md"), encoding: .utf8)
        let lines = text.components(separatedBy: "\n").drop { $0 != "| what | limit |" }
        let found = lines.dropFirst(2).prefix { $0.hasPrefix("|") }.map { String($0.dropFirst(2).dropLast(2)) }
        #expect(found == Self.rows)
    }
}
