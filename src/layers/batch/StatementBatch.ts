import { Cause, Effect, type Exit } from "effect"
import type { SqlError } from "effect/sql"
import { isStoreUnreachable } from "../Store.ts"

export interface BatchOptions<Request, Answer> {
  /** One statement for all of them; answers in their order. */
  readonly run: (requests: ReadonlyArray<Request>) => Effect.Effect<ReadonlyArray<Answer>, SqlError.SqlError>
  /** Requests that have one of these in common never share a statement: the later one waits for the next. */
  readonly conflictsOf: (request: Request) => ReadonlyArray<string>
  /** In which order rows are locked, so that two processes do not wait for each other in a circle. */
  readonly orderOf: (request: Request) => string
}

interface Waiting<Request, Answer> {
  readonly request: Request
  readonly resume: (answer: Effect.Effect<Answer>) => void
}

const MAX_SIZE = 128

/** The first of those that wait, without any two that conflict; and who is left, in their order. */
export const takeBatch = <Entry>(
  waiting: ReadonlyArray<Entry>,
  conflictsOf: (entry: Entry) => ReadonlyArray<string>,
  maxSize: number
): readonly [batch: ReadonlyArray<Entry>, left: ReadonlyArray<Entry>] => {
  const batch: Array<Entry> = []
  const left: Array<Entry> = []
  const taken = new Set<string>()
  for (const entry of waiting) {
    const conflicts = conflictsOf(entry)
    const goes = batch.length < maxSize && !conflicts.some((conflict) => taken.has(conflict))
    if (goes) batch.push(entry)
    else left.push(entry)
    // Also of those left: who came later and conflicts with them does not overtake them.
    for (const conflict of conflicts) taken.add(conflict)
  }
  return [batch, left]
}

/**
 * Puts what many fibers ask for at the same time into one statement, and one commit: while a statement is under way
 * requests gather for the next, so nobody waits who would not have waited for the database. An idle one asks at once.
 * A failure of a batch is looked into by asking for each of its requests alone, unless the store is unreachable.
 */
export const makeStatementBatch = <Request, Answer>(
  options: BatchOptions<Request, Answer>
): Effect.Effect<(request: Request) => Effect.Effect<Answer>> =>
  Effect.map(Effect.context<never>(), (context) => {
    const { run, conflictsOf, orderOf } = options
    const runFork = Effect.runForkWith(context)
    let waiting: ReadonlyArray<Waiting<Request, Answer>> & Array<Waiting<Request, Answer>> = []
    let isUnderWay = false
    let isScheduled = false

    const answer = (
      batch: ReadonlyArray<Waiting<Request, Answer>>,
      exit: Exit.Exit<ReadonlyArray<Answer>, SqlError.SqlError>
    ) => {
      batch.forEach(({ resume }, nth) => {
        const found = exit._tag === "Success" ? exit.value[nth] : undefined
        if (found !== undefined) resume(Effect.succeed(found))
        else
          resume(
            exit._tag === "Success"
              ? Effect.die("a request of a batch has no answer")
              : Effect.die(Cause.squash(exit.cause))
          )
      })
    }

    const runAll = (batch: ReadonlyArray<Waiting<Request, Answer>>): Effect.Effect<void> =>
      Effect.flatMap(Effect.exit(run(batch.map(({ request }) => request))), (exit) =>
        exit._tag === "Failure" && batch.length > 1 && !isUnreachable(exit.cause)
          ? Effect.forEach(batch, (entry) => runAll([entry]), { discard: true })
          : Effect.sync(() => answer(batch, exit))
      )

    const next = () => {
      isScheduled = false
      if (isUnderWay || waiting.length === 0) return
      const [batch, left] = takeBatch(waiting, ({ request }) => conflictsOf(request), MAX_SIZE)
      waiting = [...left]
      isUnderWay = true
      const ordered = batch.toSorted((one, other) => (orderOf(one.request) < orderOf(other.request) ? -1 : 1))
      runFork(Effect.ensuring(runAll(ordered), Effect.sync(done)))
    }
    const done = () => {
      isUnderWay = false
      next()
    }
    const schedule = () => {
      if (isScheduled || isUnderWay) return
      isScheduled = true
      // After all that the sockets have brought by now.
      setImmediate(next)
    }
    return (request) =>
      Effect.callback<Answer>((resume) => {
        waiting.push({ request, resume })
        schedule()
      })
  })

const isUnreachable = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((reason) => reason._tag === "Fail" && isStoreUnreachable(reason.error))
