// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import EmbeddedFiles

/// A file of the page that shows a run in a browser; `/` is the page itself.
///
/// The files in `Resources` are part of the program, and need no build step; `EmbeddedFiles.c` lists them. They are served without a
/// token, since they contain nothing of the run: the page sends the token with its requests.
struct PageFile: Sendable {
    /// The path of its resource, without the slash in front.
    let path: String
    /// The media type.
    let type: String
    let bytes: [UInt8]

    private init(name: String, text: String) {
        path = name == "index.html" ? "" : name
        type =
            switch name.split(separator: ".").last {
            case "css": "text/css; charset=utf-8"
            case "html": "text/html; charset=utf-8"
            case "svg": "image/svg+xml"
            default: "text/javascript; charset=utf-8"
            }
        bytes = Array(text.utf8)
    }

    static let all: [PageFile] = {
        let files = sequence(first: embedded_page_files!) { $0 + 1 }.prefix { $0.pointee.name != nil }
        return files.map { PageFile(name: String(cString: $0.pointee.name), text: String(cString: $0.pointee.text)) }
    }()

    private static let paths = Set(all.map(\.path))

    /// Whether the page has a file with this path, which is without the slash in front.
    static func has(_ path: String) -> Bool { paths.contains(path) }
}
