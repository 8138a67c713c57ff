import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { Timestamp } from "../../domain/Fields.ts"
import { isMaxEntries } from "../../domain/SchemaProblems.ts"
import { AttemptErrorCode } from "../../domain/provider/ProviderOutcome.ts"
import { Channel } from "../../domain/routing/Channel.ts"
import { RequireJson } from "../RequestGuards.ts"
import { documentedError } from "../errors/Envelope.ts"
import {
  acting,
  changed,
  changing,
  conflict,
  creatingAt,
  id,
  invalid,
  listing,
  manageGroup,
  notFound,
  reading,
  removing,
  summary,
  unavailable
} from "../wire/Endpoints.ts"
import { pageOf, pageQuery, PathId } from "../wire/ManageWire.ts"
import { undeclaredBodyErrors } from "../wire/UndeclaredInput.ts"
import { AccountChangeBody, NewAccountBody, StandbyBody } from "../../services/account/AccountActions.ts"
import { ContactList } from "../../services/account/ContactActions.ts"

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

const MAX_CONTACTS = 1000

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
    .middleware(RequireJson),
  HttpApiEndpoint.delete("removeContact", "/:id/contacts/:phone", {
    params: { ...id, phone: Schema.String },
    success: HttpApiSchema.Empty(204),
    error: [...undeclaredBodyErrors, notFound]
  }).annotateMerge(summary("Delete the link by which a bot reaches a phone"))
) {}
