// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import JSON

/// The visible part of a list that may be longer than the terminal: scrolled, and filtered by a text.
package struct ListView {
    /// A list with full lines.
    package struct Content: Equatable {
        /// The line above the list, always shown.
        package var title: String
        /// The names of the columns; `nil` for a list without columns.
        package var heading: String?
        package var lines: [String]
        /// What the key `s` does, such as `sort by RSSI`; `nil` if it does nothing.
        package var order: String?

        package init(title: String, heading: String? = nil, lines: [String], order: String? = nil) {
            self.title = title
            self.heading = heading
            self.lines = lines
            self.order = order
        }
    }

    /// The text that a line must contain to be shown; empty for all lines.
    private(set) var filter = ""
    private var isTyping = false
    private var top = 0
    /// The number of lines shown at once, and of all lines that match the filter.
    private var page = 1
    private var count = 0

    /// Handles a key.
    /// - Returns: whether the key does something here.
    mutating func press(_ key: Key) -> Bool {
        if isTyping { return type(key) }
        switch key {
        case .up: top -= 1
        case .down: top += 1
        case .pageUp: top -= page
        case .pageDown, .character(" "): top += page
        case .home: top = 0
        case .end: top = count
        case .character("/"): isTyping = true
        case .escape: filter = ""
        default: return false
        }
        top = max(0, min(top, count - page))
        return true
    }

    private mutating func type(_ key: Key) -> Bool {
        switch key {
        case .character(let character): filter.append(character)
        case .backspace: _ = filter.popLast()
        case .enter: isTyping = false
        case .escape:
            isTyping = false
            filter = ""
        default: return false
        }
        top = 0
        return true
    }

    /// The lines to draw, at most `height` of them and `width` characters each.
    /// - Parameter hasKeys: whether keys can be pressed.
    mutating func lines(of content: Content, width: Int, height: Int, hasKeys: Bool) -> [String] {
        let wanted = content.lines.filter { filter.isEmpty || $0.lowercased().contains(filter.lowercased()) }
        var head = [content.title]
        if let heading = content.heading { head.append(heading) }
        count = wanted.count
        page = max(1, height - head.count)
        let needsFooter = count > page || isTyping || !filter.isEmpty
        if needsFooter { page = max(1, page - 1) }
        top = max(0, min(top, count - page))
        let shown = wanted[top..<min(count, top + page)]
        var lines = head + shown
        if needsFooter { lines.append(footer(content, shown.count, hasKeys: hasKeys)) }
        return lines.suffix(max(1, height)).map { SafeText.line($0).cut(to: width) }
    }

    private func footer(_ content: Content, _ shown: Int, hasKeys: Bool) -> String {
        guard !isTyping else { return "/\(filter)_  (\(count) of \(content.lines.count); Enter: apply, Esc: show all)" }
        guard hasKeys else { return "… \(shown) of \(count) shown; enlarge the terminal to see more" }
        let place = shown < count ? "\(top + 1)-\(top + shown) of \(count)" : "\(count) of \(content.lines.count)"
        let matching = filter.isEmpty ? "" : " with \"\(filter)\""
        var keys = shown < count ? ["↑ ↓ PgUp PgDn: scroll"] : []
        keys.append(filter.isEmpty ? "/: filter" : "Esc: show all")
        if let order = content.order { keys.append("s: \(order)") }
        return "\(place)\(matching)  \(keys.joined(separator: "  "))"
    }
}
