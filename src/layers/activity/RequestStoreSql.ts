import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { ReportingSql } from "../postgres/Pools.ts"
import { timestamp } from "../postgres/SqlRows.ts"
import { RequestStore } from "../../services/activity/RequestLog.ts"

/**
 * Uses the connections of reports: no send waits behind it. The commit is not awaited: a crash of PostgreSQL may lose
 * the last blocks, and nothing depends on them.
 */
export const RequestStoreSql = Layer.effect(
  RequestStore,
  Effect.gen(function* () {
    const sql = yield* ReportingSql
    const random = yield* SecureRandom.SecureRandom
    return RequestStore.of({
      add: Effect.fnUntraced(function* (blocks) {
        const ids = yield* Effect.forEach(blocks, () => random.uuidV7())
        yield* Effect.orDie(sql`
          with quick as materialized (select set_config('synchronous_commit', 'off', true) as commit)
          insert into request_blocks (id, customer_id, begins_at, ends_at, requests)
          select block.* from quick, unnest(${ids}::uuid[], ${blocks.map(({ customerId }) => customerId)}::int[],
            ${blocks.map(({ beginsAt }) => timestamp(beginsAt))}::timestamptz[],
            ${blocks.map(({ endsAt }) => timestamp(endsAt))}::timestamptz[],
            string_to_array(${blocks.map(({ requests }) => `[${requests.join()}]`).join("\n")}, e'\\n')) as block`)
      })
    })
  })
)
