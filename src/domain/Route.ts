import { Array as Arr, Result, Schema } from "effect"
import { Channel, ChannelDescriptor, channelType, isCodeChannel, isSmsProvider } from "./Channel.ts"
import { type CustomerConfiguration, type SendingAccount } from "./Customer.ts"
import {
  ChannelAccountMismatch,
  ChannelAccountNotFound,
  ChannelAmbiguous,
  ChannelUnavailable,
  DuplicateChannel,
  FallbackOrderRequired,
  InvalidChannel,
  NoCredentials,
  type RouteError,
  SharedSenderNotAllowed,
  SharedSenderUnavailable
} from "./Errors.ts"

/** One step of a route: which account sends on which channel, and how long to wait before the next. */
export const RouteStep = Schema.Struct({
  channel: Channel,
  /** The account that sends; null in sandbox. */
  account_id: Schema.NullOr(Schema.Int),
  /** Seconds to wait before the next step. */
  wait: Schema.Int,
  descriptor: ChannelDescriptor
})
export type RouteStep = typeof RouteStep.Type
export type Route = Arr.NonEmptyReadonlyArray<RouteStep>

/** What a caller, or a saved routing order, asks for at one step. */
export interface StepRequest {
  readonly channel: string
  readonly account_id?: number | undefined
  readonly sender?: "shared" | undefined
  readonly provider?: string | undefined
  readonly wait?: number | undefined
}

export interface RouteRequest {
  readonly channels?: ReadonlyArray<StepRequest> | undefined
  /** The request-wide waiting time, in seconds. */
  readonly channelTimeout?: number | undefined
}

export const DEFAULT_WAIT_SECONDS = 60

type KnownStep = StepRequest & { readonly channel: Channel }

const knownStep = (step: StepRequest): Result.Result<KnownStep, InvalidChannel> => {
  const { channel, provider } = step
  if (!isCodeChannel(channel)) return Result.fail(new InvalidChannel({ details: { channel } }))
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

/** Checks the names only: known channels and providers, none twice. */
export const checkNames = (
  steps: ReadonlyArray<StepRequest>
): Result.Result<ReadonlyArray<KnownStep>, InvalidChannel | DuplicateChannel> =>
  Result.flatMap(Result.all(steps.map(knownStep)), (known) => {
    const channel = duplicateOf(known)
    return channel === undefined
      ? Result.succeed(known)
      : Result.fail(new DuplicateChannel({ details: { channel } }))
  })

const sharedAccount = (
  { plan, sharedAccounts }: CustomerConfiguration,
  channel: Channel
): Result.Result<SendingAccount, RouteError> => {
  if (plan !== "start") return Result.fail(new SharedSenderNotAllowed())
  const account = sharedAccounts.find((candidate) => candidate.active && candidate.channel === channel)
  return account === undefined
    ? Result.fail(new SharedSenderUnavailable({ details: { channel } }))
    : Result.succeed(account)
}

const namedAccount = (
  { accounts }: CustomerConfiguration,
  { channel, provider }: KnownStep,
  accountId: number
): Result.Result<SendingAccount, RouteError> => {
  const account = accounts.find((candidate) => candidate.id === accountId)
  if (account === undefined)
    return Result.fail(new ChannelAccountNotFound({ details: { account_id: accountId } }))
  if (account.channel !== channel || (provider !== undefined && account.provider !== provider)) {
    return Result.fail(new ChannelAccountMismatch({ details: { account_id: accountId, channel } }))
  }
  return account.active
    ? Result.succeed(account)
    : Result.fail(new ChannelUnavailable({ details: { channel } }))
}

const onlyOrDefaultAccount = (
  { accounts }: CustomerConfiguration,
  { channel, provider }: KnownStep
): Result.Result<SendingAccount, RouteError> => {
  const active = accounts.filter((account) => account.active)
  if (active.length === 0) return Result.fail(new NoCredentials())
  const candidates = active.filter(
    (account) => account.channel === channel && (provider === undefined || account.provider === provider)
  )
  const [first, ...others] = candidates
  if (first === undefined) return Result.fail(new ChannelUnavailable({ details: { channel } }))
  const chosen = others.length === 0 ? first : candidates.find((account) => account.isDefault)
  return chosen === undefined
    ? Result.fail(new ChannelAmbiguous({ details: { channel, account_ids: candidates.map(({ id }) => id) } }))
    : Result.succeed(chosen)
}

const accountFor = (
  configuration: CustomerConfiguration,
  step: KnownStep
): Result.Result<SendingAccount, RouteError> => {
  if (step.sender === "shared") return sharedAccount(configuration, step.channel)
  if (step.account_id !== undefined) return namedAccount(configuration, step, step.account_id)
  return onlyOrDefaultAccount(configuration, step)
}

export const accountDescriptor = (account: SendingAccount): ChannelDescriptor => ({
  type: channelType(account.channel),
  provider: account.channel === "sms" ? account.provider : account.channel,
  credential_id: account.shared ? null : account.id,
  label: account.shared ? `Shared (${account.channel})` : account.label
})

const toRoute = (steps: ReadonlyArray<RouteStep>): Result.Result<Route, FallbackOrderRequired> =>
  Arr.isReadonlyArrayNonEmpty(steps) ? Result.succeed(steps) : Result.fail(new FallbackOrderRequired())

/**
 * The route a request takes: its own channels, else the saved routing order. The waiting time of a step is its own,
 * else the request's, else the default.
 */
export const resolveRoute = (
  request: RouteRequest,
  configuration: CustomerConfiguration
): Result.Result<Route, RouteError> =>
  Result.gen(function* () {
    const steps = yield* checkNames(request.channels ?? configuration.routing ?? [])
    const resolved: Array<RouteStep> = []
    for (const step of steps) {
      const account = yield* accountFor(configuration, step)
      resolved.push({
        channel: step.channel,
        account_id: account.id,
        wait: step.wait ?? request.channelTimeout ?? DEFAULT_WAIT_SECONDS,
        descriptor: accountDescriptor(account)
      })
    }
    return yield* toRoute(resolved)
  })

const sandboxStep = (step: KnownStep | undefined): RouteStep => {
  const channel = step?.channel ?? "bale"
  const smsProvider = step?.provider ?? "smsir"
  const provider = step === undefined ? "sandbox" : channel === "sms" ? smsProvider : channel
  const type = channelType(channel)
  return {
    channel,
    account_id: null,
    wait: DEFAULT_WAIT_SECONDS,
    descriptor: { type, provider, credential_id: null, label: `Sandbox (${provider})` }
  }
}

/** The sandbox's route: the first channel by name alone, since nothing is sent there. */
export const resolveSandboxRoute = (
  request: RouteRequest
): Result.Result<Route, InvalidChannel | DuplicateChannel> =>
  Result.map(checkNames(request.channels ?? []), ([first]): Route => [sandboxStep(first)])
