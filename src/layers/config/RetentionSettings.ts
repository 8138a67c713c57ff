import { Config, Schema } from "effect"
import { defaultSettings, type SettingsShape } from "../../services/Settings.ts"
import { integer, IntegerText, type Setting } from "./Setting.ts"

/** A shorter time would delete data that is still needed. */
const MIN_DAYS = 7
const MAX_DAYS = 36_500

const Days = IntegerText.check(
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

/** How long data is kept. */
export const retentionSettings = {
  retentionPhonesDays: days(
    "retentionPhonesDays",
    "PEYK_RETENTION_PHONES_DAYS",
    "Erase phones and texts of finished records after this. 0: never, else ≥ 7."
  ),
  retentionRecordsDays: days(
    "retentionRecordsDays",
    "PEYK_RETENTION_RECORDS_DAYS",
    "Delete finished records after this. 0: never, else ≥ 7."
  ),
  retentionEventsDays: days(
    "retentionEventsDays",
    "PEYK_RETENTION_EVENTS_DAYS",
    "Delete events and their deliveries after this. 0: never, else ≥ 7."
  ),
  retentionAuditDays: days(
    "retentionAuditDays",
    "PEYK_RETENTION_AUDIT_DAYS",
    "Delete entries of the audit log after this. 0: never, else ≥ 7."
  ),
  requestLogDays: integer(
    "PEYK_REQUEST_LOG_DAYS",
    defaultSettings.requestLogDays,
    { minimum: 0, maximum: 90 },
    "Keep the log of requests (not their bodies) for so many days. 0: no log."
  )
} as const
