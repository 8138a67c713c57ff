import { html, type Html } from "../../console/frame/Html.ts"
import {
  type ApiDocument,
  type ApiResponse,
  type JsonSchema,
  nameOf,
  type Operation,
  type Parameter,
  resolve
} from "./ApiDocument.ts"
import { codeExamples } from "./CodeExamples.ts"
import { fieldsOf, typeOf } from "./Fields.ts"
import { REFERENCE_STYLE } from "./ReferenceStyle.ts"

export const LANGUAGES = ["curl", "TypeScript", "Python", "PHP"] as const

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
  return `<!doctype html>\n${html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <title>${document.info.title} API</title>
      ${REFERENCE_STYLE}
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
  </html>`.toString()}`
}
