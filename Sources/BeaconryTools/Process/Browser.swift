// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Subprocess
import SystemPackage

/// The browser of a user who sits at this machine.
package struct Browser: Hashable, Sendable {
    /// The program, and the arguments before the address.
    package let command: [String]

    /// The browser: `$BROWSER`, else `xdg-open` where there is a display; `nil` without either.
    /// - Parameter variable: the value of a variable of the environment; `nil` if it is unset or empty.
    package init?(_ variable: (String) -> String?) {
        if let browser = variable("BROWSER") {
            // A list of alternatives, of which the first is taken.
            let first = browser.split(separator: ":").first ?? ""
            command = first.split(separator: " ").map { String($0) }.filter { $0 != "%s" }
            if command.isEmpty { return nil }
        } else if variable("DISPLAY") != nil || variable("WAYLAND_DISPLAY") != nil {
            command = ["xdg-open"]
        } else {
            return nil
        }
    }

    /// Shows an address, and waits until the command has ended: a browser may end with its last window.
    /// - Returns: why it was not shown; `nil` if it was.
    package func open(_ address: String) async -> String? {
        var options = PlatformOptions()
        // Ctrl-C at our terminal ends the run, not the browser.
        options.processGroupID = 0
        do {
            let result = try await Subprocess.run(
                command[0].contains("/") ? .path(FilePath(command[0])) : .name(command[0]),
                arguments: Arguments(Array(command.dropFirst()) + [address]), platformOptions: options,
                output: .discarded, error: .discarded)
            return result.terminationStatus.isSuccess ? nil : "\(command[0]) ended with \(result.terminationStatus)"
        } catch let error as SubprocessError {
            return "\(command[0]): \(error.underlyingError?.description ?? error.description)"
        } catch {
            return "\(command[0]): \(error)"
        }
    }
}
