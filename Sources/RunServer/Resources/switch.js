// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// Switches.

import { html } from "./dom.js";

/** A switch with a name and a state that is not shown by colour alone. */
export function switchButton(name, toggle, label) {
    return html("button", {
        type: "button", role: "switch", class: "switch", "aria-checked": "false", "aria-label": label ?? false,
        click: toggle,
    },
        html("span", { class: "knob", "aria-hidden": "true" }), name ? html("span", {}, name) : null);
}
