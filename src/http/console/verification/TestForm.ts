import { Effect, Result } from "effect"
import { fieldError, type ValidationError } from "../../../domain/Errors.ts"
import { problem } from "../../../domain/Problem.ts"
import { checkCodeTemplate, placeholders, type Template } from "../../../domain/message/Template.ts"
import { FRESH_IN_SHELL } from "../../../domain/text/ShellCommands.ts"
import { pathOf } from "../Navigation.ts"
import {
  errorSummary,
  type FieldErrors,
  inputField,
  selectField,
  textAreaField
} from "../forms/FormFields.ts"
import { csrfField, draftField, isOwnDraft, onceField } from "../forms/Forms.ts"
import { html, type Html } from "../frame/Html.ts"
import type { View } from "../frame/SignedRoutes.ts"
import type { Visit } from "../frame/Visit.ts"
import { codeBlock } from "../parts/Code.ts"
import { type Choices, targetOptions } from "../RoutingEditor.ts"

/** The fields of a test, as they were typed. */
export interface TestRequest {
  readonly mode: "live" | "sandbox"
  readonly kind: "code" | "message"
  readonly phone: string
  /** As the selects stand: `bale:`, `bale:7`, `bale:shared`, or empty. All empty: the saved order. */
  readonly targets: ReadonlyArray<string>
  readonly templateId: number | null
  /** A message's text; with a template, what is put into its placeholders. */
  readonly message: string
  readonly parameters: ReadonlyMap<string, string>
}

export const SAMPLE_PHONE = "09121234567"

/** The route's selects: a first channel, and two more if it fails. */
const ROUTE_LENGTH = 3

type Submitted = Pick<URLSearchParams, "get" | "getAll" | "entries">

/** The form's name of a placeholder, apart from the names of its other fields. */
const parameterName = (placeholder: string): string => `parameter.${placeholder}`

const parametersOf = (submitted: Submitted): ReadonlyMap<string, string> =>
  new Map(
    [...submitted.entries()].flatMap(([name, value]) =>
      name.startsWith("parameter.") ? [[name.slice("parameter.".length), value] as const] : []
    )
  )

export const testRequestOf = (submitted: Submitted): TestRequest => {
  const template = submitted.get("template") ?? ""
  const mode = submitted.get("mode") === "live" ? "live" : "sandbox"
  return {
    mode,
    kind: submitted.get("kind") === "message" ? "message" : "code",
    phone: (submitted.get("phone") ?? "").trim(),
    targets: submitted.getAll("target").slice(0, ROUTE_LENGTH),
    templateId: /^[1-9]\d{0,8}$/.test(template) ? Number(template) : null,
    message: (submitted.get("message") ?? "").replaceAll("\r\n", "\n"),
    parameters: parametersOf(submitted)
  }
}

interface ChannelRequest {
  readonly channel: string
  readonly account_id?: number
  readonly sender?: "shared"
}

export const channelsOf = ({ targets }: TestRequest): ReadonlyArray<ChannelRequest> =>
  targets
    .filter((target) => target !== "")
    .map((target) => {
      const [channel = "", account = ""] = target.split(":")
      if (account === "shared") return { channel, sender: "shared" }
      return /^[1-9]\d{0,8}$/.test(account) ? { channel, account_id: Number(account) } : { channel }
    })

/** Names where names are enough. */
const wireChannels = (channels: ReadonlyArray<ChannelRequest>) =>
  channels.map(({ channel, ...more }) => (Object.keys(more).length === 0 ? channel : { channel, ...more }))

/** The body of the same request by the API. */
const bodyOf = (request: TestRequest): Readonly<Record<string, unknown>> => {
  const channels = wireChannels(channelsOf(request))
  const phone = request.phone === "" ? SAMPLE_PHONE : request.phone
  if (request.kind === "message") {
    const { templateId: id, parameters } = request
    const content =
      id === null
        ? { message: request.message }
        : { template: { id, parameters: Object.fromEntries(parameters) } }
    return { to: phone, ...content, channels }
  }
  return {
    phone,
    ...(channels.length === 0 ? {} : { channels }),
    ...(request.templateId === null || request.mode === "sandbox" ? {} : { template_id: request.templateId })
  }
}

/** Only what the use case would not refuse by itself. */
export const checkRequest = ({ phone }: TestRequest): Effect.Effect<void, ValidationError> =>
  phone === "" ? Effect.fail(fieldError("phone", problem("phone_required"))) : Effect.void

const KEY = "YOUR_API_KEY"

const apiPathOf = ({ mode, kind }: TestRequest): string => {
  const resource = kind === "message" ? "messages" : "otp"
  return mode === "live" ? `/v1/${resource}/send` : `/v1/sandbox/${resource}/send`
}

