import { type ActivityFigures, sumOf } from "../../src/domain/Activity.ts"

/** Figures of a slot: none but those that are given; of codes, whatever the channel. */
export const figures = (some: Partial<ActivityFigures>): ActivityFigures => ({
  kind: "code",
  channel: null,
  ...sumOf([], () => true),
  ...some
})
