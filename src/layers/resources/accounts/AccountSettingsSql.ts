import { Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { SqlClient } from "effect/sql"
import { fieldError } from "../../../domain/Errors.ts"
import type { ProviderAdapters } from "../../../services/provider/ProviderAdapter.ts"
import type { AccountOwner } from "../../../services/resources/accounts/Accounts.ts"
import { sealSettings } from "../../account/AccountConnectionsSql.ts"
import type { MasterKey } from "../../crypto/MasterKey.ts"
import { sentBy } from "./NewAccounts.ts"
import { openInbox } from "./AccountInboxesSql.ts"
import { problem } from "../../../domain/Problem.ts"

/** The account whose settings are replaced. */
export interface ReplacedAccount {
  readonly id: number
  readonly channel: string
  readonly provider: string
}

/** Replaces the settings of accounts, and what follows from them. */
export const settingsReplacement = (
  sql: SqlClient.SqlClient,
  random: SecureRandom.SecureRandom["Service"],
  key: MasterKey["Service"],
  adapters: ProviderAdapters["Service"]
) =>
  Effect.fnUntraced(function* (
    customerId: AccountOwner,
    { id, channel, provider }: ReplacedAccount,
    settings: unknown,
    allowsPrivateAddresses: boolean
  ) {
    const adapter = adapters.get(provider)
    if (adapter === undefined) return yield* fieldError("settings", problem("provider_gone", { provider }))
    const connection = yield* Effect.mapError(
      Effect.fromResult(adapter.connect(settings, { allowsPrivateAddresses })),
      ({ problems }) => fieldError("settings", problem("settings_refused", { provider: null, problems }))
    )
    const { deduplicatesCodes, deduplicatesTexts, reportsDelivery, needsContact } = connection.traits
    const { sendsCodes, sendsTexts } = sentBy({ channel, provider }, connection.traits)
    yield* Effect.orDie(sql`
      update sending_accounts set
        sealed_settings = ${sealSettings(key, { customerId, channel, provider }, settings)},
        sends_codes = ${sendsCodes}, sends_texts = ${sendsTexts}, deduplicates = ${deduplicatesCodes},
        deduplicates_texts = ${deduplicatesTexts},
        reports_delivery = ${reportsDelivery}, needs_contact = ${needsContact},
        allows_private_addresses = ${allowsPrivateAddresses}
      where id = ${id}`)
    if (connection.inbox !== null)
      yield* openInbox(sql, random, { accountId: id, customerId, inbox: connection.inbox })
  })
