// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth

/// The result of reading a characteristic's value.
package struct ReadResult: Hashable, Sendable {
    /// The value from the offset on, or the error for the central.
    package var value: Result<[UInt8], ATTError>
    /// Time until the answer is sent.
    package var delay: Duration
    /// Whether later results depend on this read: the owner passes `.readAnswered` to `handle`, once.
    package var isCounted: Bool

    /// A result; sent at once and not counted by default.
    package init(_ value: Result<[UInt8], ATTError>, delay: Duration = .zero, isCounted: Bool = false) {
        self.value = value
        self.delay = delay
        self.isCounted = isCounted
    }

    /// A value, available at once.
    package static func value(_ value: [UInt8]) -> ReadResult { ReadResult(.success(value)) }

    /// An error, available at once.
    package static func error(_ error: ATTError) -> ReadResult { ReadResult(.failure(error)) }

    /// The part of a value behind an offset, or `.invalidOffset`.
    package static func value(_ value: [UInt8], from offset: Int) -> ReadResult {
        0...value.count ~= offset ? .value(Array(value[offset...])) : .error(.invalidOffset)
    }
}

/// The response of a device to an input.
package struct DeviceResponse: Hashable, Sendable {
    /// Settings to save before anything else is done.
    package var flash: FlashImage?
    /// Time until the reply is sent and the effects are performed.
    package var delay: Duration
    /// The reply; `nil` when the input asks for none.
    package var reply: DeviceReply?
    /// The effects, in order.
    package var effects: [DeviceEffect]
    /// Whether the effects are performed before the reply is sent, and not after it.
    package var repliesLast = false

    /// A response without a reply by default.
    package init(
        _ effects: [DeviceEffect] = [], reply: DeviceReply? = nil, flash: FlashImage? = nil, delay: Duration = .zero
    ) {
        self.flash = flash
        self.delay = delay
        self.reply = reply
        self.effects = effects
    }

    /// A write, setting or command was carried out.
    package static func done(
        _ effects: [DeviceEffect] = [], flash: FlashImage? = nil, delay: Duration = .zero
    ) -> DeviceResponse {
        DeviceResponse(effects, reply: .done, flash: flash, delay: delay)
    }

    /// A write failed.
    package static func rejected(_ error: ATTError, delay: Duration = .zero) -> DeviceResponse {
        DeviceResponse(reply: .rejected(error), delay: delay)
    }

    /// A setting or command is refused, with one sentence for the owner.
    package static func refused(_ sentence: String) -> DeviceResponse { DeviceResponse(reply: .refused(sentence)) }

    /// The response to `.perform` of a device without commands.
    package static let takesNoCommands = refused("this device takes no commands")

    /// Appends a response: its effects follow, and its reply counts.
    static func += (left: inout DeviceResponse, right: DeviceResponse) {
        left.effects += right.effects
        left.reply = right.reply ?? left.reply
        left.flash = right.flash ?? left.flash
        left.delay += right.delay
        left.repliesLast = left.repliesLast || right.repliesLast
    }

    /// Whether there is nothing to do.
    package var isEmpty: Bool { flash == nil && delay == .zero && reply == nil && effects.isEmpty }
}

extension DeviceResponse: ExpressibleByArrayLiteral {
    /// Effects without a reply.
    package init(arrayLiteral effects: DeviceEffect...) { self.init(effects) }
}

/// The answer to a write, a setting or a command.
package enum DeviceReply: Hashable, Sendable {
    /// It was carried out.
    case done
    /// A write failed with this error for the central.
    case rejected(ATTError)
    /// A setting or command was refused; one sentence for the owner.
    case refused(String)
}

/// Something to be done for a device.
package enum DeviceEffect: Hashable, Sendable {
    /// Replace what is advertised; `nil` stops advertising.
    case advertise(Advertisement?)
    /// Notify or indicate a value to a central, as it subscribed; `nil` for all subscribers.
    case notify(CharacteristicIdentifier, value: [UInt8], to: Central?)
    /// Send a request to a central's own attributes, after earlier requests; `.responseReceived` follows.
    case request(ClientRequest, of: Central)
    /// Report an event of the device.
    case report(DeviceReport)
    /// Ask a central for other connection parameters; if it agrees, `.connectionUpdated` follows.
    case updateConnection(Central, ConnectionParameters)
    /// Disconnect a central.
    case disconnect(Central)
    /// Warn the owner.
    case warn(Warning)

    /// Disconnects a central that connected to hardware which takes one at a time.
    static func decline(_ central: Central) -> [DeviceEffect] {
        let warning = Warning(
            code: "second-central",
            message: "\(central.name) connected while another central is; the hardware takes one at a time, so it was "
                + "disconnected",
            hint: "let the first central disconnect before the next one connects")
        return [.disconnect(central), .warn(warning)]
    }
}

