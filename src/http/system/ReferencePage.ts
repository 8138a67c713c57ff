import { readFileSync } from "node:fs"
import { html, type Html } from "../console/frame/Html.ts"
import {
  type ApiDocument,
  type ApiResponse,
  type JsonSchema,
  nameOf,
  type Operation,
  type Parameter,
  resolve
} from "./ApiDocument.ts"

const MAX_LISTED = 12

const bounds = ({ minimum, maximum, maxLength }: JsonSchema): string => {
  if (minimum !== undefined && maximum !== undefined) return ` ${minimum}–${maximum}`
  if (minimum !== undefined) return ` ≥ ${minimum}`
  return maxLength === undefined ? "" : ` ≤ ${maxLength} characters`
}

/** The type in a few words, with links to the named ones. */
const typeOf = (schema: JsonSchema): Html | string => {
  if (schema.$ref !== undefined) return html`<a href="#${nameOf(schema.$ref)}">${nameOf(schema.$ref)}</a>`
  if (schema.anyOf !== undefined)
    return html`${schema.anyOf.map((each, index) => html`${index > 0 && " or "}${typeOf(each)}`)}`
  if (schema.items !== undefined) return html`list of ${typeOf(schema.items)}`
  if (schema.enum !== undefined && schema.enum.length <= MAX_LISTED)
    return schema.enum.map((value) => JSON.stringify(value)).join(", ")
  return `${[schema.type ?? "anything"].flat().join(" or ")}${bounds(schema)}`
}

/** The one of several that has fields; of null and a thing, the thing. */
const withFields = (document: ApiDocument, given: JsonSchema): JsonSchema | undefined => {
  const schema = resolve<JsonSchema>(document, given as JsonSchema & { readonly $ref: string })
  if (schema.properties !== undefined) return schema
  const parts = [...(schema.anyOf ?? []), ...(schema.items === undefined ? [] : [schema.items])]
  return parts.find((each) => each.properties !== undefined)
}

/** A row for each field of an object. */
const fieldsOf = (document: ApiDocument, given: JsonSchema | undefined): Html | null => {
  const schema = given === undefined ? undefined : withFields(document, given)
  const entries = Object.entries(schema?.properties ?? {})
  if (entries.length === 0) return null
  return html`<dl>
    ${entries.map(
      ([name, field]) =>
        html`<dt>
            <code>${name}</code>
            <i>${typeOf(field)}</i>${schema?.required?.includes(name) === true && " required"}
          </dt>
          <dd>
            ${field.description ?? field.anyOf?.find((each) => each.description !== undefined)?.description}
          </dd>`
    )}
  </dl>`
}

const json = (value: unknown, indent?: number): string => JSON.stringify(value, null, indent)

interface Syntax {
  readonly words: readonly [yes: string, no: string, none: string]
  readonly open: string
  readonly to: string
  readonly close: string
  readonly empty: string
}

/** JSON as Python and PHP write it. */
const literal = (value: unknown, syntax: Syntax): string => {
  const [yes, no, none] = syntax.words
  if (value === null) return none
  if (typeof value === "boolean") return value ? yes : no
  if (typeof value !== "object") return json(value)
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, syntax)).join(", ")}]`
  const fields = Object.entries(value).map(
    ([name, each]) => `${json(name)}${syntax.to} ${literal(each, syntax)}`
  )
  return fields.length === 0 ? syntax.empty : `${syntax.open}${fields.join(", ")}${syntax.close}`
}

const inPython = { words: ["True", "False", "None"], open: "{", to: ":", close: "}", empty: "{}" } as const
// an empty array of PHP would become a JSON list
const inPhp = {
  words: ["true", "false", "null"],
  open: "[",
  to: " =>",
  close: "]",
  empty: "(object) []"
} as const

const python = (value: unknown) => literal(value, inPython)
const php = (value: unknown) => literal(value, inPhp).replaceAll("$", "\\$")

const camel = (name: string): string => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

interface Called {
  readonly method: string
  readonly path: string
  readonly operation: Operation
  /** The parts of the path. */
  readonly parts: ReadonlyArray<{ readonly name: string; readonly schema: JsonSchema }>
  readonly body: Readonly<Record<string, unknown>> | undefined
  readonly needsKey: boolean
}

const credential = (path: string): string => {
  if (path.startsWith("/v1/manage/")) return `-H "Authorization: Bearer $TOKEN"`
  return path.includes("/sandbox/") ? `-H "X-API-Key: $TEST_KEY"` : `-H "X-API-Key: $KEY"`
}

const isPublic = (path: string): boolean => !/^\/v1\/(otp|messages|sandbox|account|manage)\b/.test(path)

const curl = ({ method, path, body, needsKey }: Called): string =>
  [
    `curl -s${method === "get" ? "" : ` -X ${method.toUpperCase()}`} "$PEYK${path.replaceAll(/\{(\w+)\}/g, (_, id: string) => `$${id.toUpperCase()}`)}"`,
    ...(isPublic(path) ? [] : [credential(path)]),
    ...(needsKey ? [`-H "Idempotency-Key: order-1843"`] : []),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d '${json(body).replaceAll("'", "'\\''")}'`])
  ].join(" \\\n  ")

