import { Effect, Redacted, Schema } from "effect"
import { isIdPosition } from "../../../domain/Paging.ts"
import { EVERY_EVENT, isAlertEvent, type WebhookEndpoint, WebhookEventType } from "../../../domain/Webhook.ts"
import { ALERT_EVENTS } from "../../../domain/alert/Alert.ts"
import { pathOf } from "../Navigation.ts"
import {
  errorSummary,
  type FieldErrors,
  inputField,
  noFieldErrors,
  selectField
} from "../forms/FormFields.ts"
import { csrfField, onceField } from "../forms/Forms.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Page } from "../frame/Layout.ts"
import type { Locale } from "../frame/Locale.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { badge, stateBadge } from "../parts/Badge.ts"
import { secretPanel } from "../parts/Code.ts"
import { emptyState, pager, pageRequest, table } from "../parts/Lists.ts"
import { isolated, ltr, mono } from "../parts/Text.ts"
import { type CreatedWebhook, Webhooks } from "../../../services/webhook/Webhooks.ts"

/** The fields of a webhook form, as the body of the management API. */
export const submittedWebhook = (fields: URLSearchParams) => {
  const events = fields.getAll("events")
  return {
    url: fields.get("url")?.trim(),
    // All events and some of them are all; alerts are always named.
    events: [...new Set(events)].filter(
      (event) => event === EVERY_EVENT || !events.includes(EVERY_EVENT) || isAlertEvent(event)
    ),
    description: fields.get("description")?.trim() ?? ""
  }
}

export const asSubmitted = ({ url, events, description }: WebhookEndpoint): URLSearchParams =>
  new URLSearchParams([
    ["url", url],
    ["description", description],
    ...events.map((event) => ["events", event])
  ])

const eventBox = (event: string, label: Html | string, submitted: URLSearchParams): Html =>
  html`<label class="check">
    <input
      type="checkbox"
      name="events"
      value="${event}"
      ${submitted.getAll("events").includes(event) && html`checked`}
    />
    <span>${label}</span>
  </label>`

export const groupOf = (event: string): string => event.split(".")[0] ?? event

type GroupOf<Event extends string> = Event extends `${infer Group}.${string}` ? Group : never

/** Every group of events: the form would take those without a group out of a webhook that it saves. */
const groups: Readonly<
  Record<GroupOf<typeof WebhookEventType.Type>, readonly [english: string, persian: string]>
> = {
  verification: ["Verifications", "کدهای تأیید"],
  message: ["Messages", "پیام‌ها"],
  guard: ["Guard", "نگهبان"],
  alert: ["Alerts", "اعلان‌ها"]
}

/** The name of a group; a test event is in none. */
export const groupText = (group: string, { say }: Locale): string => {
  const words = Object.entries(groups).find(([name]) => name === group)?.[1]
  return words === undefined ? say("Test", "آزمایش") : say(...words)
}

/** Which events an endpoint takes. */
const eventChoice = ({ say }: Locale, submitted: URLSearchParams, errors: FieldErrors): Html => {
  const some = submitted.getAll("events").filter((event) => event !== EVERY_EVENT)
  const label = say("Events", "رویدادها")
  const isWrong = errors.has("events")
  return html`<fieldset
    class="fields"
    id="field-events"
    tabindex="-1"
    ${isWrong && html`aria-describedby="field-events-error"`}
  >
    <legend>${label}</legend>
    ${isWrong && html`<p class="field-error" id="field-events-error" dir="auto">${errors.get("events")}</p>`}
    ${eventBox(EVERY_EVENT, say("All events except alerts, including new event types", "همهٔ رویدادها به‌جز اعلان‌ها، حتی آن‌هایی که بعداً اضافه می‌شوند"), submitted)}
    <details ${some.length > 0 && html`open`}>
      <summary class="more-summary">${say("Choose events", "انتخاب رویدادها")}</summary>
      <div class="event-groups">
        ${Object.entries(groups).map(
          ([group, words]) =>
            html`<div role="group" aria-label="${say(...words)}">
              <p class="muted">${say(...words)}</p>
              ${WebhookEventType.literals
                .filter((event) => groupOf(event) === group)
                .map((event) => eventBox(event, mono(event), submitted))}
              ${group === "alert" && eventBox(ALERT_EVENTS, say("All alerts", "همهٔ اعلان‌ها"), submitted)}
            </div>`
        )}
      </div>
    </details>
  </fieldset>`.asField({ name: "events", id: "field-events", label })
}

