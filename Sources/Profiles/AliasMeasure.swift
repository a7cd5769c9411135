// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Yams

/// Measures the extent of a YAML text with its aliases expanded, before a parser expands them.
///
/// With nested anchors, a few aliases can expand to more values than memory holds, or nest deeper than a stack allows.
struct AliasMeasure {
    /// More than any profile needs.
    private static let limit = Extent(depth: NestingMeasure.limit, count: 1 << 20)
    /// Replaces every `*`, so that aliases become plain words and nothing is expanded while the text is measured.
    private static let standIn = "\u{E000}"

    private struct Extent {
        var depth = 1
        var count = 1
    }

    private var anchors: [String: Extent] = [:]
    private var excess: Mark?

    /// The place where the expanded aliases exceed the limit; `nil` if they do not.
    /// - Throws: `YamlError`.
    static func excess(in text: String) throws -> Mark? {
        guard text.utf8.contains(UInt8(ascii: "*")) else { return nil }
        let parser = try Yams.Parser(yaml: text.replacing("*", with: standIn))
        let root = try parser.singleRoot()
        // Nodes refer to their anchors weakly; the parser owns them.
        return withExtendedLifetime(parser) {
            var measure = AliasMeasure()
            if let root { _ = measure.extent(of: root) }
            return measure.excess
        }
    }

    private mutating func extent(of node: Node) -> Extent {
        var extent = Extent()
        switch node {
        case .scalar(let scalar): extent = alias(scalar.string) ?? extent
        case .sequence(let sequence): for part in sequence { add(part, to: &extent) }
        case .mapping(let mapping):
            for (key, value) in mapping {
                add(key, to: &extent)
                add(value, to: &extent)
            }
        case .alias: break
        }
        if let anchor = node.anchor { anchors[anchor.rawValue] = extent }
        return extent
    }

    private mutating func add(_ part: Node, to extent: inout Extent) {
        let own = self.extent(of: part)
        extent.depth = max(extent.depth, own.depth + 1)
        extent.count += own.count
        guard extent.depth > Self.limit.depth || extent.count > Self.limit.count else { return }
        if excess == nil { excess = part.mark }
        extent = Self.limit
    }

    private func alias(_ text: String) -> Extent? {
        guard text.hasPrefix(Self.standIn) else { return nil }
        let name = text.dropFirst().prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
        return anchors[String(name)]
    }
}
