import { Clock, Effect, Struct } from "effect"
import type { Instant } from "../../../domain/Instant.ts"
import { toAccount } from "../../../http/account/SetUpWire.ts"
import type { AccountRecord } from "../../../services/account/Accounts.ts"
import { printOne } from "../../output/Output.ts"

export const accountFields = (account: AccountRecord, now: Instant) => {
  const { gap_ms, per_minute, cooling_until, ...shown } = toAccount(account)
  return {
    ...Struct.omit(shown, ["needs_contacts", "created_at", "version"]),
    shared: account.shared,
    gap_ms: gap_ms ?? "default",
    per_minute: per_minute ?? "default",
    cooling_until: (account.coolingUntil ?? now) <= now ? null : cooling_until
  }
}

export const printAccount = (account: AccountRecord, extra: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => printOne({ ...accountFields(account, now), ...extra }))