/** @param isAnywhere whether plain http and private addresses are taken, too */
export const webhookFields = (
  locale: Locale,
  submitted: URLSearchParams,
  errors: FieldErrors,
  isAnywhere: boolean
): Html => {
  const { say } = locale
  return html`${inputField({
    name: "url",
    label: say("URL", "نشانی"),
    type: "url",
    hint: isAnywhere
      ? say(
          "http or https, reachable from this server; a private network is allowed.",
          "http یا https و در دسترس این سرور؛ شبکهٔ خصوصی هم مجاز است."
        )
      : say("https, reachable from the internet.", "https و در دسترس از اینترنت."),
    placeholder: "https://example.ir/peyk/events",
    value: submitted.get("url") ?? "",
    isRequired: true,
    isLtr: true,
    errors
  })}
  ${inputField({
    name: "description",
    label: say("Description", "توضیح"),
    value: submitted.get("description") ?? "",
    errors
  })}
  ${eventChoice(locale, submitted, errors)}`
}

export const WEBHOOKS_PATH = pathOf("webhooks")

export const pathFor = (id: number, below = ""): string => `${WEBHOOKS_PATH}/${id}${below}`

export const NEW_WEBHOOK_PATH = `${WEBHOOKS_PATH}/new` as const

const disabledText = {
  gone: ["Disabled: it responded with 410", "غیرفعال: با ۴۱۰ پاسخ داد"],
  failing: ["Disabled: it failed for days", "غیرفعال: چند روز پاسخ درست نداد"],
  manual: ["Disabled", "غیرفعال"]
} as const

/** Whether events reach it. */
export const webhookState = ({ disabledReason, failingSince }: WebhookEndpoint, locale: Locale): Html => {
  const { say, time } = locale
  if (disabledReason !== null) {
    const [english, persian] = disabledText[disabledReason]
    return badge(disabledReason === "manual" ? "plain" : "bad", say(english, persian))
  }
  return failingSince === null
    ? stateBadge("active", locale)
    : html`${badge("bad", say("Failing", "ناموفق"))}
        <span class="sub">${say("since", "از")} ${time(failingSince)}</span>`
}

const eventsText = ({ events }: WebhookEndpoint, { say, number }: Locale): string => {
  const count = (some: number) =>
    say(`${number(some)} ${some === 1 ? "event" : "events"}`, `${number(some)} رویداد`)
  if (!events.includes(EVERY_EVENT)) return count(events.length)
  if (events.includes(ALERT_EVENTS)) return say("All events and alerts", "همهٔ رویدادها و اعلان‌ها")
  return events.length === 1
    ? say("All events except alerts", "همهٔ رویدادها به‌جز اعلان‌ها")
    : say(
        `All events, and ${count(events.length - 1)} of alerts`,
        `همهٔ رویدادها، و ${count(events.length - 1)} از اعلان‌ها`
      )
}

const webhookTable = (webhooks: ReadonlyArray<WebhookEndpoint>, { locale }: View): Html => {
  const { say, time } = locale
  return table(
    say("Webhooks", "وب‌هوک‌ها"),
    [
      {
        header: say("URL", "نشانی"),
        kind: "title",
        cell: ({ id, url, description }: WebhookEndpoint) =>
          html`<a href="${WEBHOOKS_PATH}/${id}" class="clip" dir="ltr" title="${url}">${ltr(url)}</a>
            ${description !== "" && html`<span class="sub">${isolated(description)}</span>`}`
      },
      { header: say("Events", "رویدادها"), cell: (webhook) => eventsText(webhook, locale) },
      { header: say("Mode", "حالت"), cell: ({ mode }) => stateBadge(mode, locale) },
      { header: say("Status", "وضعیت"), cell: (webhook) => webhookState(webhook, locale) },
      { header: say("Created", "زمان ایجاد"), cell: ({ createdAt }) => time(createdAt) }
    ],
    webhooks
  )
}

