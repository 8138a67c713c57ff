import { Schema } from "effect"
import type { KeyMode } from "../../domain/people/Customer.ts"
import { Message } from "../../domain/message/Message.ts"
import type { BatchName } from "../postgres/batching/BatchMetrics.ts"
import type { LoadKind } from "../postgres/batching/LoadBatchSql.ts"
import { InstantColumn, RialsColumn } from "../postgres/SqlRows.ts"

export const OPERATIONS = { live: "messages.send", test: "sandbox.messages.send" }
export const TIMER_KINDS = { live: "message", test: "sandbox_message" } as const

export const MessageRow = Schema.Struct({
  ...Message.fields,
  patientUntil: Schema.NullOr(InstantColumn),
  scheduledFor: Schema.NullOr(InstantColumn),
  createdAt: InstantColumn,
  completedAt: Schema.NullOr(InstantColumn),
  held: RialsColumn,
  captured: RialsColumn
})

/** The changing part of a message `c` that an event stores. */
export const MESSAGE_SNAPSHOT =
  "jsonb_build_object('status', c.status, 'attempts', c.attempts, 'completed_at', c.completed_at)"

/** Columns of `messages m`. */
export const messageColumns = `m.id, m.customer_id as "customerId", m.phone, m.status, m.revision, m.strategy, m.route,
  m.text, m.template, m.metadata, m.attempts, m.reservations,
  m.patient_until as "patientUntil",
  m.scheduled_for as "scheduledFor", m.created_at as "createdAt", m.completed_at as "completedAt",
  m.held, m.captured`

/** One mode's messages, as batches read them. */
export const loadedMessages = (mode: KeyMode, name: BatchName): LoadKind<typeof MessageRow> => ({
  name,
  mode,
  table: "messages",
  alias: "m",
  columns: messageColumns,
  row: MessageRow
})