/// A command of a device's owner: a name and arguments, as the device declares them.
package struct DeviceCommand: Hashable, Sendable {
    /// The name.
    package var name: String
    /// The arguments by name, as people write them.
    package var arguments: [String: String]

    /// A command.
    package init(_ name: String, _ arguments: [String: String] = [:]) {
        self.name = name
        self.arguments = arguments
    }

    /// A command that a device performs.
    ///
    ///     static let press = DeviceCommand.Declaration("press", help: "Presses a key.", arguments: [
    ///         DeviceCommand.Argument("key", "a key", possible: "left or right", .names(["left", "right"]))
    ///     ])
    package struct Declaration: Hashable, Sendable {
        /// The name.
        package var name: String
        /// What it does: one sentence.
        package var help: String
        /// The arguments, all of which are needed.
        package var arguments: [Argument]

        /// A declaration.
        package init(_ name: String, help: String, arguments: [Argument]) {
            self.name = name
            self.help = help
            self.arguments = arguments
        }

        /// Checks the arguments of a command: their names, and that their texts are values.
        /// - Throws: `DeviceCommandFault` for the first that is missing or wrong.
        package func check(_ command: DeviceCommand) throws(DeviceCommandFault) {
            for argument in arguments {
                guard let text = command.arguments[argument.name], argument.values.contains(text) else {
                    throw DeviceCommandFault(
                        problem: "\(name) needs \(argument.noun)", hint: "give \(argument.possible)")
                }
            }
            let names = arguments.map(\.name)
            if let unknown = command.arguments.keys.filter({ !names.contains($0) }).min() {
                throw DeviceCommandFault(
                    problem: Spelling.unknown("\(name) has no argument \"\(unknown)\"", unknown, "arguments", names),
                    hint: "")
            }
        }
    }

    /// An argument of a command.
    package struct Argument: Hashable, Sendable {
        /// The values of an argument.
        package enum Values: Hashable, Sendable {
            /// One of some names.
            case names([String])
            /// A whole number.
            case number(ClosedRange<Int>)

            /// Whether a text is a value.
            func contains(_ text: String) -> Bool {
                switch self {
                case .names(let names): names.contains(text)
                case .number(let range): Int(text).map(range.contains) ?? false
                }
            }
        }

        /// The name.
        package var name: String
        /// A noun with its article, such as `an action`.
        package var noun: String
        /// What can be written, such as `positive or negative`.
        package var possible: String
        /// What can be written, for checks.
        package var values: Values

        /// An argument.
        package init(_ name: String, _ noun: String, possible: String, _ values: Values) {
            self.name = name
            self.noun = noun
            self.possible = possible
            self.values = values
        }
    }
}

/// An argument of a command that is missing or wrong.
package struct DeviceCommandFault: Error, Hashable, Sendable {
    /// The problem.
    package let problem: String
    /// What can be written; empty when the problem names it.
    package let hint: String
}

/// An event that a device reports: a name and arguments, which become the event's keys.
package struct DeviceReport: Hashable, Sendable {
    /// A value of an argument.
    package indirect enum Value: Hashable, Sendable {
        /// Text.
        case text(String)
        /// A whole number.
        case integer(Int)
        /// Texts in order.
        case list([String])
        /// Values by key.
        case object([String: Value])
    }

    /// The name of the event.
    package var name: String
    /// The central that it concerns.
    package var central: Central?
    /// The arguments by key.
    package var arguments: [String: Value]

    /// A report.
    package init(_ name: String, central: Central? = nil, _ arguments: [String: Value] = [:]) {
        self.name = name
        self.central = central
        self.arguments = arguments
    }

    /// The device does nothing until its owner changes settings.
    /// - Parameters:
    ///   - reason: a clause for people.
    ///   - settings: the settings to make one after the other, as `ctl set` takes them.
    package static func waiting(_ reason: String, until settings: [String]) -> DeviceReport {
        DeviceReport("waiting", ["message": .text(reason), "settings": .list(settings)])
    }
}
