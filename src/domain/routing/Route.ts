import { Array as Arr, Result, Schema, Struct } from "effect"
import { type Channel, channelType, isCodeChannel, isSmsProvider, TELEGRAM_GATEWAY } from "./Channel.ts"
import type { CustomerConfiguration, StepWait } from "../people/Customer.ts"
import {
  DuplicateChannel,
  FallbackOrderRequired,
  InvalidChannel,
  NoCredentials,
  type RouteError,
  SmsMessageConfigMissing,
  type TemplateError,
  TemplateNotFound
} from "../Errors.ts"
import { standbyAccounts } from "../account/Standby.ts"
import { checkCodeTemplate } from "../message/Template.ts"
import { type AccountRequest, codeRouteAccount, RouteAccount, selectAccount } from "./RouteAccount.ts"

/** Why a step has its place. */
export const MeasuredPlace = Schema.Struct({
  /** The share of codes that are verified on this channel if it is tried first, with this operator. */
  conversion: Schema.Number,
  /** The customer's codes behind it; older ones count less. */
  codes: Schema.Int,
  verified: Schema.Int,
  /** It is first only to see how it does. */
  explored: Schema.optionalKey(Schema.Literal(true))
})
export type MeasuredPlace = typeof MeasuredPlace.Type

/** One step of a code's route: which account sends, and how many seconds to wait before the next. */
export const RouteStep = Schema.Struct({
  ...RouteAccount.fields,
  wait: Schema.Int,
  /** Whether the request named the channels, or the saved routing order did; absent in the sandbox. */
  source: Schema.optionalKey(Schema.Literals(["request", "saved"])),
  /** The text of the code on this step; absent: the verification's text. */
  textBody: Schema.optionalKey(Schema.String),
  /** Takes over for the step before it: only one of them delivers the code. Absent: a channel of its own. */
  standby: Schema.optionalKey(Schema.Literal(true)),
  /** The wait is the measured one, where that is known. */
  waitsMeasured: Schema.optionalKey(Schema.Literal(true)),
  /** The counts by which the step has its place; absent: it has its place in the saved order or the request. */
  measured: Schema.optionalKey(MeasuredPlace)
})
export type RouteStep = typeof RouteStep.Type
export type Route = Arr.NonEmptyReadonlyArray<RouteStep>

/** One step as a request or a saved routing order asks for it. */
export interface StepRequest {
  readonly channel: string
  readonly account_id?: number | undefined
  readonly sender?: "shared" | undefined
  readonly provider?: string | undefined
  /** `measured` only for steps of a saved order, as `template_id`. */
  readonly wait?: StepWait | undefined
  readonly template_id?: number | undefined
}

/** The contradictions in a step, by field. */
export const stepProblems = (
  step: {
    readonly [Field in "account_id" | "sender" | "provider" | "template_id"]?: unknown
  } & { readonly channel: string }
): ReadonlyArray<{ readonly path: readonly [string]; readonly issue: string }> => {
  const { channel, account_id, sender, provider, template_id } = step
  const problems: ReadonlyArray<readonly [isOne: boolean, field: string, issue: string]> = [
    [provider != null && channel !== "sms", "provider", "Only sms has a provider"],
    [sender != null && channel === "sms", "sender", "There is no shared sms sender"],
    [sender != null && account_id != null, "account_id", "A shared sender is not chosen by account"],
    [
      template_id != null && channel === "sms",
      "template_id",
      "SMS uses the template registered at its provider"
    ]
  ]
  return problems.flatMap(([isOne, field, issue]) => (isOne ? [{ path: [field] as const, issue }] : []))
}

export interface RouteRequest {
  readonly channels?: ReadonlyArray<StepRequest> | undefined
  /** The request-wide waiting time, in seconds. */
  readonly channelTimeout?: number | undefined
  /** The request's own template, which overrides those of a saved order's steps. */
  readonly templateId?: number | undefined
}

export const DEFAULT_WAIT_SECONDS = 60

type KnownStep = AccountRequest & Pick<StepRequest, "wait" | "template_id">

/** Whether codes may go over telegram is decided by the customer's accounts. */
const hasTelegram = ({ accounts, sharedAccounts }: CustomerConfiguration): boolean =>
  [...accounts, ...sharedAccounts].some(({ channel }) => channel === "telegram")

const knownStep = (step: StepRequest, withTelegram: boolean): Result.Result<KnownStep, InvalidChannel> => {
  const { channel, provider } = step
  const isOpen = isCodeChannel(channel) || (channel === "telegram" && withTelegram)
  if (!isOpen) return Result.fail(new InvalidChannel({ details: { channel } }))
  if (provider !== undefined && !isSmsProvider(provider)) {
    return Result.fail(new InvalidChannel({ details: { provider } }))
  }
  return Result.succeed({ ...step, channel })
}

const duplicateOf = (steps: ReadonlyArray<KnownStep>): Channel | undefined => {
  const seen = new Set<Channel>()
  for (const { channel } of steps) {
    if (seen.has(channel)) return channel
    seen.add(channel)
  }
  return undefined
}

/** Checks only the names: known channels and providers, no duplicates. */
export const checkNames = (
  steps: ReadonlyArray<StepRequest>,
  { withTelegram }: { readonly withTelegram: boolean }
): Result.Result<ReadonlyArray<KnownStep>, InvalidChannel | DuplicateChannel> =>
  Result.flatMap(Result.all(steps.map((step) => knownStep(step, withTelegram))), (known) => {
    const channel = duplicateOf(known)
    return channel === undefined
      ? Result.succeed(known)
      : Result.fail(new DuplicateChannel({ details: { channel } }))
  })

