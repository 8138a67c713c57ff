import { Clock, Effect, Redacted, Schema } from "effect"
import {
  type ApiKeyRecord,
  apiKeyStatus,
  type ApiKeyStatus,
  DEFAULT_OVERLAP_SECONDS
} from "../../../domain/ApiKey.ts"
import { KeyMode } from "../../../domain/customer/Customer.ts"
import { FRESH_IN_SHELL } from "../../../domain/text/ShellCommands.ts"
import type { ConsolePages } from "../ConsolePages.ts"
import { creating, formAction, onceFormAction } from "../forms/ActionForms.ts"
import {
  byField,
  errorSummary,
  type FieldErrors,
  noFieldErrors,
  selectField,
  versionField
} from "../forms/FormFields.ts"
import { csrfField, onceField, submittedNumber } from "../forms/Forms.ts"
import { pageResponse, seeOther } from "../frame/Responses.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Page } from "../frame/Layout.ts"
import { change, page, pathId, type View, writerPage } from "../frame/SignedRoutes.ts"
import {
  asSubmitted,
  KEYS_PATH,
  limitFields,
  nameField,
  NEW_KEY_PATH,
  newKeyPage,
  showKeys,
  showNewKey,
  submittedKey,
  submittedTime,
  visibleKey
} from "./KeysPage.ts"
import { stateBadge } from "../parts/Badge.ts"
import { codeBlock, secretPanel } from "../parts/Code.ts"
import { confirmButton } from "../parts/Confirm.ts"
import { withNotice } from "../parts/Notice.ts"
import { facts } from "../parts/Panels.ts"
import { isolated, isolatedText, mono, quoted } from "../parts/Text.ts"
import {
  changeKey,
  type CreatedKey,
  createKey,
  Keys,
  revokeKey,
  rotateKey
} from "../../../services/key/Keys.ts"

const overlaps = [
  [String(DEFAULT_OVERLAP_SECONDS), "One day", "یک روز"],
  ["3600", "One hour", "یک ساعت"],
  ["604800", "One week", "یک هفته"],
  ["0", "Stop now", "همین حالا از کار بیفتد"]
] as const

const factsOf = (key: ApiKeyRecord, status: ApiKeyStatus, { locale }: View): Html => {
  const { say, time, number } = locale
  return facts([
    [say("Key", "کلید"), visibleKey(key)],
    [say("Mode", "حالت"), stateBadge(key.mode, locale)],
    [say("Status", "وضعیت"), stateBadge(status, locale)],
    [
      say("Requests per minute", "درخواست در دقیقه"),
      key.requestsPerMinute === null
        ? say("Default", "پیش‌فرض")
        : key.requestsPerMinute === 0
          ? say("No limit", "بدون سقف")
          : number(key.requestsPerMinute)
    ],
    [
      say("Allowed networks", "شبکه‌های مجاز"),
      key.allowedIps === null ? say("Any", "همه") : mono(key.allowedIps.join(", "))
    ],
    [say("Created", "زمان ایجاد"), time(key.createdAt)],
    [say("Last used", "آخرین استفاده"), time(key.lastUsedAt)],
    [say("Expires", "انقضا"), time(key.expiresAt)],
    key.revokedAt === null ? null : [say("Revoked", "زمان ابطال"), time(key.revokedAt)]
  ])
}

const changeForm = (view: View, key: ApiKeyRecord, submitted: URLSearchParams, errors: FieldErrors): Html => {
  const { say } = view.locale
  return html`<section class="panel" aria-labelledby="change-title">
    <div class="panel-head"><h2 id="change-title">${say("Name and limits", "نام و سقف‌ها")}</h2></div>
    <form class="panel-body fields" method="post" action="${KEYS_PATH}/${key.id}">
      ${csrfField(view.csrf)} ${versionField(key.version, submitted, errors)}
      ${errorSummary(errors, view.locale)} ${nameField(view.locale, submitted.get("name") ?? "", errors)}
      ${limitFields(view.locale, submitted, errors)}
      <div><button class="button primary">${say("Save", "ذخیره")}</button></div>
    </form>
  </section>`
}

const rotateForm = (view: View, { id }: ApiKeyRecord): Html => {
  const { say } = view.locale
  return html`<section class="panel" aria-labelledby="rotate-title">
    <div class="panel-head"><h2 id="rotate-title">${say("Rotate", "تعویض کلید")}</h2></div>
    <form class="panel-body fields" method="post" action="${KEYS_PATH}/${id}/rotate">
      ${csrfField(view.csrf)}${onceField()}
      <p class="hint">
        ${say(
          "Creates a new key with the same settings. This key keeps working for a while, so that nothing breaks.",
          "کلید جدیدی با همین تنظیمات می‌سازد. این کلید هم مدتی کار می‌کند تا ارسال‌ها قطع نشود."
        )}
      </p>
      ${selectField({
        name: "overlap_seconds",
        label: say("Keep this key for", "کلید فعلی تا چه مدت کار کند"),
        choices: overlaps.map(([seconds, english, persian]) => [seconds, say(english, persian)] as const)
      })}
      <div><button class="button">${say("Rotate key", "تعویض کلید")}</button></div>
    </form>
  </section>`
}

