// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// The state of beacons and receivers in words, and whether all beacons that should be on the air are.

import { count } from "./format.js";

const TEXTS = {
    "on-air": "on the air", starting: "starting", paused: "paused", disabled: "off", "scheduled-off": "off by schedule",
    "out-of-range": "out of range", muted: "muted", "flat-battery": "battery flat", "radio-off": "radio off", refused: "refused by the radio",
    "not-on-air": "not on the air",
};

/** The reasons in the header, by the state of the beacons. */
const REASONS = {
    "flat-battery": (names) => `battery of ${names} flat`,
    "radio-off": () => "the radio is off",
    refused: (names) => `the radio refuses ${names}`,
    "not-on-air": (names) => `not on the air: ${names}`,
};

/**
 * The state of a beacon: its name in the API, its `text`, whether it `isOnAir`, which a muted one is not here, since nothing
 * receives it; whether it `isWrong`, which is not to be on the air although it should be; whether something else needs
 * attention (`alert`), its `badge` in tables, and its classes on the map.
 */
export function beaconState(beacon, model) {
    const { state } = beacon;
    const isOnAir = beacon.onAir && !beacon.muted;
    const warnings = model.warningsOf(beacon.name).length;
    const isWrong = beacon.shouldBeOnAir && !beacon.onAir && state !== "starting";
    const centrals = beacon.centrals.length;
    const words = state === "paused" && centrals ? `connected to ${centrals}`
        : (TEXTS[state] ?? state) + (centrals ? `, connected to ${centrals}` : "");
    return {
        state, isOnAir, isWrong,
        text: words + (warnings ? `, ${count(warnings, "warning")}` : ""),
        alert: isWrong || warnings > 0,
        badge: isWrong ? "wrong" : warnings ? "alert" : beacon.muted ? "muted" : isOnAir ? "on" : "off",
        classes: [!isOnAir && "off", isWrong && "wrong", beacon.muted && "muted", centrals && "connected"],
    };
}

/**
 * Whether all beacons that should be on the air are: `state` is `good`, `wrong`, `starting` or `none`, and `text` says how
 * many are on the air, and why others are not.
 */
export function airState(model) {
    const states = [...model.beacons.values()].map((beacon) => ({ beacon, ...beaconState(beacon, model) }));
    const text = `${states.filter((each) => each.isOnAir).length} of ${states.length} on the air`;
    if (!states.length) return { state: "none", text: "no beacons" };
    const wrong = Map.groupBy(states.filter((each) => each.isWrong), (each) => each.state);
    if (wrong.size) {
        const reasons = [...wrong].map(([state, list]) => {
            const names = list.map((each) => each.beacon.name);
            const some = names.length > 2 ? `${names.length} beacons` : names.join(" and ");
            return (REASONS[state] ?? REASONS["not-on-air"])(some);
        });
        return { state: "wrong", text: `${text}: ${reasons.join("; ")}` };
    }
    if (states.some((each) => each.state === "starting")) return { state: "starting", text: `${text}, starting` };
    const silent = states.filter((each) => !each.isOnAir);
    const muted = silent.filter((each) => each.beacon.muted && each.beacon.onAir).length;
    const paused = silent.filter((each) => each.state === "paused").length, off = silent.length - paused - muted;
    return {
        state: "good",
        text: text + (off ? `, ${off} off` : "") + (muted ? `, ${muted} muted` : "")
            + (paused ? `, ${paused} connected` : ""),
    };
}

export function receiverState(receiver) {
    return {
        text: !receiver.joined ? "not joined" : receiver.scan ? `scanning (${scanKind(receiver)})` : "not scanning",
        alert: false, classes: [!receiver.joined ? "absent" : !receiver.scan && "off"],
    };
}

/** The kind of the scan of a receiver: active or passive; `undefined` while it does not scan. */
export function scanKind(receiver) {
    if (!receiver.scan) return undefined;
    return receiver.scan.active ? "active" : "passive";
}