/** Stands for a part of the path, where a reader puts an own value. */
const placeholder = ({ type, enum: choices }: JsonSchema): unknown =>
  choices?.[0] ?? (type === "integer" ? 1 : "…")

const managed = ({ operation, parts, body }: Called) => {
  const fields = {
    ...Object.fromEntries(parts.map(({ name, schema }) => [name, placeholder(schema)])),
    ...body
  }
  const [group = "", name = ""] = operation.operationId.split(".")
  const isEmpty = Object.keys(fields).length === 0
  const keywords = Object.entries(fields).map(([each, value]) => `, ${each}=${python(value)}`)
  return {
    TypeScript: `await peyk.manage.${camel(group.replace(/^managed-/, ""))}.${camel(name)}(${isEmpty ? "" : json(fields, 2)})`,
    Python: `peyk.manage(${json(operation.operationId)}${keywords.join("")})`,
    PHP: `$peyk->manage->call(${json(operation.operationId)}${isEmpty ? "" : `, ${php(fields)}`});`
  }
}

/** Where the clients have a group of operations, and whom they take as an argument of its own. */
const GROUPS: Readonly<
  Record<string, { readonly place: string; readonly php: string; readonly recipient: string }>
> = {
  otp: { place: "otp", php: "otp", recipient: "phone" },
  sandbox: { place: "sandbox", php: "sandbox", recipient: "phone" },
  messages: { place: "messages", php: "messages", recipient: "to" },
  "sandbox-messages": { place: "sandbox.messages", php: "sandboxMessages", recipient: "to" }
}

interface Arguments {
  readonly typescript: ReadonlyArray<unknown>
  /** Python and PHP take these in order, and then the fields. */
  readonly plain: ReadonlyArray<unknown>
  readonly fields: Readonly<Record<string, unknown>>
}

const argumentsOf = (name: string, recipient: string, { parts, body = {} }: Called): Arguments => {
  const ids = parts.map(({ schema }) => placeholder(schema))
  const values = Object.values(body)
  if (name === "verify") return { typescript: [body], plain: values, fields: {} }
  if (name === "batch") return { typescript: values, plain: values, fields: {} }
  if (name === "next") return { typescript: [...ids, body], plain: [...ids, ...values], fields: {} }
  if (name !== "send") return { typescript: ids, plain: ids, fields: {} }
  const { [recipient]: to, ...fields } = body
  return { typescript: [body], plain: [to], fields }
}

const direct = (called: Called, group: NonNullable<(typeof GROUPS)[string]>) => {
  const name = called.operation.operationId.split(".")[1] ?? ""
  const { typescript, plain, fields } = argumentsOf(name, group.recipient, called)
  const keywords = Object.entries(fields).map(([each, value]) => `${each}=${python(value)}`)
  const options = keywords.length === 0 ? [] : [php(fields)]
  return {
    TypeScript: `await peyk.${group.place}.${name}(${typescript.map((each) => json(each, 2)).join(", ")})`,
    Python: `peyk.${group.place}.${name}(${[...plain.map(python), ...keywords].join(", ")})`,
    PHP: `$peyk->${group.php}->${name}(${[...plain.map(php), ...options].join(", ")});`
  }
}

const account = { TypeScript: "await peyk.account()", Python: "peyk.account()", PHP: "$peyk->account();" }

/** One call in each language whose client has it. */
const codeExamples = (called: Called): Readonly<Record<string, string>> => {
  const { path, operation } = called
  if (path.startsWith("/v1/manage/")) return { curl: curl(called), ...managed(called) }
  if (operation.operationId === "account.read") return { curl: curl(called), ...account }
  const group = GROUPS[operation.operationId.split(".")[0] ?? ""]
  return { curl: curl(called), ...(group === undefined ? {} : direct(called, group)) }
}

const LANGUAGES = ["curl", "TypeScript", "Python", "PHP"] as const

/** Descriptions are Markdown; they use only its code spans. */
const text = (markdown = ""): Html =>
  html`${markdown.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`

const idOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")

const schemaIn = (content: ApiResponse["content"]): JsonSchema | undefined =>
  Object.values(content ?? {})[0]?.schema

const parameterRow = ({ name, in: place, required, description, schema = {} }: Parameter): Html =>
  html`<dt><code>${name}</code> <i>${place}, ${typeOf(schema)}</i>${required === true && " required"}</dt>
    <dd>${text(description)}</dd>`

const errorsIn = (schema: JsonSchema | undefined): ReadonlyArray<string> =>
  (schema?.anyOf ?? (schema === undefined ? [] : [schema])).flatMap(({ $ref }) =>
    $ref === undefined ? [] : [nameOf($ref)]
  )

