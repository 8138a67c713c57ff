import { Effect } from "effect"
import { ChannelUnavailable, fieldError } from "../../../domain/Errors.ts"
import type { AccountTraits } from "../../../domain/people/Customer.ts"
import { carries } from "../../../domain/routing/RouteAccount.ts"
import type { ProviderAdapters } from "../../../services/provider/ProviderAdapter.ts"
import type { AccountConnection, AccountOwner } from "../../../services/resources/accounts/Accounts.ts"

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
    const known = [...adapters.keys()].join(", ")
    return yield* fieldError("provider", `unknown provider ${provider}; there are: ${known}`)
  }
  if (!adapter.channels.includes(channel)) {
    const served = adapter.channels.join(", ")
    return yield* fieldError("channel", `provider ${provider} does not serve ${channel}, but: ${served}`)
  }
  if (adapter.switchedOff !== undefined) {
    return yield* new ChannelUnavailable({ details: { channel, reason: adapter.switchedOff } })
  }
  if (owner === null && channel === "sms") {
    return yield* fieldError("channel", "there are no shared sms accounts")
  }
  if (owner === null && isDefault) {
    return yield* fieldError("default", "a shared account cannot be a default")
  }
  const connection = adapter.connect(settings, { allowsPrivateAddresses })
  return yield* Effect.mapError(Effect.fromResult(connection), ({ message }) =>
    fieldError("settings", `settings of ${provider}: ${message}`)
  )
})
