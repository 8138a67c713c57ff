import { Data } from "effect"

/** What doctor found to be wrong. */
export class Unhealthy extends Data.TaggedError("Unhealthy")<{ readonly message: string }> {}