const accountFor = (configuration: CustomerConfiguration, step: KnownStep) =>
  step.sender === undefined &&
  step.account_id === undefined &&
  !configuration.accounts.some(({ active }) => active)
    ? Result.fail(new NoCredentials())
    : selectAccount(configuration, { ...step, kind: "code" })

const toRoute = (steps: ReadonlyArray<RouteStep>): Result.Result<Route, FallbackOrderRequired> =>
  Arr.isReadonlyArrayNonEmpty(steps) ? Result.succeed(steps) : Result.fail(new FallbackOrderRequired())

/** The request overrides the saved order. `wait` is the request's own if the channels are. */
const waitOf = (
  { wait }: KnownStep,
  { channels, channelTimeout }: RouteRequest
): Pick<RouteStep, "wait" | "waitsMeasured"> => {
  const seconds =
    (channels === undefined ? (channelTimeout ?? wait) : (wait ?? channelTimeout)) ?? DEFAULT_WAIT_SECONDS
  return seconds === "measured" ? { wait: DEFAULT_WAIT_SECONDS, waitsMeasured: true } : { wait: seconds }
}

/** The text of a saved step's template. */
const textOf = (
  { template_id }: KnownStep,
  { templateId }: RouteRequest,
  { routingTemplates }: CustomerConfiguration
): Result.Result<{ readonly textBody?: string }, TemplateError> => {
  if (template_id === undefined || templateId !== undefined) return Result.succeed({})
  const template = routingTemplates.find(({ id }) => id === template_id)
  return template === undefined
    ? Result.fail(new TemplateNotFound({ details: { template_id } }))
    : Result.map(checkCodeTemplate(template), (textBody) => ({ textBody }))
}

/** A step of a request, or of the saved order, by itself. */
export const resolveStep = (
  step: KnownStep,
  request: RouteRequest,
  configuration: CustomerConfiguration
): Result.Result<RouteStep, RouteError | TemplateError> =>
  Result.gen(function* () {
    const account = yield* accountFor(configuration, step)
    if (!account.sendsCodes) {
      return yield* Result.fail(new SmsMessageConfigMissing({ details: { account_id: account.id } }))
    }
    const text = yield* textOf(step, request, configuration)
    const source = request.channels === undefined ? ("saved" as const) : ("request" as const)
    return { ...codeRouteAccount(account), ...waitOf(step, request), source, ...text }
  })

/** The step, followed by those that take over for it. */
const withStandby = (
  step: RouteStep,
  { accounts, sharedAccounts }: CustomerConfiguration
): ReadonlyArray<RouteStep> => {
  const own = step.descriptor.credential_id === null ? sharedAccounts : accounts
  const account = own.find(({ id }) => id === step.account_id)
  if (account?.standby === undefined || account.standby.length === 0) return [step]
  const standby = standbyAccounts(account, own).map((each): RouteStep => ({
    ...codeRouteAccount(each),
    ...Struct.pick(step, ["wait", "textBody", "waitsMeasured"]),
    standby: true
  }))
  return [step, ...standby]
}

/**
 * The route of a request: its own channels, else the saved routing order. A step's waiting time is the first
 * of: the request's channel object, the request, the saved step, the default.
 */
export const resolveRoute = (
  request: RouteRequest,
  configuration: CustomerConfiguration
): Result.Result<Route, RouteError | TemplateError> =>
  Result.flatMap(
    checkNames(request.channels ?? configuration.routing ?? [], { withTelegram: hasTelegram(configuration) }),
    (steps) =>
      Result.flatMap(Result.all(steps.map((step) => resolveStep(step, request, configuration))), (resolved) =>
        toRoute(resolved.flatMap((step) => withStandby(step, configuration)))
      )
  )

/** The least, so that with every channel but telegram a code is valid for 300 seconds, as the sandbox's codes are. */
const SANDBOX_WAIT_SECONDS = 45

/** An account of the sandbox, by its channel's name. */
export const sandboxAccount = (channel: Channel, provider: string): RouteAccount => ({
  channel,
  account_id: null,
  reportsDelivery: true,
  descriptor: { type: channelType(channel), provider, credential_id: null, label: `Sandbox (${provider})` }
})

const sandboxStep = (step: KnownStep | undefined): RouteStep => {
  const channel = step?.channel ?? "bale"
  const smsProvider = step?.provider ?? "smsir"
  const provider = step === undefined ? "sandbox" : channel === "sms" ? smsProvider : channel
  return { ...sandboxAccount(channel, provider), wait: SANDBOX_WAIT_SECONDS }
}

type ConnectedAccounts = Pick<CustomerConfiguration, "accounts" | "sharedAccounts">

/** An account of Telegram's gateway is the consent to codes over telegram, also in the sandbox. */
const hasTelegramGateway = ({ accounts, sharedAccounts }: ConnectedAccounts): boolean =>
  [...accounts, ...sharedAccounts].some(({ provider }) => provider === TELEGRAM_GATEWAY)

/** The sandbox's route: only the channels' names, because nothing is sent there. */
export const resolveSandboxRoute = (
  request: RouteRequest,
  connected: ConnectedAccounts
): Result.Result<Route, InvalidChannel | DuplicateChannel> =>
  Result.map(
    checkNames(request.channels ?? [], { withTelegram: hasTelegramGateway(connected) }),
    ([first, ...rest]): Route => [sandboxStep(first), ...rest.map(sandboxStep)]
  )
