import { Context, type Effect } from "effect"
import { DAY_MILLIS, type Instant } from "../../domain/Instant.ts"
import type { KeyMode } from "../../domain/customer/Customer.ts"

/** What a customer has done of the set-up, from their data. */
export interface SetUpProgress {
  /** An account that can send, or a step of the saved order over a shared one. */
  readonly hasChannel: boolean
  readonly hasOrder: boolean
  /** Whether there is a key for live sends, or only for the sandbox; null: none. */
  readonly keyMode: KeyMode | null
  /** When the first code or message was sent, also in the sandbox; null: none is there. */
  readonly firstSendAt: Instant | null
  readonly hasWebhook: boolean
}

/** Somebody without a webhook may not want one: the guide reminds them of it for so long. */
const WEBHOOK_REMINDER_MILLIS = 7 * DAY_MILLIS

/** Whether something of the set-up is left to do that a person should see. */
export const isBeingSetUp = (progress: SetUpProgress, now: Instant): boolean => {
  const { hasChannel, hasOrder, keyMode, firstSendAt, hasWebhook } = progress
  if (!hasChannel || !hasOrder || keyMode === null || firstSendAt === null) return true
  return !hasWebhook && now - firstSendAt < WEBHOOK_REMINDER_MILLIS
}

export class SetUpProgresses extends Context.Service<
  SetUpProgresses,
  { readonly read: (customerId: number) => Effect.Effect<SetUpProgress> }
>()("peyk/services/customer/SetUpProgress/SetUpProgresses") {}
