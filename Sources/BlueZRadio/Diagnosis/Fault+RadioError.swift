// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import KernelBluetooth
package import Radio

extension Fault {
    /// The error of a run that meets this fault.
    /// - Parameters:
    ///   - sentence: what is wrong, if it is more than the table has.
    ///   - isTemporary: whether the run waits for the end of the fault.
    package func error(
        _ code: RadioError.Code, at place: Place = Place(), _ sentence: String? = nil, isTemporary: Bool = false
    ) -> RadioError {
        RadioError(code, sentence ?? self.sentence(at: place), hint: hint(at: place), isTemporary: isTemporary)
    }

    /// How rfkill blocks an adapter.
    init(block: String) { self = block == "by a switch" ? .switchOff : .blocked }
}

extension Fault.Place {
    /// An adapter of this machine.
    init(ofThisMachine adapter: String) { self.init(adapter, isOnly: AdapterPresence.names.count < 2) }
}
