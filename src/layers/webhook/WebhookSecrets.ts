import type { MasterKey } from "../crypto/MasterKey.ts"

/** The context of the seal: a secret sealed for one endpoint cannot be opened as another's. */
export interface SecretOwner {
  readonly customerId: number
  readonly lane: number
}

const contextOf = ({ customerId, lane }: SecretOwner): string => `webhook_endpoints:${customerId}:${lane}`

export const sealWebhookSecret = (
  key: MasterKey["Service"],
  owner: SecretOwner,
  secret: string
): Uint8Array => key.seal("webhook-secret", contextOf(owner), secret)

export const openWebhookSecret = (
  key: MasterKey["Service"],
  owner: SecretOwner,
  sealed: Uint8Array
): string => key.open("webhook-secret", contextOf(owner), sealed)
