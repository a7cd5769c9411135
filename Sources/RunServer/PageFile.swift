// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A file of the page that shows a run in a browser; `/` is the page itself.
///
/// The files are part of the program, and need no build step. They are served without a token, since they contain nothing of the
/// run: the page sends the token with its requests.
struct PageFile: Sendable {
    /// The path of its resource, without the slash in front.
    let path: String
    /// The media type.
    let type: String
    let bytes: [UInt8]

    private init(_ path: String, _ type: String, _ bytes: [UInt8]) {
        self.path = path
        self.type = type
        self.bytes = bytes
    }

    private static func script(_ name: String, _ bytes: [UInt8]) -> PageFile {
        PageFile("\(name).js", "text/javascript; charset=utf-8", bytes)
    }

    static let all = [
        PageFile("", "text/html; charset=utf-8", PackageResources.index_html),
        PageFile("style.css", "text/css; charset=utf-8", PackageResources.style_css),
        PageFile("favicon.svg", "image/svg+xml", PackageResources.favicon_svg),
        script("api", PackageResources.api_js),
        script("app", PackageResources.app_js),
        script("bar", PackageResources.bar_js),
        script("detail", PackageResources.detail_js),
        script("dom", PackageResources.dom_js),
        script("format", PackageResources.format_js),
        script("log", PackageResources.log_js),
        script("map", PackageResources.map_js),
        script("model", PackageResources.model_js),
        script("names", PackageResources.names_js),
        script("notice", PackageResources.notice_js),
        script("order", PackageResources.order_js),
        script("phones", PackageResources.phones_js),
        script("physics", PackageResources.physics_js),
        script("plan", PackageResources.plan_js),
        script("rooms", PackageResources.rooms_js),
        script("receiver", PackageResources.receiver_js),
        script("run", PackageResources.run_js),
        script("scenario", PackageResources.scenario_js),
        script("signal", PackageResources.signal_js),
        script("state", PackageResources.state_js),
        script("switch", PackageResources.switch_js),
        script("tables", PackageResources.tables_js),
        script("welcome", PackageResources.welcome_js),
    ]

    private static let paths = Set(all.map(\.path))

    /// Whether the page has a file with this path, which is without the slash in front.
    static func has(_ path: String) -> Bool { paths.contains(path) }
}
