import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ScopeInsufficient } from "../../domain/Errors.ts"
import { formatInstant } from "../../domain/Instant.ts"
import { AccountFinding, checkResultOf } from "../../domain/account/AccountState.ts"
import { Api } from "../Api.ts"
import { toAccount } from "./SetUpWire.ts"
import { answerError, orEnvelope } from "../errors/Envelope.ts"
import { makeActionHandler } from "../wire/ActionHandlers.ts"
import { CurrentActor } from "../wire/ManageAuth.ts"
import {
  answerResource,
  nestedPageRequest,
  pageRequest,
  toNestedWirePage,
  toWirePage
} from "../wire/ManageWire.ts"
import {
  changeAccount,
  connectAccount,
  type Examined,
  removeAccount,
  rotateInbox,
  setStandby
} from "../../services/account/AccountActions.ts"
import { Accounts } from "../../services/account/Accounts.ts"
import { importContacts, removeContact } from "../../services/account/ContactActions.ts"
import { type ContactRecord, Contacts } from "../../services/account/Contacts.ts"

/** Without an answer of the provider the account is connected, unchecked. */
const toConnected = ({ account, finding = AccountFinding.CannotBeChecked() }: Examined) => ({
  ...toAccount(account),
  check: checkResultOf(finding)
})

const toContact = ({ phone, chatId, linkedAt }: ContactRecord) => ({
  phone,
  chat_id: chatId,
  linked_at: formatInstant(linkedAt)
})

export const AccountsHandlers = HttpApiBuilder.group(
  Api,
  "accounts",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts
    const contacts = yield* Contacts
    const handler = yield* makeActionHandler<Accounts | Contacts>()
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

      read: Effect.fnUntraced(function* ({ params }) {
        const { actor } = yield* CurrentActor
        const found = accounts.find(actor.customerId, params.id)
        return yield* orEnvelope(Effect.map(found, (account) => answerResource(toAccount(account))))
      }),

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

      connect: handler(connectAccount, { status: 201, body: toConnected, isOnce: true }),
      update: handler(changeAccount, { status: 200, body: ({ account }) => toAccount(account) }),
      standby: handler(setStandby, { status: 200, body: toAccount }),
      remove: handler(removeAccount, { status: 204 }),
      rotateInbox: handler(rotateInbox, { status: 200, body: ({ path }) => ({ path }) }),

      contacts: Effect.fnUntraced(function* ({ params, query }) {
        const { actor } = yield* CurrentActor
        const part = yield* nestedPageRequest("contacts", params.id, query)
        const page = yield* contacts.list(actor.customerId, params.id, part)
        return toNestedWirePage("contacts", params.id, page, toContact)
      }, orEnvelope),

      importContacts: handler(importContacts, { status: 200, body: ({ imported }) => ({ imported }) }),
      removeContact: handler(removeContact, {
        status: 204,
        target: (params: { readonly id: number; readonly phone: string }) => params
      })
    })
  })
)
