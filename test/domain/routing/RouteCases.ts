import { Arbitrary, Result, Schema } from "effect"
import type { Channel } from "../../../src/domain/routing/Channel.ts"
import {
  type CustomerConfiguration,
  Plan,
  type RoutingStep,
  type SendingAccount
} from "../../../src/domain/customer/Customer.ts"
import { WaitSeconds } from "../../../src/domain/routing/Waits.ts"
import { resolveRoute } from "../../../src/domain/routing/RouteResolution.ts"
import type { RouteRequest, StepRequest } from "../../../src/domain/routing/RouteRequest.ts"

/** A request and the customer who makes it. */
export interface RouteCase {
  readonly request: RouteRequest
  readonly configuration: CustomerConfiguration
}

const CODE_CHANNELS = ["eitaa", "bale", "soroushplus", "rubika", "sms"] as const
const SMS_PROVIDERS = [
  "smsir",
  "kavenegar",
  "ippanel",
  "melipayamak",
  "ghasedak",
  "farazsms",
  "bridge",
  "simulator"
] as const
/** Ids of shared accounts start here, so that a request can name one. */
const FIRST_SHARED_ID = 101

/** The first ones more often, so that several accounts of a channel are common. */
const usualChannels = ["bale", "eitaa", "sms", "bale", "eitaa", "sms", "rubika", "soroushplus"] as const

const account = Schema.Struct({
  channel: Schema.Literals([...usualChannels, "telegram"]),
  provider: Schema.Literals(SMS_PROVIDERS),
  isDefault: Schema.Boolean,
  active: Schema.Literals([true, true, false]),
  sendsCodes: Schema.Literals([true, true, true, true, true, false])
})

/** Over telegram some accounts are the gateway's, which sends codes and no texts, and the others bots. */
const telegramProvider = ({ sendsCodes }: typeof account.Type): string =>
  sendsCodes ? "telegram_gateway" : "telegram_bot"

const providerOf = (draft: typeof account.Type): string => {
  if (draft.channel === "telegram") return telegramProvider(draft)
  return draft.channel === "sms" ? draft.provider : draft.channel
}

/** At most one default for each channel, as the store has it. Only some accounts can lack what a code needs. */
const toAccounts = (
  drafts: ReadonlyArray<typeof account.Type>,
  firstId: number,
  shared: boolean
): ReadonlyArray<SendingAccount> =>
  drafts.map((draft, index) => ({
    ...draft,
    id: firstId + index,
    provider: providerOf(draft),
    label: `account ${firstId + index}`,
    shared,
    sendsCodes: !["sms", "telegram"].includes(draft.channel) || draft.sendsCodes,
    sendsTexts: providerOf(draft) !== "telegram_gateway",
    deduplicatesCodes: false,
    deduplicatesTexts: false,
    reportsDelivery: false,
    needsContact: false,
    isDefault:
      draft.isDefault &&
      !drafts.slice(0, index).some(({ channel, isDefault }) => isDefault && channel === draft.channel)
  }))

const accounts = (firstId: number, shared: boolean) =>
  Arbitrary.all([
    Arbitrary.array(Arbitrary.schema(account), { maxLength: 3 }),
    Arbitrary.array(Arbitrary.schema(account), { minLength: 9, maxLength: 12 }),
    Arbitrary.schema(Schema.Literals([true, false, false]))
  ]).pipe(Arbitrary.map(([few, many, isPoor]) => toAccounts(isPoor ? few : many, firstId, shared)))

/** An account of the step's own channel, or some id. */
const accountChoice = Schema.Literals(["first", "second", "first", "second", 1, 2, FIRST_SHARED_ID, 999])
const rarely = <S extends Schema.Top>(schema: S) =>
  Schema.Union([Schema.Undefined, Schema.Undefined, Schema.Undefined, schema])

const stepDraft = Schema.Struct({
  channel: Schema.Literals([...usualChannels, ...usualChannels, ...usualChannels, "telegram", "pigeon"]),
  account: rarely(accountChoice),
  sender: rarely(Schema.Literal("shared")),
  provider: rarely(Schema.Literals([...SMS_PROVIDERS, ...SMS_PROVIDERS, "nosuch"])),
  wait: Schema.UndefinedOr(WaitSeconds)
})
type StepDraft = typeof stepDraft.Type

const accountId = ({ channel, account }: StepDraft, accounts: ReadonlyArray<SendingAccount>) => {
  if (typeof account !== "string") return account
  const ofChannel = accounts.filter((candidate) => candidate.channel === channel)
  return ofChannel[account === "first" ? 0 : 1]?.id
}

/** The requests that the schema accepts: only sms has a provider, only a messenger a shared sender. */
const toStepRequest = (draft: StepDraft, accounts: ReadonlyArray<SendingAccount>): StepRequest => {
  const { channel, sender, provider, wait } = draft
  const request = { channel, wait, account_id: accountId(draft, accounts) }
  return channel === "sms" ? { ...request, provider } : { ...request, sender }
}

const toSavedStep = (draft: StepDraft, accounts: ReadonlyArray<SendingAccount>): RoutingStep => {
  const id = accountId(draft, accounts)
  return {
    channel: draft.channel === "pigeon" ? "bale" : draft.channel,
    ...(id === undefined ? {} : { account_id: id }),
    ...(draft.wait === undefined ? {} : { wait: draft.wait })
  }
}

