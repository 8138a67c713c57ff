import { Effect, Option, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { AdmissionError } from "../../domain/Errors.ts"
import type { KeyMode } from "../../domain/people/Customer.ts"
import type { SetUpChanged } from "../../services/customer/SetUpChanged.ts"
import type { MessageAcceptance } from "../../services/message/MessageStore.ts"
import { idempotencyKeys } from "../customer/IdempotencySql.ts"
import type { TurnTaking } from "../postgres/citus/Turns.ts"
import { nullableTimestamp, timestamp } from "../postgres/SqlRows.ts"
import { type AdmissionRequest, admissionSql, runAdmission } from "../verification/AdmissionSql.ts"
import { outbox } from "../webhook/OutboxSql.ts"
import { MESSAGE_SNAPSHOT, OPERATIONS, TIMER_KINDS } from "./MessageRow.ts"

const webhooksOf = Schema.decodeUnknownOption(Schema.Struct({ webhooks: Schema.Int }))

interface AcceptAlone extends TurnTaking {
  readonly random: SecureRandom.SecureRandom["Service"]
  readonly mode: KeyMode
  /** Called with the number of webhooks that are due at once. */
  readonly wakeFor: (webhooks: number) => void
}

/**
 * Accepts one message in its own statement, if a batch could not decide because money or quota did not cover all of it.
 * False if the idempotency key is taken.
 */
export const acceptMessageAlone = ({ sql, takeTurn, random, mode, wakeFor }: AcceptAlone) => {
  const keys = idempotencyKeys(sql, OPERATIONS[mode])
  const events = outbox(sql, random, { mode, snapshot: sql.literal(MESSAGE_SNAPSHOT) })

  const statementOf = Effect.fnUntraced(function* (
    { message: m, lanes, lease, idempotency }: MessageAcceptance,
    request: AdmissionRequest
  ) {
    const { verdict, counts, columns } = admissionSql(sql, request)
    const claimableAt = timestamp(lease?.until ?? m.scheduledFor ?? m.createdAt)
    const template = m.template === null ? null : JSON.stringify(m.template)
    const { parts, webhooks } = yield* events.write(m.customerId, ["message.queued"], m.createdAt)
    return sql`
      with ${verdict}, claimed as (${keys.claim(m, idempotency)}),
      changed as (
        insert into messages (customer_id, id, phone, status, revision, strategy, route, text, template, metadata,
          attempts, scheduled_for, events_written, created_at, held, mode)
        select ${m.customerId}::int, ${m.id}::uuid, ${m.phone}, ${m.status}, ${m.revision}::int, ${m.strategy},
          ${JSON.stringify(m.route)}::jsonb, ${m.text}, ${template}::json, ${m.metadata}, '[]'::jsonb,
          ${nullableTimestamp(m.scheduledFor)}::timestamptz, 1, ${timestamp(m.createdAt)}::timestamptz,
          ${m.held}::bigint, ${mode}
        from claimed
        returning *),
      timer as (
        insert into timers (customer_id, kind, subject, lane, claimable_at, lease_token)
        select c.customer_id, ${TIMER_KINDS[mode]}, c.id, lane, ${claimableAt}::timestamptz, ${lease?.token ?? null}::uuid
        from changed c, unnest(${lanes}::int[]) as lane)
      ${parts}
      ${counts}
      select ${columns}, ${webhooks} as webhooks from verdict v`
  })

  return (acceptance: MessageAcceptance): Effect.Effect<boolean, AdmissionError | SetUpChanged> =>
    Effect.gen(function* () {
      const { message, admission, setUpVersion } = acceptance
      const { id, customerId, phone, createdAt: now } = message
      const request: AdmissionRequest = {
        kind: "message",
        id,
        customerId,
        phone,
        now,
        admission,
        setUpVersion
      }
      const statement = yield* statementOf(acceptance, request)
      let due = 0
      const accepting = Effect.tap(statement, ([row]) =>
        Effect.sync(() => (due = Option.getOrElse(webhooksOf(row), () => ({ webhooks: 0 })).webhooks))
      )
      const accepted = yield* runAdmission({ sql, takeTurn }, request, accepting)
      wakeFor(due)
      return accepted
    })
}
