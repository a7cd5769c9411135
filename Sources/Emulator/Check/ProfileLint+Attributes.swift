// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Devices

extension ProfileLint {
    /// What makes a finding of a beacon: severity, code, receiver, message and hint.
    typealias Finding = (LintFinding.Severity, String, String, String, String) -> LintFinding

    /// Looks at declared services.
    func attributeFindings(_ configuration: GATTPeripheral.Configuration, _ finding: Finding) -> [LintFinding] {
        let content = configuration.content
        var findings: [LintFinding] = []
        let services = configuration.services.map(\.uuid)
        if !services.isEmpty, content.services.allSatisfy({ !services.contains($0) }) {
            findings.append(
                finding(
                    .advice, "service-not-advertised", "apps that filter on services",
                    "none of its services is advertised: a scan that filters on one does not find the device",
                    "name one under advertise: services"))
        }
        if content.name == nil, !configuration.services.isEmpty {
            findings.append(
                finding(
                    .advice, "name-missing", "apps that show names",
                    "without a name, apps show none, or leave the device out",
                    "write a name"))
        }
        for characteristic in configuration.services.flatMap(\.characteristics)
        where max(characteristic.readDelay, characteristic.writeDelay) >= .seconds(30) {
            findings.append(
                finding(
                    .warning, "answer-too-late", "all",
                    "\(characteristic.name) takes 30 s or more to answer, and centrals give the connection up after 30 s",
                    "write a delay below 30s, unless that is what you test"))
        }
        return findings
    }
}
