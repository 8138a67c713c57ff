/** Users and attackers of six customers that enforce, on the test clock, over the real store. */
import { Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomOf } from "../../../../bench/soak/Random.ts"
import { Wallets } from "../../../../src/services/Wallets.ts"
import { TimerRunner } from "../../../../src/services/timer/TimerRunner.ts"
import { Workers } from "../../../../src/services/concurrency/Workers.ts"
import { Verifications } from "../../../../src/services/verification/Verifications.ts"
import { StoreQuiet } from "../../../support/OrderedDatabase.ts"
import { customerIn, RIGHT_CODE } from "../GuardedCustomer.ts"
import { isLost, type Lost, STEP_WAIT } from "./Attacks.ts"
import { Due } from "./Due.ts"
import type { AttackOutcome, Outcome, Plan } from "./Plan.ts"
import { type Asked, HOUR, MINUTE, SECOND, usersOf } from "./Users.ts"

/** How often what is due is done, at the most and at the least. */
const SHORTEST_PAUSE = 5 * SECOND
const LONGEST_PAUSE = 2 * MINUTE

/** When a code reaches the user; null: never. */
const deliveredAt = (asked: Asked, all: ReadonlyArray<Lost>): number | null => {
  const lost = all.filter(({ customer }) => customer === undefined || customer === asked.customer)
  const isOver = (channel: Lost["channel"], at: number) => !isLost(lost, channel, at)
  if (asked.customer !== 0) return isOver("sms", asked.at) ? asked.at : null
  if (asked.hasMessenger && isOver("bale", asked.at)) return asked.at
  return isOver("sms", asked.at + STEP_WAIT) ? asked.at + STEP_WAIT : null
}

type Event =
  | { readonly at: number; readonly asked: Asked }
  | { readonly at: number; readonly id: string; readonly customerId: number; readonly code: string }

