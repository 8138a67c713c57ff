import type { MasterKey } from "../crypto/MasterKey.ts"

/** Whose settings these are: sealed for one account, they cannot be opened as another owner's or provider's. */
export interface SettingsOwner {
  readonly customerId: number | null
  readonly channel: string
  readonly provider: string
}

const contextOf = ({ customerId, channel, provider }: SettingsOwner): string =>
  `sending_accounts:${customerId ?? "shared"}:${channel}:${provider}`

/** An account's settings as they are kept: encrypted under the master secret. */
export const sealSettings = (
  key: MasterKey["Service"],
  owner: SettingsOwner,
  settings: unknown
): Uint8Array => key.seal("account-settings", contextOf(owner), JSON.stringify(settings))

export const openSettings = (key: MasterKey["Service"], owner: SettingsOwner, sealed: Uint8Array): unknown =>
  JSON.parse(key.open("account-settings", contextOf(owner), sealed))
