// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI

// MARK: - How links end

extension Air {
    /// A controller forgets a link without telling: its peer notices after the supervision timeout, or after six
    /// intervals when no connection event has taken place (Core 5.4, Vol 6, Part B, 4.5.2).
    mutating func abandonLink(_ index: Int, from controller: Int) {
        let side = links[index].side(of: controller)
        links[index][side].isPresent = false
        guard links[index][side.other].isPresent else { return freeLink(index) }
        let isEstablished = links[index].anchorEvent > 0 || now >= links[index].anchor
        links[index].lossReason = isEstablished ? .connectionTimeout : .connectionFailedToBeEstablished
        links[index].lossDeadline =
            isEstablished ? now + links[index].timeoutMicroseconds : now + 6 * links[index].intervalMicroseconds
        scheduleLink(index)
    }

    /// Waiting is over.
    mutating func expire(_ index: Int) {
        if now >= links[index].lossDeadline {
            closeBoth(index, reason: links[index].lossReason)
        } else if links[index].termination != nil {
            finishTermination(index)
        } else {
            closeBoth(index, reason: .lmpOrLLResponseTimeout)
        }
    }

    /// The end that one host asked for, behind the data that it had sent before.
    mutating func finishTermination(_ index: Int) {
        guard let termination = links[index].termination else { return }
        close(index, reason: .connectionTerminatedByLocalHost, at: termination.side)
        close(index, reason: termination.reason, at: termination.side.other)
        freeLink(index)
    }

    /// The same end for both.
    mutating func closeBoth(_ index: Int, reason: HCIStatus) {
        close(index, reason: reason, at: .central)
        close(index, reason: reason, at: .peripheral)
        freeLink(index)
    }

    /// Tells a host that a link is gone, if its controller still has it.
    mutating func close(_ index: Int, reason: HCIStatus, at side: LinkSide) {
        let end = links[index][side]
        guard end.isPresent else { return }
        controllers[end.controller].host.flow.used -= min(controllers[end.controller].host.flow.used, end.heldByHost)
        emit(
            DisconnectionComplete(connectionHandle: ConnectionHandle(end.handle), reason: reason), to: end.controller)
    }

    /// Takes a link from those who have it, and frees its place.
    mutating func freeLink(_ index: Int) {
        for side in [LinkSide.central, .peripheral] where links[index][side].isPresent {
            controllers[links[index][side].controller].host.links.removeAll { $0 == Int32(index) }
        }
        for side in [LinkSide.central, .peripheral] { links[index][side].outgoing.removeAll() }
        links[index].isOpen = false
        timers.remove(links[index].timer)
        freeLinks.append(index)
    }
}
