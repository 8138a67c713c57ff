import { assert, layer } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import type { AdmissionError } from "../../../src/domain/Errors.ts"
import type { Admission } from "../../../src/domain/customer/Admission.ts"
import { Phone } from "../../../src/domain/Phone.ts"
import { startVerification } from "../../../src/domain/verification/Verification.ts"
import { makeAcceptWrites } from "../../../src/layers/postgres/batching/AcceptBatchSql.ts"
import type { Verdict } from "../../../src/layers/postgres/batching/LimitStateSql.ts"
import { timestamp } from "../../../src/layers/postgres/SqlRows.ts"
import { BatchSql } from "../../../src/layers/postgres/Pools.ts"
import { acceptedVerifications } from "../../../src/layers/verification/VerificationStoreSql.ts"
import type { Acceptance } from "../../../src/services/verification/VerificationStore.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { routeOf } from "../../domain/verification/VerificationRuns.ts"

/** 2027-01-15T08:00:00Z: the month ends in 16 days and 16 hours. */
const NOW = 1_800_000_000_000
const SECOND = 1000
const CUSTOMER = 1
const PHONE = Phone.make("+989121234567")
const STRIPE = 3
const idOf = (n: number) => `0199f000-0000-7000-8000-0000000000${n}3`

/** The rows that a request finds. */
interface Found {
  readonly phone?: { readonly hour: Counter; readonly day: Counter }
  readonly platform?: Counter
  readonly usedInMonth?: number
  readonly wallet?: { readonly balance: number; readonly held: number }
  readonly callers?: ReadonlyArray<number>
  readonly keyEndsIn?: number
  readonly setUpVersion?: number
}

interface Counter {
  readonly used: number
  readonly endsIn: number
}

/** No limit, and nothing to pay. */
const free: Admission = { phone: { hour: 0, day: 0, platformDay: 0, callers: 0 }, monthlyQuota: 0, hold: 0 }
const limited = (phone: Partial<Admission["phone"]>): Admission => ({
  ...free,
  phone: { ...free.phone, ...phone }
})

type Answer = "accepted" | "key_taken" | "set_up_changed" | Refused
interface Refused {
  readonly reason: AdmissionError["_tag"]
  readonly until?: number
}

interface Case {
  readonly name: string
  readonly admission: Admission
  readonly found?: Found
  readonly answer: Answer
}

const open = (used: number): Counter => ({ used, endsIn: 10 * SECOND })
const phone = (hour: Counter, day: Counter = open(0)) => ({ phone: { hour, day } })
const hourOf5 = limited({ hour: 5 })
const dayOf5 = limited({ day: 5 })
const platformOf5 = limited({ platformDay: 5 })
const quotaOf5: Admission = { ...free, monthlyQuota: 5 }
const paid: Admission = { ...free, hold: 1000 }
const MONTH_END = Date.UTC(2027, 1, 1)

