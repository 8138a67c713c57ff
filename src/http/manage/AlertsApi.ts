import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { Timestamp } from "../../domain/Fields.ts"
import { formatInstant, formatNullableInstant, type Instant } from "../../domain/Instant.ts"
import {
  AlertCounts,
  AlertDeliveryStatus,
  AlertKind,
  AlertMeans,
  type AlertRecipient,
  type AlertRecord,
  AlertSubject,
  RaisedKind,
  RecipientType
} from "../../domain/alert/Alert.ts"
import { alertSentence } from "../../domain/alert/AlertText.ts"
import type { Actor } from "../../domain/user/Actor.ts"
import { RequireJson } from "../RequestGuards.ts"
import {
  addAlertRecipient,
  Alerts,
  AlertSettingsBody,
  changeAlertSettings,
  ConfirmationBody,
  confirmAlertRecipient,
  NewRecipientBody,
  quietHoursText,
  QuietHoursBody,
  removeAlertRecipient,
  type SavedAlertSettings,
  testAlertRecipient
} from "../../services/alert/Alerts.ts"
import { CurrentActor } from "./ManageAuth.ts"
import {
  changed,
  conflict,
  creatingAt,
  handlersOf,
  id,
  invalid,
  keyErrors,
  listing,
  manageGroup,
  notFound,
  summary
} from "./Endpoints.ts"
import { handler, listed, respondWithResource } from "./Handlers.ts"
import { pageQuery } from "./ManageWire.ts"
import { undeclaredBodyErrors } from "./UndeclaredInput.ts"

const DeliveryResource = Schema.Struct({
  recipient_id: Schema.Int,
  by: AlertMeans,
  status: AlertDeliveryStatus,
  due_at: Timestamp,
  tries: Schema.Int,
  error: Schema.NullOr(Schema.String),
  message_id: Schema.NullOr(Schema.String),
  finished_at: Schema.NullOr(Timestamp)
})

const AlertResource = Schema.Struct({
  id: Schema.String,
  kind: RaisedKind,
  subject: AlertSubject,
  counts: AlertCounts,
  held_back: Schema.Int,
  text: Schema.String,
  raised_at: Timestamp,
  deliveries: Schema.Array(DeliveryResource)
}).annotate({ identifier: "Alert" })

const RecipientResource = Schema.Struct({
  id: Schema.Int,
  type: RecipientType,
  user_id: Schema.NullOr(Schema.String),
  address: Schema.NullOr(Schema.String),
  name: Schema.NullOr(Schema.String),
  status: Schema.Literals(["active", "unconfirmed", "disabled"]),
  created_at: Timestamp
}).annotate({ identifier: "AlertRecipient" })

const SettingsResource = Schema.Struct({
  kinds: Schema.Array(AlertKind),
  quiet_hours: Schema.NullOr(QuietHoursBody),
  urgent_passes: Schema.Boolean,
  version: Schema.Int
}).annotate({ identifier: "AlertSettings" })

export const toAlert = ({ subject, heldBack, raisedAt, deliveries, ...alert }: AlertRecord) => ({
  id: alert.id,
  kind: alert.kind,
  subject,
  counts: alert.counts,
  held_back: heldBack,
  text: alertSentence({ ...alert, subject, heldBack }, "en"),
  raised_at: formatInstant(raisedAt),
  deliveries: deliveries.map((delivery) => ({
    recipient_id: delivery.recipientId,
    by: delivery.means,
    status: delivery.status,
    due_at: formatInstant(delivery.dueAt),
    tries: delivery.tries,
    error: delivery.error,
    message_id: delivery.messageId,
    finished_at: formatNullableInstant(delivery.finishedAt)
  }))
})

const recipientStatus = ({ confirmedAt, isDisabled }: AlertRecipient) =>
  confirmedAt === null ? ("unconfirmed" as const) : isDisabled ? ("disabled" as const) : ("active" as const)

