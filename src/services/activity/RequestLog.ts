import { Clock, Context, Deferred, Effect, Layer, Result, Scope, Semaphore } from "effect"
import type { NotFound } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { Ordered, Page, PageRequest, TimeRange } from "../../domain/Paging.ts"
import { isPhone, maskPhoneInAscii, parsePhone, type Phone } from "../../domain/Phone.ts"
import {
  type LoggedRequest,
  type RequestBlock,
  type RefusedItem,
  type RequestedFields,
  requestedFields,
  type SentBody
} from "../../domain/LoggedRequest.ts"
import type { KeyMode, Principal } from "../../domain/customer/Customer.ts"
import { Settings } from "../Settings.ts"
import { counters } from "../system/Observability.ts"

export class RequestStore extends Context.Service<
  RequestStore,
  { readonly add: (blocks: ReadonlyArray<RequestBlock>) => Effect.Effect<void> }
>()("peyk/services/activity/RequestLog/RequestStore") {}

/** About 4 MB. */
const MAX_REQUESTS = 20_000
/** A full block fits one page of PostgreSQL, with the hashes of its phones. */
const MAX_BLOCK = 40
const MAX_BLOCK_LENGTH = 7000

interface OpenBlock {
  readonly beginsAt: Instant
  endsAt: Instant
  length: number
  readonly requests: Array<string>
  refusedPhones: Array<Phone | null> | null
  readonly refusedInBatches: Array<Phone>
}

/** The phones that one request was refused for: its own, or those of messages of a batch. */
interface RefusedPhones {
  readonly phone: Phone | null
  readonly inBatch: ReadonlyArray<Phone>
}

/** Notes the phone of the block's last request. Most blocks have no refusal. */
const addRefused = (block: OpenBlock, phone: Phone | null) => {
  if (phone === null && block.refusedPhones === null) return
  block.refusedPhones ??= []
  while (block.refusedPhones.length < block.requests.length - 1) block.refusedPhones.push(null)
  block.refusedPhones.push(phone)
}

/** Requests that are still to be written, as blocks of each customer; bounded. */
class RequestBuffer {
  readonly #open = new Map<number, OpenBlock>()
  readonly #full: Array<RequestBlock> = []
  #size = 0

