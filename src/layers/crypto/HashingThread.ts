import { Effect, Option, Schema } from "effect"
import { argon2 } from "node:crypto"
import { Worker } from "node:worker_threads"
import { ServiceUnavailable } from "../../domain/Errors.ts"

/** What argon2id is computed of. */
interface HashParameters {
  readonly message: string
  readonly nonce: Uint8Array
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
  readonly tagLength: number
}

type Settle = (tag: Uint8Array | null) => void

const decodeAnswer = Schema.decodeUnknownOption(
  Schema.Struct({ id: Schema.Int, tag: Schema.NullOr(Schema.Uint8Array) })
)

const WORKER = new URL("./HashingWorker.js", import.meta.url)

/**
 * A thread of low priority for this process, made when the first hash needs it. Node's own pool has four threads, and
 * signatures, files and names wait behind their hashes; all cores computed hashes while sends waited.
 */
export class HashingThread {
  #worker: Worker | null = null
  #next = 0
  readonly #jobs = new Map<number, Settle>()

  /** Null is settled if the thread has failed; the next hash starts another one. Throws if there can be no thread. */
  compute(parameters: HashParameters, settle: Settle): void {
    const worker = (this.#worker ??= this.#start())
    const id = this.#next
    this.#next += 1
    this.#jobs.set(id, settle)
    // only a hash in progress keeps the process from its end
    worker.ref()
    worker.postMessage({ id, ...parameters })
  }

  #start(): Worker {
    // it needs nothing of the environment, which has secrets
    const worker = new Worker(WORKER, { env: {}, execArgv: [] })
    worker.on("message", (answer: unknown) => {
      Option.map(decodeAnswer(answer), ({ id, tag }) => this.#settle(worker, id, tag))
    })
    worker.on("error", () => this.#fail(worker))
    worker.on("exit", () => this.#fail(worker))
    return worker
  }

  #settle(worker: Worker, id: number, tag: Uint8Array | null): void {
    this.#jobs.get(id)?.(tag)
    this.#jobs.delete(id)
    if (this.#jobs.size === 0) worker.unref()
  }

  #fail(worker: Worker): void {
    if (this.#worker !== worker) return
    this.#worker = null
    const settles = [...this.#jobs.values()]
    this.#jobs.clear()
    for (const settle of settles) settle(null)
  }
}

/** On one of Node's own threads, where this process may start none. */
const computeInPool = ({ message, ...parameters }: HashParameters, settle: Settle) =>
  argon2("argon2id", { message, ...parameters }, (error, tag) => settle(error === null ? tag : null))

/** A computation cannot be stopped: until it ends, no other may begin in its place. */
export const hashOn = (
  thread: HashingThread,
  parameters: HashParameters
): Effect.Effect<Uint8Array, ServiceUnavailable> =>
  Effect.uninterruptible(
    Effect.callback((resume) => {
      const settle: Settle = (tag) =>
        resume(tag === null ? Effect.fail(new ServiceUnavailable()) : Effect.succeed(tag))
      try {
        thread.compute(parameters, settle)
      } catch {
        computeInPool(parameters, settle)
      }
    })
  )
