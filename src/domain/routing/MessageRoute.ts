import { Array as Arr, Result } from "effect"
import { isTextChannel } from "./Channel.ts"
import type { CustomerConfiguration } from "../customer/Customer.ts"
import { ChannelsRequired, DuplicateChannel, InvalidChannel, type RouteError } from "../Errors.ts"
import { sandboxAccount } from "./RouteResolution.ts"
import { type AccountRequest, missingSettings, selectAccount, textRouteAccount } from "./AccountSelection.ts"
import type { RouteAccount } from "./Route.ts"

export type MessageRoute = Arr.NonEmptyReadonlyArray<RouteAccount>

/** The wish of a request for one step. */
export interface MessageStepRequest {
  readonly channel: string
  readonly account_id?: number | undefined
}

const knownStep = (step: MessageStepRequest): Result.Result<AccountRequest, InvalidChannel> => {
  const { channel, account_id } = step
  return isTextChannel(channel)
    ? Result.succeed({ channel, account_id })
    : Result.fail(new InvalidChannel({ details: { channel } }))
}

const refuseDuplicates = <
  A extends { readonly channel: string; readonly account_id?: number | null | undefined }
>(
  steps: ReadonlyArray<A>
): Result.Result<void, DuplicateChannel> => {
  const seen = new Set<string>()
  for (const { channel, account_id } of steps) {
    const key = `${channel} ${account_id}`
    if (seen.has(key)) return Result.fail(new DuplicateChannel({ details: { channel } }))
    seen.add(key)
  }
  return Result.void
}

/** The accounts of a message, in order. A channel can appear twice, with different accounts. */
export const resolveMessageRoute = (
  steps: ReadonlyArray<MessageStepRequest>,
  configuration: CustomerConfiguration
): Result.Result<MessageRoute, RouteError | ChannelsRequired> =>
  Result.gen(function* () {
    const known = yield* Result.all(steps.map(knownStep))
    yield* refuseDuplicates(known)
    const accounts = yield* Result.all(
      known.map((step) => selectAccount(configuration, { ...step, kind: "text" }))
    )
    const incomplete = accounts.find(({ sendsTexts }) => !sendsTexts)
    if (incomplete !== undefined) {
      return yield* Result.fail(missingSettings(incomplete, "text"))
    }
    const route = accounts.map(textRouteAccount)
    yield* refuseDuplicates(route)
    return Arr.isReadonlyArrayNonEmpty(route) ? route : yield* Result.fail(new ChannelsRequired())
  })

const SANDBOX_SMS_PROVIDER = "smsir"

/** The sandbox's route: only the channels' names, because nothing is sent there. */
export const resolveSandboxMessageRoute = (
  steps: ReadonlyArray<MessageStepRequest>
): Result.Result<MessageRoute, InvalidChannel | DuplicateChannel | ChannelsRequired> =>
  Result.gen(function* () {
    const known = yield* Result.all(steps.map(knownStep))
    yield* refuseDuplicates(known)
    const route = known.map(({ channel }) =>
      sandboxAccount(channel, channel === "sms" ? SANDBOX_SMS_PROVIDER : channel)
    )
    return Arr.isReadonlyArrayNonEmpty(route) ? route : yield* Result.fail(new ChannelsRequired())
  })
