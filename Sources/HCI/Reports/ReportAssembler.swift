// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Puts together the data of extended advertisements that a controller reports in parts.
package struct ReportAssembler: Sendable {
    /// The most that an advertiser can send (Core 5.4, Vol 6, Part B, 2.3.4.9).
    static let maximumData = 1650
    /// How many advertisers may be incomplete; the one that has waited longest gives way.
    static let capacity = 16

    private var partial: [ScanReport] = []

    /// Nothing is incomplete.
    package init() {}

    /// Takes what a report says; all of it when it is complete, or cut.
    package mutating func take(_ report: LEExtendedAdvertisingReport.Report) -> ScanReport? {
        let hasMore = report.eventType.contains(.incomplete) && !report.eventType.contains(.truncated)
        return take(ScanReport(report), hasMore: hasMore)
    }

    private mutating func take(_ report: ScanReport, hasMore: Bool) -> ScanReport? {
        let index = partial.firstIndex {
            $0.address == report.address && $0.addressType == report.addressType
                && $0.setIdentifier == report.setIdentifier && $0.kind == report.kind
        }
        var whole = report
        if let index { whole.data = partial.remove(at: index).data + report.data }
        guard whole.data.count <= Self.maximumData else {
            whole.isComplete = false
            whole.data.removeLast(whole.data.count - Self.maximumData)
            return whole
        }
        guard hasMore else { return whole }
        if partial.count >= Self.capacity { partial.removeFirst() }
        partial.append(whole)
        return nil
    }
}