const responseRow = (document: ApiDocument, status: string, response: ApiResponse): Html => {
  const schema = schemaIn(response.content)
  if (Number(status) < 400)
    return html`<tr>
      <th>${status}</th>
      <td>${schema === undefined ? response.description : typeOf(schema)}</td>
    </tr>`
  const codes = errorsIn(schema).map((name) => {
    const error = document.components["schemas"]?.[name] as JsonSchema | undefined
    return String(error?.properties?.["error"]?.properties?.["code"]?.enum?.[0] ?? name)
  })
  return html`<tr>
    <th>${status}</th>
    <td>${codes.map((code) => html`<code>${code}</code> `)}</td>
  </tr>`
}

const operationPart = (document: ApiDocument, path: string, method: string, operation: Operation): Html => {
  const parameters = (operation.parameters ?? []).map((each) => resolve<Parameter>(document, each))
  const media = Object.values(operation.requestBody?.content ?? {})[0]
  const example = Object.values(media?.examples ?? {})[0]?.value
  const examples = codeExamples({
    method,
    path,
    operation,
    parts: parameters
      .filter((each) => each.in === "path")
      .map(({ name, schema = {} }) => ({
        name,
        schema: resolve<JsonSchema>(document, schema as JsonSchema & { readonly $ref: string })
      })),
    body: example as Readonly<Record<string, unknown>> | undefined,
    needsKey: parameters.some(({ name, required }) => name === "Idempotency-Key" && required === true)
  })
  const body = fieldsOf(document, media?.schema)
  return html`<article id="${operation.operationId}">
    <div>
      <h3><a href="#${operation.operationId}">${operation.summary ?? operation.operationId}</a></h3>
      <p><b>${method.toUpperCase()}</b> <code>${path}</code></p>
      <p>${text(operation.description)}</p>
      ${
        parameters.length > 0 &&
        html`<h4>Parameters</h4>
          <dl>${parameters.map(parameterRow)}</dl>`
      }
      ${
        body !== null &&
        html`<h4>Body</h4>
          ${body}`
      }
      <h4>Responses</h4>
      <table>
        ${Object.entries(operation.responses).map(([status, each]) =>
          responseRow(document, status, resolve<ApiResponse>(document, each))
        )}
      </table>
    </div>
    <div class="code">
      ${LANGUAGES.map((language) => {
        const isCurl = examples[language] === undefined
        return html`<pre class="${idOf(language)}">
${examples[language] ?? (isCurl && examples["curl"])}</pre>`
      })}
    </div>
  </article>`
}

const sectionsOf = (document: ApiDocument) => {
  const operations = [document.paths, document.webhooks ?? {}].flatMap((paths) =>
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation }))
    )
  )
  return document.tags
    .map((tag) => ({ tag, operations: operations.filter(({ operation }) => operation.tags[0] === tag.name) }))
    .filter((section) => section.operations.length > 0)
}

/** Errors are listed by code at each operation; the rest of the named things have their fields here. */
const schemasPart = (document: ApiDocument): Html => {
  const named = Object.entries(document.components["schemas"] ?? {}).filter(
    ([name]) => !name.endsWith("Error")
  )
  return html`<section>
    <h2 id="schemas">Objects</h2>
    ${named.map(([name, schema]) => {
      const fields =
        fieldsOf(document, schema as JsonSchema) ?? html`<p><i>${typeOf(schema as JsonSchema)}</i></p>`
      return html`<h3 id="${name}">${name}</h3>
        ${fields}`
    })}
  </section>`
}

/** The API's reference for people: one page without a script. */
export const referencePage = (document: ApiDocument): string => {
  const sections = sectionsOf(document)
  const style = readFileSync(new URL("reference.css", import.meta.url), "utf8")
  const page = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <title>${document.info.title} API</title>
    </head>
    <body>
      <header>
        ${LANGUAGES.map(
          (language) =>
            html`<input
                type="radio"
                name="language"
                id="show-${idOf(language)}"
                ${language === "curl" && html`checked`}
              /><label for="show-${idOf(language)}">${language}</label>`
        )}
        <a class="document" href="/openapi.json">openapi.json</a>
      </header>
      <nav aria-label="Operations">
        ${sections.map(
          ({ tag, operations }) =>
            html`<details>
              <summary>${tag.name}</summary>
              ${operations.map(
                ({ operation }) =>
                  html`<a href="#${operation.operationId}">${operation.summary ?? operation.operationId}</a>`
              )}
            </details>`
        )}
        <a href="#schemas">Objects</a>
      </nav>
      <main>
        <h1>${document.info.title} API</h1>
        <p>${text(document.info.description)}</p>
        ${sections.map(
          ({ tag, operations }) =>
            html`<section>
              <h2 id="${idOf(tag.name)}">${tag.name}</h2>
              <p>${text(tag.description)}</p>
              ${operations.map(({ path, method, operation }) => operationPart(document, path, method, operation))}
            </section>`
        )}
        ${schemasPart(document)}
      </main>
    </body>
  </html>`
  // Only templates of a page make markup, and a style is none.
  return `<!doctype html>\n${page.toString().replace("</head>", () => `<style>${style}</style></head>`)}`
}
