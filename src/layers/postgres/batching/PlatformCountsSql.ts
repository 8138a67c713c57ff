import { Cause, Clock, Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { DAY_MILLIS, type Instant } from "../../../domain/Instant.ts"
import type { Phone } from "../../../domain/Phone.ts"
import type { Admission } from "../../../domain/customer/Admission.ts"
import { CALLERS_MILLIS, type Callers, MAX_CALLERS } from "../../../domain/guard/Bombing.ts"
import { fnv1a } from "../../../domain/text/Fingerprints.ts"
import { counters, warnOfFailure } from "../../../services/system/Observability.ts"
import { Cells, STORE_CELL } from "../CellsSql.ts"
import { SetUpIsApart } from "../SetUpPlace.ts"
import { type BatchColumn, decodedAs, InstantColumn, intervalText } from "../SqlRows.ts"
import { rowStatement, sent } from "./RowStatements.ts"
import { type BatchClients, makeStatementBatch } from "./StatementBatch.ts"

/**
 * The cell on another node that has the platform's counter of a phone, whichever customers send to it: the cell in which
 * a hash of phone and cell is largest. A new cell takes its part of the phones, whose counts begin again there.
 */
export const cellOfPhone = (cells: ReadonlyArray<number>, phone: string): number =>
  cells.reduce(
    (best, id) => {
      const weight = fnv1a(`${id}:${phone}`) >>> 0
      return id !== STORE_CELL && weight > best.weight ? { id, weight } : best
    },
    { id: STORE_CELL, weight: -1 }
  ).id

/** A count that takes longer is given up: the send or call is admitted without it. */
const COUNT_MILLIS = 1000
/** A cell that could not be reached is not asked for so long. */
const COOLDOWN_MILLIS = 5000

/** Which cells cannot count now. After the cooldown, one request tries again. */
const makeCooldowns = () => {
  const until = new Map<number, Instant>()
  return {
    isCooling: (cell: number, now: Instant): boolean => (until.get(cell) ?? 0) > now,
    /** Others do not try while this request does. */
    tries: (cell: number, now: Instant) => {
      if (until.has(cell)) until.set(cell, now + COOLDOWN_MILLIS)
    },
    /** Whether it worked before. */
    failed: (cell: number, now: Instant): boolean => {
      const isFirst = !until.has(cell)
      until.set(cell, now + COOLDOWN_MILLIS)
      return isFirst
    },
    succeeded: (cell: number) => void until.delete(cell)
  }
}

/** Does work in a phone's cell: nothing if that does not work in time, or did not a moment ago. */
const makeReached = (cells: (typeof Cells)["Service"]) => {
  const cooldowns = makeCooldowns()
  return <A>(cell: number, work: Effect.Effect<A>): Effect.Effect<Option.Option<A>> =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (cooldowns.isCooling(cell, now)) return Option.none()
      cooldowns.tries(cell, now)
      const inTime = Effect.timeoutOption(cells.inCell(cell, work), `${COUNT_MILLIS} millis`)
      const exit = yield* Effect.exit(Effect.interruptible(inTime))
      if (exit._tag === "Failure" && Cause.hasInterrupts(exit.cause)) return yield* exit
      if (exit._tag === "Success" && Option.isSome(exit.value)) {
        cooldowns.succeeded(cell)
        return exit.value
      }
      if (cooldowns.failed(cell, now)) {
        const cause = exit._tag === "Failure" ? exit.cause : Cause.die("no response in time")
        yield* warnOfFailure(`phones are not counted for the platform: cell ${cell} cannot be reached`, cause)
      }
      return Option.none()
    })
}

const uncountedSends = Effect.map(Effect.context<never>(), (context) =>
  counters(context, "peyk_platform_uncounted_sends_total", {
    description:
      "Sends and calls admitted without the platform's count of their phone, as its cell could not be reached."
  })()
)

