import { assert, layer } from "@effect/vitest"
import { Arbitrary, Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { Verification } from "../../../src/domain/verification/Verification.ts"
import { triesLeft } from "../../../src/domain/verification/VerificationMachine.ts"
import { modelOfCompare } from "../../support/CodeModel.ts"
import { decodedAs } from "../../../src/layers/postgres/SqlRows.ts"
import { verificationColumns, VerificationRow } from "../../../src/layers/verification/VerificationRow.ts"
import { TimerRunner } from "../../../src/services/timer/TimerRunner.ts"
import { Codes } from "../../../src/services/verification/Codes.ts"
import { Verifications, type VerifyResult } from "../../../src/services/verification/Verifications.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"
import { scriptProviders, unreachable } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"

const RIGHT = "123456"
const WRONG = "654321"
const unbounded = { concurrency: "unbounded" } as const

/** Routes that leave a verification waiting for a second channel, waiting for its end, and failed. */
const ROUTES = {
  waiting: [{ channel: "bale" }, { channel: "rubika" }],
  last: [{ channel: "bale" }],
  failed: [{ channel: "eitaa" }]
} as const

/** So that money stays held while the second channel is still to come. */
const DEARER_SECOND = { priceBale: 1000, priceRubika: 3000 }

const Route = Schema.Literals(["waiting", "waiting", "last", "last", "failed"])
const Entered = Schema.Literals(["wrong", "wrong", "wrong", "right", "nothing"])

/** One moment of a history: the codes that are entered at once, one for each verification. */
const Moment = Schema.Struct({
  millisLater: Schema.Literals([0, 0, 0, 1, 59_999, 60_000, 120_000, 299_999, 300_000]),
  runsTimers: Schema.Boolean,
  codes: Schema.Tuple([Entered, Entered, Entered])
})

const history = {
  routes: Arbitrary.schema(Schema.Tuple([Route, Route, Route])),
  maxWrongCodes: Arbitrary.schema(Schema.NullOr(Schema.Literals([1, 2, 3, 5]))),
  moments: Arbitrary.array(Arbitrary.schema(Moment), { minLength: 4, maxLength: 12 })
}

const storedRows = decodedAs(
  Schema.Array(
    Schema.Struct({
      ...VerificationRow.fields,
      wrongCodes: Schema.Int,
      keepsHash: Schema.Boolean,
      timers: Schema.Array(Schema.Int),
      events: Schema.Array(Schema.String)
    })
  )
)

/** Everything that the comparison of a code may change. */
const stored = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* storedRows(
    sql.unsafe(
      `select ${verificationColumns}, v.wrong_codes as "wrongCodes", v.code_hash is not null as "keepsHash",
        array(select (extract(epoch from claimable_at) * 1000)::int from timers t
          where t.subject = v.id and t.kind = 'verification') as timers,
        array(select type from events e where e.subject = v.id order by sequence) as events
      from verifications v where v.id = $1::uuid`,
      [id]
    )
  )
  return row ?? (yield* Effect.die("the verification is gone"))
})
type Stored = Effect.Success<ReturnType<typeof stored>>

type Answer = Pick<VerifyResult, "reason" | "triesLeft">

const SANDBOX_TRIES = 5

/** The response and the row after a code, by the machine alone. */
const expectedAfter = (
  { wrongCodes, keepsHash, timers, events, ...verification }: Stored,
  entry: { readonly isRight: boolean; readonly now: number; readonly maxWrongCodes: number | null }
): { readonly answer: Answer; readonly row: Stored } => {
  const {
    next,
    reason,
    wrongCodes: tries,
    events: announced
  } = modelOfCompare(verification, { ...entry, wrongCodes })
  const hasEnded = next.status !== verification.status
  const isOpen = reason === "invalid_code" && !hasEnded
  return {
    answer: { reason, triesLeft: isOpen ? triesLeft(tries, entry.maxWrongCodes ?? SANDBOX_TRIES) : null },
    row: {
      ...next,
      wrongCodes: tries,
      keepsHash: keepsHash && !hasEnded,
      timers: hasEnded ? [] : timers,
      events: [...events, ...announced]
    }
  }
}

const heldIn = (rows: ReadonlyArray<Verification>): number => rows.reduce((sum, { held }) => sum + held, 0)

const walletHeld = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly held: number }>`select coalesce(sum(held), 0)::int as held from wallets`
  return row?.held
})

layer(TestDatabase, { excludeTestServices: true })("entered codes", (it) => {
  it.effect.prop(
    "do in the store what the machine says: same reason, status, tries, lock, events, timers and money",
    history,
    ({ routes, maxWrongCodes, moments }) => {
      const codes = Layer.succeed(
        Codes,
        Codes.of({
          next: () => Effect.succeed(RIGHT),
          length: RIGHT.length,
          maxWrongCodes,
          tries: maxWrongCodes ?? SANDBOX_TRIES
        })
      )
      const providers = scriptProviders({ eitaa: unreachable })
      return Effect.gen(function* () {
        const { send, verify } = yield* Verifications
        const { runDue } = yield* TimerRunner
        const customerId = yield* makeCustomer(["bale", "eitaa", "rubika"])
        const ids = yield* Effect.forEach(routes, (route, index) =>
          Effect.map(
            send({
              customerId,
              phone: `0912123456${index}`,
              channels: ROUTES[route]
            }),
            ({ verificationId }) => verificationId
          )
        )
        for (const { millisLater, runsTimers, codes: entered } of moments) {
          yield* TestClock.adjust(millisLater)
          if (runsTimers) yield* runDue
          const now = yield* Clock.currentTimeMillis
          const before = yield* Effect.forEach(ids, stored)
          const expected = before.map((row, index) =>
            entered[index] === "nothing"
              ? { answer: null, row }
              : expectedAfter(row, { isRight: entered[index] === "right", now, maxWrongCodes })
          )
          const answers = yield* Effect.forEach(
            ids,
            (id, index) =>
              entered[index] === "nothing"
                ? Effect.succeed(null)
                : Effect.map(
                    verify({ customerId, id, code: entered[index] === "right" ? RIGHT : WRONG }),
                    (answer): Answer => ({ reason: answer.reason, triesLeft: answer.triesLeft })
                  ),
            unbounded
          )
          assert.deepStrictEqual(
            { answers, rows: yield* Effect.forEach(ids, stored), held: yield* walletHeld },
            {
              answers: expected.map(({ answer }) => answer),
              rows: expected.map(({ row }) => row),
              held: heldIn(expected.map(({ row }) => row))
            }
          )
        }
      }).pipe(Effect.provide(testProcess(Layer.merge(providers.layer, codes), DEARER_SECOND)))
    },
    { arbitrary: { runs: propertyRuns(30) } }
  )
})
