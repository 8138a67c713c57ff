import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { type UsedBy, Conflict } from "../../../domain/Errors.ts"
import { PLATFORM } from "../../../domain/customer/Customer.ts"
import type { Accounts } from "../../../services/resources/accounts/Accounts.ts"
import { rowsOf } from "../../postgres/SqlRows.ts"
import { notUpdated } from "../../access/Versions.ts"
import { lockCustomer } from "../OwnerSql.ts"
import { isOwnedBy } from "./AccountRows.ts"
import { problem, type Problem } from "../../../domain/Problem.ts"

const NeedRow = Schema.Struct({ routing: Schema.Boolean, codes: Schema.Boolean, messages: Schema.Boolean })
const VersionRow = Schema.Struct({ version: Schema.Int })

const problems: Readonly<Record<UsedBy, Problem>> = {
  routing: problem("account_in_routing"),
  codes: problem("account_in_codes"),
  messages: problem("account_in_messages")
}

/**
 * Removes accounts that nothing needs. What is under way has a timer, so few rows are read. A send that is accepted at
 * this moment sees the account's removal as a changed set-up, or fails over it: the account is gone.
 */
export const accountRemovals = (sql: SqlClient.SqlClient): Pick<Accounts["Service"], "remove"> => {
  const needRows = rowsOf(NeedRow)
  const versionRows = rowsOf(VersionRow)

  const needsOf = (owner: number | null, id: number) => {
    const ofOwner = owner === null ? sql`true` : sql`t.customer_id = ${owner}::int`
    const isNamed = sql`(s.step ->> 'account_id')::int = ${id}`
    return needRows(sql`
      select
        exists (select 1 from routing_orders o, jsonb_array_elements(o.steps) s(step)
          where ${owner === null ? sql`true` : sql`o.customer_id = ${owner}::int`} and ${isNamed}) as routing,
        exists (select 1 from timers t join verifications v on v.customer_id = t.customer_id and v.id = t.subject,
          jsonb_array_elements(v.route) with ordinality s(step, nth)
          where ${ofOwner} and t.kind = 'verification' and v.status in ('pending', 'queued')
            and v.next_step_at is not null and s.nth - 1 = any(v.remaining) and ${isNamed}) as codes,
        exists (select 1 from timers t join messages m on m.customer_id = t.customer_id and m.id = t.subject,
          jsonb_array_elements(m.route) s(step)
          where ${ofOwner} and t.kind = 'message' and m.status in ('queued', 'sending') and ${isNamed}) as messages`)
  }

  return {
    remove: Effect.fnUntraced(function* (owner, id, version) {
      if (owner !== null) yield* lockCustomer(sql, owner)
      const [found] = yield* versionRows(
        sql`select a.version from sending_accounts a where a.id = ${id} and ${isOwnedBy(sql, owner)} for update`
      )
      if (found === undefined || (version !== null && found.version !== version))
        return yield* notUpdated(found)
      const [needs] = yield* needsOf(owner, id)
      const need = (["routing", "codes", "messages"] as const).find((each) => needs?.[each] === true)
      if (need !== undefined) return yield* new Conflict({ problem: problems[need], usedBy: need })
      yield* Effect.orDie(sql`
        delete from timers where customer_id = ${owner ?? PLATFORM} and kind = 'bot_updates'
          and subject in (select subject from account_inboxes where account_id = ${id})`)
      for (const table of ["contact_links", "account_inboxes", "account_pace"]) {
        yield* Effect.orDie(sql`delete from ${sql(table)} where account_id = ${id}`)
      }
      yield* Effect.orDie(sql`delete from sending_accounts where id = ${id}`)
    })
  }
}
