import { EVERY_EVENT, type WebhookEndpoint, WebhookEventType } from "../../../domain/Webhook.ts"
import type { FieldErrors } from "../forms/FieldErrors.ts"
import { inputField } from "../forms/Fields.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import { mono } from "../parts/Text.ts"

/** The fields of a webhook form, as the body of the management API. */
export const typedWebhook = (fields: URLSearchParams) => {
  const events = fields.getAll("events")
  return {
    url: fields.get("url")?.trim(),
    events: events.includes(EVERY_EVENT) ? [EVERY_EVENT] : [...new Set(events)],
    description: fields.get("description")?.trim() ?? ""
  }
}

export const asTyped = ({ url, events, description }: WebhookEndpoint): URLSearchParams =>
  new URLSearchParams([
    ["url", url],
    ["description", description],
    ...events.map((event) => ["events", event])
  ])

const eventBox = (event: string, label: Html | string, typed: URLSearchParams): Html =>
  html`<label class="check">
    <input
      type="checkbox"
      name="events"
      value="${event}"
      ${typed.getAll("events").includes(event) && html`checked`}
    />
    <span>${label}</span>
  </label>`

const groupOf = (event: string): string => event.split(".")[0] ?? event

type GroupOf<Event extends string> = Event extends `${infer Group}.${string}` ? Group : never

/** Every group of events: the form would take those without a group out of a webhook that it saves. */
const groups: Readonly<
  Record<GroupOf<typeof WebhookEventType.Type>, readonly [english: string, persian: string]>
> = {
  verification: ["Verifications", "کدهای تأیید"],
  message: ["Messages", "پیام‌ها"],
  guard: ["Guard", "نگهبان"]
}

/** Which events an endpoint takes. */
const eventChoice = ({ say }: Locale, typed: URLSearchParams, errors: FieldErrors): Html => {
  const some = typed.getAll("events").filter((event) => event !== EVERY_EVENT)
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
    ${eventBox(EVERY_EVENT, say("All events, also future types", "همهٔ رویدادها، آینده‌ها هم"), typed)}
    <details ${some.length > 0 && html`open`}>
      <summary class="more-summary">${say("Choose events", "انتخاب رویدادها")}</summary>
      <div class="event-groups">
        ${Object.entries(groups).map(
          ([group, words]) =>
            html`<div role="group" aria-label="${say(...words)}">
              <p class="muted">${say(...words)}</p>
              ${WebhookEventType.literals
                .filter((event) => groupOf(event) === group)
                .map((event) => eventBox(event, mono(event), typed))}
            </div>`
        )}
      </div>
    </details>
  </fieldset>`.asField({ name: "events", id: "field-events", label })
}

/** @param isAnywhere whether plain http and private addresses are taken, too */
export const webhookFields = (
  locale: Locale,
  typed: URLSearchParams,
  errors: FieldErrors,
  isAnywhere: boolean
): Html => {
  const { say } = locale
  return html`${inputField({
    name: "url",
    label: say("Address", "نشانی"),
    type: "url",
    hint: isAnywhere
      ? say(
          "http or https, reachable from this server, also in a private network.",
          "http یا https و در دسترس از این سرور، در شبکهٔ خصوصی هم."
        )
      : say("https, reachable from the internet.", "https و در دسترس از اینترنت."),
    placeholder: "https://example.ir/peyk/events",
    value: typed.get("url") ?? "",
    isRequired: true,
    isLtr: true,
    errors
  })}
  ${inputField({
    name: "description",
    label: say("Description", "توضیح"),
    value: typed.get("description") ?? "",
    errors
  })}
  ${eventChoice(locale, typed, errors)}`
}
