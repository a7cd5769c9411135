// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Yams

/// Measures what the aliases of a YAML text stand for before anybody follows them.
///
/// A few aliases of anchors within anchors can stand for more values than memory holds, or deeper ones than the stack.
struct AliasMeasure {
    /// More than any profile needs.
    private static let limit = Extent(depth: NestingMeasure.limit, count: 1 << 20)
    /// Takes the place of every `*`, so that an alias becomes a word and nothing is followed while the text is measured.
    private static let standIn = "\u{E000}"

    private struct Extent {
        var depth = 1
        var count = 1
    }

    private var anchors: [String: Extent] = [:]
    private var excess: Mark?

    /// Where what aliases stand for gets too deep or too much; `nil` when it does not.
    /// - Throws: `YamlError`.
    static func excess(in text: String) throws -> Mark? {
        guard text.utf8.contains(UInt8(ascii: "*")) else { return nil }
        let parser = try Yams.Parser(yaml: text.replacing("*", with: standIn))
        let root = try parser.singleRoot()
        // Nodes refer to their anchors weakly; the parser has them.
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
