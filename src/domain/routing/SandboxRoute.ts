import { Result } from "effect"
import type { DuplicateChannel, InvalidChannel } from "../Errors.ts"
import type { CustomerConfiguration } from "../people/Customer.ts"
import { type Channel, channelType, TELEGRAM_GATEWAY } from "./Channel.ts"
import type { Route, RouteStep } from "./Route.ts"
import type { RouteAccount } from "./RouteAccount.ts"
import { checkNames, type KnownStep, type RouteRequest } from "./RouteRequest.ts"

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
