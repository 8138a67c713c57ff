/**
 * Sends requests to the sandbox from the page. The test key stays in a variable: it is never stored, is sent to this
 * server only, and is forgotten when the tab closes.
 */
import { addCopyButton, markScrolling } from "./code.js"

let key = ""
/** The ids that the last responses had, by the names of fields. */
const ids = new Map()

const TEST_KEY = /^svc_test_[A-Za-z0-9_-]{43}$/

/** Why a key is not taken; undefined: it is. */
const refusalOf = (given) => {
  if (given === "") return "Paste a test key: it begins with svc_test_."
  if (given.startsWith("svc_live_"))
    return "This is a live key: it sends real messages and costs money. It was not sent anywhere. Paste a test key (svc_test_…)."
  if (given.startsWith("svc_pat_")) return "This is a personal access token. Paste a test key (svc_test_…)."
  return TEST_KEY.test(given) ? undefined : "This is not a whole test key: svc_test_ and 43 characters."
}

const element = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties)
  made.append(...children)
  return made
}

const labelled = (text, hint, field) =>
  element("label", {}, element("span", {}, text, " ", element("small", { textContent: hint })), field)

const textField = (properties) =>
  element("input", {
    type: "text",
    autocomplete: "off",
    spellcheck: false,
    autocapitalize: "off",
    ...properties
  })

const keyFields = []

const keyField = () => {
  const field = textField({ name: "key", className: "masked", placeholder: "svc_test_…", value: key })
  field.addEventListener("input", () => {
    key = field.value.trim()
    for (const other of keyFields) if (other !== field) other.value = key
  })
  keyFields.push(field)
  return labelled("Test key", "kept in this tab's memory only", field)
}

const json = (value) => JSON.stringify(value, null, 2)

const bodyFields = ({ bodies }) => {
  if (bodies.length === 0) return { fields: [], read: () => undefined }
  const area = element("textarea", { name: "body", spellcheck: false, value: json(bodies[0].value) })
  area.rows = Math.min(json(bodies[0].value).split("\n").length + 1, 14)
  const body = labelled("Body", "JSON", area)
  if (bodies.length === 1) return { fields: [body], area, read: () => area.value }
  const choice = element(
    "select",
    {},
    ...bodies.map(({ summary }, index) => element("option", { value: index, textContent: summary }))
  )
  choice.addEventListener("change", () => (area.value = json(bodies[Number(choice.value)].value)))
  return { fields: [labelled("Example", "", choice), body], area, read: () => area.value }
}

/** The ids of the last send go where the next request needs them. */
const idInBody = (area) => {
  const id = ids.get("verification_id")
  if (id === undefined || !area?.value.includes('"verification_id"')) return
  area.value = area.value.replace(/("verification_id":\s*)"[^"]*"/, `$1"${id}"`)
}

const rememberIds = (body) => {
  for (const name of ["verification_id", "message_id"])
    if (typeof body?.[name] === "string") ids.set(name, body[name])
  for (const update of updates) update()
}
const updates = []

const addressOf = (path, fields) => {
  const values = fields.map(({ name, place, input }) => ({ name, place, value: input.value.trim() }))
  const own = values
    .filter(({ place }) => place === "path")
    .reduce((text, { name, value }) => text.replace(`{${name}}`, encodeURIComponent(value)), path)
  const query = new URLSearchParams(
    values
      .filter(({ place, value }) => place === "query" && value !== "")
      .map(({ name, value }) => [name, value])
  )
  return query.size === 0 ? own : `${own}?${query}`
}

const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join(
    ""
  )

const figureOf = (title, text) => {
  const figure = element(
    "figure",
    { className: "code" },
    element("figcaption", { textContent: title }),
    element("pre", {}, element("code", { textContent: text }))
  )
  addCopyButton(figure)
  return figure
}

const isJson = (response) => (response.headers.get("content-type") ?? "").includes("json")

const send = async ({ method, path, needsKey }, fields, body) => {
  const startedAt = performance.now()
  const response = await fetch(addressOf(path, fields), {
    method,
    headers: {
      "x-api-key": key,
      ...(needsKey ? { "idempotency-key": `try-${newKey()}` } : {}),
      ...(body === undefined ? {} : { "content-type": "application/json" })
    },
    ...(body === undefined ? {} : { body }),
    credentials: "omit",
    cache: "no-store",
    redirect: "error"
  })
  const text = await response.text()
  return { response, text, millis: Math.round(performance.now() - startedAt) }
}

const showOutcome = (outcome, { response, text, millis }) => {
  const body = isJson(response) && text !== "" ? JSON.parse(text) : undefined
  const status = element("b", { className: response.ok ? "good" : "bad", textContent: `${response.status}` })
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n")
  const line = element("p", { className: "line" }, status, `${response.statusText} in ${millis} ms`)
  const code = body?.error?.code
  if (code !== undefined)
    line.append(element("a", { href: `/docs/api/errors#${code}`, textContent: "What to do" }))
  outcome.replaceChildren(
    line,
    figureOf("Body", body === undefined ? text || "(empty)" : json(body)),
    element(
      "details",
      { className: "more" },
      element("summary", { textContent: "Headers" }),
      figureOf("Headers", headers)
    )
  )
  markScrolling()
  rememberIds(body)
}

const place = (container) => {
  const request = JSON.parse(container.dataset.try)
  const fields = request.fields.map((field) => {
    const input = textField({
      name: field.name,
      placeholder: field.isRequired ? "" : "optional",
      required: field.isRequired
    })
    return { ...field, input }
  })
  const { fields: bodyParts, area, read } = bodyFields(request)
  const wrong = element("p", { className: "wrong", hidden: true })
  wrong.setAttribute("role", "alert")
  const button = element("button", { type: "submit", textContent: "Send" })
  const form = element(
    "form",
    { noValidate: true },
    keyField(),
    ...fields.map(({ name, place: where, input }) => labelled(name, where, input)),
    ...bodyParts,
    wrong,
    button
  )
  const outcome = element("div", { className: "outcome" })
  outcome.setAttribute("aria-live", "polite")
  const details = element("details", {}, element("summary", {}, "Try it"), form, outcome)
  const say = (text) => {
    wrong.hidden = text === undefined
    wrong.textContent = text ?? ""
  }
  updates.push(() => {
    for (const { name, place: where, input } of fields)
      if (where === "path" && input.value === "" && ids.has(name)) input.value = ids.get(name)
    idInBody(area)
  })
  form.addEventListener("submit", async (event) => {
    event.preventDefault()
    const refusal = refusalOf(key)
    const keyInput = form.elements.namedItem("key")
    keyInput.setAttribute("aria-invalid", String(refusal !== undefined))
    if (key.startsWith("svc_live_")) {
      key = ""
      for (const field of keyFields) field.value = ""
    }
    const missing = fields.find(({ input }) => input.required && input.value.trim() === "")
    say(refusal ?? (missing === undefined ? undefined : `Fill in ${missing.name}: send returns it.`))
    if (refusal !== undefined) return keyInput.focus()
    if (missing !== undefined) return missing.input.focus()
    button.disabled = true
    try {
      showOutcome(outcome, await send(request, fields, read()))
    } catch {
      outcome.replaceChildren()
      say("No response came. Is the server running?")
    } finally {
      button.disabled = false
    }
  })
  container.replaceChildren(details)
  container.hidden = false
}

for (const container of document.querySelectorAll("[data-try]")) place(container)
