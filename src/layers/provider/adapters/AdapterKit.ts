import { Effect, Result, Schema } from "effect"
import type { Instant } from "../../../domain/Instant.ts"
import type { Phone } from "../../../domain/Phone.ts"
import { problem } from "../../../domain/Problem.ts"
import { refusing } from "../../../domain/SchemaProblems.ts"
import { sendingSettings } from "../../../domain/account/AccountState.ts"
import type { AccountTraits } from "../../../domain/customer/Customer.ts"
import { type RejectionCause, DeliveryReport, ProviderOutcome } from "../../../domain/ProviderOutcome.ts"
import { originOf, readSettings } from "../AccountSettings.ts"
import { query, ownValue, send } from "../ProviderResponses.ts"
import type { ProviderResponse, ProviderHttp, ProviderRequest } from "../ProviderHttp.ts"
import {
  AccountProblem,
  type ConnectOptions,
  type ProviderAdapter,
  type ProviderConnection
} from "../../../services/provider/ProviderAdapter.ts"

/** An adapter that reads its settings before it connects. */
export const adapter = <S extends Schema.Decoder<unknown>>(
  declared: Omit<ProviderAdapter, "connect" | "settings"> & { readonly settings: S },
  connect: (account: S["Type"], options: ConnectOptions) => ProviderConnection
): ProviderAdapter => ({
  ...declared,
  connect: (settings, options) =>
    Result.map(readSettings(declared.settings, settings), (account) => connect(account, options))
})

export const smsAdapter = <S extends Schema.Decoder<unknown>>(
  name: keyof typeof sendingSettings,
  settings: S,
  connect: (account: S["Type"]) => ProviderConnection
): ProviderAdapter =>
  adapter({ name, channels: ["sms"], settings, sendingSettings: sendingSettings[name] }, connect)

/** A provider whose accounts send SMS, or call: with the same settings, none of which a call needs. */
export const smsAndVoiceAdapter = <S extends Schema.Decoder<unknown>>(
  name: keyof typeof sendingSettings,
  settings: S,
  connect: (account: S["Type"], calls: boolean) => ProviderConnection
): ProviderAdapter =>
  adapter(
    { name, channels: ["sms", "voice"], settings, sendingSettings: sendingSettings[name] },
    (account, { channel }) => connect(account, channel === "voice")
  )

interface Given extends Partial<Omit<ProviderConnection, "traits" | "deliveryReport">> {
  readonly traits: Partial<AccountTraits>
  readonly sendCode: ProviderConnection["sendCode"]
  readonly sendText: ProviderConnection["sendText"]
  /** A report that could not be read says nothing. */
  readonly deliveryReport?: ((messageId: string) => Effect.Effect<DeliveryReport, AccountProblem>) | null
}

const orNotKnown = Effect.catch(({ message }: AccountProblem) =>
  Effect.succeed(DeliveryReport.NotKnown({ reason: message }))
)

/** An account that sends both kinds, and has none of the rest but what is given. */
export const traitsOf = (given: Partial<AccountTraits>): AccountTraits => ({
  sendsCodes: true,
  sendsTexts: true,
  deduplicatesCodes: false,
  deduplicatesTexts: false,
  reportsDelivery: false,
  needsContact: false,
  ...given
})

/** A connection to the origin of this address. What is not given, the provider does not have. */
export const connectionTo = (
  baseUrl: string,
  { traits, deliveryReport = null, ...given }: Given
): ProviderConnection => ({
  origin: originOf(baseUrl),
  check: null,
  inbox: null,
  ...given,
  traits: traitsOf(traits),
  deliveryReport: deliveryReport && ((messageId) => orNotKnown(deliveryReport(messageId)))
})

/** What all SMS providers have in common, but for what is given. */
export const smsTraits = (given: Partial<AccountTraits>): Partial<AccountTraits> => ({
  reportsDelivery: true,
  cooldownByKind: true,
  ...given
})

type Body = Readonly<Record<string, unknown>>
type Headers = Readonly<Record<string, string>>

/** The calls of an account: those with a body are a POST of JSON. */
export const jsonCalls = <ResponseBody extends Schema.Decoder<unknown>>(
  http: ProviderHttp["Service"],
  baseUrl: string,
  headers: Headers,
  response: ResponseBody
) => {
  const requestOf = (path: string, body?: Body): ProviderRequest =>
    body === undefined
      ? { method: "GET", url: `${baseUrl}${path}`, headers }
      : { method: "POST", url: `${baseUrl}${path}`, headers, body: JSON.stringify(body) }
  return {
    send: (
      path: string,
      body: Body,
      classify: (response: ResponseBody["Type"], received: ProviderResponse) => ProviderOutcome,
      options: Pick<ProviderRequest, "isBackground" | "timeoutShare"> = {}
    ) => send(http, { ...requestOf(path, body), ...options }, response, classify),
    query: (path: string, body?: Body, options: Pick<ProviderRequest, "timeoutMillis"> = {}) =>
      query(http, { ...requestOf(path, body), ...options }, response)
  }
}

/** A POST with the fields of a form. */
export const formPost = (url: string, fields: Readonly<Record<string, string>>): ProviderRequest => ({
  method: "POST",
  url,
  headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
  body: String(new URLSearchParams(fields))
})

export const accepted = (messageId: string | null) => ProviderOutcome.Accepted({ messageId })

