// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// A bar of -100 to -30 dBm beside a number that says the same.

import { html } from "./dom.js";

const LOW = -100;
const HIGH = -30;

/** An empty bar. */
export function makeBar() {
    return html("span", { class: "bar-track", "aria-hidden": "true" }, html("span", { class: "bar-fill" }));
}

/** Fills a bar up to a level in dBm; `undefined` for none. */
export function setBar(bar, level) {
    const part = level === undefined ? 0 : (Math.max(LOW, Math.min(HIGH, level)) - LOW) / (HIGH - LOW);
    const width = `${(100 * part).toFixed(1)}%`;
    if (bar.firstChild.style.width !== width) bar.firstChild.style.width = width;
}