/** Mostly without a channel twice, which would hide all other errors. */
const steps = (minLength: number) =>
  Arbitrary.all([
    Arbitrary.array(Arbitrary.schema(stepDraft), { minLength, maxLength: 4 }),
    Arbitrary.schema(Schema.Literals([true, false, false, false]))
  ]).pipe(
    Arbitrary.map(([drafts, mayRepeat]) =>
      mayRepeat
        ? drafts
        : drafts.filter(({ channel }, at) => at === drafts.findIndex((other) => other.channel === channel))
    )
  )

const often = Arbitrary.schema(Schema.Literals([true, true, true, false]))

export const routeCase: Arbitrary.Arbitrary<RouteCase> = Arbitrary.all({
  named: Arbitrary.all([often, steps(1)]),
  saved: Arbitrary.all([often, steps(0)]),
  channelTimeout: Arbitrary.schema(Schema.UndefinedOr(WaitSeconds)),
  plan: Arbitrary.schema(Plan),
  accounts: accounts(1, false),
  sharedAccounts: accounts(FIRST_SHARED_ID, true)
}).pipe(
  Arbitrary.map(({ named, saved, channelTimeout, plan, accounts, sharedAccounts }) => ({
    request: {
      channels: named[0] ? named[1].map((draft) => toStepRequest(draft, accounts)) : undefined,
      channelTimeout
    },
    configuration: {
      customerId: 1,
      plan,
      routingTemplates: [],
      webOtpHost: null,
      webOtpOrigins: [],
      appHash: null,
      brand: null,
      locale: "fa" as const,
      limits: {},
      accounts,
      sharedAccounts,
      routing: saved[0] ? saved[1].map((draft) => toSavedStep(draft, accounts)) : null
    }
  }))
)

export const stepsOf = ({ request, configuration }: RouteCase): ReadonlyArray<StepRequest> =>
  request.channels ?? configuration.routing ?? []

const isCodeChannel = (name: string): name is Channel => CODE_CHANNELS.some((channel) => channel === name)
/** Codes go over telegram for those who have an account there. */
const isOpen = (channel: string, { accounts, sharedAccounts }: CustomerConfiguration): boolean =>
  isCodeChannel(channel) ||
  (channel === "telegram" && [...accounts, ...sharedAccounts].some((each) => each.channel === "telegram"))

/** Bots carry no codes. */
const carriesCodes = ({ channel, provider }: SendingAccount): boolean =>
  channel !== "telegram" || provider === "telegram_gateway"

const isProvider = (name: string): boolean => SMS_PROVIDERS.some((provider) => provider === name)

const isOf = (account: SendingAccount, { channel, provider }: StepRequest): boolean =>
  account.channel === channel && (provider === undefined || account.provider === provider)

export const serves = (account: SendingAccount, step: StepRequest): boolean =>
  isOf(account, step) && carriesCodes(account)

const sharedErrors = ({ plan, sharedAccounts }: CustomerConfiguration, { channel }: StepRequest) => {
  if (plan !== "start") return ["shared_sender_not_allowed"]
  return sharedAccounts.some((each) => each.active && each.channel === channel && carriesCodes(each))
    ? []
    : ["shared_sender_unavailable"]
}

const incomplete = ({ sendsCodes }: SendingAccount) => (sendsCodes ? [] : ["sms_message_config_missing"])

const ownErrors = ({ accounts }: CustomerConfiguration, wanted: StepRequest) => {
  const active = accounts.filter((account) => account.active)
  const nothingActive = active.length === 0 ? ["no_credentials"] : []
  if (wanted.account_id !== undefined) {
    const named = accounts.find(({ id }) => id === wanted.account_id)
    if (named === undefined) return ["channel_account_not_found"]
    if (!isOf(named, wanted)) return ["channel_account_mismatch"]
    // the decisions do not rank these two when the one account that is named is switched off
    return named.active && carriesCodes(named) ? incomplete(named) : ["channel_unavailable", ...nothingActive]
  }
  if (active.length === 0) return nothingActive
  const candidates = active.filter((account) => serves(account, wanted))
  if (candidates.length === 0) return ["channel_unavailable"]
  const chosen = candidates.length === 1 ? candidates[0] : candidates.find(({ isDefault }) => isDefault)
  return chosen === undefined ? ["channel_ambiguous"] : incomplete(chosen)
}

/** Every error whose condition, as the decisions state it, holds; a request with none of them has a route. */
export const errorsOf = (routeCase: RouteCase): ReadonlySet<string> => {
  const { configuration } = routeCase
  const steps = stepsOf(routeCase)
  const known = steps.filter(({ channel }) => isOpen(channel, configuration))
  const isUnknown = ({ channel, provider }: StepRequest) =>
    !isOpen(channel, configuration) || (provider !== undefined && !isProvider(provider))
  const isRepeated = new Set(steps.map(({ channel }) => channel)).size < steps.length
  return new Set([
    ...(steps.length === 0 ? ["fallback_order_required"] : []),
    ...(steps.some(isUnknown) ? ["invalid_channel"] : []),
    ...(isRepeated ? ["duplicate_channel"] : []),
    ...known.flatMap((wanted) =>
      wanted.sender === "shared" ? sharedErrors(configuration, wanted) : ownErrors(configuration, wanted)
    )
  ])
}

/** The code a request is refused with, or "resolved". */
export const outcomeOf = ({ request, configuration }: RouteCase): string =>
  Result.match(resolveRoute(request, configuration), {
    onFailure: ({ _tag }): string => _tag,
    onSuccess: () => "resolved"
  })
