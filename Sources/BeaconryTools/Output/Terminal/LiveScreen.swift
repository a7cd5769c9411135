// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Concurrency
import Dispatch
import Emulator
import Glibc
import JSON
import Synchronization

/// A list at the bottom of a terminal that is redrawn in place, below lines that scroll away.
///
/// While it is shown, typed characters are not echoed; keys scroll and filter the list, and a change of the terminal's
/// size redraws it at once. `finish`, or the end of the process, restores the terminal's modes.
package final class LiveScreen: Sendable {
    private struct State: ~Copyable {
        var content: ListView.Content?
        var view = ListView()
        /// Whether the key `s` was pressed an odd number of times.
        var isReordered = false
        /// The lines on the screen, and the terminal's width when they were drawn.
        var drawn: [String] = []
        var drawnWidth = 0
        /// The latest lines printed above the list.
        var printed: [String] = []
        var isFinished = false
    }

    /// Dispatch sources may be used from any thread, although the protocol is not Sendable.
    private struct Sources: @unchecked Sendable {
        var all: [any DispatchSourceProtocol] = []
    }

    /// More lines than any terminal has.
    private static let printedLines = 200

    private let state = Mutex(State())
    private let hasKeys = Terminal.hasKeys
    private let queue = DispatchQueue(label: "terminal")
    private let sources: Mutex<Sources>

    /// A screen for the results of a command; `nil` where lines are printed: without a terminal, as JSON, and in virtual time
    /// that passes as fast as possible.
    static func forResults(as format: OutputFormat) -> LiveScreen? { showsResults(as: format) ? LiveScreen() : nil }

    /// Whether `forResults` has a screen.
    static func showsResults(as format: OutputFormat) -> Bool {
        format == .text && Terminal.isPossible && Simulation.current?.rate != .maximum
    }

    /// Takes over the terminal.
    package init() {
        Terminal.enter()
        sources = Mutex(Sources())
        var sources = Sources()
        let resized = DispatchSource.makeSignalSource(signal: SIGWINCH, queue: queue)
        resized.setEventHandler { [weak self] in self?.redraw() }
        sources.all.append(resized)
        // After Ctrl-Z the shell gave the terminal its own modes.
        let continued = DispatchSource.makeSignalSource(signal: SIGCONT, queue: queue)
        continued.setEventHandler { [weak self] in
            Terminal.reenter()
            self?.redraw()
        }
        sources.all.append(continued)
        if hasKeys {
            let keys = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue)
            keys.setEventHandler { [weak self] in self?.readKeys(keys) }
            sources.all.append(keys)
        }
        for source in sources.all { source.resume() }
        let made = sources
        self.sources.withLock { $0 = made }
    }

    deinit { finish() }

    /// Whether the order offered by `Content.order` is selected.
    package var isReordered: Bool { state.withLock { $0.isReordered } }

    /// Replaces the list.
    package func show(_ content: ListView.Content) {
        state.withLock { state in
            state.content = content
            draw(&state)
        }
    }

    /// Prints a line above the list.
    package func print(_ line: String) {
        let line = SafeText.line(line)
        state.withLock { state in
            state.printed = state.printed.suffix(Self.printedLines - 1) + [line]
            Output.raw(Self.erasing(state.drawn.count) + line + "\n")
            state.drawn = []
            draw(&state)
        }
    }

    /// Leaves the list on the screen and restores the terminal's modes.
    package func finish() {
        let ended = sources.withLock { sources in
            defer { sources.all = [] }
            return sources
        }
        guard !ended.all.isEmpty else { return }
        for source in ended.all { source.cancel() }
        state.withLock { $0.isFinished = true }
        Terminal.leave()
    }

    private func readKeys(_ source: any DispatchSourceRead) {
        guard Terminal.isInForeground else { return }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = read(STDIN_FILENO, &buffer, buffer.count)
        guard count > 0 else {
            if count == 0 || errno != EINTR { source.cancel() }
            return
        }
        state.withLock { state in
            for key in Key.keys(in: buffer[..<count]) {
                if !state.view.press(key), key == .character("s"), state.content?.order != nil {
                    state.isReordered.toggle()
                }
            }
            draw(&state)
        }
    }

    private func redraw() {
        state.withLock { state in
            guard !state.isFinished, state.content != nil else { return }
            let (width, height) = Terminal.size
            guard width < state.drawnWidth, state.drawn.contains(where: { $0.count > width }) else {
                state.drawnWidth = 0
                return draw(&state)
            }
            // Lines wider than the terminal may be wrapped now and take an unknown number of rows: redraw the whole
            // screen.
            state.drawn = []
            let list = view(&state, width, height)
            let room = max(0, height - 1 - list.count)
            let above = state.printed.suffix(room).map { $0.cut(to: width) }
            Output.raw("\u{1B}[H\u{1B}[J" + (above + list).map { $0 + "\n" }.joined())
            (state.drawn, state.drawnWidth) = (list, width)
        }
    }

    private func draw(_ state: inout State) {
        guard !state.isFinished else { return }
        let (width, height) = Terminal.size
        let list = view(&state, width, height)
        guard list != state.drawn || width != state.drawnWidth else { return }
        Output.raw(Self.erasing(state.drawn.count) + list.map { $0 + "\n" }.joined())
        (state.drawn, state.drawnWidth) = (list, width)
    }

    /// The last row is left for the cursor.
    private func view(_ state: inout State, _ width: Int, _ height: Int) -> [String] {
        guard let content = state.content else { return [] }
        return state.view.lines(of: content, width: width, height: height - 1, hasKeys: hasKeys)
    }

    /// Moves to the first of these lines and erases everything below.
    private static func erasing(_ lines: Int) -> String { lines > 0 ? "\u{1B}[\(lines)A\r\u{1B}[J" : "" }
}
