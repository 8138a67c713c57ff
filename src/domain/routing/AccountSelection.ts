import { Result } from "effect"
import type { SendKind } from "../account/Pace.ts"
import { settingsNeeded } from "../account/AccountState.ts"
import { type Channel, type ChannelDescriptor, channelType, TELEGRAM_GATEWAY } from "./Channel.ts"
import type { CustomerConfiguration, SendingAccount } from "../customer/Customer.ts"
import {
  ChannelAccountMismatch,
  ChannelAccountNotFound,
  ChannelAmbiguous,
  ChannelUnavailable,
  type RouteError,
  SharedSenderNotAllowed,
  SharedSenderUnavailable,
  SmsMessageConfigMissing
} from "../Errors.ts"
import { problem, type Problem } from "../Problem.ts"
import type { RouteAccount } from "./Route.ts"

/** One requested step; its channel exists. */
export interface AccountRequest {
  readonly channel: Channel
  readonly account_id?: number | undefined
  readonly sender?: "shared" | undefined
  readonly provider?: string | undefined
}

/** Which account, and what it has to send. */
interface AccountChoice extends AccountRequest {
  readonly kind: SendKind
}

/** Over telegram, bots carry texts only, and the gateway codes only; calls carry codes: for the other kind they do not exist. */
export const carries = (
  kind: SendKind,
  { channel, provider }: { readonly channel: string; readonly provider: string }
): boolean => {
  if (channel === "voice") return kind === "code"
  return channel !== "telegram" || (provider === TELEGRAM_GATEWAY) === (kind === "code")
}

const ABOUT_TELEGRAM: Readonly<Record<SendKind, Problem>> = {
  code: problem("codes_over_telegram"),
  text: problem("texts_over_telegram")
}

/** No account carries this kind over the channel. */
export const noCarrier = (channel: Channel, kind: SendKind): ChannelUnavailable =>
  new ChannelUnavailable({
    channel,
    ...(channel === "telegram" && { problem: ABOUT_TELEGRAM[kind] })
  })

const sharedAccount = (
  { plan, sharedAccounts }: CustomerConfiguration,
  { channel, kind }: AccountChoice
): Result.Result<SendingAccount, RouteError> => {
  if (plan !== "start") return Result.fail(new SharedSenderNotAllowed())
  const account = sharedAccounts.find(
    (candidate) => candidate.active && candidate.channel === channel && carries(kind, candidate)
  )
  return account === undefined
    ? Result.fail(new SharedSenderUnavailable({ details: { channel } }))
    : Result.succeed(account)
}

const namedAccount = (
  { accounts }: CustomerConfiguration,
  { channel, provider, kind }: AccountChoice,
  accountId: number
): Result.Result<SendingAccount, RouteError> => {
  const account = accounts.find((candidate) => candidate.id === accountId)
  if (account === undefined)
    return Result.fail(new ChannelAccountNotFound({ details: { account_id: accountId } }))
  if (account.channel !== channel || (provider !== undefined && account.provider !== provider)) {
    return Result.fail(new ChannelAccountMismatch({ details: { account_id: accountId, channel } }))
  }
  if (!carries(kind, account)) return Result.fail(noCarrier(channel, kind))
  return account.active ? Result.succeed(account) : Result.fail(new ChannelUnavailable({ channel }))
}

const onlyOrDefaultAccount = (
  { accounts }: CustomerConfiguration,
  { channel, provider, kind }: AccountChoice
): Result.Result<SendingAccount, RouteError> => {
  const candidates = accounts.filter(
    (account) =>
      account.active &&
      account.channel === channel &&
      carries(kind, account) &&
      (provider === undefined || account.provider === provider)
  )
  const [first, ...others] = candidates
  if (first === undefined) return Result.fail(noCarrier(channel, kind))
  const chosen = others.length === 0 ? first : candidates.find((account) => account.isDefault)
  return chosen === undefined
    ? Result.fail(new ChannelAmbiguous({ details: { channel, account_ids: candidates.map(({ id }) => id) } }))
    : Result.succeed(chosen)
}

/** The account for a channel: the shared one, the named one, the only one, or the default. */
export const selectAccount = (
  configuration: CustomerConfiguration,
  step: AccountChoice
): Result.Result<SendingAccount, RouteError> => {
  if (step.sender === "shared") return sharedAccount(configuration, step)
  if (step.account_id !== undefined) return namedAccount(configuration, step, step.account_id)
  return onlyOrDefaultAccount(configuration, step)
}

/** The account is connected, but cannot send this kind. */
export const missingSettings = ({ id, provider }: SendingAccount, kind: SendKind): SmsMessageConfigMissing =>
  new SmsMessageConfigMissing({ details: { account_id: id, settings: settingsNeeded(provider, kind) } })

const accountDescriptor = (account: SendingAccount): ChannelDescriptor => ({
  type: channelType(account.channel),
  provider: channelType(account.channel) === "messenger" ? account.channel : account.provider,
  credential_id: account.shared ? null : account.id,
  label: account.shared ? `Shared (${account.channel})` : account.label
})

const routeAccount = (account: SendingAccount, deduplicates: boolean): RouteAccount => ({
  channel: account.channel,
  account_id: account.id,
  ...(deduplicates && { deduplicates: true }),
  ...(account.reportsDelivery && { reportsDelivery: true }),
  descriptor: accountDescriptor(account)
})

/** The account as a step of a code's route. */
export const codeRouteAccount = (account: SendingAccount): RouteAccount =>
  routeAccount(account, account.deduplicatesCodes)

/** The account as a step of a message's route. */
export const textRouteAccount = (account: SendingAccount): RouteAccount =>
  routeAccount(account, account.deduplicatesTexts)