/** The platform's counters of phones can be elsewhere than the rows of the customers that send to them. */
export const phoneCounters = Effect.gen(function* () {
  const cells = yield* Cells
  const { ids, inCell } = cells
  const areApart = yield* SetUpIsApart
  const reached = makeReached(cells)

  /** Does work on the counter of a phone. */
  const at = <A, E, R>(phone: string, work: Effect.Effect<A, E, R>) =>
    Effect.flatMap(ids, (known) => inCell(cellOfPhone(known, phone), work))

  /** Reads the counters of phones; none of those that cannot be reached. */
  const read = Effect.fnUntraced(function* <A>(
    phones: ReadonlyArray<string>,
    work: (phones: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<A>>
  ) {
    const known = yield* ids
    const found = yield* Effect.forEach(
      Map.groupBy(phones, (phone) => cellOfPhone(known, phone)),
      ([cell, own]) =>
        Effect.catchCauseIf(
          inCell(cell, work(own)),
          (cause) => !Cause.hasInterrupts(cause),
          (cause) => Effect.as(warnOfFailure(`phones counted in cell ${cell} could not be read`, cause), [])
        )
    )
    return found.flat()
  })

  return {
    areApart,
    at,
    /** Does work on the counter of a phone; nothing if it is elsewhere and cannot be reached. */
    atIfReached: <A>(phone: string, work: Effect.Effect<A>): Effect.Effect<Option.Option<A>> =>
      areApart
        ? Effect.flatMap(ids, (known) => reached(cellOfPhone(known, phone), work))
        : Effect.asSome(work),
    uncounted: yield* uncountedSends,
    read
  }
})

/** What all customers sent to a phone, with this request. */
export interface PlatformCount {
  readonly dayUsed: number
  readonly dayEndsAt: Instant
  readonly callers: Callers
}

interface PhoneSend {
  readonly customerId: number
  readonly phone: Phone
  readonly createdAt: Instant
  readonly admission: Admission
}

const columns: ReadonlyArray<BatchColumn<PhoneSend>> = [
  { name: "customer_id", type: "int4", of: ({ customerId }) => customerId },
  { name: "phone", type: "text", of: ({ phone }) => phone },
  { name: "day_end", type: "timestamptz", of: ({ createdAt }) => createdAt + DAY_MILLIS },
  { name: "callers_end", type: "timestamptz", of: ({ createdAt }) => createdAt + CALLERS_MILLIS }
]

const DAY_IS_OPEN = `excluded.day_ends_at - o.day_ends_at < ${intervalText(DAY_MILLIS)}`
const CALLERS_COUNT = `excluded.callers_until - o.callers_until < ${intervalText(CALLERS_MILLIS)}`
const IS_KNOWN = `o.callers @> excluded.callers or cardinality(o.callers) >= ${MAX_CALLERS}`

/** Counts as `AdmissionCounts.ts` does on one PostgreSQL, and finds whether the customer is new among the callers. */
const count = rowStatement(
  columns,
  (rows) => `
  insert into platform_phone_counters as o (phone, day_ends_at, day_used, callers, callers_until, adds_caller)
  select r.phone, r.day_end, 1, array[r.customer_id], r.callers_end, true from here h, ${rows}
  on conflict (phone) do update set
    day_used = case when ${DAY_IS_OPEN} then o.day_used else 0 end + 1,
    day_ends_at = case when ${DAY_IS_OPEN} then o.day_ends_at else excluded.day_ends_at end,
    callers = case when not ${CALLERS_COUNT} then excluded.callers
      when ${IS_KNOWN} then o.callers else o.callers || excluded.callers end,
    callers_until = case when ${CALLERS_COUNT} then o.callers_until else excluded.callers_until end,
    adds_caller = not (${CALLERS_COUNT}) or not (${IS_KNOWN})
  returning phone, day_used as "dayUsed", day_ends_at as "dayEndsAt", callers, callers_until as "callersUntil",
    adds_caller as "addsCaller"`
)
const CountedRows = Schema.Array(
  Schema.Struct({
    phone: Schema.String,
    dayUsed: Schema.Int,
    dayEndsAt: InstantColumn,
    callers: Schema.Array(Schema.Int),
    callersUntil: InstantColumn,
    addsCaller: Schema.Boolean
  })
)
type Counted = (typeof CountedRows.Type)[number]

interface GivenBack extends Counted {
  readonly customerId: number
}

/** A count of a window that has ended meanwhile is gone already. */
const giveBack = rowStatement<GivenBack>(
  [
    { name: "customer_id", type: "int4", of: ({ customerId }) => customerId },
    { name: "phone", type: "text", of: ({ phone }) => phone },
    { name: "day_end", type: "timestamptz", of: ({ dayEndsAt }) => dayEndsAt },
    { name: "callers_end", type: "timestamptz", of: ({ callersUntil }) => callersUntil },
    { name: "added", type: "bool", of: ({ addsCaller }) => addsCaller }
  ],
  (rows) => `
  update platform_phone_counters o set
    day_used = case when o.day_ends_at = r.day_end and o.day_used > 0 then o.day_used - 1 else o.day_used end,
    callers = case when r.added and o.callers_until = r.callers_end then array_remove(o.callers, r.customer_id)
      else o.callers end
  from ${rows} where o.phone = r.phone`
)

const makeBatches = (clients: BatchClients) =>
  Effect.gen(function* () {
    const decoded = decodedAs(CountedRows)
    const common = {
      endsTogether: true,
      conflictsOf: ({ phone }: { readonly phone: string }) => [phone],
      orderOf: ({ phone }: { readonly phone: string }) => phone
    }
    const countInBatch = yield* makeStatementBatch<SqlClient.SqlClient, PhoneSend, Counted | undefined>(
      clients,
      {
        ...common,
        name: "platform_count",
        run: (sql, requests) =>
          Effect.map(decoded(sent(count, requests)(sql)), (rows) => {
            const ofPhone = new Map(rows.map((row) => [row.phone, row]))
            return requests.map(({ phone }) => ofPhone.get(phone))
          })
      }
    )
    const giveBackInBatch = yield* makeStatementBatch<SqlClient.SqlClient, GivenBack, true>(clients, {
      ...common,
      name: "platform_give_back",
      run: (sql, requests) =>
        Effect.map(sent(giveBack, requests)(sql), () => requests.map(() => true as const))
    })
    return { countInBatch, giveBackInBatch }
  })

/**
 * Counts a send among all customers' to its phone before it is accepted, where cells are on other nodes: the phone's
 * counter can be on another node than the customer. Gives the count back if the send is not stored. A phone whose
 * counter cannot be reached stops nobody: the send is then admitted without this count.
 */
export const makePlatformCounts = Effect.fnUntraced(function* (clients: BatchClients) {
  const cells = yield* Cells
  const { countInBatch, giveBackInBatch } = yield* makeBatches(clients)
  const reached = makeReached(cells)
  const uncounted = yield* uncountedSends

  /**
   * @param accept whether the send was stored: given what was counted, or null if it could not be
   */
  return <A, E, R>(
    send: PhoneSend,
    accept: (platform: PlatformCount | null) => Effect.Effect<A, E, R>,
    isStored: (accepted: A) => boolean
  ): Effect.Effect<A, E, R> => {
    const { platformDay, callers } = send.admission.phone
    if (platformDay === 0 && callers === 0) return accept(null)
    return Effect.gen(function* () {
      const cell = cellOfPhone(yield* cells.ids, send.phone)
      const counted = Option.getOrUndefined(yield* reached(cell, countInBatch(send)))
      if (counted === undefined) {
        uncounted(1)
        return yield* accept(null)
      }
      const { dayUsed, dayEndsAt, callersUntil } = counted
      const given = giveBackInBatch({ ...counted, customerId: send.customerId })
      return yield* Effect.onExit(
        accept({ dayUsed, dayEndsAt, callers: { customers: counted.callers, endsAt: callersUntil } }),
        (exit) =>
          exit._tag === "Success" && isStored(exit.value) ? Effect.void : Effect.asVoid(reached(cell, given))
      )
    })
  }
})