const json = (value: unknown, indent: string): string =>
  JSON.stringify(value, null, 2).replaceAll("\n", `\n${indent}`)

/** A JSON text between single quotes of a shell. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const curl = (url: string, body: unknown): string =>
  [
    `curl -X POST ${url}`,
    `-H "X-API-Key: ${KEY}"`,
    `-H "Idempotency-Key: ${FRESH_IN_SHELL}"`,
    `-H "Content-Type: application/json"`,
    `-d ${shellQuoted(json(body, ""))}`
  ].join(" \\\n  ")

const typeScript = (baseUrl: string, { mode, kind }: TestRequest, body: unknown): string => {
  const resource = kind === "message" ? "messages" : "otp"
  const call = mode === "live" ? `${resource}.send` : `sandbox.${resource}.send`
  return `import { createClient } from "@peyk/client"

const peyk = createClient({ baseUrl: "${baseUrl}", apiKey: "${KEY}" })

const sent = await peyk.${call}(${json(body, "")})`
}

/** JSON of these bodies is Python, too: they have no booleans and no null. */
const python = (url: string, body: unknown): string => `import uuid, requests

sent = requests.post(
    "${url}",
    headers={"X-API-Key": "${KEY}", "Idempotency-Key": str(uuid.uuid4())},
    json=${json(body, "    ")},
)`

const php = (url: string, body: unknown): string => `<?php
$curl = curl_init("${url}");
curl_setopt_array($curl, [
    CURLOPT_POST => true,
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => [
        "X-API-Key: ${KEY}",
        "Idempotency-Key: " . bin2hex(random_bytes(16)),
        "Content-Type: application/json",
    ],
    CURLOPT_POSTFIELDS => <<<'JSON'
${json(body, "")}
JSON,
]);
$sent = json_decode(curl_exec($curl), true);`

/** A program in each language that makes this request; `YOUR_API_KEY` stands for the key. */
export const programsOf = (baseUrl: string, request: TestRequest) => {
  const url = `${baseUrl}${apiPathOf(request)}`
  const body = bodyOf(request)
  return [
    ["curl", curl(url, body)],
    ["TypeScript", typeScript(baseUrl, request, body)],
    ["Python", python(url, body)],
    ["PHP", php(url, body)]
  ] as const
}

/** The request as programs make it, for a page. */
export const snippets = (view: Visit, request: TestRequest): Html => {
  const { say } = view.locale
  const all = programsOf(view.baseUrl, request)
  return html`<section class="panel" id="snippets" aria-labelledby="snippets-title">
    <div class="panel-head">
      <h2 id="snippets-title">${say("The same request with the API", "همین درخواست با API")}</h2>
    </div>
    <div class="panel-body stack-tight">
      <p class="muted">
        ${say("Replace this with your own key:", "کلید خودتان را جای این بگذارید:")}
        <bdi dir="ltr" class="mono">${KEY}</bdi>.
        <a href="/console/keys">${say("API keys", "کلیدهای API")}</a>
      </p>
      <div class="tabs">
        <fieldset class="segments">
          <legend class="hidden">${say("Language", "زبان")}</legend>
          ${all.map(
            ([name], index) =>
              html`<label
                ><input
                  type="radio"
                  name="snippet"
                  value="${name}"
                  ${index === 0 && html`checked`}
                />${name}</label
              >`
          )}
        </fieldset>
        ${all.map(([name, code]) => html`<div class="tab">${codeBlock(name, code, view.locale)}</div>`)}
      </div>
    </div>
  </section>`
}

export const TEST_PATH = pathOf("test")

const radio = (name: string, value: string, label: string, hint: string, isChecked: boolean): Html =>
  html`<label class="option">
    <input type="radio" name="${name}" value="${value}" ${isChecked && html`checked`} />
    <span><strong>${label}</strong><span class="hint">${hint}</span></span>
  </label>`

const routeSelects = (
  request: TestRequest,
  choices: Choices,
  errors: FieldErrors,
  { locale }: View
): Html => {
  const { say } = locale
  const labels = [say("Channel", "کانال"), say("Then", "بعد"), say("Then", "بعد")]
  const none =
    request.kind === "code"
      ? say("The saved order", "ترتیب ذخیره‌شده")
      : say("Choose a channel", "یک کانال انتخاب کنید")
  return html`<fieldset class="route-selects">
    <legend class="hidden">${say("Route", "مسیر")}</legend>
    ${Array.from({ length: ROUTE_LENGTH }, (_, row) =>
      selectField({
        name: "target",
        key: `target.${row}`,
        label: labels[row] ?? "",
        choices: html`<option value="">${row === 0 ? none : "–"}</option>
          ${targetOptions(request.targets[row] ?? "", choices, locale)}`,
        errors
      })
    )}
  </fieldset>`
}