export const showWebhooks = Effect.fnUntraced(function* (view: View) {
  const { actor, locale } = view
  const { say } = locale
  const request = yield* pageRequest(view, isIdPosition)
  const { items, next } = yield* (yield* Webhooks).list(actor.customerId, request)
  const link = { href: NEW_WEBHOOK_PATH, label: say("New webhook", "وب‌هوک جدید") }
  const mayWrite = actor.scope === "full"
  return {
    title: say("Webhooks", "وب‌هوک‌ها"),
    name: "webhooks",
    lead: say(
      "Peyk sends a signed event to your server when a code or a message changes.",
      "با هر تغییر یک کد یا پیام، پیک یک رویداد امضاشده به سرور شما می‌فرستد."
    ),
    actions: html`<a class="button" href="${WEBHOOKS_PATH}/events"
        >${say("Event catalogue", "فهرست رویدادها")}</a
      >
      ${mayWrite && html`<a class="button primary" href="${link.href}">${link.label}</a>`}`,
    content: html`<div class="panel">
      ${
        items.length > 0
          ? webhookTable(items, view)
          : emptyState(
              say("No webhooks yet", "هنوز وب‌هوکی ندارید"),
              say(
                "Without one, your backend polls the status every 5 to 10 seconds.",
                "بدون وب‌هوک، سرور شما باید هر ۵ تا ۱۰ ثانیه وضعیت را بخواند."
              ),
              mayWrite ? link : null
            )
      }
      ${pager(view, next)}
    </div>`
  } satisfies Page
})

export const newWebhookPage = Effect.fnUntraced(function* (
  view: View,
  submitted: URLSearchParams,
  errors: FieldErrors
) {
  const { say } = view.locale
  const { allowsPrivateAddresses } = yield* Webhooks
  return {
    title: say("New webhook", "وب‌هوک جدید"),
    name: "webhooks",
    lead: html`<a href="${WEBHOOKS_PATH}">${say("Webhooks", "وب‌هوک‌ها")}</a>`,
    content: html`<form class="panel panel-body fields narrow" method="post" action="${NEW_WEBHOOK_PATH}">
      ${csrfField(view.csrf)}${onceField()} ${errorSummary(errors, view.locale)}
      ${webhookFields(view.locale, submitted, errors, allowsPrivateAddresses)}
      ${selectField({
        name: "mode",
        label: say("Mode", "حالت"),
        hint: say(
          "Test: events of the sandbox. You cannot change this later.",
          "آزمایشی: رویدادهای محیط آزمایشی. بعداً نمی‌توانید تغییرش دهید."
        ),
        value: submitted.get("mode") ?? "live",
        choices: [
          ["live", say("Live", "واقعی")],
          ["test", say("Test", "آزمایشی")]
        ]
      })}
      <div class="actions">
        <button class="button primary">${say("Create webhook", "ساخت وب‌هوک")}</button>
        <a class="button quiet" href="${WEBHOOKS_PATH}">${say("Cancel", "انصراف")}</a>
      </div>
    </form>`
  } satisfies Page
})

/** By default it takes every event. */
const blank = new URLSearchParams({ events: EVERY_EVENT })

export const showNewWebhook = (view: View) => newWebhookPage(view, blank, noFieldErrors)

/** What the page of a new secret shows. */
export const ShownWebhook = Schema.Struct({
  id: Schema.Int,
  url: Schema.String,
  secret: Schema.RedactedFromValue(Schema.String)
})

export const shownWebhook = ({ endpoint, secret }: CreatedWebhook): typeof ShownWebhook.Type => {
  const { id, url } = endpoint
  return { id, url, secret }
}

/** The only page that shows the secret. */
export const webhookSecretPage = (
  view: View,
  { id, url, secret }: typeof ShownWebhook.Type,
  title: string
): Page => {
  const { say } = view.locale
  return {
    title,
    name: "webhooks",
    lead: ltr(url),
    content: secretPanel(
      {
        label: say("Signing secret", "کلید امضا"),
        secret: Redacted.value(secret),
        done: `${WEBHOOKS_PATH}/${id}`,
        more: html`<p class="hint">
          ${say(
            "Use it to check the signature of each event (Standard Webhooks) before you trust the event.",
            "قبل از اعتماد به هر رویداد، امضای آن را با این کلید بررسی کنید (Standard Webhooks)."
          )}
        </p>`
      },
      view.locale
    )
  }
}
