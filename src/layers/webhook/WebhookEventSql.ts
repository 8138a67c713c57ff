import { DateTime, Option, Schema, SchemaTransformation } from "effect"
import type { Delivery } from "../../domain/ProviderOutcome.ts"
import { Alarm } from "../../domain/guard/Alarm.ts"
import { Instant } from "../../domain/Instant.ts"
import { Message } from "../../domain/message/Message.ts"
import { ERASED_PHONE } from "../../domain/Phone.ts"
import { Verification } from "../../domain/verification/Verification.ts"
import { AlertSnapshot, type EventSubject } from "../../domain/Webhook.ts"

/** A timestamptz in the form that jsonb writes. */
const InstantText = Schema.String.pipe(
  Schema.decodeTo(
    Instant,
    SchemaTransformation.transform({
      decode: (text: string) => DateTime.toEpochMillis(Option.getOrThrow(DateTime.make(text))),
      encode: (instant: Instant) => DateTime.formatIso(DateTime.makeUnsafe(instant))
    })
  )
)

const verificationFields = Verification.fields
const messageFields = Message.fields
const alarmFields = Alarm.fields

/** The fields that an event stores of its subject, and those that never change. */
export const EventSubjectColumn = Schema.Union([
  Schema.Struct({
    kind: Schema.Literal("verification"),
    snapshot: Schema.Struct({
      status: verificationFields.status,
      attempts: verificationFields.attempts,
      next_step_at: Schema.NullOr(InstantText),
      verified_at: Schema.NullOr(InstantText)
    }),
    always: Schema.Struct({
      id: verificationFields.id,
      phone: verificationFields.phone,
      route: verificationFields.route,
      metadata: verificationFields.metadata,
      expiresAt: verificationFields.expiresAt
    })
  }),
  Schema.Struct({
    kind: Schema.Literal("message"),
    snapshot: Schema.Struct({
      status: messageFields.status,
      attempts: messageFields.attempts,
      completed_at: Schema.NullOr(InstantText)
    }),
    always: Schema.Struct({
      id: messageFields.id,
      phone: messageFields.phone,
      strategy: messageFields.strategy,
      route: messageFields.route,
      template: messageFields.template,
      metadata: messageFields.metadata,
      scheduledFor: messageFields.scheduledFor,
      createdAt: messageFields.createdAt
    })
  }),
  Schema.Struct({
    kind: Schema.Literal("guard"),
    id: Schema.String,
    snapshot: Schema.Struct({
      kind: alarmFields.kind,
      key: alarmFields.key,
      reason: alarmFields.reason,
      level: alarmFields.level,
      action: alarmFields.action,
      enforced: Schema.Boolean,
      started_at: InstantText,
      until: InstantText,
      cleared_at: Schema.NullOr(InstantText),
      codes: alarmFields.codes,
      verified: alarmFields.verified
    })
  }),
  Schema.Struct({ kind: Schema.Literal("alert"), id: Schema.String, snapshot: AlertSnapshot }),
  Schema.Struct({ kind: Schema.Literal("endpoint"), id: Schema.Int })
])

/** Attempts as an event shows them: once the phone is erased, without the providers' words, which may repeat it. */
const withoutErasedWords = <
  Tried extends { readonly provider_error: string | null; readonly delivery?: Delivery }
>(
  attempts: ReadonlyArray<Tried>,
  phone: string
): ReadonlyArray<Tried> =>
  phone === ERASED_PHONE
    ? attempts.map((attempt) => ({
        ...attempt,
        provider_error: null,
        ...(attempt.delivery === undefined ? {} : { delivery: { ...attempt.delivery, provider_error: null } })
      }))
    : attempts

export const toSubject = (column: typeof EventSubjectColumn.Type): EventSubject => {
  switch (column.kind) {
    case "verification": {
      const { status, next_step_at: nextStepAt, verified_at: verifiedAt } = column.snapshot
      const attempts = withoutErasedWords(column.snapshot.attempts, column.always.phone)
      const verification = { ...column.always, status, attempts, nextStepAt, verifiedAt }
      return { kind: "verification", verification }
    }
    case "message": {
      const { status, completed_at: completedAt } = column.snapshot
      const attempts = withoutErasedWords(column.snapshot.attempts, column.always.phone)
      return { kind: "message", message: { ...column.always, status, attempts, completedAt } }
    }
    case "guard": {
      const { started_at: startedAt, cleared_at: clearedAt, ...alarm } = column.snapshot
      return { kind: "guard", alarm: { ...alarm, id: column.id, startedAt, clearedAt } }
    }
    case "alert":
      return { kind: "alert", id: column.id, alert: column.snapshot }
    case "endpoint":
      return { kind: "endpoint", id: column.id }
  }
}

const millis = (column: string) => `(extract(epoch from ${column}) * 1000)::bigint`
const isSubject = (table: string) => `${table}.customer_id = e.customer_id and ${table}.id = e.subject`

/** The `EventSubjectColumn` of an event `e` on its way to an endpoint `w`. */
export const EVENT_SUBJECT = `case split_part(e.type, '.', 1)
    when 'verification' then (
      select json_build_object('kind', 'verification', 'snapshot', e.data, 'always', json_build_object(
        'id', v.id, 'phone', v.phone, 'route', v.route, 'metadata', v.metadata, 'expiresAt', ${millis("v.expires_at")}))
      from verifications v where ${isSubject("v")})
    when 'message' then (
      select json_build_object('kind', 'message', 'snapshot', e.data, 'always', json_build_object(
        'id', m.id, 'phone', m.phone, 'strategy', m.strategy, 'route', m.route, 'template', m.template,
        'metadata', m.metadata, 'scheduledFor', ${millis("m.scheduled_for")},
        'createdAt', ${millis("m.created_at")}))
      from messages m where ${isSubject("m")})
    when 'guard' then json_build_object('kind', 'guard', 'id', e.subject, 'snapshot', e.data)
    when 'alert' then json_build_object('kind', 'alert', 'id', e.subject, 'snapshot', e.data)
    else json_build_object('kind', 'endpoint', 'id', w.id) end`
