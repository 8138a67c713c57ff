import { Schema } from "effect"
import { Instant } from "./Instant.ts"
import type { Ordered, Page, PageRequest } from "./Paging.ts"
import type { Phone } from "./Phone.ts"
import { UUID } from "./Uuid.ts"
import { KeyMode } from "./customer/Customer.ts"

/** The key of a request, as it may be shown. */
const RequestKey = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  prefix: Schema.String,
  lastFour: Schema.String
})

/** A channel as a request named it. */
const RequestedChannel = Schema.Struct({
  channel: Schema.String,
  account_id: Schema.optionalKey(Schema.Int),
  sender: Schema.optionalKey(Schema.String),
  provider: Schema.optionalKey(Schema.String),
  wait: Schema.optionalKey(Schema.Int)
})

type RequestedChannel = typeof RequestedChannel.Type

/** Fields of a send's body that say how to send, and nothing of what or to whom. */
export const RequestedFields = Schema.Struct({
  channels: Schema.optionalKey(
    Schema.Union([Schema.String, Schema.Array(Schema.Union([Schema.String, RequestedChannel]))])
  ),
  channel_timeout: Schema.optionalKey(Schema.Int),
  template_id: Schema.optionalKey(Schema.Int),
  template: Schema.optionalKey(Schema.Struct({ id: Schema.Int })),
  locale: Schema.optionalKey(Schema.String),
  strategy: Schema.optionalKey(Schema.String),
  delay: Schema.optionalKey(Schema.String)
})
export type RequestedFields = typeof RequestedFields.Type

/** As a body has them: null counts as absent. */
type OrNull<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | null | undefined }

type GivenChannel = Pick<RequestedChannel, "channel"> & OrNull<Omit<RequestedChannel, "channel">>

/** The body of a send, as far as the log looks at it. */
export interface SentBody extends OrNull<Omit<RequestedFields, "channels" | "template_id">> {
  readonly channels?: string | ReadonlyArray<string | GivenChannel> | null | undefined
  readonly template_id?: number | string | null | undefined
}

const WORD = /^[a-z_]{1,20}$/
const DELAY = /^\d{1,9}[smhd]$/
/** In place of text that is not one of the words of the API: it could be anything. */
const HIDDEN = "…"

const word = (text: string): string => (WORD.test(text) ? text : HIDDEN)

const requestedChannel = (given: string | GivenChannel) =>
  typeof given === "string"
    ? word(given)
    : {
        channel: word(given.channel),
        ...(given.account_id == null ? {} : { account_id: given.account_id }),
        ...(given.sender == null ? {} : { sender: word(given.sender) }),
        ...(given.provider == null ? {} : { provider: word(given.provider) }),
        ...(given.wait == null ? {} : { wait: given.wait })
      }

/** What the log keeps of a send's body; null: nothing. */
export const requestedFields = (body: SentBody): RequestedFields | null => {
  const { channels, channel_timeout, template_id, template, locale, strategy, delay } = body
  const fields: RequestedFields = {
    ...(channels == null
      ? {}
      : { channels: typeof channels === "string" ? word(channels) : channels.map(requestedChannel) }),
    ...(channel_timeout == null ? {} : { channel_timeout }),
    ...(template_id == null || !Number.isSafeInteger(Number(template_id))
      ? {}
      : { template_id: Number(template_id) }),
    ...(template == null ? {} : { template: { id: template.id } }),
    ...(locale == null ? {} : { locale: word(locale) }),
    ...(strategy == null ? {} : { strategy: word(strategy) }),
    ...(delay == null ? {} : { delay: DELAY.test(delay) ? delay : HIDDEN })
  }
  return Object.keys(fields).length === 0 ? null : fields
}

/** A request with a service key that was answered. It has no body, no code, and no whole phone. */
export const LoggedRequest = Schema.Struct({
  /** Its position in the log; a request id can occur twice, as clients may choose it. */
  id: Schema.String,
  customerId: Schema.Int,
  customerName: Schema.String,
  requestId: Schema.String,
  /** When it was answered. */
  at: Instant,
  micros: Schema.Int,
  /** As in the table of routes: `/v1/otp/{verification_id}`. */
  route: Schema.String,
  method: Schema.String,
  status: Schema.Int,
  code: Schema.NullOr(Schema.String),
  mode: KeyMode,
  /** Null: the key is not there any more. */
  key: Schema.NullOr(RequestKey),
  /** Masked. */
  phone: Schema.NullOr(Schema.String),
  /** The verification or the message that it was about. */
  subjectId: Schema.NullOr(Schema.String),
  /** Null: the body had none of them, or the request is no send. */
  fields: Schema.NullOr(RequestedFields)
})
export type LoggedRequest = typeof LoggedRequest.Type

