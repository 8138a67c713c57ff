import { Result } from "effect"
import type { ContactLink } from "../../../domain/account/ContactLink.ts"
import type { InvalidPhone } from "../../../domain/Errors.ts"
import { formatInstant, formatNullableInstant } from "../../../domain/Instant.ts"
import { parseContactPhone } from "../../../domain/Phone.ts"
import { checkCodeTemplate, placeholders, templateProblem } from "../../../domain/message/Template.ts"
import type { AccountRecord } from "../../../services/resources/accounts/Accounts.ts"
import type { TemplateRecord } from "../../../services/resources/TemplateRecords.ts"
import type { ContactsBody } from "../setup/AccountsApi.ts"
import { textOrNull } from "../../../domain/ProblemTexts.ts"

/** The part of a request that names its account. */
export interface OfAccount {
  readonly params: { readonly id: number }
}

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

/** The contact links of a body; all or nothing. */
export const toLinks = ({
  contacts
}: typeof ContactsBody.Type): Result.Result<ReadonlyArray<ContactLink>, InvalidPhone> =>
  Result.all(
    contacts.map(({ phone, chat_id }) =>
      Result.map(parseContactPhone(phone), (parsed) => ({ phone: parsed, chatId: String(chat_id) }))
    )
  )
