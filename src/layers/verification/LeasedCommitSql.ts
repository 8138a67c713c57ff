import { Effect, Option, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { InsufficientBalance } from "../../domain/Errors.ts"
import type { KeyMode } from "../../domain/customer/Customer.ts"
import { holdInStripes, stripeOf } from "../../domain/money/Charging.ts"
import type { Lease, TimerKind } from "../../domain/Timer.ts"
import type { Verification } from "../../domain/verification/Verification.ts"
import type { VerificationStore } from "../../services/verification/VerificationStore.ts"
import {
  decodedAs,
  first,
  intArrayText,
  nullableTimestamp,
  RialsColumn,
  retryRaces,
  rowsOf,
  timestamp
} from "../postgres/SqlRows.ts"

type CommitLeased = VerificationStore["Service"]["commitLeased"]

/** One verification of one mode, as it was and as it becomes, under a lease of its timer. */
interface LeasedCommit {
  readonly mode: KeyMode
  readonly timerKind: TimerKind
  readonly before: Verification
  readonly next: Verification
  readonly lease: Lease
}

const CommittedRow = Schema.Struct({ sealedCode: Schema.Uint8Array })

/**
 * Ends a wait early. Rows are locked in the order of all other statements, verification before timer. Each condition
 * is checked under its lock: a process that has leased the timer meanwhile keeps it. Kind and lane are fenced off: as
 * constants, they would be worth reading all timers of them to a planner that believes in few.
 */
const makeEndWait = (sql: SqlClient.SqlClient) => {
  const leasedRows = rowsOf(CommittedRow)
  return ({ mode, timerKind, before: { customerId, id, revision }, next, lease }: LeasedCommit) =>
    Effect.map(
      first(
        leasedRows(
          retryRaces(sql`
        with changed as materialized (
          select v.customer_id, v.id, v.sealed_code from verifications v
          where v.customer_id = ${customerId} and v.id = ${id}::uuid and v.mode || '' = ${mode}
            and v.revision = ${revision}
          for update),
        leased as (
          update timers t set claimable_at = ${timestamp(lease.until)}, lease_token = ${lease.token}::uuid, parked = false
          from (select customer_id, id, ${timerKind}::text as kind, 0::smallint as lane from changed offset 0) c
          where t.customer_id = c.customer_id and t.kind = c.kind and t.subject = c.id and t.lane = c.lane
            and t.lease_token is null
          returning t.customer_id, t.subject)
        update verifications v set revision = ${next.revision}, next_step_at = ${nullableTimestamp(next.nextStepAt)}
        from leased l, changed c
        where v.customer_id = l.customer_id and v.id = l.subject
        returning c.sealed_code as "sealedCode"`)
        )
      ),
      Option.map(({ sealedCode }) => sealedCode)
    )
}

/** Whether the verification was as before and its timer free; its code, where the wallet's part covered the hold. */
const AskedRow = Schema.Struct({ isFree: Schema.Boolean, sealedCode: Schema.NullOr(Schema.Uint8Array) })

/**
 * A channel that was asked for goes first, and its price is held. Rows are locked in the order of all other statements:
 * verification, timer, wallet. Nothing is written unless each is as it has to be.
 */
const makeAsk = (sql: SqlClient.SqlClient) => {
  const askedRows = decodedAs(Schema.Tuple([AskedRow]))
  return ({ mode, timerKind, before, next, lease }: LeasedCommit) => {
    const { customerId, id, revision } = before
    const more = next.held - before.held
    const payer =
      more > 0
        ? sql`select w.customer_id, w.stripe from free f join wallets w on w.customer_id = f.customer_id
            and w.stripe = ${stripeOf(id)}::smallint
          where w.balance - w.held >= ${BigInt(more)}::bigint for update of w`
        : sql`select f.customer_id, 0::smallint as stripe from free f`
    const held =
      more > 0
        ? sql`held as (
          update wallets w set held = w.held + ${BigInt(more)}::bigint from payer p
          where w.customer_id = p.customer_id and w.stripe = p.stripe),`
        : sql``
    return askedRows(sql`
        with changed as materialized (
          select v.customer_id, v.id, v.sealed_code from verifications v
          where v.customer_id = ${customerId} and v.id = ${id}::uuid and v.mode || '' = ${mode}
            and v.revision = ${revision}
          for update),
        free as materialized (
          select t.customer_id, t.kind, t.subject, t.lane
          from (select customer_id, id, ${timerKind}::text as kind, 0::smallint as lane from changed offset 0) c
            join timers t on t.customer_id = c.customer_id and t.kind = c.kind and t.subject = c.id and t.lane = c.lane
          where t.lease_token is null for update of t),
        payer as materialized (${payer}),
        ${held}
        leased as (
          update timers t set claimable_at = ${timestamp(lease.until)}, lease_token = ${lease.token}::uuid, parked = false
          from free f, payer p
          where t.customer_id = f.customer_id and t.kind = f.kind and t.subject = f.subject and t.lane = f.lane),
        asked as (
          update verifications v set revision = ${next.revision}, next_step_at = ${nullableTimestamp(next.nextStepAt)},
            remaining = ${intArrayText(next.remaining)}::int[], held = ${BigInt(next.held)}::bigint
          from changed c, payer p
          where v.customer_id = c.customer_id and v.id = c.id
          returning c.sealed_code)
        select exists (select from free) as "isFree", (select sealed_code from asked) as "sealedCode"`)
  }
}

const StripeRow = Schema.Struct({ stripe: Schema.Int, balance: RialsColumn, held: RialsColumn })

/** Spreads the wallet over its parts again, so that the verification's part covers its hold; false if all do not. */
const makeSpread = (sql: SqlClient.SqlClient) => {
  const stripeRows = decodedAs(Schema.Array(StripeRow))
  return Effect.fnUntraced(function* ({ before: { customerId, id, held }, next }: LeasedCommit) {
    const more = next.held - held
    // Locked in the order of all other statements.
    yield* sql`select from verifications where customer_id = ${customerId} and id = ${id}::uuid for update`
    const stripes = yield* stripeRows(sql`
      select stripe, balance, held from wallets where customer_id = ${customerId} order by stripe for update`)
    const available = stripes.reduce((sum, stripe) => sum + stripe.balance - stripe.held, 0)
    if (available < more || stripes.every(({ stripe }) => stripe !== stripeOf(id))) return false
    const spread = holdInStripes(stripes, new Map([[stripeOf(id), more]]))
    yield* sql`
      update wallets w set balance = r.balance
      from unnest(${spread.map(({ stripe }) => stripe)}::smallint[],
        ${spread.map(({ balance }) => BigInt(balance))}::bigint[]) as r (stripe, balance)
      where w.customer_id = ${customerId} and w.stripe = r.stripe`
    return true
  })
}

/** Nothing changed: the wallet does not cover the hold. */
type Outcome = typeof AskedRow.Type | "insufficient"

const isShort = ({ isFree, sealedCode }: typeof AskedRow.Type): boolean => isFree && sealedCode === null

/**
 * Leases the timer of a verification that waits, and writes that a step is tried now: the next one, or one that was asked
 * for, with what that holds above the present hold.
 */
export const makeCommitLeased = (
  sql: SqlClient.SqlClient,
  mode: KeyMode,
  timerKind: TimerKind
): CommitLeased => {
  const endWait = makeEndWait(sql)
  const ask = makeAsk(sql)
  const spread = makeSpread(sql)

  /** A part of the wallet can be short while the whole is not. */
  const askSpreading = (commit: LeasedCommit) =>
    sql.withTransaction(
      Effect.gen(function* (): Effect.fn.Return<Outcome, SqlError.SqlError> {
        if (!(yield* spread(commit))) return "insufficient"
        const [row] = yield* ask(commit)
        return isShort(row) ? "insufficient" : row
      })
    )

  const askAndHold = Effect.fnUntraced(function* (commit: LeasedCommit) {
    const [row] = yield* Effect.orDie(retryRaces(ask(commit)))
    const outcome: Outcome = isShort(row) ? yield* Effect.orDie(retryRaces(askSpreading(commit))) : row
    if (outcome === "insufficient") return yield* new InsufficientBalance()
    return Option.fromNullOr(outcome.sealedCode)
  })

  return (before, { next }, lease) => {
    const { customerId, id } = before
    const commit: LeasedCommit = { mode, timerKind, before, next, lease }
    return Effect.map(
      next.remaining === before.remaining ? endWait(commit) : askAndHold(commit),
      Option.map((sealedCode) => ({
        timer: {
          kind: timerKind,
          customerId,
          subject: id,
          lane: 0,
          leaseToken: lease.token,
          leasedUntil: lease.until
        },
        sealedCode
      }))
    )
  }
}
