import { Schema } from "effect"

/** The messages between processes and their supervisor. A reply has the id of its request. */

const Id = Schema.Int

export const OwnMetrics = Schema.Struct({
  process: Schema.Int,
  /** In Prometheus' text format. */
  text: Schema.String
})
export type OwnMetrics = typeof OwnMetrics.Type

export const ToSupervisor = Schema.Union([
  /** The process serves. */
  Schema.TaggedStruct("Ready", {}),
  /** It requests the metrics of all. */
  Schema.TaggedStruct("AskMetrics", { id: Id }),
  Schema.TaggedStruct("OwnMetrics", { id: Id, text: Schema.String }),
  Schema.TaggedStruct("Alive", { id: Id })
])
export type ToSupervisor = typeof ToSupervisor.Type

export const ToProcess = Schema.Union([
  Schema.TaggedStruct("ReportMetrics", { id: Id }),
  Schema.TaggedStruct("AllMetrics", { id: Id, all: Schema.Array(OwnMetrics) }),
  /** Whether its event loop still runs. */
  Schema.TaggedStruct("AskAlive", { id: Id })
])
export type ToProcess = typeof ToProcess.Type
