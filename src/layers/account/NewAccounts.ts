import { Effect } from "effect"
import { ChannelUnavailable, fieldError } from "../../domain/Errors.ts"
import { problem } from "../../domain/Problem.ts"
import type { AccountTraits } from "../../domain/customer/Customer.ts"
import { carries } from "../../domain/routing/RouteAccount.ts"
import type { AccountConnection, AccountOwner } from "../../services/account/Accounts.ts"
import type { ProviderAdapters } from "../../services/provider/ProviderAdapter.ts"

/** What the account sends: over telegram a bot carries no codes, whatever its provider can do elsewhere. */
export const sentBy = (
  account: { readonly channel: string; readonly provider: string },
  { sendsCodes, sendsTexts }: AccountTraits
) => ({
  sendsCodes: sendsCodes && carries("code", account),
  sendsTexts: sendsTexts && carries("text", account)
})

/** The connection of a new account; fails with what is wrong with it, before any call. */
export const connectionOf = Effect.fnUntraced(function* (
  adapters: ProviderAdapters["Service"],
  owner: AccountOwner,
  { channel, provider, settings, isDefault = false }: AccountConnection,
  allowsPrivateAddresses: boolean
) {
  const adapter = adapters.get(provider)
  if (adapter === undefined) {
    return yield* fieldError(
      "provider",
      problem("provider_unknown", { provider, known: [...adapters.keys()] })
    )
  }
  if (!adapter.channels.includes(channel)) {
    return yield* fieldError(
      "channel",
      problem("channel_not_served", { provider, channel, served: adapter.channels })
    )
  }
  if (adapter.switchedOff !== undefined) {
    return yield* new ChannelUnavailable({ channel, problem: adapter.switchedOff })
  }
  if (owner === null && channel === "sms") {
    return yield* fieldError("channel", problem("shared_sms_account"))
  }
  if (owner === null && isDefault) {
    return yield* fieldError("default", problem("shared_default"))
  }
  const connection = adapter.connect(settings, { allowsPrivateAddresses })
  return yield* Effect.mapError(Effect.fromResult(connection), ({ problems }) =>
    fieldError("settings", problem("settings_refused", { provider, problems }))
  )
})
