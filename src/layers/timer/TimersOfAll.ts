import { Cause, Effect } from "effect"
import type { DueTimer } from "../../domain/Timer.ts"
import type { CustomerRows } from "../../services/customer/CustomerRows.ts"
import { warnOfFailure } from "../../services/system/Observability.ts"
import type { TimerStore } from "../../services/timer/TimerStore.ts"

type Store = TimerStore["Service"]

/** The timers of all customers as one store, where their rows are apart. */
export const timersOfAll = (
  store: Store,
  { within, split, inEach }: (typeof CustomerRows)["Service"]
): Store => {
  /** In each part of the store after the other. One that cannot be read now does not stop the others. */
  const inEachThatWorks = <A>(work: Effect.Effect<A>): Effect.Effect<ReadonlyArray<A>> =>
    Effect.gen(function* () {
      let lost: Cause.Cause<never> | undefined
      const found = yield* inEach(
        Effect.catchCauseIf(
          Effect.map(work, (done) => [done]),
          (cause) => !Cause.hasInterrupts(cause),
          (cause) => {
            lost = cause
            return Effect.as(warnOfFailure("the timers of one cell could not be read", cause), [])
          }
        )
      )
      return lost !== undefined && found.every((done) => done.length === 0)
        ? yield* Effect.failCause(lost)
        : found.flat()
    })

  return {
    ...store,
    claim: ({ groups, lease, now }) =>
      Effect.suspend(() => {
        const left = groups.map(({ limit }) => limit)
        const claimHere = Effect.suspend(() => {
          const open = groups.flatMap(({ kinds }, nth) => {
            const limit = left[nth] ?? 0
            return limit > 0 ? [{ kinds, limit }] : []
          })
          if (open.length === 0) return Effect.succeed<ReadonlyArray<DueTimer>>([])
          return Effect.tap(store.claim({ groups: open, lease, now }), (due) =>
            Effect.sync(() => {
              for (const { kind } of due) {
                const nth = groups.findIndex(({ kinds }) => kinds.includes(kind))
                left[nth] = (left[nth] ?? 0) - 1
              }
            })
          )
        })
        return Effect.map(inEachThatWorks(claimHere), (claimed) => claimed.flat())
      }),

    claimFairly: (request) =>
      Effect.suspend(() => {
        let { free } = request
        const claimHere = Effect.suspend(() =>
          free <= 0
            ? Effect.succeed({ due: [], someAreLeft: true, mayBeMore: true })
            : Effect.tap(store.claimFairly({ ...request, free }), ({ due }) =>
                Effect.sync(() => void (free -= due.length))
              )
        )
        return Effect.map(inEachThatWorks(claimHere), (claims) => ({
          due: claims.flatMap(({ due }) => due),
          someAreLeft: claims.some(({ someAreLeft }) => someAreLeft),
          mayBeMore: claims.some(({ mayBeMore }) => mayBeMore)
        }))
      }),

    parkedKinds: (kinds) =>
      Effect.map(inEachThatWorks(store.parkedKinds(kinds)), (found) => [...new Set(found.flat())]),

    nextClaimAt: (kinds, withParked) =>
      Effect.map(inEachThatWorks(store.nextClaimAt(kinds, withParked)), (times) =>
        times.reduce((first, at) => (first === null || (at !== null && at < first) ? at : first), null)
      ),

    renew: (timers, until) =>
      Effect.map(
        split(
          timers,
          ({ customerId }) => customerId,
          (own) => store.renew(own, until)
        ),
        (renewed) => renewed.flat()
      ),
    release: (timer, dueAt) => within(timer.customerId, store.release(timer, dueAt)),
    remove: (timer) => within(timer.customerId, store.remove(timer))
  }
}