const templateSelect = (
  request: TestRequest,
  templates: ReadonlyArray<Template>,
  none: string,
  errors: FieldErrors,
  { locale: { say } }: View
): Html =>
  selectField({
    name: "template",
    label: request.kind === "code" ? say("Text on messengers", "متن در پیام‌رسان‌ها") : say("Template", "قالب"),
    value: String(request.templateId ?? ""),
    choices: [["", none], ...templates.map(({ id, name }) => [String(id), name] as const)],
    errors
  })

const codeContent = (request: TestRequest, { templates }: Choices, errors: FieldErrors, view: View): Html => {
  const { say } = view.locale
  const usable = templates.filter((template) => Result.isSuccess(checkCodeTemplate(template)))
  const none = say("From the saved order, or the default", "از ترتیب ذخیره‌شده، یا پیش‌فرض")
  return templateSelect(request, usable, none, errors, view)
}

/** A text, or a template with what is put into its placeholders. */
const messageContent = (
  request: TestRequest,
  { templates }: Choices,
  errors: FieldErrors,
  view: View
): Html => {
  const { say } = view.locale
  const usable = templates.filter(({ active }) => active)
  const chosen = usable.find(({ id }) => id === request.templateId)
  return html`${
    usable.length > 0 &&
    templateSelect(request, usable, say("None: your own text", "بدون قالب: متن خودتان"), errors, view)
  }
  ${
    chosen === undefined
      ? textAreaField({
          name: "message",
          label: say("Text", "متن"),
          value: request.message,
          rows: 3,
          isRequired: true,
          errors
        })
      : placeholders(chosen.body).map((name) =>
          inputField({
            name: parameterName(name),
            label: name,
            value: request.parameters.get(name) ?? "",
            isRequired: true,
            errors
          })
        )
  }`
}

const content = (request: TestRequest, choices: Choices, errors: FieldErrors, view: View): Html | null => {
  if (request.kind === "message") return messageContent(request, choices, errors, view)
  return request.mode === "live" ? codeContent(request, choices, errors, view) : null
}

const FILLED_IN = ["mode", "kind", "phone", "target", "template", "message"]

/** A link can fill in this form: whoever opens it is told, before they send what they did not choose. */
const linkNotice = (view: View): Html | null =>
  isOwnDraft(view) || !FILLED_IN.some((name) => view.query.has(name))
    ? null
    : html`<p class="notice warn" role="status">
        ${view.locale.say(
          "A link filled in this form. Check each field before you send.",
          "این فرم با یک لینک پر شده است. قبل از ارسال همهٔ فیلدها را بررسی کنید."
        )}
      </p>`

/** The form of a test. The example requests next to it follow what is typed. */
export const testForm = (view: View, request: TestRequest, choices: Choices, errors: FieldErrors): Html => {
  const { say } = view.locale
  return html`<form
    class="panel panel-body fields"
    method="post"
    action="${TEST_PATH}"
    data-preview="snippets test-content"
    data-kept="draft mode kind target template"
  >
    ${csrfField(view.csrf)}${draftField(view)}${onceField()} ${errorSummary(errors, view.locale)}
    ${linkNotice(view)}
    <fieldset class="options">
      <legend class="hidden">${say("Mode", "حالت")}</legend>
      ${radio(
        "mode",
        "sandbox",
        say("Sandbox", "محیط آزمایشی"),
        say(
          "Nothing is sent or charged. The code is always 123456.",
          "چیزی ارسال نمی‌شود و هزینه ندارد. کد همیشه ۱۲۳۴۵۶ است."
        ),
        request.mode === "sandbox"
      )}
      ${radio(
        "mode",
        "live",
        say("Live", "واقعی"),
        say(
          "Sent over your accounts, with the usual limits and charges.",
          "با حساب‌های شما ارسال می‌شود، با همان سقف‌ها و هزینه‌ها."
        ),
        request.mode === "live"
      )}
    </fieldset>
    ${inputField({
      name: "phone",
      label: say("Phone", "شماره"),
      type: "tel",
      value: request.phone,
      placeholder: SAMPLE_PHONE,
      isLtr: true,
      isRequired: true,
      errors
    })}
    <div id="test-content" class="fields">
      ${selectField({
        name: "kind",
        label: say("Type", "نوع"),
        value: request.kind,
        choices: [
          ["code", say("Code", "کد تأیید")],
          ["message", say("Message", "پیام")]
        ]
      })}
      ${routeSelects(request, choices, errors, view)} ${content(request, choices, errors, view)}
    </div>
    <div class="actions">
      <button class="button primary" name="do" value="send">${say("Send", "ارسال")}</button>
      <button class="button" name="do" value="preview" formnovalidate>
        ${say("Show the request", "نمایش درخواست")}
      </button>
    </div>
  </form>`
}
