import { Cache, Duration, Effect } from "effect"
import { platformConversion } from "../../../domain/guard/Conversion.ts"
import type { CustomerState } from "../../../domain/guard/round/CustomerState.ts"
import { outageOf } from "../../../domain/guard/round/Outage.ts"
import { judge } from "../../../domain/guard/round/Round.ts"
import { segmentName, segmentsOf } from "../../../domain/guard/Segments.ts"
import type { Instant } from "../../../domain/Instant.ts"
import { GuardStore } from "../GuardStore.ts"
import { WATCHFUL_SCORE } from "./NextRound.ts"
import { releaseAll } from "./Releases.ts"
import type { RoundStart } from "./RoundStart.ts"

const PLATFORM_AGE = Duration.minutes(10)

const makePlatformOutage = Effect.gen(function* () {
  const store = yield* GuardStore
  return Effect.fnUntraced(function* (customerId: number, { self, outage }: CustomerState, now: Instant) {
    if (self.score < WATCHFUL_SCORE && outage === null) return null
    const { recent, usual } = yield* store.others(customerId, now)
    return outageOf(null, recent, usual, now)
  })
})

/** The segments of the codes of a round, and of the alarms that it ends. */
const segmentsIn = ({ codes, over }: RoundStart) =>
  new Map(
    [...codes.flatMap((code) => segmentsOf(code.prefix, code)), ...over].map((segment) => [
      segmentName(segment),
      { kind: segment.kind, key: segment.key }
    ])
  )

/** Judges the codes of a round, and releases the segments whose block is over. */
export const makeJudgeCodes = Effect.gen(function* () {
  const store = yield* GuardStore
  const platformOutage = yield* makePlatformOutage
  const platform = yield* Cache.make<"platform", number>({
    capacity: 1,
    timeToLive: PLATFORM_AGE,
    lookup: () => Effect.map(store.platform, platformConversion)
  })

  return Effect.fnUntraced(function* (start: RoundStart, now: Instant) {
    const { customerId, state, codes, over, open } = start
    const known = yield* store.segments(customerId, [...segmentsIn(start).values()])
    const round = judge(
      {
        customer: state,
        segments: known,
        alarmed: new Set(open.filter(({ reason }) => reason === "unverified").map(segmentName)),
        platform: yield* Cache.get(platform, "platform"),
        platformOutage: yield* platformOutage(customerId, state, now)
      },
      codes
    )
    return { known, round, ...releaseAll(round, known, over, now) }
  })
})
