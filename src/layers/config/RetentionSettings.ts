import { Config, Schema } from "effect"
import { defaultSettings, type SettingsShape } from "../../services/Settings.ts"
import type { Setting } from "./Setting.ts"

/** Shorter than that, what is still being told of would leave. */
const MIN_DAYS = 7
const MAX_DAYS = 36_500

const Days = Schema.FiniteFromString.check(
  Schema.isInt(),
  Schema.makeFilter(
    (days) =>
      days === 0 ||
      (days >= MIN_DAYS && days <= MAX_DAYS) ||
      `0, or from ${MIN_DAYS} to ${MAX_DAYS} days are expected`
  )
)

const days = (
  name: Extract<keyof SettingsShape, `retention${string}Days`>,
  variable: string,
  description: string
): Setting<number> => ({
  name: variable,
  byDefault: String(defaultSettings[name]),
  description,
  config: Config.withDefault(Config.schema(Days, variable), defaultSettings[name])
})

/** How long things are kept. */
export const retentionSettings = {
  retentionPhonesDays: days(
    "retentionPhonesDays",
    "PEYK_RETENTION_PHONES_DAYS",
    "After so many days phones and texts are erased in finished records. 0 never, else at least 7."
  ),
  retentionRecordsDays: days(
    "retentionRecordsDays",
    "PEYK_RETENTION_RECORDS_DAYS",
    "After so many days finished verifications and messages leave. 0 never, else at least 7."
  ),
  retentionEventsDays: days(
    "retentionEventsDays",
    "PEYK_RETENTION_EVENTS_DAYS",
    "After so many days events, and their webhook deliveries, leave. 0 never, else at least 7."
  ),
  retentionAuditDays: days(
    "retentionAuditDays",
    "PEYK_RETENTION_AUDIT_DAYS",
    "After so many days entries of the audit log leave. 0 never, else at least 7."
  )
} as const
