import { Result } from "effect"
import { formatInstant, formatNullableInstant } from "../../domain/Instant.ts"
import { textOrNull } from "../../domain/ProblemTexts.ts"
import { checkCodeTemplate, placeholders, templateProblem } from "../../domain/message/Template.ts"
import type { AccountRecord } from "../../services/account/Accounts.ts"
import type { TemplateRecord } from "../../services/message/TemplateRecords.ts"

export const toAccount = (account: AccountRecord) => ({
  credential_id: account.id,
  channel: account.channel,
  provider: account.provider,
  label: account.label,
  default: account.isDefault,
  active: account.active,
  sends: [
    ...(account.sendsCodes ? ["codes" as const] : []),
    ...(account.sendsTexts ? ["messages" as const] : [])
  ],
  standby: account.standby ?? [],
  needs_contacts: account.needsContact,
  gap_ms: account.gapMillis,
  per_minute: account.perMinute,
  failures: account.failures,
  cooling_until: formatNullableInstant(account.coolingUntil),
  last_error:
    account.lastError === null ? null : { ...account.lastError, at: formatInstant(account.lastError.at) },
  created_at: formatInstant(account.createdAt),
  version: account.version
})

export const toTemplate = (template: TemplateRecord) => ({
  id: template.id,
  name: template.name,
  body: template.body,
  active: template.active,
  placeholders: placeholders(template.body),
  problem: textOrNull(templateProblem(template.body)),
  carries_codes: Result.isSuccess(checkCodeTemplate({ ...template, active: true })),
  created_at: formatInstant(template.createdAt),
  version: template.version
})
