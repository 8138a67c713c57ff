import type { Admission } from "../../domain/people/Admission.ts"
import type { KnownSetUp } from "../../services/verification/VerificationStore.ts"
import type { BatchColumn } from "../postgres/batching/BatchColumns.ts"
import type { AdmissionRule } from "./AdmissionRule.ts"
import { type FurtherCount, windowRule } from "./WindowRule.ts"

/** Codes and messages to one phone are counted apart. */
export type AdmittedKind = "code" | "message"

const phoneRule = (kind: AdmittedKind): AdmissionRule =>
  windowRule({
    name: "phone",
    table: "phone_counters",
    alias: "p",
    columns: ["customer_id", "phone"],
    constants: { kind: `'${kind}'` },
    windows: [
      { name: "hour", lasts: "1 hour", limit: "hour", reason: "phone_hour" },
      { name: "day", lasts: "24 hours", limit: "day", reason: "phone_day" }
    ],
    concerns: ({ phone }) => phone.hour > 0 || phone.day > 0
  })

const CALLERS_LAST = "interval '10 minutes'"
const SAME_CALLERS = `excluded.callers_until - o.callers_until < ${CALLERS_LAST}`

/**
 * The customers that sent to the phone within ten minutes: too many of them bomb it. Only the first few are kept. The
 * time does not change until it is over: a refused try must not extend it.
 */
const callers: FurtherCount = {
  limit: "callers",
  columns: "callers, callers_until",
  values: `array[customer_id], now + ${CALLERS_LAST}`,
  changes: `callers = case when not ${SAME_CALLERS} then excluded.callers
        when o.callers @> excluded.callers or cardinality(o.callers) >= 16 then o.callers
        else o.callers || excluded.callers end,
      callers_until = case when ${SAME_CALLERS} then o.callers_until else excluded.callers_until end`,
  returning: "cardinality(callers) as callers",
  isExceeded: "c.callers >= nullif(a.callers, 0)",
  refusal: {
    reason: "bombed",
    when: `r.callers > 0 and o.callers_until > r.now
      and cardinality(o.callers) + (not o.callers @> array[r.customer_id])::int >= r.callers`,
    until: "o.callers_until"
  }
}

const platformRule: AdmissionRule = windowRule({
  name: "platform",
  table: "platform_phone_counters",
  alias: "o",
  columns: ["phone"],
  windows: [{ name: "day", lasts: "24 hours", limit: "platform_day", reason: "platform_day" }],
  concerns: ({ phone }) => phone.platformDay > 0 || phone.callers > 0,
  further: callers
})

const quotaRule: AdmissionRule = {
  name: "quota",
  table: "monthly_counters",
  alias: "q",
  isRow: "q.customer_id = r.customer_id and q.month = r.month",
  limits: ["quota"],
  concerns: ({ monthlyQuota }) => monthlyQuota > 0,
  isShared: true,
  refusals: [
    {
      reason: "quota",
      when: "r.quota > 0 and coalesce(q.used, 0) + r.counted_together > r.quota",
      until: "r.month_ends_at"
    }
  ],
  count: (admitted) => `
  quota_counted as (
    insert into monthly_counters as q (customer_id, month, used)
    select customer_id, month, count(*) from ${admitted} and quota > 0 group by 1, 2 order by 1, 2
    on conflict (customer_id, month) do update set used = q.used + excluded.used
    returning customer_id, month, used)`,
  isExceeded: (rows) => `
  exists (select from quota_counted c join ${rows} a on a.customer_id = c.customer_id and a.month = c.month
    where a.quota > 0 and c.used > a.quota)`
}

const walletRule: AdmissionRule = {
  name: "wallet",
  table: "wallets",
  alias: "w",
  isRow: "w.customer_id = r.customer_id and w.stripe = r.stripe",
  limits: ["hold"],
  concerns: ({ hold }) => hold > 0,
  isShared: true,
  refusals: [
    {
      reason: "wallet",
      when: "r.hold > 0 and coalesce(w.balance - w.held < r.held_together, true)",
      until: "null::timestamptz"
    }
  ],
  // PostgreSQL checks the table's constraints on the row that the statement saw first, which others may have changed
  // before we had its lock. The condition makes that a lost race, not an error.
  count: (admitted) => `
  holds as materialized (
    select customer_id, stripe, sum(hold)::bigint as total from ${admitted} and hold > 0 group by 1, 2 order by 1, 2),
  held as (
    update wallets w set held = w.held + h.total from holds h
    where w.customer_id = h.customer_id and w.stripe = h.stripe and w.balance - w.held >= h.total
    returning true)`,
  isExceeded: () => "(select count(*) from held) <> (select count(*) from holds)"
}

/** Everything that may refuse a request, in the order in which it is asked and locked. */
export const admissionRules = (kind: AdmittedKind): ReadonlyArray<AdmissionRule> => [
  phoneRule(kind),
  platformRule,
  quotaRule,
  walletRule
]

/** The values of a request that the rules use. */
interface Asking {
  readonly admission: Admission
  readonly setUpVersion: KnownSetUp
}

/** The columns of `r` that do not depend on what is sent. */
export const limitColumns: ReadonlyArray<BatchColumn<Asking>> = [
  { name: "hour", type: "int4", of: ({ admission }) => admission.phone.hour },
  { name: "day", type: "int4", of: ({ admission }) => admission.phone.day },
  { name: "platform_day", type: "int4", of: ({ admission }) => admission.phone.platformDay },
  { name: "callers", type: "int4", of: ({ admission }) => admission.phone.callers },
  { name: "hold", type: "int8", of: ({ admission }) => BigInt(admission.hold) },
  { name: "set_up", type: "int4", of: ({ setUpVersion }) => setUpVersion }
]

export const quotaColumn: BatchColumn<Asking> = {
  name: "quota",
  type: "int4",
  of: ({ admission }) => admission.monthlyQuota
}
