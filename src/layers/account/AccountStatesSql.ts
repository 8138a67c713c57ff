import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { HOUR_MILLIS, MINUTE_MILLIS } from "../../domain/Instant.ts"
import type { AccountState } from "../../domain/account/AccountState.ts"
import { Channel } from "../../domain/routing/Channel.ts"
import { ratesOf } from "./PacedAccounts.ts"
import { InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { Settings } from "../../services/Settings.ts"
import { AccountStates } from "../../services/account/Accounts.ts"

const StateRow = Schema.Struct({
  id: Schema.Int,
  channel: Channel,
  gapMillis: Schema.NullOr(Schema.Int),
  perMinute: Schema.NullOr(Schema.Int),
  usedOfMinute: Schema.Int,
  oldestSlotAt: Schema.NullOr(InstantColumn),
  coolsByKind: Schema.Boolean,
  failures: Schema.Int,
  coolingUntil: Schema.NullOr(InstantColumn),
  textFailures: Schema.Int,
  textsCoolingUntil: Schema.NullOr(InstantColumn),
  checkedAt: Schema.NullOr(InstantColumn),
  result: Schema.NullOr(Schema.Literals(["works", "refused", "not_reached", "cannot_be_checked"])),
  detail: Schema.NullOr(Schema.String),
  credit: Schema.NullOr(Schema.Finite),
  skips: Schema.Record(Schema.String, Schema.Int)
})

export const AccountStatesSql = Layer.effect(
  AccountStates,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const settings = yield* Settings
    const rates = ratesOf(settings)
    const stateRows = rowsOf(StateRow)

    const toState = (row: typeof StateRow.Type): AccountState => {
      const { failures, coolingUntil, checkedAt, result, detail } = row
      const codes = { failures, coolingUntil }
      return {
        gapMillis: row.gapMillis ?? settings.accountGapMillis,
        perMinute: row.perMinute ?? rates[row.channel],
        usedOfMinute: row.usedOfMinute,
        minuteFreeAt: row.oldestSlotAt === null ? null : row.oldestSlotAt + MINUTE_MILLIS,
        codes,
        texts: row.coolsByKind ? { failures: row.textFailures, coolingUntil: row.textsCoolingUntil } : codes,
        lastCheck: checkedAt === null || result === null ? null : { at: checkedAt, result, detail },
        credit: row.credit,
        skips: row.skips
      }
    }

    return AccountStates.of({
      read: Effect.fnUntraced(function* (owner, ids, now) {
        const minuteAgo = timestamp(now - MINUTE_MILLIS)
        const hourAgo = timestamp(now - HOUR_MILLIS)
        const rows = yield* stateRows(sql`
          select a.id, a.channel, a.gap_ms as "gapMillis", a.rate_per_minute as "perMinute",
            (select count(*)::int from unnest(p.slots) s where s > ${minuteAgo}) as "usedOfMinute",
            (select min(s) from unnest(p.slots) s where s > ${minuteAgo}) as "oldestSlotAt",
            a.rests_by_kind as "coolsByKind", p.failures, p.cooling_until as "coolingUntil",
            p.text_failures as "textFailures", p.texts_cooling_until as "textsCoolingUntil",
            c.checked_at as "checkedAt", c.result, c.detail, c.credit,
            coalesce((select jsonb_object_agg(reason, steps) from (
              select reason, sum(steps)::int as steps from account_skips
              where account_id = a.id and starts_at > ${hourAgo} group by 1) s), '{}') as skips
          from sending_accounts a join account_pace p on p.account_id = a.id
            left join account_checks c on c.account_id = a.id
          where a.id = any(${ids}::int[]) and (a.customer_id is null or a.customer_id = ${owner}::int)`)
        return new Map(rows.map((row) => [row.id, toState(row)]))
      })
    })
  })
)
