import { originOf } from "../../domain/webhook/Webhook.ts"
import type { WebhookChange } from "./Webhooks.ts"

/** The audit log's details of a change, by the names of the API's fields; of the address only its origin. */
export const auditedChange = ({ url, events, description, isDisabled }: WebhookChange) => ({
  origin: originOf(url),
  events,
  description,
  active: isDisabled === undefined ? undefined : !isDisabled
})
