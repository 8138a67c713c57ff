/** One operation: what it does, what it takes, what it returns, its errors, and a call of it in each language. */
import { html, type Html } from "../../console/frame/Html.ts"
import {
  type ApiDocument,
  type ApiResponse,
  errorsOf,
  type Example,
  type Header,
  type OperationError,
  parametersOf,
  type PlacedOperation,
  resolve,
  resolveSchema,
  schemaIn
} from "./ApiDocument.ts"
import { callsOf, credentialOf, keyOf, LANGUAGES } from "./Calls.ts"
import { errorBody, exampleBody } from "./ExampleBodies.ts"
import { bodyFields, parameterFields } from "./Fields.ts"
import { prose } from "./Prose.ts"
import { type CodeLanguage, highlighted } from "./Highlight.ts"
import { asJson } from "./Literals.ts"
import { schemaName } from "./Schemas.ts"

/** Code with a name above it; a script adds a button that copies it. */
export const codeBlock = (title: Html | string, code: string, language: CodeLanguage, name = ""): Html =>
  html`<figure class="code ${name}">
    <figcaption>${title}</figcaption>
    <pre><code>${highlighted(code, language)}</code></pre>
  </figure>`

/** A call in each language; the page's choice of a language shows one of them. */
export const languageBlocks = (codes: Readonly<Partial<Record<string, string>>>): Html =>
  html`<div class="languages">
    ${LANGUAGES.map((language) => {
      const own = codes[language]
      const title = own === undefined ? `curl (no ${language} client has this)` : language
      return codeBlock(
        title,
        own ?? codes["curl"] ?? "",
        own === undefined ? "curl" : language,
        keyOf(language)
      )
    })}
  </div>`

const CREDENTIALS = {
  live: html`A live key in <code>X-API-Key</code>`,
  test: html`A test key in <code>X-API-Key</code>`,
  token: html`A personal access token or a session in <code>Authorization</code>`,
  none: html`No credential`
} as const

const PLACES = [
  ["path", "Path"],
  ["query", "Query"],
  ["header", "Headers"]
] as const

const requestPart = (document: ApiDocument, { operation, isWebhook }: PlacedOperation): Html => {
  const id = operation.operationId
  const parameters = parametersOf(document, operation)
  const body = schemaIn(operation.requestBody?.content)
  const rows =
    body === undefined ? null : bodyFields(document, body, { id: `${id}.body`, isRequest: !isWebhook })
  return html`${PLACES.map(([place, title]) => {
    const own = parameters.filter((each) => each.in === place)
    return (
      own.length > 0 &&
      html`<h3>${title}</h3>
        ${parameterFields(document, own, `${id}.${place}`)}`
    )
  })}
  ${
    rows !== null &&
    html`<h3>Body${operation.requestBody?.required === false && html` <small>optional</small>`}</h3>
      ${rows}`
  }`
}

const headersPart = (document: ApiDocument, { headers = {} }: ApiResponse): Html | null => {
  const all = Object.entries(headers).map(([name, header]) => ({
    name,
    description: resolve<Header>(document, header).description
  }))
  if (all.length === 0) return null
  return html`<details class="more">
    <summary>${all.length === 1 ? "1 header" : `${all.length} headers`}</summary>
    <ul class="fields">
      ${all.map(
        ({ name, description }) =>
          html`<li>
            <p class="field"><code>${name}</code></p>
            <p>${prose(description)}</p>
          </li>`
      )}
    </ul>
  </details>`
}

/** A response without an error. Its fields are open where the page has not shown them before. */
const successPart = (
  document: ApiDocument,
  id: string,
  [status, response]: readonly [string, ApiResponse],
  shown: Set<string>
): Html => {
  const schema = schemaIn(response.content)
  const rows =
    schema === undefined ? null : bodyFields(document, schema, { id: `${id}.${status}`, isRequest: false })
  const name = schema === undefined ? undefined : schemaName(schema)
  const isOpen = name === undefined || !shown.has(name)
  if (name !== undefined) shown.add(name)
  return html`<div class="response">
    <p class="status"><b class="good">${status}</b> ${prose(response.description)}</p>
    ${
      rows !== null &&
      html`<details class="more" ${isOpen && html`open`}>
        <summary>Fields of the body<span class="hidden"> of ${status}</span></summary>
        ${rows}
      </details>`
    }
    ${headersPart(document, response)}
  </div>`
}

const errorsPath = "/docs/api/errors"

const errorRows = (id: string, errors: ReadonlyArray<OperationError>): Html =>
  html`<ul class="errors">
    ${errors.map(
      ({ code, status, advice }) =>
        html`<li id="${id}.${code}">
          <p>
            <b>${status}</b> <a href="${errorsPath}#${code}"><code>${code}</code></a>
          </p>
          <p>${prose(advice)}</p>
        </li>`
    )}
  </ul>`

/** Codes that say nothing about one operation: those of the credential, the HTTP request and the server. */
const ANY_REQUEST: ReadonlySet<string> = new Set([
  "idempotency_key_too_long",
  "unauthenticated",
  "scope_insufficient",
  "ip_not_allowed",
  "test_key_not_allowed",
  "live_key_not_allowed",
  "request_timeout",
  "payload_too_large",
  "unsupported_media_type",
  "validation_error",
  "too_many_requests_api_key",
  "internal_error",
  "service_unavailable"
])

