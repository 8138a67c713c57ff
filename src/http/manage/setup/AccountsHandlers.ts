import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AccountFinding, checkResultOf } from "../../../domain/account/AccountFinding.ts"
import { NotFound, ScopeInsufficient } from "../../../domain/Errors.ts"
import { formatInstant } from "../../../domain/Instant.ts"
import { parseContactPhone } from "../../../domain/Phone.ts"
import { type AccountConnection, Accounts } from "../../../services/resources/accounts/Accounts.ts"
import { Contacts } from "../../../services/resources/accounts/Contacts.ts"
import {
  accountEntry,
  auditedChange,
  contactsEntry,
  examineFirst
} from "../../../services/resources/accounts/AccountWrites.ts"
import { Api } from "../../Api.ts"
import { answerError, orEnvelope } from "../../errors/Envelope.ts"
import { CurrentActor } from "../access/ManageAuth.ts"
import {
  answerResource,
  expectedVersion,
  makePreparedWrite,
  makeWrite,
  nestedPageRequest,
  pageRequest,
  toNestedWirePage,
  toWirePage
} from "../wire/ManageWire.ts"
import { toAccount, toLinks } from "../wire/SetUpWire.ts"

/** For those whom a provider refuses. */
const NOT_CHECKED = '"check": false connects it anyway'

