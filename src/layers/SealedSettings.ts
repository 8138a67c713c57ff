import type { MasterKey } from "./MasterKey.ts"

const CONTEXT = "sending_accounts.sealed_settings"

/** An account's settings as they are kept: encrypted under the master secret. */
export const sealSettings = (key: MasterKey["Service"], settings: unknown): Uint8Array =>
  key.seal("account-settings", CONTEXT, JSON.stringify(settings))

export const openSettings = (key: MasterKey["Service"], sealed: Uint8Array): unknown =>
  JSON.parse(key.open("account-settings", CONTEXT, sealed))
