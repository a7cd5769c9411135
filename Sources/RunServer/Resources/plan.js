// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// The floor plan of the profile under the map. It is a canvas: the picture comes with the token, as all that the page reads, and the
// policy of the page permits no pictures of other addresses.

import * as api from "./api.js";

export class PlanLayer {
    #model;
    #canvas = document.createElement("canvas");
    #picture = undefined;
    #tag = undefined;
    #redraw;

    /** @param redraw called when there is another picture */
    constructor(root, model, redraw) {
        this.#model = model;
        this.#redraw = redraw;
        this.#canvas.className = "plan";
        this.#canvas.setAttribute("aria-hidden", "true");
        root.append(this.#canvas);
        model.observe((changed) => {
            if (changed.has("walls")) this.#read(model.air?.map);
        });
    }

    /** The corners of the plan, lower left and upper right, in metres; none without a plan. */
    get corners() {
        const map = this.#model.air?.map;
        if (!map) return [];
        const [x, y] = map.origin;
        return [[x, y], [x + map.width, y + map.height]];
    }

    async #read(map) {
        if (map?.tag === this.#tag) return;
        this.#tag = map?.tag;
        try {
            const picture = map && await createImageBitmap(await api.getBlob("v1/air/map"));
            // Another one may have been wanted meanwhile.
            if (map?.tag !== this.#tag) return;
            this.#picture = picture;
        } catch (problem) {
            this.#picture = undefined;
            console.info("map:", problem.message);
        }
        this.#redraw();
    }

    /** Draws the plan; `project` gives the pixels of a place. */
    draw({ width, height }, project) {
        const ratio = window.devicePixelRatio || 1;
        this.#canvas.width = Math.round(width * ratio);
        this.#canvas.height = Math.round(height * ratio);
        if (!this.#picture || !this.corners.length) return;
        const context = this.#canvas.getContext("2d");
        const [[left, bottom], [right, top]] = this.corners.map(project);
        context.scale(ratio, ratio);
        context.drawImage(this.#picture, left, top, right - left, bottom - top);
    }
}
