import { Context, Effect, Layer } from "effect"
import { counters, gauge } from "../../../services/system/Observability.ts"

/** The kinds of batches, in an operator's words. */
export type BatchName =
  | "accept"
  | "record"
  | "check"
  | "read"
  | "read_due"
  | "message_accept"
  | "message_record"
  | "message_read"
  | "message_read_due"
  | "webhook_read_due"
  | "webhook_record"
  | "webhook_put_back"
  | "guard_wake"
  | "key"
  | "customer"
  | "account_pace"
  | "account_connection"

/** Counts a statement that begins, and its requests. */
type Began = (requests: number) => void

const ignore: Began = () => {}

/** The figures of batches; batches of one name are counted together. */
export const BatchMetrics = Context.Reference<{
  /** @param waiting how many requests wait for the next statement now */
  readonly watch: (batch: BatchName, waiting: () => number) => Began
}>("peyk/layers/postgres/batching/BatchMetrics/BatchMetrics", {
  defaultValue: () => ({ watch: () => ignore })
})

export const BatchMetricsCounted = Layer.effect(
  BatchMetrics,
  Effect.map(Effect.context<never>(), (context) => {
    const queues = new Map<BatchName, Array<() => number>>()
    const statements = counters(context, "peyk_batch_statements_total", {
      description: "Statements of batches, by what they do.",
      labels: ["batch"]
    })
    const requests = counters(context, "peyk_batch_requests_total", {
      description: "Requests served by batches; divided by the statements, how many shared one.",
      labels: ["batch"]
    })
    const queuesOf = (batch: BatchName): Array<() => number> => {
      const previous = queues.get(batch)
      if (previous !== undefined) return previous
      const created: Array<() => number> = []
      queues.set(batch, created)
      gauge(context, "peyk_batch_requests_waiting", {
        description: "Requests and timers that wait for the next statement of a batch, by what it does.",
        attributes: { batch },
        read: () => created.reduce((sum, waiting) => sum + waiting(), 0)
      })
      return created
    }
    return {
      watch: (batch, waiting) => {
        queuesOf(batch).push(waiting)
        const countStatements = statements(batch)
        const countRequests = requests(batch)
        return (count) => {
          countStatements(1)
          countRequests(count)
        }
      }
    }
  })
)