const cases: ReadonlyArray<Case> = [
  { name: "nothing to refuse it", admission: free, answer: "accepted" },
  { name: "the phone's first code", admission: hourOf5, answer: "accepted" },
  { name: "one code below the hour's limit", admission: hourOf5, found: phone(open(4)), answer: "accepted" },
  {
    name: "the hour's limit reached",
    admission: hourOf5,
    found: phone(open(5)),
    answer: { reason: "too_many_requests_phone_hour", until: NOW + 10 * SECOND }
  },
  {
    name: "an hour that ends in a millisecond",
    admission: hourOf5,
    found: phone({ used: 5, endsIn: 1 }),
    answer: { reason: "too_many_requests_phone_hour", until: NOW + 1 }
  },
  {
    name: "an hour that ends now",
    admission: hourOf5,
    found: phone({ used: 5, endsIn: 0 }),
    answer: "accepted"
  },
  { name: "no limit for the hour", admission: dayOf5, found: phone(open(99)), answer: "accepted" },
  {
    name: "the day's limit reached",
    admission: dayOf5,
    found: phone(open(0), open(5)),
    answer: { reason: "too_many_requests_phone_day", until: NOW + 10 * SECOND }
  },
  {
    name: "a limit that was lowered below what was used",
    admission: dayOf5,
    found: phone(open(0), open(9)),
    answer: { reason: "too_many_requests_phone_day", until: NOW + 10 * SECOND }
  },
  {
    name: "hour and day both full: the hour is named",
    admission: limited({ hour: 5, day: 5 }),
    found: phone(open(5), open(5)),
    answer: { reason: "too_many_requests_phone_hour", until: NOW + 10 * SECOND }
  },
  {
    name: "one code below the platform's limit",
    admission: platformOf5,
    found: { platform: open(4) },
    answer: "accepted"
  },
  {
    name: "the platform's limit reached",
    admission: platformOf5,
    found: { platform: open(5) },
    answer: { reason: "too_many_requests_phone_day", until: NOW + 10 * SECOND }
  },
  {
    name: "the platform's day over",
    admission: platformOf5,
    found: { platform: { used: 5, endsIn: 0 } },
    answer: "accepted"
  },
  {
    name: "a phone that four other customers send to",
    admission: limited({ callers: 5 }),
    found: { platform: open(4), callers: [6, 7, 8, 9] },
    answer: { reason: "too_many_requests_phone_hour", until: NOW + 20 * SECOND }
  },
  {
    name: "a phone that three other customers send to",
    admission: limited({ callers: 5 }),
    found: { platform: open(4), callers: [6, 7, 8] },
    answer: "accepted"
  },
  { name: "the month's first code", admission: quotaOf5, answer: "accepted" },
  { name: "the month's last code", admission: quotaOf5, found: { usedInMonth: 4 }, answer: "accepted" },
  {
    name: "the month's quota used",
    admission: quotaOf5,
    found: { usedInMonth: 5 },
    answer: { reason: "quota_exceeded", until: MONTH_END }
  },
  { name: "no wallet", admission: paid, answer: { reason: "insufficient_balance" } },
  {
    name: "a wallet that just covers it",
    admission: paid,
    found: { wallet: { balance: 3000, held: 2000 } },
    answer: "accepted"
  },
  {
    name: "a wallet that is one rial short",
    admission: paid,
    found: { wallet: { balance: 2999, held: 2000 } },
    answer: { reason: "insufficient_balance" }
  },
  {
    name: "a full phone and an empty wallet: the phone is named",
    admission: { ...hourOf5, hold: 1000 },
    found: phone(open(5)),
    answer: { reason: "too_many_requests_phone_hour", until: NOW + 10 * SECOND }
  },
  { name: "a taken key", admission: hourOf5, found: { keyEndsIn: 1 }, answer: "key_taken" },
  { name: "a key that has lapsed", admission: hourOf5, found: { keyEndsIn: 0 }, answer: "accepted" },
  {
    name: "a taken key and a full phone: the key's request may have filled it",
    admission: hourOf5,
    found: { ...phone(open(5)), keyEndsIn: 1 },
    answer: "key_taken"
  },
  {
    name: "a changed set-up, before anything else",
    admission: hourOf5,
    found: { ...phone(open(5)), setUpVersion: 8 },
    answer: "set_up_changed"
  }
]

const acceptanceOf = (admission: Admission, n = 1, to = PHONE): Acceptance => ({
  verification: {
    ...startVerification(
      {
        id: idOf(n),
        customerId: CUSTOMER,
        phone: to,
        route: routeOf([60]),
        textBody: null,
        textLocale: null,
        metadata: null
      },
      NOW
    ),
    held: admission.hold
  },
  setUpVersion: 7,
  admission,
  client: null,
  codeHash: new Uint8Array(32),
  sealedCode: new Uint8Array(20),
  lease: { token: idOf(9), until: NOW + 30 * SECOND },
  idempotency: { key: `k${n}`, fingerprint: new Uint8Array(32), expiresAt: NOW + 86_400 * SECOND },
  guardFlag: null,
  risk: null
})

const TABLES = {
  phone_counters: "customer_id, kind, phone",
  platform_phone_counters: "phone",
  monthly_counters: "customer_id, month",
  wallets: "customer_id, stripe",
  idempotency_keys: "key",
  verifications: "id",
  timers: "subject",
  set_up_versions: "customer_id"
}

const begin = Effect.fnUntraced(function* ({
  phone,
  platform,
  usedInMonth,
  wallet,
  callers = [],
  keyEndsIn,
  setUpVersion = 7
}: Found) {
  const sql = yield* SqlClient.SqlClient
  const at = (endsIn: number) => sql`${timestamp(NOW + endsIn)}::timestamptz`
  for (const table of Object.keys(TABLES)) yield* sql`delete from ${sql(table)}`
  yield* sql`insert into set_up_versions (customer_id, version) values (${CUSTOMER}, ${setUpVersion}::int)`
  if (phone !== undefined) {
    const { hour, day } = phone
    yield* sql`insert into phone_counters (customer_id, kind, phone, hour_ends_at, hour_used, day_ends_at, day_used)
      values (${CUSTOMER}, 'code', ${PHONE}, ${at(hour.endsIn)}, ${hour.used}::int, ${at(day.endsIn)}, ${day.used}::int)`
  }
  if (platform !== undefined) {
    yield* sql`insert into platform_phone_counters (phone, day_ends_at, day_used, callers, callers_until)
      values (${PHONE}, ${at(platform.endsIn)}, ${platform.used}::int, ${callers}::int[], ${at(20 * SECOND)})`
  }
  if (usedInMonth !== undefined) {
    yield* sql`insert into monthly_counters (customer_id, month, used) values (${CUSTOMER}, '2027-01-01', ${usedInMonth}::int)`
  }
  if (wallet !== undefined) {
    yield* sql`insert into wallets (customer_id, stripe, balance, held)
      values (${CUSTOMER}, ${STRIPE}::smallint, ${wallet.balance}::bigint, ${wallet.held}::bigint)`
  }
  if (keyEndsIn !== undefined) {
    yield* sql`insert into idempotency_keys (customer_id, operation, key, fingerprint, subject, expires_at)
      values (${CUSTOMER}, 'otp.send', 'k1', '\\x00', ${idOf(8)}::uuid, ${at(keyEndsIn)})`
  }
})