/** A masked phone of the log, as pages show it. */
export const shownPhone = (logged: string): string => logged.replaceAll("*", "•")

/** Requests of one customer that were answered one after the other: they are written and read together. */
export interface RequestBlock {
  readonly customerId: number
  readonly beginsAt: Instant
  readonly endsAt: Instant
  /** Each is the JSON of a `RequestFields`. */
  readonly requests: ReadonlyArray<string>
  /**
   * The phone of each request that was refused, at its place; null if none was. The store keeps a keyed hash of it only.
   */
  readonly refusedPhones?: ReadonlyArray<Phone | null> | null
  /** The phones of refused messages of batches, in the order in which the requests list them. */
  readonly refusedInBatches?: ReadonlyArray<Phone> | null
}

/** A message of a batch that was refused: its error code, and the status that this code has by itself. */
export type RefusedItem = readonly [code: string, status: number]

/** A request as a block has it. Arrays are smaller than objects, and every request pays for it. */
export type RequestFields = readonly [
  at: Instant,
  requestId: string,
  route: string,
  method: string,
  status: number,
  code: string | null,
  micros: number,
  keyId: number,
  mode: KeyMode,
  phone: string | null,
  subjectId: string | null,
  fields?: RequestedFields | null,
  refusedInBatch?: ReadonlyArray<RefusedItem>
]

const ID = new RegExp(`^(${UUID})\\.(\\d{1,4})$`)

/** The id of a record: its block, and the number within it. */
export const parseRecordId = (id: string): { readonly block: string; readonly number: number } | null => {
  const [, block, number] = ID.exec(id) ?? []
  return block === undefined || number === undefined ? null : { block, number: Number(number) }
}

/** The position in the log, which is read by time. */
export interface RequestPosition {
  readonly at: Instant
  readonly block: string
  readonly number: number
}

export const formatRequestPosition = ({ at, block, number }: RequestPosition): string =>
  `${at}_${block}.${number}`

const POSITION = /^(\d{1,13})_(.+)$/

/** Null for the beginning, and for an invalid position. */
export const parseRequestPosition = (text: string | null): RequestPosition | null => {
  const [, at, id = ""] = POSITION.exec(text ?? "") ?? []
  const recordId = parseRecordId(id)
  return at === undefined || recordId === null ? null : { at: Number(at), ...recordId }
}

export const isRequestPosition = (text: string): boolean => parseRequestPosition(text) !== null

/** Negative for a position that comes before the other in a log with the newest first. */
const byNewest = (one: RequestPosition, other: RequestPosition): number => {
  if (one.at !== other.at) return other.at - one.at
  if (one.block !== other.block) return one.block < other.block ? 1 : -1
  return other.number - one.number
}

const placed = (request: LoggedRequest) => {
  const { block = "", number = 0 } = parseRecordId(request.id) ?? {}
  return { request, position: { at: request.at, block, number } }
}

const byOldest: typeof byNewest = (one, other) => byNewest(other, one)

/** One page from those of several logs: it ends where the first of them does, because the rest of that log is unread. */
export const mergePages = (
  pages: ReadonlyArray<Page<LoggedRequest>>,
  { limit, order }: Ordered & Pick<PageRequest, "limit">
): Page<LoggedRequest> => {
  const comparePositions = order === "oldest" ? byOldest : byNewest
  const [end] = pages
    .flatMap((page) => {
      const position = parseRequestPosition(page.next)
      return position === null ? [] : [{ page, position }]
    })
    .toSorted((one, other) => comparePositions(one.position, other.position))
  const read = pages
    .flatMap(({ items }) => items.map(placed))
    // While a customer is moved, its requests are in both logs.
    .filter(({ request }, nth, all) => all.findIndex((other) => other.request.id === request.id) === nth)
    .filter(({ position }) => end === undefined || comparePositions(position, end.position) <= 0)
    .toSorted((one, other) => comparePositions(one.position, other.position))
  const items = read.slice(0, limit).map(({ request }) => request)
  const last = read[limit - 1]
  if (read.length > limit && last !== undefined) return { items, next: formatRequestPosition(last.position) }
  return end === undefined ? { items, next: null } : { ...end.page, items }
}
