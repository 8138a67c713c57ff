import { Effect, Layer, Result, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import type { AccountFinding } from "../../domain/account/AccountFinding.ts"
import { SendingAccount } from "../../domain/people/Customer.ts"
import {
  ChannelUnavailable,
  Conflict,
  fieldError,
  NotFound,
  PreconditionFailed
} from "../../domain/Errors.ts"
import { toPage } from "../../domain/Paging.ts"
import { Phone } from "../../domain/Phone.ts"
import { Management, type ManagementError, type NewAccount } from "../../services/resources/Management.ts"
import { type AccountChange, type AccountRequest, Accounts } from "../../services/resources/Accounts.ts"
import { ProviderAdapters } from "../../services/provider/ProviderAdapter.ts"
import { AllowsPrivateAddresses } from "../network/AddressPolicy.ts"
import { lockCustomer } from "../management/RequireCustomer.ts"
import { openInbox } from "../management/AccountManagement.ts"
import { MasterKey } from "../crypto/MasterKey.ts"
import { sealSettings } from "../account/SealedSettings.ts"
import { InstantColumn, rowsOf } from "../postgres/SqlRows.ts"
import { idPosition } from "./IdPages.ts"

const AccountRow = Schema.Struct({
  ...SendingAccount.fields,
  gapMillis: Schema.NullOr(Schema.Int),
  perMinute: Schema.NullOr(Schema.Int),
  failures: Schema.Int,
  coolingUntil: Schema.NullOr(InstantColumn),
  createdAt: InstantColumn,
  version: Schema.Int
})
const VersionRow = Schema.Struct({ version: Schema.Int, channel: Schema.String, provider: Schema.String })
const LinkRow = Schema.Struct({ phone: Phone, chatId: Schema.String, linkedAt: InstantColumn })

/** The request is impossible because of the settings. */
const inSettings = ({ message }: Pick<ManagementError, "message">) => fieldError("settings", message)
const inTheWay = ({ message }: Pick<ManagementError, "message">) =>
  new Conflict({ details: { reason: message } })

export const AccountsSql = Layer.effect(
  Accounts,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const random = yield* SecureRandom.SecureRandom
    const key = yield* MasterKey
    const adapters = yield* ProviderAdapters
    const management = yield* Management
    const allowsPrivateAddresses = yield* AllowsPrivateAddresses
    const accountRows = rowsOf(AccountRow)
    const versionRows = rowsOf(VersionRow)
    const linkRows = rowsOf(LinkRow)

    const columns =
      sql.literal(`a.id, a.channel, a.provider, a.label, a.is_default as "isDefault", a.disabled_at is null as active,
      false as shared, a.sends_codes as "sendsCodes", a.sends_texts as "sendsTexts", a.deduplicates,
      a.reports_delivery as "reportsDelivery", a.needs_contact as "needsContact", a.gap_ms as "gapMillis",
      a.rate_per_minute as "perMinute", greatest(p.failures, p.text_failures) as failures,
      greatest(p.cooling_until, p.texts_cooling_until) as "coolingUntil", a.created_at as "createdAt",
      a.version`)

    const find = Effect.fnUntraced(function* (customerId: number, id: number) {
      const [row] = yield* accountRows(sql`
        select ${columns} from sending_accounts a join account_pace p on p.account_id = a.id
        where a.customer_id = ${customerId} and a.id = ${id}`)
      return row ?? (yield* new NotFound())
    })

    /** Locks the account until the transaction ends, if it has the expected version. */
    const lock = Effect.fnUntraced(function* (customerId: number, id: number, version: number | null) {
      const [row] = yield* versionRows(sql`
        select version, channel, provider from sending_accounts
        where customer_id = ${customerId} and id = ${id} for update`)
      if (row === undefined) return yield* new NotFound()
      if (version !== null && row.version !== version) {
        return yield* new PreconditionFailed({ details: { version: row.version } })
      }
      return row
    })

    const requireSwitchedOn = ({ channel, provider }: Pick<AccountRequest, "channel" | "provider">) => {
      const reason = adapters.get(provider)?.switchedOff
      return reason === undefined
        ? Effect.void
        : Effect.fail(new ChannelUnavailable({ details: { channel, reason } }))
    }

    const toNewAccount = (customerId: number, account: AccountRequest): NewAccount => ({
      customerId,
      allowsPrivateAddresses,
      ...account
    })

    const replaceSettings = Effect.fnUntraced(function* (
      customerId: number,
      id: number,
      owner: { readonly channel: string; readonly provider: string },
      settings: unknown
    ) {
      const adapter = adapters.get(owner.provider)
      if (adapter === undefined)
        return yield* fieldError("settings", `there is no provider ${owner.provider}`)
      const connection = yield* Effect.mapError(
        Effect.fromResult(adapter.connect(settings, { allowsPrivateAddresses })),
        inSettings
      )
      const { sendsCodes, sendsTexts, deduplicates, reportsDelivery, needsContact } = connection.traits
      yield* Effect.orDie(sql`
        update sending_accounts set sealed_settings = ${sealSettings(key, { customerId, ...owner }, settings)},
          sends_codes = ${sendsCodes}, sends_texts = ${sendsTexts}, deduplicates = ${deduplicates},
          reports_delivery = ${reportsDelivery}, needs_contact = ${needsContact},
          allows_private_addresses = ${allowsPrivateAddresses}
        where id = ${id}`)
      if (connection.inbox !== null) {
        yield* openInbox(sql, random, { accountId: id, customerId, inbox: connection.inbox })
      }
    })

    const change = Effect.fnUntraced(function* (
      customerId: number,
      id: number,
      owner: { readonly channel: string; readonly provider: string },
      { label, settings, isDefault, active, gapMillis, perMinute }: AccountChange
    ) {
      if (settings !== undefined) yield* replaceSettings(customerId, id, owner, settings)
      if (isDefault === true) {
        yield* Effect.orDie(sql`
          update sending_accounts set is_default = false
          where customer_id = ${customerId} and channel = ${owner.channel} and is_default and id <> ${id}`)
      }
      if (label !== undefined || isDefault !== undefined) {
        yield* Effect.orDie(sql`
          update sending_accounts set label = coalesce(${label ?? null}::text, label),
            is_default = coalesce(${isDefault ?? null}::boolean, is_default)
          where id = ${id}`)
      }
      if (gapMillis !== undefined || perMinute !== undefined) {
        yield* management.limitAccount(id, { gapMillis, perMinute })
      }
      if (active !== undefined) yield* management.setAccountActive(id, active)
    })

    return Accounts.of({
      find,

      list: Effect.fnUntraced(function* (customerId, { limit, after, channel, active }) {
        const beyond = idPosition(after)
        const rows = yield* accountRows(sql`
          select ${columns} from sending_accounts a join account_pace p on p.account_id = a.id
          where a.customer_id = ${customerId} and (${beyond}::int is null or a.id > ${beyond}::int)
            and (${channel ?? null}::text is null or a.channel = ${channel ?? null}::text)
            and (${active ?? null}::boolean is null or (a.disabled_at is null) = ${active ?? null}::boolean)
          order by a.id limit ${limit + 1}`)
        return toPage(rows, limit, ({ id }) => String(id))
      }),

      examine: Effect.fnUntraced(function* (account) {
        const adapter = adapters.get(account.provider)
        if (adapter === undefined) {
          return yield* fieldError("provider", `there are: ${[...adapters.keys()].join(", ")}`)
        }
        if (!adapter.channels.includes(account.channel)) {
          return yield* fieldError("channel", `${account.provider} serves: ${adapter.channels.join(", ")}`)
        }
        yield* requireSwitchedOn(account)
        const checked = { ...account, customerId: 0, label: "", isDefault: false, allowsPrivateAddresses }
        return yield* Effect.mapError(management.checkNewAccount(checked), inSettings)
      }),

      connect: Effect.fnUntraced(function* (customerId, account) {
        yield* requireSwitchedOn(account)
        const { id } = yield* Effect.mapError(
          management.connectAccount(toNewAccount(customerId, account)),
          inSettings
        )
        return yield* Effect.orDie(find(customerId, id))
      }),

      update: Effect.fnUntraced(function* (customerId, id, wanted, version) {
        // The customer before its accounts: connecting locks them in the same order.
        if (wanted.isDefault === true) yield* Effect.orDie(lockCustomer(sql, customerId))
        const owner = yield* lock(customerId, id, version)
        yield* change(customerId, id, owner, wanted).pipe(
          Effect.catchTag("ManagementError", (error) => Effect.fail(inTheWay(error)))
        )
        return yield* find(customerId, id)
      }),

      check: Effect.fnUntraced(function* (customerId, id) {
        yield* find(customerId, id)
        const finding: AccountFinding = yield* Effect.orDie(management.checkAccount(id))
        return finding
      }),

      importContacts: Effect.fnUntraced(function* (customerId, id, contacts) {
        yield* find(customerId, id)
        return yield* Effect.mapError(management.importContacts(id, contacts), inTheWay)
      }),

      listContacts: Effect.fnUntraced(function* (customerId, id, { limit, after }) {
        yield* find(customerId, id)
        const beyond = Result.getOrElse(Schema.decodeUnknownResult(Phone)(after), () => "")
        const rows = yield* linkRows(sql`
          select phone, chat_id as "chatId", linked_at as "linkedAt" from contact_links
          where account_id = ${id} and phone > ${beyond} order by phone limit ${limit + 1}`)
        return toPage(rows, limit, ({ phone }) => phone)
      }),

      removeContact: Effect.fnUntraced(function* (customerId, id, phone) {
        yield* find(customerId, id)
        const removed = yield* Effect.orElseSucceed(management.removeContact(id, phone), () => false)
        if (!removed) return yield* new NotFound()
      }),

      inboxPath: Effect.fnUntraced(function* (customerId, id, rotates) {
        yield* find(customerId, id)
        return yield* Effect.mapError(management.inboxPath(id, rotates), inTheWay)
      })
    })
  })
)