export const AccountsHandlers = HttpApiBuilder.group(
  Api,
  "accounts",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts
    const contacts = yield* Contacts
    const write = yield* makeWrite
    const preparedWrite = yield* makePreparedWrite

    /**
     * Connects an account unless its provider refuses it. If the provider cannot be asked, the account is connected.
     */
    const examine = (customerId: number, account: AccountConnection, checks: boolean | null | undefined) =>
      checks === false
        ? Effect.succeed(undefined)
        : Effect.provideService(examineFirst(customerId, account, NOT_CHECKED), Accounts, accounts)

    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const { actor } = yield* CurrentActor
        const page = yield* accounts.list(actor.customerId, {
          ...pageRequest("accounts", query),
          channel: query.channel,
          active: query.active === undefined ? undefined : query.active === "true"
        })
        return toWirePage("accounts", page, toAccount)
      }),

      connect: Effect.fnUntraced(function* ({ payload }) {
        const { channel, provider, label, settings, check } = payload
        const { actor } = yield* CurrentActor
        const isDefault = payload.default ?? false
        return yield* preparedWrite(
          { operation: "account.connect", status: 201, idempotentBody: payload },
          examine(actor.customerId, { channel, provider, settings }, check),
          (finding) =>
            Effect.map(
              accounts.connect(actor.customerId, { channel, provider, label, settings, isDefault, finding }),
              (account) => ({
                body: {
                  ...toAccount(account),
                  check: checkResultOf(finding ?? AccountFinding.CannotBeChecked())
                },
                audit: accountEntry("connect", account.id, { channel, provider, label })
              })
            )
        ).pipe(orEnvelope)
      }),

      read: Effect.fnUntraced(function* ({ params }) {
        const { actor } = yield* CurrentActor
        const found = accounts.find(actor.customerId, params.id)
        return yield* orEnvelope(Effect.map(found, (account) => answerResource(toAccount(account))))
      }),

      update: Effect.fnUntraced(function* ({ params, payload }) {
        const { actor } = yield* CurrentActor
        const { check, gap_ms: gapMillis, per_minute: perMinute } = payload
        const settings = payload.settings ?? undefined
        return yield* Effect.gen(function* () {
          const { channel, provider } = yield* accounts.find(actor.customerId, params.id)
          const finding =
            settings === undefined
              ? undefined
              : yield* examine(actor.customerId, { channel, provider, settings }, check)
          const version = yield* expectedVersion
          const change = {
            label: payload.label ?? undefined,
            settings,
            finding,
            isDefault: payload.default ?? undefined,
            active: payload.active ?? undefined,
            gapMillis,
            perMinute
          }
          return yield* write(
            { operation: "account.update", status: 200 },
            Effect.map(accounts.update(actor.customerId, params.id, change, version), (account) => ({
              body: toAccount(account),
              audit: accountEntry("update", account.id, auditedChange(change))
            }))
          )
        }).pipe(orEnvelope)
      }),

      remove: ({ params }) =>
        write(
          { operation: "account.remove", status: 204 },
          Effect.gen(function* () {
            const { actor } = yield* CurrentActor
            yield* accounts.remove(actor.customerId, params.id, yield* expectedVersion)
            return { body: null, audit: accountEntry("remove", params.id) }
          })
        ).pipe(orEnvelope),

      standby: ({ params, payload }) =>
        write(
          { operation: "account.standby", status: 200 },
          Effect.gen(function* () {
            const { actor } = yield* CurrentActor
            const { account_ids: standby } = payload
            const version = yield* expectedVersion
            const account = yield* accounts.update(actor.customerId, params.id, { standby }, version)
            return { body: toAccount(account), audit: accountEntry("update", account.id, { standby }) }
          })
        ).pipe(orEnvelope),

      check: Effect.fnUntraced(function* ({ params }) {
        const { actor } = yield* CurrentActor
        return yield* orEnvelope(Effect.map(accounts.check(actor.customerId, params.id), checkResultOf))
      }),

      // Anyone with the path can post a contact as a person's own, so a read-only credential must not see it.
      inbox: Effect.fnUntraced(function* ({ params }) {
        const { actor } = yield* CurrentActor
        if (actor.scope !== "full") return yield* answerError(new ScopeInsufficient())
        const path = accounts.inboxPath(actor.customerId, params.id, false)
        return yield* orEnvelope(Effect.map(path, (found) => answerResource({ path: found })))
      }),

      rotateInbox: ({ params }) =>
        write(
          { operation: "account.rotate_inbox", status: 200 },
          Effect.gen(function* () {
            const { actor } = yield* CurrentActor
            const path = yield* accounts.inboxPath(actor.customerId, params.id, true)
            return { body: { path }, audit: accountEntry("rotate_inbox", params.id) }
          })
        ).pipe(orEnvelope),

      contacts: Effect.fnUntraced(function* ({ params, query }) {
        const { actor } = yield* CurrentActor
        return yield* nestedPageRequest("contacts", params.id, query).pipe(
          Effect.flatMap((part) => contacts.list(actor.customerId, params.id, part)),
          Effect.map((page) =>
            toNestedWirePage("contacts", params.id, page, ({ phone, chatId, linkedAt }) => ({
              phone,
              chat_id: chatId,
              linked_at: formatInstant(linkedAt)
            }))
          ),
          orEnvelope
        )
      }),

      importContacts: ({ params, payload }) =>
        write(
          { operation: "contacts.import", status: 200 },
          Effect.gen(function* () {
            const { actor } = yield* CurrentActor
            const links = yield* Effect.fromResult(toLinks(payload))
            const imported = yield* contacts.link(actor.customerId, params.id, links)
            return {
              body: { imported },
              audit: contactsEntry("import", params.id, { imported })
            }
          })
        ).pipe(orEnvelope),

      removeContact: ({ params }) =>
        write(
          { operation: "contacts.remove", status: 204 },
          Effect.gen(function* () {
            const { actor } = yield* CurrentActor
            const phone = yield* Effect.mapError(
              Effect.fromResult(parseContactPhone(params.phone)),
              () => new NotFound()
            )
            const isRemoved = yield* contacts
              .remove(actor.customerId, params.id, phone)
              .pipe(Effect.catchTag("conflict", () => Effect.succeed(false)))
            if (!isRemoved) return yield* new NotFound()
            return { body: null, audit: contactsEntry("remove", params.id) }
          })
        ).pipe(orEnvelope)
    })
  })
)
