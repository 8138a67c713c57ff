import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Channel } from "../../../domain/routing/Channel.ts"
import { MAX_STANDBY } from "../../../domain/account/Standby.ts"
import { RoutingStep, StepOrder, StepWait } from "../../../domain/people/Customer.ts"
import { stepProblems } from "../../../domain/routing/Route.ts"
import { documentedError } from "../../Envelope.ts"
import { TemplateId } from "../../otp/OtpSchemas.ts"
import { OptionalIdempotencyKey, RequireJson } from "../../RequestGuards.ts"
import { optional, PositiveInt } from "../../WireSchemas.ts"
import { ManageAuth } from "../access/ManageAuth.ts"
import { Name, TemplateText, Timestamp } from "../wire/ManageFields.ts"
import { pageQuery, pageOf, PathId } from "../wire/ManageWire.ts"
import { NoUndeclaredBody, undeclaredBodyErrors } from "../wire/UndeclaredBody.ts"

const id = { id: PathId }
const invalid = documentedError("validation_error")
const notFound = documentedError("not_found")
const changed = documentedError("precondition_failed")
const conflict = documentedError("conflict")
const unavailable = documentedError("channel_unavailable")
const keyErrors = [documentedError("idempotency_key_conflict"), documentedError("idempotency_key_too_long")]

const summary = (text: string) => OpenApi.annotations({ summary: text })

export const Account = Schema.Struct({
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

const Settings = Schema.Record(Schema.String, Schema.Unknown).annotate({
  description: "The provider's settings. Stored encrypted, and never returned."
})

const checks = optional(Schema.Boolean).annotateKey({
  description: "Whether the provider is asked first if the account works; true if absent."
})

export const NewAccountBody = Schema.Struct({
  channel: Channel,
  provider: Schema.String.check(Schema.isMaxLength(50)),
  label: Name,
  settings: Settings,
  default: optional(Schema.Boolean),
  check: checks
}).annotate({ identifier: "NewAccount" })

const Gap = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 86_400_000 }))
const Rate = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 }))

export const AccountChangeBody = Schema.Struct({
  label: optional(Name),
  settings: optional(Settings),
  default: optional(Schema.Boolean),
  active: optional(Schema.Boolean),
  gap_ms: Schema.optionalKey(Schema.NullOr(Gap)),
  per_minute: Schema.optionalKey(Schema.NullOr(Rate)),
  check: checks
}).annotate({ identifier: "AccountChange" })

export const StandbyBody = Schema.Struct({
  account_ids: Schema.Array(PositiveInt)
    .check(Schema.isMaxLength(MAX_STANDBY))
    .annotate({ description: "Accounts of the same channel, in order; an empty list removes them." })
}).annotate({ identifier: "Standby" })

const MAX_CONTACTS = 1000

export const ContactsBody = Schema.Struct({
  contacts: Schema.Array(
    Schema.Struct({
      phone: Schema.String,
      chat_id: Schema.Union([
        Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,128}$/)),
        Schema.Int
      ]).annotate({ description: "The platform's id of the chat." })
    })
  ).check(Schema.isMaxLength(MAX_CONTACTS))
}).annotate({ identifier: "Contacts" })

const Contact = Schema.Struct({
  phone: Schema.String,
  chat_id: Schema.String,
  linked_at: Timestamp
}).annotate({
  identifier: "Contact"
})

const Inbox = Schema.Struct({ path: Schema.String }).annotate({ identifier: "AccountInbox" })
/** An object without fields; `Schema.Struct({})` would accept any value. */
const InboxBody = Schema.Record(Schema.String, Schema.Unknown).check(
  Schema.makeFilter((body) => Object.keys(body).map((key) => ({ path: [key], issue: "unknown field" })))
)

export class AccountsGroup extends HttpApiGroup.make("accounts")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: {
        ...pageQuery("accounts"),
        channel: Schema.optionalKey(Channel),
        active: Schema.optionalKey(Schema.Literals(["true", "false"]))
      },
      success: pageOf(Account),
      error: invalid
    }).annotateMerge(summary("List connected accounts")),
    HttpApiEndpoint.post("connect", "/", {
      payload: NewAccountBody,
      success: ConnectedAccount.pipe(HttpApiSchema.status(201)),
      error: [unavailable, conflict, ...keyErrors]
    })
      .annotateMerge(summary("Connect an account; the provider is asked first whether it works"))
      .middleware(RequireJson)
      .middleware(OptionalIdempotencyKey),
    HttpApiEndpoint.get("read", "/:id", { params: id, success: Account, error: notFound }).annotateMerge(
      summary("Read an account")
    ),
    HttpApiEndpoint.patch("update", "/:id", {
      params: id,
      payload: AccountChangeBody,
      success: Account,
      error: [notFound, unavailable, changed, conflict]
    })
      .annotateMerge(summary("Change an account: label, settings, default, active, pace"))
      .middleware(RequireJson),
    HttpApiEndpoint.delete("remove", "/:id", {
      params: id,
      success: HttpApiSchema.Empty(204),
      error: [...undeclaredBodyErrors, notFound, conflict]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Delete an account with its contacts",
        description:
          "409 conflict while the routing order names it, or what is under way may use it; see details.reason."
      })
    ),
    HttpApiEndpoint.put("standby", "/:id/standby", {
      params: id,
      payload: StandbyBody,
      success: Account,
      error: [notFound, changed]
    })
      .annotateMerge(summary("Set the accounts that take over with a code when this one cannot send it"))
      .middleware(RequireJson),
    HttpApiEndpoint.post("check", "/:id/check", {
      params: id,
      success: AccountCheck,
      error: [...undeclaredBodyErrors, notFound]
    }).annotateMerge(summary("Ask the provider whether an account works")),
    HttpApiEndpoint.get("inbox", "/:id/inbox", {
      params: id,
      success: Inbox,
      error: [notFound, conflict]
    }).annotateMerge(summary("The secret path that an account's updates are posted to")),
    HttpApiEndpoint.post("rotateInbox", "/:id/inbox/rotate", {
      params: id,
      payload: InboxBody,
      success: Inbox,
      error: [notFound, conflict]
    })
      .annotateMerge(summary("Create another inbox path for an account; the old one ends at once"))
      .middleware(RequireJson),
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
  )
  .prefix("/v1/manage/accounts")
  .middleware(NoUndeclaredBody)
  .middleware(ManageAuth)
  .annotateMerge(OpenApi.annotations({ title: "Management: sending accounts" })) {}