export const simulate = Effect.fnUntraced(function* (plan: Plan) {
  const random = randomOf(plan.seed)
  const sql = yield* SqlClient.SqlClient
  const verifications = yield* Verifications
  const workers = yield* Workers
  const timers = yield* TimerRunner
  const quiet = yield* StoreQuiet
  const customers: Array<number> = []
  for (let n = 0; n < plan.customers; n++) {
    const customerId = yield* customerIn(plan.mode, n === 0 ? ["bale", "sms"] : ["sms"])
    yield* Effect.orDie((yield* Wallets).topUp(customerId, 1_000_000_000))
    customers.push(customerId)
  }
  const attacked = plan.attacks(random, plan.customers)
  const users = customers.flatMap((_, n) =>
    usersOf(random, n, plan.days, plan.codesPerDay[n === 0 ? 0 : 1], n === 0 ? plan.habits : {})
  )
  const due = new Due<Event>()
  for (const asked of [...users, ...attacked.flatMap((attack) => attack.asked)]) {
    due.add({ at: asked.at, asked })
  }

  const counts = { codes: 0, refused: 0, refusedInOutage: 0 }
  const refusedAt: Array<number> = []
  const refusedDuring: Record<string, number> = {}
  const sent = new Map<string, number>()
  const userIds: Array<string> = []
  const names = new Map(attacked.map((attack) => [attack.name, attack]))

  /** A user who is refused tries again within minutes, and counts once. */
  const refuse = (asked: Asked) => {
    if (asked.isRepeated !== true) countRefused(asked)
    if (asked.insists === 0) return
    const at = asked.at + random.between(20, 180) * SECOND
    due.add({ at, asked: { ...asked, at, insists: asked.insists - 1, isRepeated: true } })
  }

  const countRefused = ({ at, customer }: Asked) => {
    counts.refused += 1
    if (customer === 0) refusedAt.push(at)
    const isOut = ({ customer: only, from, until }: Lost) =>
      only === undefined && from <= at && at < until + HOUR
    if (plan.lost.some(isOut)) counts.refusedInOutage += 1
    const during = attacked.find(
      ({ asked }) => (asked[0]?.at ?? 0) <= at && at < (asked.at(-1)?.at ?? 0) + 12 * HOUR
    )
    const name = during?.name ?? "none"
    refusedDuring[name] = (refusedDuring[name] ?? 0) + 1
  }

  /** A user without a code asks again. */
  const askAgain = (asked: Asked, at: number) => {
    if (asked.retries === 0) return
    const later = at + random.between(70, 150) * SECOND
    due.add({ at: later, asked: { ...asked, at: later, retries: asked.retries - 1 } })
  }

  const enter = (asked: Asked, id: string, customerId: number) => {
    for (let n = 0; n < (asked.wrong ?? 0); n++) {
      due.add({ at: asked.at + (n + 1) * SECOND, id, customerId, code: "000000" })
    }
    const delivered = deliveredAt(asked, plan.lost)
    if (asked.verifiesAfter === null || delivered === null) return askAgain(asked, asked.at)
    due.add({ at: delivered + asked.verifiesAfter, id, customerId, code: RIGHT_CODE })
  }

  const ask = Effect.fnUntraced(function* (asked: Asked) {
    const { customer, phone, ip, deviceId, by } = asked
    const customerId = customers[customer] ?? 0
    const client = { ...(ip !== undefined && { ip }), ...(deviceId !== undefined && { deviceId }) }
    const exit = yield* Effect.exit(verifications.send({ customerId, phone, client }))
    yield* workers.idle
    const attack = names.get(by)
    if (attack === undefined && asked.isRepeated !== true) counts.codes += 1
    if (Exit.isFailure(exit)) {
      if (attack === undefined && String(exit.cause).includes("suspected_fraud")) refuse(asked)
      return
    }
    const { verificationId: id } = exit.value
    if (attack === undefined) userIds.push(id)
    else {
      const segment = `${by} ${attack.segmentOf(asked)}`
      sent.set(segment, (sent.get(segment) ?? 0) + 1)
    }
    enter(asked, id, customerId)
  })

  /** The loop of a server sleeps until the next timer is due; a pass of it costs more than this. */
  const isAnyDue = (at: number) =>
    Effect.orDie(
      Effect.map(
        sql`select 1 from timers where claimable_at <= to_timestamp(${at}::float8 / 1000) limit 1`,
        (rows) => rows.length > 0
      )
    )

  let now = 0
  let ranAt = 0
  const moveTo = Effect.fnUntraced(function* (at: number) {
    while (now < at) {
      const next = Math.min(at, ranAt + LONGEST_PAUSE)
      // What was begun in the background is not overtaken by time: it would depend on how busy the machine is.
      yield* quiet
      yield* TestClock.adjust(Math.max(0, next - now))
      yield* quiet
      now = Math.max(now, next)
      if (now - ranAt < SHORTEST_PAUSE) continue
      ranAt = now
      if (yield* isAnyDue(now)) yield* timers.runDue
    }
  })

  for (let event = due.next(); event !== undefined; event = due.next()) {
    yield* moveTo(event.at)
    if ("asked" in event) yield* ask(event.asked)
    else yield* Effect.ignore(verifications.verify(event))
  }

  const [row] = yield* Effect.orDie(sql<{ readonly count: number }>`
    select count(*)::int as count from verifications
    where customer_id = ${customers[0] ?? 0} and id = any(${userIds}::uuid[]) and jsonb_array_length(route) = 1`)
  const outcomeOf = ({ name, asked }: (typeof attacked)[number]): AttackOutcome => ({
    name,
    codes: asked.length,
    leaked: Math.max(0, ...[...sent].filter(([key]) => key.startsWith(`${name} `)).map(([, n]) => n))
  })
  const outcome: Outcome = {
    ...counts,
    withoutSms: row?.count ?? 0,
    attacks: attacked.map(outcomeOf),
    refusedDuring,
    refusedAt,
    outages: yield* Effect.orDie(sql<Outcome["outages"][number]>`
      select extract(epoch from started_at)::float8 * 1000 as from,
        extract(epoch from cleared_at)::float8 * 1000 as until
      from guard_alarms where customer_id = ${customers[0] ?? 0} and reason = 'outage' order by id`)
  }
  return outcome
})