export const rejected = (cause: RejectionCause, providerError: string) =>
  ProviderOutcome.Rejected({ cause, providerError })

/** The chat with the recipient is over. */
export const contactLost = (providerError: string) =>
  ProviderOutcome.Rejected({ cause: "recipient", providerError, isContactLost: true })

export const unknown = (providerError: string) => ProviderOutcome.Unknown({ providerError })

export const throttled = (retryAfterMillis: number | null, providerError: string) =>
  ProviderOutcome.Throttled({ retryAfterMillis, providerError })

/** The meaning of a provider's code for a send. */
export type Meaning = RejectionCause | "throttled" | "unavailable" | "unknown"

/** The documented codes of a provider. */
export type ResponseTable = Readonly<Record<number | string, Meaning>>

/** A table by code, from the codes of each meaning. */
export const byCode = <M extends Meaning>(
  codes: Readonly<Partial<Record<M, ReadonlyArray<number | string>>>>
): Readonly<Record<number | string, M>> => {
  const table: Record<number | string, M> = {}
  for (const meaning in codes) for (const code of codes[meaning] ?? []) table[code] = meaning
  return table
}

export const outcomeOfMeaning = (
  meaning: Meaning,
  providerError: string,
  { retryAfterMillis }: Pick<ProviderResponse, "retryAfterMillis">
): ProviderOutcome => {
  switch (meaning) {
    case "throttled":
      return throttled(retryAfterMillis, providerError)
    case "unavailable":
      return ProviderOutcome.Unavailable({ providerError })
    case "unknown":
      return unknown(providerError)
    case "recipient":
    case "request":
    case "configuration":
      return rejected(meaning, providerError)
  }
}

/** A name of the provider's: of a template, or of its variable. */
const isWord = Schema.isPattern(
  /^[^\s]{1,100}$/,
  refusing(problem("setting_has_spaces", { minimum: 1, maximum: 100 }))
)

export const optionalWord = (description: string) =>
  Schema.optionalKey(Schema.String.check(isWord)).annotateKey({ description })

/** A line's number. */
export const Line = Schema.String.check(
  Schema.isPattern(/^\+?\d{4,15}$/, refusing(problem("setting_not_digits", { minimum: 4, maximum: 15 })))
)

/** The states of a provider's reports. */
export interface ReportTable {
  readonly delivered: number | string
  /** The states that are not final; `others`: all that are in no other list. A state in no list says nothing. */
  readonly inProgress: ReadonlyArray<number | string> | "others"
  /** With the words that are stored. */
  readonly undelivered: Readonly<Record<number | string, string>>
}

export const reportOfState = (
  { delivered, inProgress, undelivered }: ReportTable,
  state: number | string,
  /** Why nothing is known if the state is in no list. */
  reason: string,
  at: Instant | null = null
): DeliveryReport => {
  const providerError = ownValue(undelivered, state)
  if (state === delivered) return DeliveryReport.Delivered({ at })
  if (providerError !== undefined) return DeliveryReport.Undelivered({ providerError })
  return inProgress === "others" || inProgress.includes(state)
    ? DeliveryReport.InProgress()
    : DeliveryReport.NotKnown({ reason })
}

/** As SMS providers have it in their examples: `09123456789`. */
export const localNumber = (phone: Phone): string => `0${phone.slice("+98".length)}`

export const problemWith = (message: string, isDefinite: boolean) =>
  new AccountProblem({ message, isDefinite })

/** The problem that a check of an account found. Only a response that names the set-up as the cause is definite. */
export const problemOf = (message: string, meaning: Meaning | undefined): AccountProblem =>
  problemWith(message, meaning === "configuration")

/** A number, or its text; NaN if it is neither. */
export const numberOf = (value: unknown): number =>
  typeof value === "number" || (typeof value === "string" && value.trim() !== "") ? Number(value) : NaN

/** The number in the first of these fields that has one; NaN without one. */
export const creditIn =
  (...fields: ReadonlyArray<string>) =>
  (data: unknown): number =>
    fields.map((field) => numberOf(Object(data)[field])).find(Number.isFinite) ?? NaN

/** The result of a check that found nothing to mention. */
export const NO_WARNING = ""

/**
 * A warning if the account's lines lack this one. Only a warning: a line that several accounts share may be missing
 * from the list.
 */
export const warnOfLine = Effect.fnUntraced(function* (
  line: string | undefined,
  lines: Effect.Effect<ReadonlyArray<string>, AccountProblem>
) {
  if (line === undefined) return NO_WARNING
  const known = yield* lines
  return known.length === 0 || known.includes(line)
    ? NO_WARNING
    : `line ${line} is not among the account's: ${known.join(", ")}`
})

/** The response about a template, whose problem names it: a provider can say just “Not found”. */
export const askAbout = <A>(template: string, response: Effect.Effect<A, AccountProblem>) =>
  Effect.mapError(response, ({ message, isDefinite }) => problemWith(`${template}: ${message}`, isDefinite))

/** Fails if the template does not have the variable that is to take the code. */
export const requireVariable = (
  template: string,
  variable: string,
  names: ReadonlyArray<string>
): Effect.Effect<void, AccountProblem> =>
  names.includes(variable)
    ? Effect.void
    : Effect.fail(
        problemWith(`${template} has no variable ${variable}; it has: ${names.join(", ") || "none"}`, true)
      )
