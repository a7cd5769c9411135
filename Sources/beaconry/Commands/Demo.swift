// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Devices
import EmbeddedFiles
import Emulator
import Profiles

/// `beaconry demo`
struct Demo: AsyncParsableCommand, OptionsOnlyCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Show a museum of beacons in a browser, with a phone that walks through it.",
        discussion: """
            Example: beaconry demo

            The beacons and the phone are on a virtual air of this process: no radio is needed, and nothing is saved. The page is \
            opened by $BROWSER, or by xdg-open where there is a display; its address is printed. It ends with Ctrl-C. Meanwhile \
            beaconry ctl list --profile demo shows the beacons, and beaconry ctl mute lobby-shop --profile demo changes one. A \
            second demo is demo-2.
            """)

    @Option(
        help: "TCP port of the page on 127.0.0.1 (default: 0, any free one).",
        transform: OptionValue.wholeNumber(in: 0...65535))
    var port = 0

    @Flag(help: "Only print the address of the page.")
    var noBrowser = false

    @Option(help: "End after this time, such as 30s (default: run until Ctrl-C).", transform: ValueText.duration)
    var duration: Duration?

    @OptionGroup var output: OutputOptions

    /// The name of the profile, which is not that of a museum that runs already.
    private static let name = "demo"

    /// What the museum has besides its beacons: the model of a hall, and a visitor who goes through its rooms.
    private static let visitor = """
        physics: hall
        receivers:
          - id: visitor
            phone: iphone
            path:
              through: [[2, 4], [8, 5], [14, 9], [19, 11], [20.5, 7], [15, 2], [20, 1], [26, 5], [27, 8], [20, 5], [8, 3]]
              speed: 1.2m/s
              pauses: { 2: 5s, 4: 5s, 7: 5s, 9: 5s }
              repeat: true
            regions:
              - { id: egypt, uuid: 2173E519-9155-4862-AB64-7953AB146156, major: 2 }
              - { id: greece, uuid: 2173E519-9155-4862-AB64-7953AB146156, major: 3 }
        """

    func run() async throws {
        let name = ControlSockets.freeName(Self.name)
        let museum = String(cString: embedded_museum.text)
            .replacing("profile: museum", with: "profile: \(name)")
        let profile = try Profile(parsing: "\(museum)\n\(Self.visitor)\n", file: Self.name)
        let arguments = ["--radio", "virtual", "--hci-server", "tcp:127.0.0.1:0", "--http", "127.0.0.1:\(port)"]
        let options = try RunOptions.parse(arguments + (output.format == .json ? ["--json"] : []))
        var configuration = try options.configuration(profiles: [profile], state: nil, resets: false) { [profile] }
        configuration.hasProfilesInMemory = true
        if let duration { configuration.duration = duration }
        var running = Running(options: options, configuration: configuration, control: options.controlPlace)
        running.printsWarningsOnly = true
        let browser = noBrowser ? nil : Browser(Environment.value)
        running.observe = { event in
            guard case .controlServed(let address) = event else { return }
            Output.note("beaconry: the museum is at \(address) (for beaconry ctl its name is \(name)); Ctrl-C ends it")
            if let browser {
                Task {
                    guard let problem = await browser.open(address) else { return }
                    Output.note("beaconry: the page was not opened (\(problem)); open \(address)")
                }
            }
        }
        try await running.run()
    }
}
