import { Arbitrary, Result, Schema } from "effect"
import type { CustomerConfiguration, SendingAccount } from "../../../src/domain/customer/Customer.ts"
import { type MessageStepRequest, resolveMessageRoute } from "../../../src/domain/routing/MessageRoute.ts"
import { routeCase } from "./RouteCases.ts"

/** The routes of a message, and the customer who asks for them. */
export interface MessageRouteCase {
  readonly steps: ReadonlyArray<MessageStepRequest>
  readonly configuration: CustomerConfiguration
}

const CHANNELS = ["eitaa", "bale", "soroushplus", "rubika", "telegram", "sms"] as const
const usualChannels = ["bale", "eitaa", "sms", "telegram"] as const

/** The account that a step names, if any: one of its channel, one with some id, a shared one or none. */
const stepDraft = Schema.Struct({
  channel: Schema.Literals([...usualChannels, ...usualChannels, ...CHANNELS, "pigeon"]),
  account: Schema.NullOr(
    Schema.Literals(["first", "second", "first", "second", "first", "second", 1, 101, 999])
  )
})

const toStep = (
  { channel, account }: typeof stepDraft.Type,
  accounts: ReadonlyArray<SendingAccount>
): MessageStepRequest => {
  if (account === null) return { channel }
  if (typeof account === "number") return { channel, account_id: account }
  const ofChannel = accounts.filter((candidate) => candidate.channel === channel)
  return { channel, account_id: ofChannel[account === "first" ? 0 : 1]?.id }
}

/** An sms account can lack what a text needs, and a telegram account can be the gateway's, which sends codes alone. */
const withTexts = (
  accounts: ReadonlyArray<SendingAccount>,
  complete: ReadonlyArray<boolean>
): ReadonlyArray<SendingAccount> =>
  accounts.map((account, index) => {
    const isComplete = complete[index % complete.length] !== false
    if (account.channel === "sms") return { ...account, sendsTexts: isComplete }
    if (account.channel !== "telegram") return account
    return {
      ...account,
      provider: isComplete ? "telegram_bot" : "telegram_gateway",
      sendsTexts: isComplete
    }
  })

export const messageRouteCase: Arbitrary.Arbitrary<MessageRouteCase> = Arbitrary.all({
  drafts: Arbitrary.array(Arbitrary.schema(stepDraft), { maxLength: 4 }),
  example: routeCase,
  complete: Arbitrary.array(Arbitrary.schema(Schema.Literals([true, true, false])), {
    minLength: 1,
    maxLength: 5
  })
}).pipe(
  Arbitrary.map(({ drafts, example: { configuration }, complete }) => ({
    steps: drafts.map((draft) => toStep(draft, configuration.accounts)),
    configuration: { ...configuration, accounts: withTexts(configuration.accounts, complete) }
  }))
)

const isChannel = (name: string): boolean => CHANNELS.some((channel) => channel === name)

const carriesTexts = ({ provider }: SendingAccount): boolean => provider !== "telegram_gateway"

/** The account of a step, or why there is none. */
export const accountFor = (
  { channel, account_id }: MessageStepRequest,
  { accounts }: CustomerConfiguration
): SendingAccount | string => {
  if (!isChannel(channel)) return "invalid_channel"
  if (account_id !== undefined) {
    const named = accounts.find(({ id }) => id === account_id)
    if (named === undefined) return "channel_account_not_found"
    if (named.channel !== channel) return "channel_account_mismatch"
    return named.active && carriesTexts(named) ? named : "channel_unavailable"
  }
  const candidates = accounts.filter(
    (account) => account.active && account.channel === channel && carriesTexts(account)
  )
  const [first] = candidates
  if (first === undefined) return "channel_unavailable"
  if (candidates.length === 1) return first
  return candidates.find(({ isDefault }) => isDefault) ?? "channel_ambiguous"
}

const hasRepeated = <A>(values: ReadonlyArray<A>): boolean => new Set(values).size < values.length

/** Every error whose condition, as the decisions state it, holds; a request with none of them has a route. */
export const errorsOf = ({ steps, configuration }: MessageRouteCase): ReadonlySet<string> => {
  const found = steps.map((step) => accountFor(step, configuration))
  const accounts = found.filter((account) => typeof account !== "string")
  const asked = steps.map(({ channel, account_id }) => JSON.stringify([channel, account_id]))
  return new Set([
    ...(steps.length === 0 ? ["channels_required"] : []),
    ...found.filter((error) => typeof error === "string"),
    ...(hasRepeated(asked) || hasRepeated(accounts.map(({ id }) => id)) ? ["duplicate_channel"] : []),
    ...(accounts.some(({ sendsTexts }) => !sendsTexts) ? ["sms_message_config_missing"] : [])
  ])
}

/** The code a request is refused with, or "resolved". */
export const outcomeOf = ({ steps, configuration }: MessageRouteCase): string =>
  Result.match(resolveMessageRoute(steps, configuration), {
    onFailure: ({ _tag }): string => _tag,
    onSuccess: () => "resolved"
  })