/** @param showsUsers whether to show the addresses of users, which are for owners */
export const toRecipient = (recipient: AlertRecipient, showsUsers: boolean) => ({
  id: recipient.id,
  type: recipient.type,
  user_id: recipient.userId,
  address: recipient.type === "user" && !showsUsers ? null : recipient.address,
  name: recipient.name,
  status: recipientStatus(recipient),
  created_at: formatInstant(recipient.createdAt)
})

const recipientBody = (recipient: AlertRecipient, _now: Instant, { isOwner }: Actor) =>
  toRecipient(recipient, isOwner)

export const toAlertSettings = ({ kinds, quietHours, urgentPasses, version }: SavedAlertSettings) => ({
  kinds,
  quiet_hours: quietHoursText(quietHours),
  urgent_passes: urgentPasses,
  version
})

const Accepted = Schema.Struct({ alert_id: Schema.String })
  .annotate({ identifier: "AlertTest" })
  .pipe(HttpApiSchema.status(202))

export class AlertsGroup extends manageGroup(
  "alerts",
  "/v1/manage/alerts",
  { title: "Management: alerts" },
  listing(AlertResource, "List alerts of the last 90 days, the newest first", pageQuery("alerts")),
  HttpApiEndpoint.get("settings", "/settings", { success: SettingsResource }).annotateMerge(
    summary("Read which alerts people get, and when")
  ),
  HttpApiEndpoint.patch("saveSettings", "/settings", {
    payload: AlertSettingsBody,
    success: SettingsResource,
    error: [invalid, changed]
  })
    .annotateMerge(summary("Change which alerts people get, and when; If-Match guards against others"))
    .middleware(RequireJson),
  HttpApiEndpoint.get("recipients", "/recipients", {
    success: Schema.Struct({ data: Schema.Array(RecipientResource) })
  }).annotateMerge(summary("List who gets alerts")),
  creatingAt(
    "addRecipient",
    "/recipients",
    NewRecipientBody,
    RecipientResource,
    "Add a user, an e-mail address or a phone; addresses and phones get a code that confirms them",
    [invalid, conflict]
  ),
  HttpApiEndpoint.post("confirmRecipient", "/recipients/:id/confirm", {
    params: id,
    payload: ConfirmationBody,
    success: RecipientResource,
    error: [invalid, notFound]
  })
    .annotateMerge(summary("Confirm an address or a phone by the code that it got"))
    .middleware(RequireJson),
  HttpApiEndpoint.post("testRecipient", "/recipients/:id/test", {
    params: id,
    success: Accepted,
    error: [...undeclaredBodyErrors, notFound, conflict, ...keyErrors]
  }).annotateMerge(summary("Send a test alert, up to 5 an hour")),
  HttpApiEndpoint.delete("removeRecipient", "/recipients/:id", {
    params: id,
    success: HttpApiSchema.Empty(204),
    error: [...undeclaredBodyErrors, notFound]
  }).annotateMerge(summary("Remove a recipient of alerts"))
) {}

export const AlertsHandlers = handlersOf(AlertsGroup, (handlers) =>
  handlers.handleAll({
    list: listed(
      "alerts",
      (customerId, page) => Alerts.use((alerts) => alerts.list(customerId, page)),
      toAlert
    ),
    settings: () =>
      Effect.gen(function* () {
        const { actor } = yield* CurrentActor
        const saved = yield* (yield* Alerts).settings(actor.customerId)
        return respondWithResource(toAlertSettings(saved))
      }),
    saveSettings: handler(changeAlertSettings, { status: 200, body: toAlertSettings }),
    recipients: () =>
      Effect.gen(function* () {
        const { actor } = yield* CurrentActor
        const recipients = yield* (yield* Alerts).recipients(actor.customerId)
        return { data: recipients.map((each) => toRecipient(each, actor.isOwner)) }
      }),
    addRecipient: handler(addAlertRecipient, { status: 201, body: recipientBody, isOnce: true }),
    confirmRecipient: handler(confirmAlertRecipient, { status: 200, body: recipientBody }),
    testRecipient: handler(testAlertRecipient, {
      status: 202,
      body: ({ alertId }) => ({ alert_id: alertId }),
      isOnce: true
    }),
    removeRecipient: handler(removeAlertRecipient, { status: 204 })
  })
)
