// @effect-diagnostics processEnv:off
/** CI sets it: each property runs as often as its file says. */
const runsAll = process.env["PROPERTY_RUNS"] === "all"

/**
 * How often a property with many or costly cases runs: a quarter of it on a developer's machine. The cases are others
 * each time, and CI has them all.
 */
export const propertyRuns = (all: number): number => (runsAll ? all : Math.ceil(all / 4))

/** The seeds of a long history of made-up events: the first quarter of them on a developer's machine, all in CI. */
export const seedsToRun = (all: ReadonlyArray<number>): ReadonlyArray<number> =>
  all.slice(0, propertyRuns(all.length))
