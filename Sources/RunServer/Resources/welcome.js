// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// What can be done first, while nothing receives: a sentence, and buttons that lead to it.

import { byId, html, text } from "./dom.js";

export class WelcomeView {
    constructor(model, commands) {
        const root = byId("welcome");
        const sentence = html("p");
        const phone = html("button", { type: "button", class: "first", click: () => commands.addFirstPhone() }, "Add a phone");
        const scenario = html("button", { type: "button", click: () => byId("shipped").focus() }, "Choose a scenario");
        const hide = html("button", { type: "button", click: () => (root.hidden = this.isHidden = true) }, "Close");
        root.append(sentence, html("div", { class: "actions" }, phone, scenario, hide));
        model.observe((changed) => {
            if (!changed.has("receivers") && !changed.has("ready") && !changed.has("presets") && !changed.has("air")) return;
            // On real adapters phones are real, too.
            root.hidden = Boolean(this.isHidden) || model.air === undefined || model.receivers.size > 0 || !model.beacons.size;
            const count = model.beacons.size;
            text(sentence, `${count === 1 ? "One beacon is" : `${count} beacons are`} on a virtual air, and nothing receives `
                + `${count === 1 ? "it" : "them"} yet. Add a phone, and drag it over the map.`);
            scenario.hidden = !model.presets?.scenarios.length;
        });
    }
}