/** Errors of what an operation does first; those that any request can get fold. */
const errorsPart = (id: string, errors: ReadonlyArray<OperationError>): Html => {
  const own = errors.filter(({ code }) => !ANY_REQUEST.has(code))
  const shared = errors.filter(({ code }) => ANY_REQUEST.has(code))
  return html`<h3>Errors</h3>
    ${own.length > 0 && errorRows(id, own)}
    ${
      shared.length > 0 &&
      html`<details class="more">
        <summary>${shared.length}${own.length > 0 && " more"} that any request can get</summary>
        ${errorRows(id, shared)}
      </details>`
    }`
}

const calledAs = (document: ApiDocument, { method, path, operation }: PlacedOperation, body: unknown) => {
  const parameters = parametersOf(document, operation)
  return callsOf({
    method,
    path,
    operation,
    parts: parameters
      .filter((each) => each.in === "path")
      .map(({ name, schema = {} }) => ({ name, schema: resolveSchema(document, schema) })),
    body: body as Readonly<Record<string, unknown>> | undefined,
    needsKey: parameters.some(({ name, required }) => name === "Idempotency-Key" && required === true)
  })
}

const responseBlocks = (
  document: ApiDocument,
  responses: ReadonlyArray<readonly [string, ApiResponse]>
): Html =>
  html`${responses.map(([status, { content }]) => {
    const schema = schemaIn(content)
    if (schema === undefined) return null
    const isJson = content?.["application/json"] !== undefined
    const body = isJson ? asJson(exampleBody(document, schema)) : "# HELP …"
    return codeBlock(html`<b class="good">${status}</b> Response`, body, isJson ? "JSON" : "Shell")
  })}`

const errorBlocks = (errors: ReadonlyArray<OperationError>): Html | null => {
  const first = [...Map.groupBy(errors, ({ status }) => status).values()].flatMap(([each]) => each ?? [])
  if (first.length === 0) return null
  return html`<details class="bodies">
    <summary>Bodies of errors</summary>
    ${first.map((each) =>
      codeBlock(html`<b class="bad">${each.status}</b> ${each.code}`, asJson(errorBody(each)), "JSON")
    )}
  </details>`
}

const examplesIn = ({ operation }: PlacedOperation): ReadonlyArray<Example> =>
  Object.values(Object.values(operation.requestBody?.content ?? {})[0]?.examples ?? {})

const moreExamples = (examples: ReadonlyArray<Example>): Html | null =>
  examples.length < 2
    ? null
    : html`<details class="bodies">
        <summary>${examples.length === 2 ? "Another body" : "Other bodies"}</summary>
        ${examples.slice(1).map(({ summary = "Body", value }) => codeBlock(summary, asJson(value), "JSON"))}
      </details>`

/** What the script that tries an operation reads. It shows the form; without scripts there is none. */
const tryPart = (document: ApiDocument, placed: PlacedOperation): Html | null => {
  const { method, path, operation } = placed
  if (credentialOf(path) !== "test") return null
  const parameters = parametersOf(document, operation)
  const fields = parameters
    .filter((each) => each.in !== "header")
    .map(({ name, in: place, required, example }) => ({
      name,
      place,
      isRequired: required === true,
      example
    }))
  const needsKey = parameters.some(({ name }) => name === "Idempotency-Key")
  const bodies = examplesIn(placed).map(({ summary, value }) => ({ summary, value }))
  const request = { id: operation.operationId, method: method.toUpperCase(), path, fields, needsKey, bodies }
  return html`<div class="try" data-try="${JSON.stringify(request)}" hidden></div>`
}

const webhookExample = (document: ApiDocument, { operation }: PlacedOperation): Html => {
  const schema = schemaIn(operation.requestBody?.content) ?? {}
  return codeBlock("What Peyk posts", asJson(exampleBody(document, schema)), "JSON")
}

/** A path that lines may break in, and that is copied as it is. */
const breakable = (path: string): Html =>
  html`${path.split("/").map((part, index) => (index === 0 ? part : html`/<wbr />${part}`))}`

interface PageContext {
  readonly document: ApiDocument
  /** The schemas whose fields the page has shown. */
  readonly shown: Set<string>
}

export const operationPart = ({ document, shown }: PageContext, placed: PlacedOperation): Html => {
  const { path, method, operation, isWebhook } = placed
  const id = operation.operationId
  const examples = examplesIn(placed)
  const responses = Object.entries(operation.responses).map(
    ([status, each]) => [status, resolve<ApiResponse>(document, each)] as const
  )
  const good = responses.filter(([status]) => !(Number(status) >= 400))
  const errors = errorsOf(document, operation)
  return html`<article id="${id}">
    <h2><a href="#${id}">${operation.summary ?? id}</a></h2>
    <p class="endpoint">
      <b class="method ${method}">${method.toUpperCase()}</b>
      <code>${isWebhook ? "to your webhook" : breakable(path)}</code>
    </p>
    <div class="intro">
      <p>${prose(operation.description)}</p>
      ${!isWebhook && html`<p class="credential">${CREDENTIALS[credentialOf(path)]}</p>`}
    </div>
    <div class="examples">
      ${
        isWebhook
          ? webhookExample(document, placed)
          : html`${languageBlocks(calledAs(document, placed, examples[0]?.value))} ${moreExamples(examples)}
            ${responseBlocks(document, good)} ${errorBlocks(errors)} ${tryPart(document, placed)}`
      }
    </div>
    <div class="about">
      ${requestPart(document, placed)}
      <h3>Responses</h3>
      ${good.map((each) => successPart(document, id, each, shown))}
      ${errors.length > 0 && errorsPart(id, errors)}
    </div>
  </article>`
}
