// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// The scenario of the run: one that fits the run, or a file, is chosen, its timeline is performed, and its progress is shown.

import { arrange, byId, html, set, text } from "./dom.js";
import * as format from "./format.js";

export class ScenarioView {
    #model;
    #state = html("p", { class: "quiet", "aria-live": "polite" }, "No scenario was started.");
    #progress = html("progress", { "aria-label": "Changes of the scenario", hidden: true });
    #refused = html("ul", { class: "small" });
    #stop;
    #shipped = html("select", { id: "shipped", "aria-label": "Scenario of the program" });
    #offer;
    #summary = html("p", { class: "quiet small" });

    constructor(model, commands) {
        this.#model = model;
        const file = html("input", {
            type: "file", accept: ".yaml,.yml,.json", change: async () => {
                const [chosen] = file.files;
                if (chosen) await commands.startScenario(await chosen.text(), chosen.name);
                // The same file can be chosen again after an edit.
                file.value = "";
            },
        });
        this.#stop = html("button", { type: "button", disabled: true, click: commands.stopScenario }, "Stop scenario");
        this.#shipped.addEventListener("change", () => this.#describe());
        this.#offer = html("div", {}, html("div", { class: "actions" }, this.#shipped, html("button", {
            type: "button", click: () => commands.startShipped(this.#shipped.value),
        }, "Start scenario")), this.#summary);
        byId("scenario").append(
            this.#state, this.#progress, this.#refused, this.#offer,
            html("div", { class: "actions" }, html("label", { class: "field" }, "Scenario ", file), this.#stop),
        );
        model.observe((changed) => {
            if (changed.has("scenario")) this.#draw(model.scenario);
            if (changed.has("presets")) this.#drawOffer(model.presets.scenarios);
        });
    }

    /** Only those whose timeline has beacons of this run are offered. */
    #drawOffer(scenarios) {
        this.#offer.hidden = !scenarios.length;
        const former = this.#shipped.value;
        arrange(this.#shipped, scenarios.map((each) => html(
            "option", { value: each.file },
            `${each.scenario}: ${format.count(each.changes, "change")} in ${format.duration(each.duration)}`,
        )));
        if (former) this.#shipped.value = former;
        this.#describe();
    }

    #describe() {
        text(this.#summary, this.#model.presets.scenarios.find((each) => each.file === this.#shipped.value)?.summary ?? "");
    }

    #draw({ scenario, state, changes, done, next, refused, ignored, elapsed }) {
        const parts = [`${scenario}: ${state}, ${done} of ${changes} changes`];
        if (next) parts.push(`next at ${format.duration(next.at)}: ${next.change}`);
        else if (state !== "running") parts.push(`after ${format.duration(elapsed)}`);
        if (ignored) parts.push(`${ignored.join(", ")} have no effect on a run`);
        text(this.#state, parts.join("; "));
        set(this.#progress, "hidden", changes === 0);
        set(this.#progress, "max", changes);
        set(this.#progress, "value", done);
        set(this.#stop, "disabled", state !== "running");
        this.#refused.replaceChildren(
            ...refused.map((each) => html("li", {}, `${each.change}: ${each.message}`)),
        );
    }
}
