// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// The run: its clock, which in virtual time can be stopped, advanced, and given another rate; its radio; its profile.

import { switchButton } from "./switch.js";
import { arrange, byId, html, set, text } from "./dom.js";
import * as format from "./format.js";

const STEPS = ["1s", "10s", "1m", "10m", "1h"];
const NOT_VIRTUAL = "start the run with --rate manual or max to control the clock";
const OWN = "own";
const MEANINGS = {
    own: "values of its own", free: "free space", hall: "a hall", office: "an office", home: "a home", obstructed: "obstructed",
    off: "off: no chance",
};
const RATES = ["1", "10", "60", "max"];

export class RunView {
    #model;
    #time = html("p", { class: "time", role: "timer", "aria-label": "Run time" });
    #rate = html("p", { class: "quiet" });
    #pause;
    #speed;
    #steps;
    #controls;
    #radio;
    #physics;
    /** The air whose physics are shown. */
    #known;

    constructor(model, commands) {
        this.#model = model;
        this.#pause = html(
            "button",
            {
                type: "button",
                click: () => commands.setRate(model.clock?.rate === "manual" ? this.#speed.value : "manual"),
            },
            "Pause",
        );
        this.#speed = html("select", { change: () => commands.setRate(this.#speed.value) },
            RATES.map(
                (rate) => html(
                    "option", { value: rate }, rate === "max" ? "as fast as possible" : `${rate} × real time`,
                ),
            ));
        this.#steps = STEPS.map(
            (step) => html(
                "button", { type: "button", click: () => commands.advance(step) },
                `+${step.replace(/(\d)([a-z])/, "$1 $2")}`,
            ),
        );
        this.#controls = html("div", { class: "actions", hidden: true }, this.#pause, html(
            "label", { class: "field" }, "Rate ", this.#speed,
        ),
            html("span", { class: "group", role: "group", "aria-label": "Advance the clock" }, this.#steps));
        this.#radio = switchButton(
            "Radio", () => commands.setRadio(this.#radio.getAttribute("aria-checked") === "true" ? "off" : "on"),
        );
        this.#physics = html("select", { id: "physics", change: () => commands.setPhysics(this.#physics.value) });
        const physics = html("label", { class: "field" }, "Physics ", this.#physics);
        byId("clock").append(html("div", { class: "reading" }, this.#time, this.#rate), this.#controls,
            html(
                "div", { class: "actions" }, this.#radio,
                html("button", { type: "button", click: commands.reload }, "Reload profile"),
                html("button", { type: "button", click: commands.reset }, "Reset"),
            ), html("div", { class: "actions" }, physics));
        model.observe((changed) => {
            if (changed.has("clock")) this.#draw();
            if (changed.has("presets") || changed.has("air")) this.#drawPhysics();
            physics.hidden = model.air === undefined;
            set(this.#radio, "aria-checked", String(model.isRadioOn));
        });
    }

    /** The presets, and what is none of them while the run has it. */
    #drawPhysics() {
        const { presets, air } = this.#model;
        if (!presets || !air) return;
        const present = air.physics.preset ?? OWN;
        const names = air.physics.preset ? presets.physics : [OWN, ...presets.physics];
        if (names.join() !== [...this.#physics.options].map((each) => each.value).join()) arrange(
            this.#physics, names.map((name) => html("option", { value: name, disabled: name === OWN }, MEANINGS[name] ?? name)),
        );
        if (document.activeElement !== this.#physics || air !== this.#known) this.#physics.value = present;
        this.#known = air;
    }

    #draw() {
        const { clock } = this.#model;
        const isManual = clock.rate === "manual";
        text(this.#time, format.duration(clock.elapsed, true));
        text(byId("figure-time"), format.duration(clock.elapsed));
        const rate = clock.rate === "max" ? "as fast as possible"
            : clock.rate === "1" ? "real time"
            : `${clock.rate} × real time`;
        text(this.#rate, isManual ? "paused" : clock.virtual ? rate : `${rate}; ${NOT_VIRTUAL}`);
        this.#controls.hidden = !clock.virtual;
        text(this.#pause, isManual ? "Run" : "Pause");
        for (const step of this.#steps) set(step, "disabled", !isManual);
        if (
            !isManual && RATES.includes(clock.rate) && document.activeElement !== this.#speed
        ) this.#speed.value = clock.rate;
    }
}