/** All rows that accepting may have changed. */
const kept = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* Effect.forEach(Object.entries(TABLES), ([table, order]) =>
    sql.unsafe(`select to_jsonb(t) as row from ${table} t order by ${order}`)
  )
})

const { write, look, locked } = Effect.runSync(
  makeAcceptWrites(acceptedVerifications("live", "verification"))
)

/** The verdict of the only request, in the words of a case. */
const verdictOf = ({ verdicts: [verdict] }: { readonly verdicts: ReadonlyArray<Verdict> }) => {
  if (verdict === undefined) return "nothing"
  if (verdict === null) return "accepted"
  if (typeof verdict === "string") return verdict
  return { reason: verdict._tag, wait: "retryAfterSeconds" in verdict ? verdict.retryAfterSeconds : null }
}

const expected = (answer: Answer) =>
  typeof answer === "string"
    ? answer
    : {
        reason: answer.reason,
        wait: answer.until === undefined ? null : Math.max(1, Math.ceil((answer.until - NOW) / SECOND))
      }

const looking = (batch: ReadonlyArray<Acceptance>) => Effect.flatMap(BatchSql, (sql) => look(sql, batch))
const locking = (batch: ReadonlyArray<Acceptance>) =>
  Effect.flatMap(BatchSql, (sql) => sql.withTransaction(locked(sql, batch)))
const assuming = (batch: ReadonlyArray<Acceptance>) =>
  Effect.flatMap(BatchSql, (sql) => write(sql, batch, { repeatsPhones: false, takesOverKeys: false }))

layer(TestDatabase, { excludeTestServices: true })("a request that finds", (it) => {
  for (const { name, admission, found = {}, answer } of cases) {
    it.effect(`${name}: gets one answer with and without locks, and leaves the same rows`, () =>
      Effect.gen(function* () {
        const acceptance = acceptanceOf(admission)
        yield* begin(found)
        const before = yield* kept
        assert.deepStrictEqual(verdictOf(yield* looking([acceptance])), expected(answer))
        const after = yield* kept
        yield* begin(found)
        assert.deepStrictEqual(verdictOf(yield* locking([acceptance])), expected(answer))
        assert.deepStrictEqual(yield* kept, after)
        yield* begin(found)
        const isSure = Exit.isSuccess(yield* Effect.exit(assuming([acceptance])))
        assert.deepStrictEqual(yield* kept, isSure ? after : before)
        // A lapsed key is the one thing that only a look can distinguish from a taken one.
        assert.strictEqual(isSure, answer === "accepted" && found.keyEndsIn === undefined)
        if (answer !== "accepted") assert.deepStrictEqual(after, before)
      })
    )
  }

  for (const [what, admission, found] of [
    ["a wallet", paid, { wallet: { balance: 1999, held: 0 } }],
    ["a quota", quotaOf5, { usedInMonth: 4 }]
  ] as const) {
    it.effect(`${what} that covers one of two requests: the first of a batch is accepted`, () =>
      Effect.gen(function* () {
        const two = [acceptanceOf(admission), acceptanceOf(admission, 2, Phone.make("+989121234568"))]
        for (const decide of [looking, locking]) {
          yield* begin(found)
          assert.isTrue(Exit.isFailure(yield* Effect.exit(assuming(two))))
          const { verdicts } = yield* decide(two)
          assert.deepStrictEqual(
            verdicts.map((verdict) => verdict === null),
            [true, false]
          )
        }
      })
    )
  }

  it.effect("a wallet whose stripe does not cover it: is accepted under locks, and no rial is lost", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* begin({ wallet: { balance: 400, held: 0 } })
      yield* sql`insert into wallets (customer_id, stripe, balance, held) values (${CUSTOMER}, 4, 700, 100)`
      assert.isTrue(Exit.isFailure(yield* Effect.exit(looking([acceptanceOf(paid)]))))
      assert.strictEqual(verdictOf(yield* locking([acceptanceOf(paid)])), "accepted")
      assert.deepStrictEqual(
        yield* sql`select sum(balance)::int as balance, sum(held)::int as held from wallets`,
        [{ balance: 1100, held: 1100 }]
      )
    })
  )
})
