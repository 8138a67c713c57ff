import type { MasterKey } from "../crypto/MasterKey.ts"

/** The context of the seal: settings sealed for one account cannot be opened for another owner or provider. */
export interface SettingsOwner {
  readonly customerId: number | null
  readonly channel: string
  readonly provider: string
}

const contextOf = ({ customerId, channel, provider }: SettingsOwner): string =>
  `sending_accounts:${customerId ?? "shared"}:${channel}:${provider}`

/** An account's settings as they are stored: encrypted under the master secret. */
export const sealSettings = (
  key: MasterKey["Service"],
  owner: SettingsOwner,
  settings: unknown
): Uint8Array => key.seal("account-settings", contextOf(owner), JSON.stringify(settings))

export const openSettings = (key: MasterKey["Service"], owner: SettingsOwner, sealed: Uint8Array): unknown =>
  JSON.parse(key.open("account-settings", contextOf(owner), sealed))
