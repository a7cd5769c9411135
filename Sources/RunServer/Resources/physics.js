// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// Where the mean RSSI of a beacon falls to a level: by the exponent and the walls of the run's air (docs/physics.md).

const STEP = Math.PI / 90;
/** With more walls than this, the corners of their shadows are rounded: their ends have no directions of their own. */
const MOST_SHARP_WALLS = 60;

/** The walls on a ray from a place: the distances in metres, nearest first, and the losses in dB. */
function crossings(walls, [x, y], [across, up]) {
    const found = [];
    for (const { from, to, loss } of walls) {
        const [wallX, wallY] = [to[0] - from[0], to[1] - from[1]];
        const turn = across * wallY - up * wallX;
        if (Math.abs(turn) < 1e-12) continue;
        const [aside, above] = [from[0] - x, from[1] - y];
        const distance = (aside * wallY - above * wallX) / turn;
        const part = (aside * up - above * across) / turn;
        if (distance > 1e-9 && part >= 0 && part <= 1) found.push({ distance, loss });
    }
    return found.sort((one, two) => one.distance - two.distance);
}

/** The distance in metres at which the level falls to a value, after what the walls on the way take. */
function reach(exponent, atOneMetre, level, walls) {
    let lost = 0;
    for (const wall of [...walls, { distance: Infinity, loss: 0 }]) {
        const free = 10 ** ((atOneMetre - lost - level) / (10 * exponent));
        if (free <= wall.distance) return free;
        lost += wall.loss;
        if (10 ** ((atOneMetre - lost - level) / (10 * exponent)) < wall.distance) return wall.distance;
    }
    return Infinity;
}

/**
 * The line around a place on which the mean RSSI is `level`: `points` in metres, its distance `up` and `down`, and whether a
 * wall bends it.
 * @param {{ physics: { exponent: number }, walls: object[] }} air
 */
export function contour(air, place, atOneMetre, level) {
    const { physics: { exponent }, walls } = air;
    const farthest = reach(exponent, atOneMetre, level, []);
    const near = walls.filter((wall) => distanceToWall(place, wall) < farthest);
    const at = (direction) => reach(exponent, atOneMetre, level, crossings(near, place, direction));
    const angles = [];
    for (let angle = 0; angle < 2 * Math.PI; angle += near.length ? STEP : 2 * STEP) angles.push(angle);
    if (near.length <= MOST_SHARP_WALLS) for (const { from, to } of near) for (const end of [from, to]) {
        const angle = Math.atan2(end[1] - place[1], end[0] - place[0]);
        for (const each of [angle - 1e-4, angle + 1e-4]) angles.push((each + 2 * Math.PI) % (2 * Math.PI));
    }
    return {
        points: angles.sort((one, two) => one - two).map((angle) => {
            const direction = [Math.cos(angle), Math.sin(angle)], distance = at(direction);
            return [place[0] + direction[0] * distance, place[1] + direction[1] * distance];
        }),
        up: at([0, 1]), down: at([0, -1]), farthest,
    };
}

function distanceToWall([x, y], { from, to }) {
    const [wallX, wallY] = [to[0] - from[0], to[1] - from[1]];
    const length = wallX * wallX + wallY * wallY;
    const part = length ? Math.max(0, Math.min(1, ((x - from[0]) * wallX + (y - from[1]) * wallY) / length)) : 0;
    return Math.hypot(from[0] + part * wallX - x, from[1] + part * wallY - y);
}
