import { Schema } from "effect"

/** What processes and their supervisor say to each other. A question is answered under its own id. */

const Id = Schema.Int

export const OwnMetrics = Schema.Struct({
  process: Schema.Int,
  /** In Prometheus' text form. */
  text: Schema.String
})
export type OwnMetrics = typeof OwnMetrics.Type

export const ToSupervisor = Schema.Union([
  /** It serves. */
  Schema.TaggedStruct("Ready", {}),
  /** It wants to know the metrics of all. */
  Schema.TaggedStruct("AskMetrics", { id: Id }),
  Schema.TaggedStruct("OwnMetrics", { id: Id, text: Schema.String }),
  Schema.TaggedStruct("Alive", { id: Id })
])
export type ToSupervisor = typeof ToSupervisor.Type

export const ToProcess = Schema.Union([
  Schema.TaggedStruct("ReportMetrics", { id: Id }),
  Schema.TaggedStruct("AllMetrics", { id: Id, all: Schema.Array(OwnMetrics) }),
  /** Whether its event loop still turns. */
  Schema.TaggedStruct("AskAlive", { id: Id })
])
export type ToProcess = typeof ToProcess.Type
