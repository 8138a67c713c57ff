import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { ScopeInsufficient } from "../../domain/Errors.ts"
import { Timestamp } from "../../domain/Fields.ts"
import { formatInstant, formatNullableInstant } from "../../domain/Instant.ts"
import { isMaxEntries } from "../../domain/SchemaProblems.ts"
import { MAX_CONTACTS } from "../../domain/account/Contacts.ts"
import { AccountFinding, checkResultOf } from "../../domain/account/AccountState.ts"
import { AttemptErrorCode } from "../../domain/ProviderOutcome.ts"
import { Channel } from "../../domain/routing/Channel.ts"
import { RequireJson } from "../RequestGuards.ts"
import { HasLargeBody } from "../RouteTable.ts"
import { documentedError, orEnvelope } from "../errors/Envelope.ts"
import { CurrentActor } from "./ManageAuth.ts"
import { undeclaredBodyErrors } from "./UndeclaredInput.ts"
import {
  AccountChangeBody,
  type AccountRecord,
  Accounts,
  changeAccount,
  connectAccount,
  type Examined,
  NewAccountBody,
  removeAccount,
  rotateInbox,
  setStandby,
  StandbyBody
} from "../../services/account/Accounts.ts"
import {
  ContactList,
  type ContactRecord,
  Contacts,
  importContacts,
  removeContact
} from "../../services/account/Contacts.ts"
import {
  acting,
  changed,
  changing,
  conflict,
  creatingAt,
  handlersOf,
  id,
  invalid,
  listing,
  manageGroup,
  notFound,
  reading,
  removing,
  summary,
  unavailable
} from "./Endpoints.ts"
import { respondWithResource, found, handler, listed } from "./Handlers.ts"
import { PathId, nestedPageRequest, pageOf, pageQuery, toNestedWirePage } from "./ManageWire.ts"

const LastError = Schema.Struct({
  code: AttemptErrorCode,
  message: Schema.String.annotateKey({ description: "The provider's own words." }),
  at: Timestamp
}).annotate({ identifier: "AccountError" })

const Account = Schema.Struct({
  credential_id: Schema.Int,
  channel: Channel,
  provider: Schema.String,
  label: Schema.String,
  default: Schema.Boolean,
  active: Schema.Boolean,
  sends: Schema.Array(Schema.Literals(["codes", "messages"])),
  standby: Schema.Array(Schema.Int).annotateKey({
    description: "The accounts that take over with a code when this one cannot send it, in order."
  }),
  needs_contacts: Schema.Boolean.annotateKey({
    description: "Reaches only phones that are linked to a chat."
  }),
  gap_ms: Schema.NullOr(Schema.Int),
  per_minute: Schema.NullOr(Schema.Int),
  failures: Schema.Int,
  cooling_until: Schema.NullOr(Timestamp),
  last_error: Schema.NullOr(LastError).annotateKey({
    description:
      "The last failure that was not a recipient's, since the settings were changed; null if there is none."
  }),
  created_at: Timestamp,
  version: Schema.Int
}).annotate({ identifier: "Account" })

const AccountCheck = Schema.Struct({
  result: Schema.Literals(["works", "refused", "not_reached", "cannot_be_checked"]),
  detail: Schema.NullOr(Schema.String)
}).annotate({ identifier: "AccountCheck" })

const ConnectedAccount = Schema.Struct({ ...Account.fields, check: AccountCheck }).annotate({
  identifier: "ConnectedAccount"
})

export const ContactsBody = Schema.Struct({
  contacts: ContactList.fields.contacts.check(isMaxEntries(MAX_CONTACTS))
}).annotate({ identifier: "Contacts" })

const Contact = Schema.Struct({
  phone: Schema.String,
  chat_id: Schema.String,
  linked_at: Timestamp
}).annotate({
  identifier: "Contact"
})

const Inbox = Schema.Struct({ path: Schema.String }).annotate({ identifier: "AccountInbox" })

