import type { SqlClient } from "effect/sql"
import type { SendKind, Verdict } from "../../domain/account/Pace.ts"
import type { SettingsShape } from "../../services/Settings.ts"
import { timestamp } from "../postgres/SqlRows.ts"
import type { PacedAccount } from "./PacedAccounts.ts"

interface Sent {
  readonly account: PacedAccount
  readonly kind: SendKind
  readonly verdict: Verdict
  readonly now: number
}

/** Counts failures of an account, and begins and ends its cooldowns: one statement for each outcome of a send. */
export const cooldownSql = (sql: SqlClient.SqlClient, settings: SettingsShape) => {
  /** Texts are counted apart if they have cooldowns of their own. */
  const columnsOf = (account: PacedAccount, kind: SendKind) =>
    kind === "text" && account.textCondition !== null
      ? {
          failures: sql("text_failures"),
          cooldowns: sql("text_cooldowns"),
          until: sql("texts_cooling_until")
        }
      : { failures: sql("failures"), cooldowns: sql("cooldowns"), until: sql("cooling_until") }
  type Columns = ReturnType<typeof columnsOf>

  /** Twice as long with each cooldown in a row. */
  const nextCooldown = ({ cooldowns }: Columns) => sql`least(${settings.cooldownMaxMillis}::bigint,
    ${settings.cooldownMillis}::bigint * (1::bigint << least(p.${cooldowns}, 20)))`

  const fail = (id: number, columns: Columns, now: number) => {
    const { failures, cooldowns, until } = columns
    const begins = sql`p.${failures} + 1 >= ${settings.cooldownFailures}::int
      and coalesce(p.${until} <= ${timestamp(now)}::timestamptz, true)`
    return sql`update account_pace p set ${failures} = p.${failures} + 1,
        ${cooldowns} = p.${cooldowns} + (${begins})::int,
        ${until} = case when ${begins}
          then ${timestamp(now)}::timestamptz + ${nextCooldown(columns)} * interval '1 millisecond' else p.${until} end
      where p.account_id = ${id}`
  }

  /** During a cooldown, only a provider that asks for a longer one changes anything. */
  const coolDown = (id: number, columns: Columns, millis: number | null, now: number) => {
    const { cooldowns, until } = columns
    const isCooling = sql`coalesce(p.${until} > ${timestamp(now)}::timestamptz, false)`
    return sql`update account_pace p set ${cooldowns} = p.${cooldowns} + (not ${isCooling})::int,
        ${until} = case when ${isCooling} and ${millis}::bigint is null then p.${until}
          else greatest(p.${until}, ${timestamp(now)}::timestamptz
            + coalesce(${millis}::bigint, ${nextCooldown(columns)}) * interval '1 millisecond') end
      where p.account_id = ${id}`
  }

  /** A send that succeeds during a cooldown began before it, and says nothing about the account now. */
  const recover = (id: number, { failures, cooldowns, until }: Columns, now: number) =>
    sql`update account_pace set ${failures} = 0, ${cooldowns} = 0 where account_id = ${id}
      and (${failures} > 0 or ${cooldowns} > 0) and coalesce(${until} <= ${timestamp(now)}::timestamptz, true)`

  return ({ account, kind, verdict, now }: Sent) => {
    const columns = columnsOf(account, kind)
    switch (verdict._tag) {
      case "Works":
        return recover(account.id, columns, now)
      case "Failed":
        return fail(account.id, columns, now)
      case "CoolDown":
        return coolDown(account.id, columns, verdict.millis, now)
    }
  }
}
