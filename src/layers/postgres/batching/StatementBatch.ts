import { Cause, Clock, Context, Effect, Exit, Layer, References } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import { fnv1a } from "../../../domain/text/Fingerprints.ts"
import { isStoreUnreachable } from "../StoreAvailability.ts"
import { RowsAlone } from "../SetUpPlace.ts"
import { BatchPatience } from "../WatchedPool.ts"
import { CustomerRows, FIRST_GROUP } from "../../../services/customer/CustomerRows.ts"
import { counters, gauge, inSpan } from "../../../services/system/Observability.ts"

/** The kinds of batches, in an operator's words. */
export type BatchName =
  | "accept"
  | "platform_count"
  | "platform_give_back"
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
  | "guard_read"
  | "guard_save"
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
}>("peyk/layers/postgres/batching/StatementBatch/BatchMetrics", {
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

/** Where batches of several kinds alternate at the database: while some wait, statements become fewer and larger. */
interface BatchLane {
  /** Whether it is free. Otherwise `again` is called once, when the current one leaves. */
  readonly isFree: (again: () => void) => boolean
  readonly enter: () => void
  readonly leave: () => void
}

export const makeBatchLane = (): BatchLane => {
  let isTaken = false
  let turnedAway = new Set<() => void>()
  return {
    isFree: (again) => {
      if (isTaken) turnedAway.add(again)
      return !isTaken
    },
    enter: () => {
      isTaken = true
    },
    leave: () => {
      isTaken = false
      const waiting = turnedAway
      turnedAway = new Set()
      // Not at once: after the responses, which are sent now, the next turn of the event loop brings more requests.
      for (const again of waiting) setImmediate(again)
    }
  }
}

/**
 * Whether accepting and recording alternate. At the same time they are two groups of sends of half the size, each
 * with its own statement; but one is in the database while the process works on the other. That pays unless other
 * processes of Peyk use the processors meanwhile.
 */
export const SerializeWrites = Context.Reference<boolean>(
  "peyk/layers/postgres/batching/StatementBatch/SerializeWrites",
  {
    defaultValue: () => false
  }
)

/** Keeps requests as two groups: PostgreSQL works on one while this process works on the other. */
const FLUSH_GROUP_AT = 24

/** The connections for the batches that accept and record one kind of sends. */
export const writingClients = (clients: BatchClients): Effect.Effect<BatchClients> =>
  Effect.map(SerializeWrites, (serializes) =>
    serializes ? { ...clients, lane: makeBatchLane() } : { ...clients, flushAt: FLUSH_GROUP_AT }
  )

/** The connections for the batches that compare codes. */
export const comparingClients = (clients: BatchClients): Effect.Effect<BatchClients> =>
  Effect.map(SerializeWrites, (serializes) =>
    serializes ? clients : { ...clients, flushAt: FLUSH_GROUP_AT }
  )

interface BatchOptions<Client, Request, Result> {
  readonly name: BatchName
  /** One statement for all of them; results in their order. */
  readonly run: (
    client: Client,
    requests: ReadonlyArray<Request>
  ) => Effect.Effect<ReadonlyArray<Result>, SqlError.SqlError>
  /** Requests with one of these in common never share a statement: the later one waits for the next. */
  readonly conflictsOf: (request: Request) => ReadonlyArray<string>
  /**
   * Whether requests that wait behind a silent statement fail with it. Not where they record what cannot be done again,
   * such as a call to a provider: those get a statement of their own, also if nobody waits for it any more.
   */
  readonly endsTogether?: boolean
  /** The order in which rows are locked, so that two processes never deadlock. */
  readonly orderOf: (request: Request) => string
}

/** The connections: those of batches, which wait only briefly for locks, and those of single requests. */
export interface BatchClients<Client = SqlClient.SqlClient> {
  readonly batched: Client
  readonly single: Client
  /** Shared by kinds of batches that wait for each other's statements as for their own. */
  readonly lane?: BatchLane
  /** A batch with this many requests does not wait for more. */
  readonly flushAt?: number
  /** How long after one statement of a kind the next begins at the earliest, unless it is as large as `flushAt`. */
  readonly paceMillis?: () => number
  /** Whether a batch is about customers' rows alone, apart from what it reads `inStore`. */
  readonly isAlone?: boolean
}

interface Waiting<Request, Result> {
  readonly request: Request
  readonly resume: (result: Effect.Effect<Result>) => void
  /** The tick in which it came. */
  readonly since: number
}

const MAX_SIZE = 128
const FLUSH_AT = 64
/** After a failure that took so long, requests that wait would wait as long again. */
const SILENT_MILLIS = 1000
/** How many requests of a failed batch run at once, each in a statement of its own. */
const SINGLE_CONCURRENCY = 4
const tooLate = () => {
  const message = "no response of the batch in time"
  const reason = new SqlError.ConnectionError({ cause: new Error(message), message, operation: "acquire" })
  return Effect.die(new SqlError.SqlError({ reason }))
}
/** For one request: the statement belongs to many traces, so it is in none. */
const SPAN = { kind: "client", attributes: { "db.system.name": "postgresql" } } as const

/**
 * Two names with one number conflict needlessly, which costs one of them a batch; a set of numbers costs half as
 * much.
 */
const numberOf = (name: string): number => fnv1a(name) >>> 2

/** The first waiting requests without any two that conflict; and the others, in their order. */
export const takeBatch = <Entry>(
  waiting: ReadonlyArray<Entry>,
  conflictsOf: (entry: Entry) => ReadonlyArray<string>,
  maxSize: number
): readonly [batch: Array<Entry>, left: Array<Entry>] => {
  if (waiting.length === 1) return [[...waiting], []]
  const batch: Array<Entry> = []
  const left: Array<Entry> = []
  const taken = new Set<number>()
  for (const entry of waiting) {
    const conflicts = conflictsOf(entry).map(numberOf)
    const goes = batch.length < maxSize && !conflicts.some((conflict) => taken.has(conflict))
    if (goes) batch.push(entry)
    else left.push(entry)
    // Also of the others: a later request that conflicts with them does not overtake them.
    for (const conflict of conflicts) taken.add(conflict)
  }
  return [batch, left]
}

/** If a batch waited too long for a lock, one of its rows is the cause, and not the store. */
const isUnreachable = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some(
    (reason) =>
      reason._tag === "Fail" &&
      isStoreUnreachable(reason.error) &&
      !(SqlError.isSqlError(reason.error) && reason.error.reason._tag === "LockTimeoutError")
  )

const respond = <Result>(
  batch: ReadonlyArray<Waiting<unknown, Result>>,
  exit: Exit.Exit<ReadonlyArray<Result>, SqlError.SqlError>
) => {
  batch.forEach(({ resume }, nth) => {
    if (exit._tag === "Failure") return resume(Effect.die(Cause.squash(exit.cause)))
    const found = exit.value[nth]
    return resume(
      found === undefined ? Effect.die("a request of a batch has no result") : Effect.succeed(found)
    )
  })
}

/** The lanes of one purpose: batches about rows that the store has apart do not wait for each other. */
const lanesOfGroups = new WeakMap<BatchLane, Map<number, BatchLane>>()

const laneOf = (group: number, shared: BatchLane): BatchLane => {
  if (group === FIRST_GROUP) return shared
  const lanes = lanesOfGroups.get(shared) ?? new Map<number, BatchLane>()
  lanesOfGroups.set(shared, lanes)
  const lane = lanes.get(group) ?? makeBatchLane()
  lanes.set(group, lane)
  return lane
}

/**
 * Puts the requests of many fibers into one statement, and one commit; those about rows that the store has apart into
 * statements of their own.
 */
export const makeStatementBatch = <Client, Request, Result>(
  clients: BatchClients<Client>,
  options: BatchOptions<Client, Request, Result>
): Effect.Effect<(request: Request) => Effect.Effect<Result>> =>
  Effect.map(Effect.context<never>(), (context) => {
    const { lane = makeBatchLane(), isAlone = false } = clients
    const own = Context.add(context, RowsAlone, isAlone)
    return Context.get(context, CustomerRows).gathered<Request, Result>(({ id, contextFor }) =>
      gatherRequests({ ...clients, lane: laneOf(id, lane) }, options, contextFor(own))
    )
  })

/**
 * Puts the requests of many fibers into one statement, and one commit. While a statement runs, requests gather for
 * the next, and then while each turn of the event loop brings another one: a process that is busy taking requests
 * would not be faster if the database had some of them already, and each statement costs as much to start as twenty
 * requests do. If nothing more arrives, no request waits. If a batch fails, each of its requests runs by itself, in
 * parallel with later batches, unless the store is unreachable. If it was silent, waiting requests can fail too.
 */
const gatherRequests = <Client, Request, Result>(
  { batched, single, lane = makeBatchLane(), flushAt = FLUSH_AT, paceMillis = () => 0 }: BatchClients<Client>,
  { name, run, conflictsOf, orderOf, endsTogether = false }: BatchOptions<Client, Request, Result>,
  context: Context.Context<never>
): ((request: Request) => Effect.Effect<Result>) => {
  type Entry = Waiting<Request, Result>
  const clock = Context.get(context, Clock.Clock)
  const runFork = Effect.runForkWith(Context.add(context, References.TracerEnabled, false))
  const patience = Context.get(context, BatchPatience)
  let waiting: Array<Entry> = []
  const inProgress = new Set<ReadonlyArray<Entry>>()
  /** How many waited one turn of the event loop before. */
  let gathered = 0
  /** Whether `next` will be called. */
  let isScheduled = false
  /** When the last statement began. */
  let lastBegan = Number.NEGATIVE_INFINITY
  const began = Context.get(context, BatchMetrics).watch(name, () => waiting.length)

  const exitOf = (client: Client, batch: ReadonlyArray<Entry>) =>
    Effect.exit(
      Effect.suspend(() =>
        run(
          client,
          batch.map(({ request }) => request)
        )
      )
    )

  const runSingly = (batch: ReadonlyArray<Entry>) => {
    let lost: Exit.Exit<never, SqlError.SqlError> | undefined
    return Effect.forEach(
      batch,
      (entry) =>
        Effect.map(lost === undefined ? exitOf(single, [entry]) : Effect.succeed(lost), (exit) => {
          if (exit._tag === "Failure" && isUnreachable(exit.cause)) lost = Exit.failCause(exit.cause)
          respond([entry], exit)
        }),
      { concurrency: SINGLE_CONCURRENCY, discard: true }
    )
  }

  const refuseWaiting = (exit: Exit.Exit<ReadonlyArray<Result>, SqlError.SqlError>) => {
    const refused = waiting
    waiting = []
    gathered = 0
    respond(refused, exit)
  }

  const giveUpLate = () => {
    const isLate = ({ since }: Entry) => patience.now() - since >= patience.ticks
    for (const batch of inProgress) for (const entry of batch.filter(isLate)) entry.resume(tooLate())
    const late = waiting.filter(isLate)
    if (late.length === 0) return
    for (const { resume } of late) resume(tooLate())
    if (!endsTogether) return
    waiting = waiting.filter((entry) => !isLate(entry))
    gathered = 0
  }
  patience.eachTick(giveUpLate)

  const runBatched = (batch: ReadonlyArray<Entry>) => {
    const begunAt = clock.currentTimeMillisUnsafe()
    return Effect.map(exitOf(batched, batch), (exit) => {
      const isLost = exit._tag === "Failure" && isUnreachable(exit.cause)
      const wasSilent = isLost && clock.currentTimeMillisUnsafe() - begunAt >= SILENT_MILLIS
      if (wasSilent && endsTogether) refuseWaiting(exit)
      lane.leave()
      if (exit._tag === "Failure" && !isLost) {
        runFork(Effect.map(runSingly(batch), () => void inProgress.delete(batch)))
      } else {
        inProgress.delete(batch)
        respond(batch, exit)
      }
    })
  }

  const go = () => {
    const [batch, left] = takeBatch(waiting, ({ request }) => conflictsOf(request), MAX_SIZE)
    waiting = left
    gathered = 0
    isScheduled = false
    lastBegan = clock.currentTimeMillisUnsafe()
    lane.enter()
    began(batch.length)
    inProgress.add(batch)
    if (left.length > 0) schedule()
    runFork(runBatched(batch.sort((one, other) => (orderOf(one.request) < orderOf(other.request) ? -1 : 1))))
  }
  const pauseMillis = () => {
    const since = clock.currentTimeMillisUnsafe() - lastBegan
    return since < 0 || waiting.length >= flushAt ? 0 : paceMillis() - since
  }
  const next = () => {
    if (waiting.length === 0) return void (isScheduled = false)
    const pause = pauseMillis()
    if (pause > 0) return void runFork(Effect.map(Effect.sleep(pause), next))
    if (!lane.isFree(next)) return
    if (waiting.length === gathered || waiting.length >= flushAt) return go()
    gathered = waiting.length
    setImmediate(next)
  }
  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    // After everything that the sockets have brought by now.
    setImmediate(next)
  }
  return (request) =>
    Effect.callback<Result>((resume) => {
      waiting.push({ request, resume, since: patience.now() })
      schedule()
    }).pipe(inSpan("batched statement", SPAN))
}
