import { Effect } from "effect"
import { ManagementError, type NewAccount } from "../../services/resources/Management.ts"
import type { ProviderAdapters } from "../../services/provider/ProviderAdapter.ts"

/** The connection of a new account; fails with what is wrong with it, before any call. */
export const connectNewAccount = Effect.fnUntraced(function* (
  { channel, provider, settings, customerId, isDefault, allowsPrivateAddresses = true }: NewAccount,
  adapters: ProviderAdapters["Service"]
) {
  const refuse = (message: string) => new ManagementError({ message })
  const adapter = adapters.get(provider)
  if (adapter === undefined) {
    return yield* refuse(`unknown provider ${provider}; there are: ${[...adapters.keys()].join(", ")}`)
  }
  if (adapter.switchedOff !== undefined) return yield* refuse(adapter.switchedOff)
  if (!adapter.channels.includes(channel)) {
    return yield* refuse(
      `provider ${provider} does not serve ${channel}, but: ${adapter.channels.join(", ")}`
    )
  }
  if (customerId === null && channel === "sms") return yield* refuse("there are no shared sms accounts")
  if (customerId === null && isDefault) return yield* refuse("a shared account cannot be a default")
  const connection = adapter.connect(settings, { allowsPrivateAddresses })
  return yield* Effect.mapError(Effect.fromResult(connection), ({ message }) =>
    refuse(`settings of ${provider}: ${message}`)
  )
})