const Routing = Schema.Struct({
  order: Schema.optionalKey(Schema.Literal("measured")).annotateKey({
    description: "Absent: the steps are tried as they stand."
  }),
  steps: Schema.Array(RoutingStep),
  version: Schema.Int
}).annotate({
  identifier: "Routing"
})

export const RoutingBody = Schema.Struct({
  order: optional(StepOrder).annotateKey({
    description:
      "saved (default): the steps are tried as they stand; measured: the cheapest channel close to the best comes first."
  }),
  steps: Schema.Array(
    Schema.Struct({
      channel: Schema.String.annotate({
        description: "eitaa, bale, soroushplus, rubika or sms; telegram with an account of Telegram Gateway"
      }),
      account_id: optional(PositiveInt),
      wait: optional(StepWait).annotateKey({
        description:
          "45 to 120 seconds, or measured: the time in which 90 % of the channel's codes are verified."
      }),
      sender: optional(Schema.Literal("shared")).annotateKey({
        description: "The platform's account; start plan only."
      }),
      template_id: optional(TemplateId).annotateKey({
        description: "The text of codes on this step, if the request names no template. Messengers only."
      })
    }).check(Schema.makeFilter(stepProblems))
  )
    .check(Schema.isMaxLength(20))
    .annotate({ description: "The channels in order; an empty list removes the order." })
}).annotate({ identifier: "NewRouting" })

export class RoutingGroup extends HttpApiGroup.make("routing")
  .add(
    HttpApiEndpoint.get("read", "/", { success: Routing }).annotateMerge(
      summary("Read the default routing order; version 0 where none is saved")
    ),
    HttpApiEndpoint.put("save", "/", {
      payload: RoutingBody,
      success: Routing,
      error: [
        changed,
        documentedError("invalid_channel"),
        documentedError("duplicate_channel"),
        documentedError("shared_sender_not_allowed"),
        documentedError("template_not_found"),
        documentedError("template_invalid")
      ]
    })
      .annotateMerge(summary("Save the default routing order"))
      .middleware(RequireJson)
  )
  .prefix("/v1/manage/routing")
  .middleware(NoUndeclaredBody)
  .middleware(ManageAuth)
  .annotateMerge(OpenApi.annotations({ title: "Management: routing" })) {}

export const TemplateResource = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  body: Schema.String,
  active: Schema.Boolean,
  placeholders: Schema.Array(Schema.String),
  problem: Schema.NullOr(Schema.String).annotateKey({ description: "Why the text cannot be used." }),
  carries_codes: Schema.Boolean,
  created_at: Timestamp,
  version: Schema.Int
}).annotate({ identifier: "Template" })

export const NewTemplate = Schema.Struct({ name: Name, body: TemplateText }).annotate({
  identifier: "NewTemplate"
})

export const TemplateChangeBody = Schema.Struct({
  name: optional(Name),
  body: optional(TemplateText),
  active: optional(Schema.Boolean)
}).annotate({ identifier: "TemplateChange" })

export class TemplatesGroup extends HttpApiGroup.make("templates")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: pageQuery("templates"),
      success: pageOf(TemplateResource),
      error: invalid
    }).annotateMerge(summary("List templates")),
    HttpApiEndpoint.post("create", "/", {
      payload: NewTemplate,
      success: TemplateResource.pipe(HttpApiSchema.status(201)),
      error: keyErrors
    })
      .annotateMerge(summary("Create a template"))
      .middleware(RequireJson)
      .middleware(OptionalIdempotencyKey),
    HttpApiEndpoint.get("read", "/:id", {
      params: id,
      success: TemplateResource,
      error: notFound
    }).annotateMerge(summary("Read a template")),
    HttpApiEndpoint.patch("update", "/:id", {
      params: id,
      payload: TemplateChangeBody,
      success: TemplateResource,
      error: [notFound, changed]
    })
      .annotateMerge(summary("Change a template, or switch it off"))
      .middleware(RequireJson),
    HttpApiEndpoint.delete("remove", "/:id", {
      params: id,
      success: HttpApiSchema.Empty(204),
      error: [...undeclaredBodyErrors, notFound, conflict]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Delete a template",
        description: "409 conflict while a step of the routing order names it; see details.reason."
      })
    )
  )
  .prefix("/v1/manage/templates")
  .middleware(NoUndeclaredBody)
  .middleware(ManageAuth)
  .annotateMerge(OpenApi.annotations({ title: "Management: templates" })) {}
