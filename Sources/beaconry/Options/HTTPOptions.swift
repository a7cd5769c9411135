// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Devices
import Emulator
public import RunAPI
import RunServer

extension MetricsDetail: ExpressibleByArgument {}

/// The options of HTTP on TCP, and of the metrics.
struct HTTPOptions: ParsableArguments {
    @Option(
        help: """
            Serve HTTP on HOST:PORT, too (port 0: any free one), see docs/http.md (default: the control socket only).
            """,
        transform: Self.address)
    var http: ControlAddress?

    @Option(help: "Another name of this machine that HTTP requests may address; may be repeated.")
    var httpHost: [String] = []

    @Option(
        help: """
            Origin of pages, such as http://localhost or capacitor://localhost, that may read what receivers receive; may be \
            repeated.
            """)
    var httpAllowOrigin: [String] = []

    @Option(
        help: "File with the token that HTTP requests must have; needed unless --http is on this machine only.",
        completion: .file())
    var httpTokenFile: String?

    @Option(
        help: "File of the metrics in Prometheus' text format, written every 10 s (default: none).",
        completion: .file())
    var metricsFile: String?

    @Option(
        help: """
            Metrics for each beacon: beacon for all of them, none for none (default: beacon, but none above 1,000 beacons).
            """)
    var metricsDetail: MetricsDetail?

    /// A file of metrics that is requested.
    struct Metrics {
        fileprivate let path: String
        fileprivate let detail: MetricsDetail?

        /// Begins to write the metrics.
        func begin(of emulator: Emulator) throws(EmulatorError) -> MetricsFile {
            try MetricsFile(path, of: emulator, version: Version.number, detail: detail)
        }
    }

    /// The file of the metrics; `nil` if none is requested.
    func metrics() throws(Failure) -> Metrics? {
        let detail = try detail()
        return (metricsFile ?? EnvironmentVariable.metricsFile.value).map { Metrics(path: $0, detail: detail) }
    }

    private static func address(_ text: String) throws(ValueFault) -> ControlAddress {
        guard !text.hasPrefix("unix:") else {
            throw ValueFault("a run serves HTTP on its control socket already; choose its path with --control PATH")
        }
        guard let address = ControlAddress(text) else {
            throw ValueFault("\"\(text)\" is not an address; write HOST:PORT, such as 127.0.0.1:8080")
        }
        return address
    }

    /// The texts of an option, else the texts of its variable, with spaces between them.
    private static func texts(_ given: [String], _ variable: EnvironmentVariable) -> [String] {
        guard given.isEmpty else { return given }
        return variable.value.map { $0.split(separator: " ").map(String.init) } ?? []
    }

    /// The origins, as browsers send them: a scheme and a host, without a path.
    private func origins() throws(Failure) -> Set<String> {
        let origins = Self.texts(httpAllowOrigin, .httpAllowOrigin)
        for origin in origins {
            let parts = origin.split(separator: "://", omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, !parts[1].contains("/") else {
                throw .usage(
                    "--http-allow-origin: \"\(origin)\" is not an origin; write SCHEME://HOST or SCHEME://HOST:PORT, such as "
                        + "http://localhost:5173")
            }
        }
        return Set(origins)
    }

    /// The server; `nil` if none is requested.
    func server() throws -> ControlAPI.Options? {
        guard let address = try http ?? EnvironmentVariable.http.parsed(Self.address) else { return nil }
        let file = httpTokenFile ?? EnvironmentVariable.httpTokenFile.value
        let token = try file.map(TokenFile.token)
        guard address.isLocal || token != nil else {
            throw Failure.usage(
                "--http on an address of other machines needs a token; write one into a file and give --http-token-file FILE"
            )
        }
        return ControlAPI.Options(
            address: address, hosts: Self.texts(httpHost, .httpHost), origins: try origins(), token: token,
            warning: file.flatMap(TokenFile.warning))
    }

    /// Which metrics have a sample for each beacon; `nil` for the default.
    func detail() throws(Failure) -> MetricsDetail? {
        if let metricsDetail { return metricsDetail }
        return try EnvironmentVariable.metricsDetail.parsed { text throws(ValueFault) in
            try ValueText.choice(text, of: MetricsDetail.self)
        }
    }
}
