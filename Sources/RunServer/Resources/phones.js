// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// Phones that are added on the page: receivers that scan within the run.

import { arrange, byId, html, set } from "./dom.js";

/** A model that is easily explained comes first. */
const FIRST = "exact";

export class PhonesView {
    #model;
    #commands;
    #models = html("select", { "aria-label": "Model of the phone" });
    #name = html("input", {
        type: "text", "aria-label": "Name of the phone", autocomplete: "off", spellcheck: "false", maxlength: 64,
    });

    /** @param commands.addPhone called with a name, a model and a position; returns whether it was added */
    constructor(model, commands) {
        this.#model = model;
        this.#commands = commands;
        const form = html("form", { class: "actions", submit: (event) => {
            event.preventDefault();
            this.add();
        } }, this.#name, this.#models, html("button", { type: "submit" }, "Add phone"));
        byId("phones").append(form);
        model.observe((changed) => {
            if (changed.has("presets")) this.#draw(model.presets.phones);
            if (changed.has("receivers") || changed.has("presets")) set(this.#name, "placeholder", this.#freeName());
            if (changed.has("ready") || changed.has("air")) form.hidden = model.air === undefined;
        });
    }

    /** Adds a phone with the name and the model that are chosen. */
    async add() {
        const name = this.#name.value.trim() || this.#freeName();
        if (await this.#commands.addPhone(name, this.#models.value || FIRST, this.#freePlace())) this.#name.value = "";
    }

    #draw(names) {
        const former = this.#models.value;
        arrange(this.#models, [...names].sort((one, two) => (two === FIRST) - (one === FIRST)).map(
            (name) => html("option", { value: name }, name === FIRST ? "receives everything (exact)" : name),
        ));
        this.#models.value = former || FIRST;
    }

    #freeName() {
        const isTaken = (name) => this.#model.receivers.has(name) || this.#model.beacons.has(name);
        if (!isTaken("phone")) return "phone";
        let number = 2;
        while (isTaken(`phone-${number}`)) number += 1;
        return `phone-${number}`;
    }

    /** In the middle of the beacons; beside it if something is there. */
    #freePlace() {
        const places = [...this.#model.beacons.values(), ...this.#model.receivers.values()]
            .map((each) => this.#model.position(each)).filter(Boolean);
        if (!places.length) return [0, 0, 0];
        const middle = [0, 1].map((axis) => {
            const all = places.map((place) => place[axis]);
            return Math.round((Math.min(...all) + Math.max(...all)) * 5) / 10;
        });
        while (places.some((place) => Math.hypot(place[0] - middle[0], place[1] - middle[1]) < 0.5)) middle[0] += 1;
        return [...middle, 0];
    }
}
