// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Space
import Testing

@testable import Profiles

/// Pictures by their heads, and the key `map`.
@Suite struct GroundPlanTests {
    /// The first bytes of files that common programs write, with their sizes.
    static let heads: [(Picture.Format, Int, Int, [UInt8])] = [
        (
            .png, 300, 200,
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + [
                0, 0, 1, 44, 0, 0, 0, 200, 8, 2, 0, 0, 0,
            ]
        ),
        (
            .jpeg, 300, 200,
            [
                0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0, 0xFF, 0xFF, 0xC2, 0, 17, 8, 0, 200, 1, 44, 3, 1, 0x22, 0, 2, 0x11,
                1, 3,
                0x11, 1,
            ]
        ),
        (
            .webP, 300, 200,
            webP("VP8 ", [0x30, 1, 0, 0x9D, 0x01, 0x2A, 44, 1, 200, 0])
        ),
        // 14 bits of the width - 1, then 14 bits of the height - 1.
        (.webP, 300, 200, webP("VP8L", [0x2F, 0x2B, 0xC1, 0x31, 0])),
        (.webP, 300, 200, webP("VP8X", [0, 0, 0, 0, 43, 1, 0, 199, 0, 0])),
    ]

    private static func webP(_ kind: String, _ content: [UInt8]) -> [UInt8] {
        Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBP\(kind)".utf8) + [UInt8(content.count), 0, 0, 0] + content
    }

    @Test(arguments: heads.indices) func sizeIsRead(_ index: Int) throws {
        let (format, width, height, bytes) = Self.heads[index]
        let picture = try Picture(bytes, named: "plan")
        #expect(picture.format == format && picture.width == width && picture.height == height)
    }

    /// Each beginning of a file is refused, or has the size, and traps nowhere.
    @Test(arguments: heads.indices) func cutFilesAreRefused(_ index: Int) {
        let bytes = Self.heads[index].3
        for count in 0..<bytes.count {
            let picture = try? Picture(Array(bytes[..<count]), named: "plan")
            #expect(picture.map { $0.width == 300 && $0.height == 200 } ?? true)
        }
        #expect(throws: ValueFault.self) { try Picture(Array(bytes[..<16]), named: "plan") }
    }

    @Test func randomBytesBehindAHeadTrapNowhere() {
        var generator = SystemRandomNumberGenerator()
        for (_, _, _, bytes) in Self.heads {
            for _ in 0..<2000 {
                var changed = bytes
                for _ in 0..<3 { changed[Int.random(in: 3..<changed.count, using: &generator)] = .random(in: 0...255) }
                _ = try? Picture(changed, named: "plan")
            }
        }
    }

    @Test(arguments: [
        ("plan.svg", Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), "an SVG may have scripts"),
        (
            "plan.gif", Array("GIF89a".utf8),
            "is not a picture of a known format; write the name of a .png, .jpg or .webp file"
        ),
        ("plan.png", [], "is not a picture of a known format"),
        ("plan.png", heads[0].3.replacing([0, 0, 1, 44], with: [0, 0, 0, 0]), "is a damaged picture"),
        ("plan.png", heads[0].3.replacing([0, 0, 1, 44], with: [0, 1, 0, 0]), "has 65536 x 200 pixels"),
        ("plan.jpg", [0xFF, 0xD8, 0xFF, 0xDA, 0, 0], "is a damaged picture"),
    ])
    func wrongPicturesAreRefused(_ name: String, _ bytes: [UInt8], _ words: String) {
        let fault = #expect(throws: ValueFault.self) { try Picture(bytes, named: name) }
        #expect(fault?.message.contains(words) == true, "\(String(describing: fault))")
        #expect(fault?.message.hasPrefix("\"\(name)\"") == true)
    }

    /// Not an argument of a test, each of which is written as text.
    @Test func largeFileIsRefused() {
        let bytes = [UInt8](repeating: 0, count: Picture.maximumSize + 1)
        let fault = #expect(throws: ValueFault.self) { try Picture(bytes, named: "plan.png") }
        let message = "\"plan.png\" has 4,194,305 bytes; a picture has at most 4,194,304; export it smaller"
        #expect(fault?.message == message)
    }

    // MARK: - The key

    private static func profile(_ map: String, isSent: Bool = false) throws(ProfileFaults) -> Profile {
        let text = "profile: room\nbeacons: []\nmap: \(map)\n"
        guard !isSent else { return try Profile(parsing: text, file: "profile") }
        let sources = ProfileSources(pictures: { name throws(ValueFault) in
            guard name == "plan.png" else { throw ValueFault("there is no file \"\(name)\"") }
            return try Picture(heads[0].3, named: name)
        })
        return try Profile(parsing: text, file: "room.yaml", sources: sources)
    }

    @Test func planHasTheAspectOfItsPicture() throws {
        let plan = try #require(
            try Self.profile("{ image: plan.png, width: 30m, origin: [-1, 2.5] }").surroundings.plan)
        #expect(plan.width == 30 && plan.height == 20 && plan.origin == Position(x: -1, y: 2.5))
        #expect(try Self.profile("{ image: plan.png, width: 3 }").surroundings.plan?.origin == Position(x: 0, y: 0))
    }

    @Test(arguments: [
        ("{ image: other.png, width: 30m }", "room.yaml:3:15: error: map.image: there is no file \"other.png\""),
        ("{ width: 30m }", "room.yaml:3:6: error: map: \"image\" is missing"),
        ("{ image: plan.png }", "room.yaml:3:6: error: map: \"width\" is missing"),
        (
            "{ image: plan.png, width: 0m }",
            "room.yaml:3:32: error: map.width: \"0m\" is not a width from 0.1m to 10000m"
        ),
        ("{ image: plan.png, width: 9m, origin: [1] }", "room.yaml:3:44: error: map.origin: the lower left corner"),
        ("{ image: plan.png, width: 9m, orign: [1, 2] }", "there is no key \"orign\""),
        ("plan.png", "a mapping of keys and values is expected here"),
    ])
    func faultsHaveTheirPlace(_ map: String, _ words: String) {
        let faults = #expect(throws: ProfileFaults.self) { try Self.profile(map) }
        #expect(faults?.lines.joined().contains(words) == true, "\(faults?.lines ?? [])")
    }

    @Test func sentProfileHasNoMap() throws {
        let faults = #expect(throws: ProfileFaults.self) {
            try Self.profile("{ image: plan.png, width: 30m }", isSent: true)
        }
        #expect(faults?.lines.first?.contains("since a text that is sent names no files; leave map out") == true)
        // What clients read can be sent back.
        let text = ProfileWriter.text(of: try Self.profile("{ image: plan.png, width: 30m }"))
        #expect(text.contains("# map: plan.png, 30 m wide"))
        #expect(try Profile(parsing: text, file: "profile").surroundings.plan == nil)
    }
}