const keyPage = Effect.fnUntraced(function* (
  view: View,
  id: number,
  submitted: URLSearchParams | null,
  errors: FieldErrors
) {
  const { say } = view.locale
  const key = yield* (yield* Keys).find(view.actor.customerId, id)
  const status = apiKeyStatus(key, yield* Clock.currentTimeMillis)
  const mayChange = view.actor.scope === "full" && status === "active"
  return {
    title: key.name,
    name: "keys",
    lead: html`<a href="${KEYS_PATH}">${say("API keys", "کلیدهای API")}</a> / ${isolated(key.name)}`,
    actions: mayChange
      ? confirmButton(view, {
          action: `${KEYS_PATH}/${id}/revoke`,
          label: say("Revoke", "ابطال"),
          kind: "danger",
          question: say(
            `Requests with ${quoted(key.name, view.locale)} are refused from now on. This cannot be undone.`,
            `از این به بعد درخواست‌های کلید ${quoted(key.name, view.locale)} رد می‌شود. این کار برگشت ندارد.`
          ),
          confirm: say("Revoke key", "ابطال کلید")
        })
      : null,
    content: html`<div class="columns">
      <div class="stack">
        <section class="panel panel-body" aria-label="${say("Key", "کلید")}">
          ${factsOf(key, status, view)}
        </section>
        ${mayChange && rotateForm(view, key)}
      </div>
      ${mayChange && html`<div class="stack">${changeForm(view, key, submitted ?? asSubmitted(key), errors)}</div>`}
    </div>`
  } satisfies Page
})

const showKey = (view: View) => Effect.flatMap(pathId, (id) => keyPage(view, id, null, noFieldErrors))

const firstRequest = (mode: "live" | "test", origin: string): string =>
  [
    `curl ${origin}/v1/${mode === "test" ? "sandbox/" : ""}otp/send \\`,
    `  -H "X-API-Key: $PEYK_KEY" -H "Content-Type: application/json" \\`,
    ...(mode === "live" ? [`  -H "Idempotency-Key: ${FRESH_IN_SHELL}" \\`] : []),
    `  -d '{"phone": "09121234567", "channels": ["bale", "sms"]}'`
  ].join("\n")

/** What the page of a new key shows. */
const ShownKey = Schema.Struct({
  name: Schema.String,
  mode: KeyMode,
  secret: Schema.RedactedFromValue(Schema.String)
})

const shownKey = ({ record, secret }: CreatedKey): typeof ShownKey.Type => {
  const { name, mode } = record
  return { name, mode, secret }
}

/** The only page that shows the key. */
const createdKeyPage = (view: View, { name, mode, secret }: typeof ShownKey.Type, title: string): Page => {
  const { say } = view.locale
  return {
    title,
    name: "keys",
    lead: isolated(name),
    content: secretPanel(
      {
        label: say("Key", "کلید"),
        secret: Redacted.value(secret),
        done: KEYS_PATH,
        more: codeBlock(
          say(
            "First request, with the key in $PEYK_KEY",
            `اولین درخواست، با کلید در ${isolatedText("$PEYK_KEY")}`
          ),
          firstRequest(mode, view.baseUrl),
          view.locale
        )
      },
      view.locale
    )
  }
}

const submitNewKey = onceFormAction(createKey, {
  target: creating,
  input: (fields, { locale }) => ({
    ...submittedKey(fields),
    mode: fields.get("mode"),
    expires_at: submittedTime(fields.get("expires_at"), locale.zone, "end")
  }),
  shown: ShownKey,
  show: shownKey,
  done: (view, key) =>
    pageResponse(view, createdKeyPage(view, key, view.locale.say("Key created", "کلید ساخته شد"))),
  again: (view, fields, errors) => Effect.succeed(newKeyPage(view, fields, byField(errors)))
})

const submitKey = formAction(changeKey, {
  target: pathId,
  input: submittedKey,
  done: (_, { id }) => seeOther(withNotice(`${KEYS_PATH}/${id}`, "saved")),
  again: (view, fields, errors) => Effect.flatMap(pathId, (id) => keyPage(view, id, fields, byField(errors)))
})

const submitRotation = onceFormAction(rotateKey, {
  target: pathId,
  input: (fields) => ({ overlap_seconds: submittedNumber(fields.get("overlap_seconds")) }),
  shown: ShownKey,
  show: shownKey,
  done: (view, key) =>
    pageResponse(view, createdKeyPage(view, key, view.locale.say("Key rotated", "کلید تعویض شد")))
})

const submitRevocation = formAction(revokeKey, {
  target: pathId,
  done: (_, { id }) => seeOther(withNotice(`${KEYS_PATH}/${id}`, "revoked"))
})

const KEY_PATH = `${KEYS_PATH}/:id` as const

/** Service keys. */
export const keyPages = {
  name: "keys",
  routes: [
    page(KEYS_PATH, showKeys),
    writerPage(NEW_KEY_PATH, showNewKey),
    change(NEW_KEY_PATH, submitNewKey),
    page(KEY_PATH, showKey),
    change(KEY_PATH, submitKey),
    change(`${KEY_PATH}/rotate`, submitRotation),
    change(`${KEY_PATH}/revoke`, submitRevocation)
  ]
} as const satisfies ConsolePages
