import { Schema } from "effect"

/** Messages of a batch. More would hold the locks of one customer's counters and wallet for too long. */
export const MAX_BATCH = 500

/** What became of one message of a batch; kept for a repetition of the request. */
export const BatchOutcome = Schema.Union([
  Schema.Struct({ id: Schema.String }),
  /** An error's code and details. */
  Schema.Struct({ code: Schema.String, details: Schema.Record(Schema.String, Schema.Unknown) })
])
export type BatchOutcome = typeof BatchOutcome.Type

/** An error as it is kept. A batch has no Retry-After for one message, so the details have it. */
export const refusedOutcome = (error: {
  readonly _tag: string
  readonly details?: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds?: number
}): BatchOutcome => ({
  code: error._tag,
  details: {
    ...error.details,
    ...(error.retryAfterSeconds === undefined ? {} : { retry_after_seconds: error.retryAfterSeconds })
  }
})