export class AccountsGroup extends manageGroup(
  "accounts",
  "/v1/manage/accounts",
  { title: "Management: sending accounts" },
  listing(Account, "List connected accounts", {
    ...pageQuery("accounts"),
    channel: Schema.optionalKey(Channel),
    active: Schema.optionalKey(Schema.Literals(["true", "false"]))
  }),
  creatingAt(
    "connect",
    "/",
    NewAccountBody,
    ConnectedAccount,
    "Connect an account; the provider is asked first whether it works",
    [unavailable, conflict]
  ),
  reading(PathId, Account, "Read an account"),
  changing(PathId, AccountChangeBody, Account, "Change an account: label, settings, default, active, pace", [
    notFound,
    unavailable,
    changed,
    conflict
  ]),
  removing(
    "remove",
    "Delete an account with its contacts",
    [notFound, changed, conflict],
    "409 conflict while the routing order names it, or what is under way may use it; see details.reason."
  ),
  HttpApiEndpoint.put("standby", "/:id/standby", {
    params: id,
    payload: StandbyBody,
    success: Account,
    error: [notFound, changed]
  })
    .annotateMerge(summary("Set the accounts that take over with a code when this one cannot send it"))
    .middleware(RequireJson),
  acting("check", "/:id/check", AccountCheck, "Ask the provider whether an account works", [notFound]),
  HttpApiEndpoint.get("inbox", "/:id/inbox", {
    params: id,
    success: Inbox,
    error: [notFound, conflict]
  }).annotateMerge(summary("The secret path that an account's updates are posted to")),
  acting(
    "rotateInbox",
    "/:id/inbox/rotate",
    Inbox,
    "Create another inbox path for an account; the old one ends at once",
    [notFound, conflict]
  ),
  HttpApiEndpoint.get("contacts", "/:id/contacts", {
    params: id,
    query: pageQuery("contacts"),
    success: pageOf(Contact),
    error: [notFound, invalid]
  }).annotateMerge(summary("List the phones that an account's bot reaches")),
  HttpApiEndpoint.put("importContacts", "/:id/contacts", {
    params: id,
    payload: ContactsBody,
    success: Schema.Struct({ imported: Schema.Int }),
    error: [notFound, conflict, documentedError("invalid_phone")]
  })
    .annotateMerge(summary("Link phones to the chats by which a bot reaches them; at most 1000"))
    .annotate(HasLargeBody, true)
    .middleware(RequireJson),
  HttpApiEndpoint.delete("removeContact", "/:id/contacts/:phone", {
    params: { ...id, phone: Schema.String },
    success: HttpApiSchema.Empty(204),
    error: [...undeclaredBodyErrors, notFound]
  }).annotateMerge(summary("Delete the link by which a bot reaches a phone"))
) {}

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

/** Without a response of the provider the account is connected, unchecked. */
const toConnected = ({ account, finding = AccountFinding.CannotBeChecked() }: Examined) => ({
  ...toAccount(account),
  check: checkResultOf(finding)
})

const toContact = ({ phone, chatId, linkedAt }: ContactRecord) => ({
  phone,
  chat_id: chatId,
  linked_at: formatInstant(linkedAt)
})

export const AccountsHandlers = handlersOf(AccountsGroup, (handlers) =>
  handlers.handleAll({
    list: listed(
      "accounts",
      (customerId, page, { channel, active }) =>
        Accounts.use((accounts) =>
          accounts.list(customerId, {
            ...page,
            channel,
            active: active === undefined ? undefined : active === "true"
          })
        ),
      toAccount
    ),
    read: found(Accounts, toAccount),

    check: Effect.fnUntraced(function* ({ params }) {
      const { actor } = yield* CurrentActor
      return checkResultOf(yield* (yield* Accounts).check(actor.customerId, params.id))
    }, orEnvelope),

    // Anyone with the path can post a contact as a person's own, so a read-only credential must not see it.
    inbox: Effect.fnUntraced(function* ({ params }) {
      const { actor } = yield* CurrentActor
      if (actor.scope !== "full") return yield* new ScopeInsufficient()
      return respondWithResource({
        path: yield* (yield* Accounts).inboxPath(actor.customerId, params.id, false)
      })
    }, orEnvelope),

    connect: handler(connectAccount, { status: 201, body: toConnected, isOnce: true }),
    update: handler(changeAccount, { status: 200, body: ({ account }) => toAccount(account) }),
    standby: handler(setStandby, { status: 200, body: toAccount }),
    remove: handler(removeAccount, { status: 204 }),
    rotateInbox: handler(rotateInbox, { status: 200, body: ({ path }) => ({ path }) }),

    contacts: Effect.fnUntraced(function* ({ params, query }) {
      const { actor } = yield* CurrentActor
      const part = yield* nestedPageRequest("contacts", params.id, query)
      const page = yield* (yield* Contacts).list(actor.customerId, params.id, part)
      return toNestedWirePage("contacts", params.id, page, toContact)
    }, orEnvelope),

    importContacts: handler(importContacts, { status: 200, body: ({ imported }) => ({ imported }) }),
    removeContact: handler(removeContact, {
      status: 204,
      target: (params: { readonly id: number; readonly phone: string }) => params
    })
  })
)
