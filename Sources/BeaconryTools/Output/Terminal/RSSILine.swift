// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The last RSSI values of a beacon, as a line of characters.
struct RSSILine: Hashable, Sendable {
    private static let capacity = 16
    private static let blocks = Array("▁▂▃▄▅▆▇█")
    private static let characters = Array("_.:-=+*#")
    /// The smallest difference between the lowest and the highest character, in dB: noise does not fill the line.
    private static let smallestSpan = 16.0

    /// In dBm, the latest last; `nil` where nothing was received.
    private(set) var values: [Int8?] = []

    /// Adds a value, or `nil` if nothing was received.
    mutating func append(_ value: Int8?) {
        if values.count == Self.capacity { values.removeFirst() }
        values.append(value)
    }

    /// The latest values, each as a character between the lowest and the highest; a space where nothing was received.
    /// - Parameters:
    ///   - width: the number of characters at most.
    ///   - isUnicode: whether the terminal shows block characters.
    func sparkline(width: Int, isUnicode: Bool) -> String {
        let shown = values.suffix(max(0, width))
        let known = shown.compactMap { $0.map { Double($0) } }
        guard let low = known.min(), let high = known.max() else { return String(repeating: " ", count: shown.count) }
        let span = max(high - low, Self.smallestSpan)
        let bottom = (low + high - span) / 2
        let characters = isUnicode ? Self.blocks : Self.characters
        return String(
            shown.map { value -> Character in
                guard let value else { return " " }
                let level = Int((Double(value) - bottom) / span * Double(characters.count))
                return characters[min(max(level, 0), characters.count - 1)]
            })
    }

    /// The width of a sparkline in a terminal of this many columns; 0 if there is no room.
    static func width(columns: Int) -> Int {
        switch columns {
        case ..<80: 0
        case ..<100: 8
        default: capacity
        }
    }
}

/// The RSSI histories of several beacons, for a live table.
struct RSSIHistories<Key: Hashable & Sendable>: Sendable {
    private var histories: [Key: RSSILine] = [:]

    /// Adds a value of a beacon, or `nil` if nothing was received.
    mutating func append(_ value: Int8?, of key: Key) { histories[key, default: RSSILine()].append(value) }

    /// Forgets all other beacons.
    mutating func forgetAll(except keys: some Sequence<Key>) {
        let keys = Set(keys)
        histories = histories.filter { keys.contains($0.key) }
    }

    /// The sparkline of a beacon, as wide as the terminal allows; `nil` if it has no room for one.
    func sparkline(of key: Key, columns: Int, isUnicode: Bool = Terminal.isUnicode) -> String? {
        let width = RSSILine.width(columns: columns)
        guard width > 0 else { return nil }
        let line = histories[key]?.sparkline(width: width, isUnicode: isUnicode) ?? ""
        return line + String(repeating: " ", count: width - line.count)
    }
}