  /** False: there is no room. */
  add(customerId: number, at: Instant, request: string, refused: RefusedPhones): boolean {
    if (this.#size >= MAX_REQUESTS) return false
    this.#size += 1 + refused.inBatch.length
    const known = this.#open.get(customerId)
    if (known === undefined) {
      const length = request.length
      const block: OpenBlock = {
        beginsAt: at,
        endsAt: at,
        length,
        requests: [request],
        refusedPhones: null,
        refusedInBatches: [...refused.inBatch]
      }
      addRefused(block, refused.phone)
      this.#open.set(customerId, block)
      return true
    }
    known.requests.push(request)
    addRefused(known, refused.phone)
    for (const phone of refused.inBatch) known.refusedInBatches.push(phone)
    known.length += request.length
    known.endsAt = Math.max(known.endsAt, at)
    if (known.requests.length >= MAX_BLOCK || known.length >= MAX_BLOCK_LENGTH) {
      this.#full.push({ customerId, ...known })
      this.#open.delete(customerId)
    }
    return true
  }

  /** The next blocks to write: full ones first, then those that began by an instant. */
  take(limit: number, begunBy: Instant): ReadonlyArray<RequestBlock> {
    for (const [customerId, block] of this.#open) {
      if (this.#full.length >= limit) break
      if (block.beginsAt > begunBy) continue
      this.#full.push({ customerId, ...block })
      this.#open.delete(customerId)
    }
    const taken = this.#full.splice(0, limit)
    for (const { requests, refusedInBatches } of taken)
      this.#size -= requests.length + (refusedInBatches?.length ?? 0)
    return taken
  }
}

/** A request that is being answered. What becomes known of it is noted; without a key, none of it is kept. */
export interface RequestNotes {
  readonly key: (principal: Pick<Principal, "customerId" | "keyId" | "mode">) => void
  readonly phone: (phone: string) => void
  /** The body of a send: only few of its fields are kept. */
  readonly body: (body: SentBody) => void
  readonly subject: (id: string) => void
  /** A message of a batch that was refused, with the status that its code has. */
  readonly refusedItem: (phone: string, refusal: RefusedItem) => void
  readonly responded: (status: number, code: string | undefined) => void
}

const ignore = () => {}

export const noNotes: RequestNotes = {
  key: ignore,
  phone: ignore,
  body: ignore,
  subject: ignore,
  refusedItem: ignore,
  responded: ignore
}

/** Quotes a text that has no quotes or backslashes. `JSON.stringify` of the whole entry takes twice as long. */
const quoted = (text: string | null | undefined): string => (text == null ? "null" : `"${text}"`)

/** Often, as one large write a second would hold up the requests of its moment. */
const WRITE_EVERY = "100 millis"
/** A block that is not full waits this long for more requests: with the interval, a second at most. */
const BLOCK_MILLIS = 900
/** A store that does not answer must not hold up a page, or the end of the process. */
const LONGEST_FLUSH = "2 seconds"
/** One statement's; a block has 7 KB at most. */
const MAX_BLOCKS = 100
const NANOS_PER_MICRO = 1000n

const phoneOrNull = (text: string | null): Phone | null => {
  if (text === null) return null
  // Most are in the normal form, and parsing costs as much as all the rest of an entry.
  if (isPhone(text)) return text
  return Result.getOrElse(parsePhone(text), () => null)
}

/** The client left before its answer: nothing was refused. */
const CLIENT_GONE = 499

const isRefusal = (status: number): boolean => status >= 400 && status < CLIENT_GONE

interface Entry extends Pick<Principal, "keyId" | "mode"> {
  readonly at: Instant
  readonly requestId: string
  readonly route: string
  readonly method: string
  readonly status: number
  readonly code: string | undefined
  readonly micros: number
  readonly to: Phone | null
  readonly about: string | null
  readonly fields: RequestedFields | null
  readonly inBatch: ReadonlyArray<RefusedItem>
}

/** What most entries do not have: the fields of the body, and refused messages of a batch. */
const entryEnd = ({ fields, inBatch }: Pick<Entry, "fields" | "inBatch">): string => {
  if (inBatch.length > 0) return `,${JSON.stringify(fields)},${JSON.stringify(inBatch)}`
  return fields === null ? "" : `,${JSON.stringify(fields)}`
}

/** An entry of the log as it is stored: `layers/activity/RequestRecordsSql.ts` reads its fields by their places. */
const entryText = (entry: Entry) => {
  const { at, requestId, route, method, status, code, micros, keyId, mode, to, about } = entry
  const phone = to === null ? "null" : `"${maskPhoneInAscii(to)}"`
  return `[${at},"${requestId}","${route}","${method}",${status},${quoted(code)},${micros},${keyId},"${mode}",${phone},${about === null ? "null" : JSON.stringify(about)}${entryEnd(entry)}]`
}

interface NotedRefusal {
  readonly phone: Phone
  readonly refusal: RefusedItem
}

const NO_REFUSALS: ReadonlyArray<NotedRefusal> = []

type AddEntry = (customerId: number, entry: Entry, refusedItems: ReadonlyArray<NotedRefusal>) => void

/** A class, because thousands of requests can be in progress: functions of each one's own would be five times its size. */
class NotedRequest implements RequestNotes {
  readonly #clock: Clock.Clock
  readonly #add: AddEntry
  readonly #request: Pick<Entry, "route" | "method" | "requestId">
  readonly #startedAt: bigint
  #by: Pick<Principal, "customerId" | "keyId" | "mode"> | null = null
  #to: string | null = null
  #about: string | null = null
  #fields: RequestedFields | null = null
  #refusedItems: Array<NotedRefusal> | null = null

  constructor(clock: Clock.Clock, add: AddEntry, request: Pick<Entry, "route" | "method" | "requestId">) {
    this.#clock = clock
    this.#add = add
    this.#request = request
    this.#startedAt = clock.monotonicTimeNanosUnsafe()
  }

  key(principal: Pick<Principal, "customerId" | "keyId" | "mode">) {
    this.#by = principal
  }

  phone(phone: string) {
    this.#to = phone
  }

  /** At once: a request in progress holds no more than it must. */
  body(sent: SentBody) {
    this.#fields = requestedFields(sent)
  }

  subject(id: string) {
    this.#about = id
  }

  refusedItem(text: string, refusal: RefusedItem) {
    const phone = phoneOrNull(text)
    if (phone === null) return
    this.#refusedItems ??= []
    this.#refusedItems.push({ phone, refusal })
  }

  responded(status: number, code: string | undefined) {
    if (this.#by === null) return
    const { customerId, keyId, mode } = this.#by
    const { route, method, requestId } = this.#request
    const refusedItems = this.#refusedItems ?? NO_REFUSALS
    const entry: Entry = {
      at: this.#clock.currentTimeMillisUnsafe(),
      requestId,
      route,
      method,
      status,
      code,
      micros: Number((this.#clock.monotonicTimeNanosUnsafe() - this.#startedAt) / NANOS_PER_MICRO),
      keyId,
      mode,
      to: phoneOrNull(this.#to),
      about: this.#about,
      fields: this.#fields,
      inBatch: refusedItems.map(({ refusal }) => refusal)
    }
    this.#add(customerId, entry, refusedItems)
  }
}

/**
 * The log of the requests that customers make with their keys. A request only adds to a bounded buffer. A fiber writes
 * it within about a second; what the buffer has no room for, or the store does not take, is dropped and counted.
 */
export class RequestLog extends Context.Service<
  RequestLog,
  {
    readonly begin: (route: string, method: string, requestId: string) => RequestNotes
    /** Writes what this process has answered so far, so that a reader finds it. Takes two seconds at most. */
    readonly flush: Effect.Effect<void>
  }
>()("peyk/services/activity/RequestLog") {
  static readonly layerOff = Layer.succeed(RequestLog, { begin: () => noNotes, flush: Effect.void })

  static readonly layerOn = Layer.effect(
    RequestLog,
    Effect.gen(function* () {
      const store = yield* RequestStore
      const clock = yield* Clock.Clock
      const dropped = counters(yield* Effect.context<never>(), "peyk_request_log_dropped_total", {
        description: "Requests that are missing in the request log: the buffer was full, or the store failed."
      })()
      dropped(0)
      const buffer = new RequestBuffer()

      const add: AddEntry = (customerId, entry, refusedItems) => {
        // Hashed when it is written: no request waits for that.
        const refused = {
          phone: isRefusal(entry.status) ? entry.to : null,
          inBatch: refusedItems.map(({ phone }) => phone)
        }
        if (!buffer.add(customerId, entry.at, entryText(entry), refused)) dropped(1)
      }
      const begin = (route: string, method: string, requestId: string): RequestNotes =>
        new NotedRequest(clock, add, { route, method, requestId })

      const oneAtATime = yield* Semaphore.make(1)
      const writeBlocks = Effect.fnUntraced(function* (begunBy: Instant) {
        let blocks = buffer.take(MAX_BLOCKS, begunBy)
        while (blocks.length > 0) {
          const count = blocks.reduce((sum, { requests }) => sum + requests.length, 0)
          yield* Effect.ignoreCause(
            Effect.onError(store.add(blocks), () => Effect.sync(() => dropped(count)))
          )
          blocks = buffer.take(MAX_BLOCKS, begunBy)
        }
      })
      const writeDue = Effect.flatMap(Clock.currentTimeMillis, (now) =>
        oneAtATime.withPermit(writeBlocks(now - BLOCK_MILLIS))
      )
      const writers = yield* Effect.acquireRelease(Scope.make(), Scope.close)
      /** Done when the flush that has not begun is. */
      let nextFlush: Deferred.Deferred<void> | null = null
      const beginFlush = (done: Deferred.Deferred<void>) => {
        const write = Effect.suspend(() => {
          nextFlush = null
          return writeBlocks(Infinity)
        })
        const work = Effect.ensuring(oneAtATime.withPermit(write), Deferred.succeed(done, undefined))
        return Effect.forkIn(work, writers)
      }
      // Readers share a flush that has not begun. Each may leave before it ends.
      const flush = Effect.suspend(() => {
        if (nextFlush !== null) return Effect.succeed(nextFlush)
        const done = Deferred.makeUnsafe<void>()
        nextFlush = done
        return Effect.as(beginFlush(done), done)
      }).pipe(
        // A flush that is announced begins, whoever leaves.
        Effect.uninterruptible,
        Effect.flatMap(Deferred.await),
        Effect.timeoutOption(LONGEST_FLUSH),
        Effect.asVoid
      )
      yield* Effect.forkIn(Effect.forever(Effect.andThen(Effect.sleep(WRITE_EVERY), writeDue)), writers)
      // Before the writers are interrupted: what they write is not dropped.
      yield* Effect.addFinalizer(() => flush)
      return RequestLog.of({ begin, flush })
    })
  )

  /** Off if nothing is to be kept. */
  static readonly layer = Layer.unwrap(
    Effect.map(Settings, ({ requestLogDays }) =>
      requestLogDays === 0 ? RequestLog.layerOff : RequestLog.layerOn
    )
  )
}

export interface RequestSearch extends TimeRange, Ordered {
  /** The request's own id, or that of its verification or message. */
  readonly id?: string | undefined
  readonly maskedPhone?: string | undefined
  /** The last four digits of the phone, which its mask shows. */
  readonly phoneEnd?: string | undefined
  /** The beginning of the route: `/v1/otp`. */
  readonly route?: string | undefined
  /** The lowest and the highest status. */
  readonly statuses?: readonly [from: number, to: number] | undefined
  readonly code?: string | undefined
  readonly keyId?: number | undefined
  readonly mode?: KeyMode | undefined
}

/** The request log; of a customer, or of all of them (null). */
export class RequestRecords extends Context.Service<
  RequestRecords,
  {
    /** A page can be short, or even empty, without being the last: one query reads a limited number of blocks. */
    readonly list: (
      customerId: number | null,
      search: RequestSearch & PageRequest
    ) => Effect.Effect<Page<LoggedRequest>>
    readonly find: (customerId: number | null, id: string) => Effect.Effect<LoggedRequest, NotFound>
    /** The newest refused requests for exactly this phone; more than `limit` are not returned. */
    readonly refusals: (
      customerId: number,
      phone: Phone,
      limit: number
    ) => Effect.Effect<ReadonlyArray<LoggedRequest>>
  }
>()("peyk/services/activity/RequestLog/RequestRecords") {}
