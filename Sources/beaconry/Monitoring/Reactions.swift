// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus

/// What is done when a region is entered or left, besides telling it.
struct Reactions: Sendable {
    private let commands: EventCommandQueue?
    private let notifier: DesktopNotifier?
    private let isJSON: Bool

    /// - Parameters:
    ///   - command: what is run; `nil` for nothing.
    ///   - notifies: whether messages are shown on the desktop.
    init(command: EventCommand?, notifies: Bool, isJSON: Bool) {
        commands = command.map { EventCommandQueue($0) { $0.tell(asJSON: isJSON) } }
        notifier = notifies ? DesktopNotifier() : nil
        self.isJSON = isJSON
    }

    /// Does it for an event; nothing of it is waited for.
    func react(to record: RegionRecord) {
        if let commands { Task { await commands.run(record) } }
        guard let notifier, let message = record.message else { return }
        Task { [isJSON] in
            do throws(DBusError) {
                try await notifier.show(title: record.region, message: message, region: record.region)
            } catch {
                Notice(
                    code: "notify-failed", message: "the message could not be shown on the desktop: \(error)",
                    hint: "run it in a desktop session with a notification service, or leave out --notify"
                ).tell(asJSON: isJSON)
            }
        }
    }

    /// Ends what is still being done.
    func finish() async {
        await commands?.finish()
        await notifier?.close()
    }
}
