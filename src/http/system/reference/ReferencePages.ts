/** All pages of the reference, and what its search knows. */
import { html, type Html } from "../../console/frame/Html.ts"
import { type ApiDocument, errorsOf, type Group, groupsOf, parametersOf, schemaIn } from "./ApiDocument.ts"
import { errorBody } from "./ExampleBodies.ts"
import { plain, prose } from "./Prose.ts"
import { ASSETS_PATH, ERRORS, framed, pathTo, type ReferencePage, shortName } from "./Frame.ts"
import { asJson } from "./Literals.ts"
import { codeBlock, operationPart } from "./OperationPart.ts"
import { descriptionOf, fieldsOf } from "./Schemas.ts"
import { startPage } from "./StartPage.ts"

const groupPage = (document: ApiDocument, group: Group): ReferencePage => {
  const context = { document, shown: new Set<string>() }
  const description = group.tag.description ?? ""
  return {
    slug: group.slug,
    title: group.tag.name,
    description,
    content: html`<h1>${shortName(group)}</h1>
      <p class="lead">
        ${prose(description)}
        ${
          group.operations.some(({ path }) => path.startsWith("/v1/sandbox/")) &&
          html`<span data-with-scripts hidden>Each operation has a form to try it here.</span>`
        }
        <a href="${pathTo("", "client")}">What the examples use</a>.
      </p>
      ${group.operations.map((each) => operationPart(context, each))}`
  }
}

interface CodePlace {
  readonly slug: string
  readonly id: string
  readonly name: string
}

const MAX_PLACES = 6

const placesPart = (places: ReadonlyArray<CodePlace>): Html | null => {
  if (places.length === 0) return null
  const link = ({ slug, id, name }: CodePlace) => html`<a href="${pathTo(slug, id)}">${name}</a>`
  const all = html`<ul class="places">
    <li>Returned by</li>
    ${places.map((place) => html`<li>${link(place)}</li>`)}
  </ul>`
  return places.length <= MAX_PLACES
    ? all
    : html`<details class="more">
        <summary>${places.length} operations</summary>
        ${all}
      </details>`
}

const errorsPage = (document: ApiDocument, groups: ReadonlyArray<Group>): ReferencePage => {
  const places = (code: string): ReadonlyArray<CodePlace> =>
    groups.flatMap(({ slug, operations }) =>
      operations
        .filter(({ operation }) => errorsOf(document, operation).some((each) => each.code === code))
        .map(({ operation }) => ({
          slug,
          id: operation.operationId,
          name: operation.summary ?? operation.operationId
        }))
    )
  return {
    slug: ERRORS,
    title: "Error codes",
    description: "Every error code of Peyk's API, its HTTP status, and what to do about it.",
    content: html`<div class="text">
      <h1>Error codes</h1>
      <p class="lead">
        What each <code>error.code</code> means, and what to do.
        <a href="${pathTo("", "errors")}">The form of errors</a>
        is always the same.
      </p>
      ${Object.entries(document["x-error-codes"]).map(
        ([code, { status, message, advice }]) =>
          html`<article class="code-entry" id="${code}">
            <h2>
              <a href="#${code}"><code>${code}</code></a> <b class="bad">${status}</b>
            </h2>
            <p>${prose(message)}</p>
            <p><b>What to do:</b> ${prose(advice)}</p>
            <details class="more">
              <summary>Body<span class="hidden"> of ${code}</span></summary>
              ${codeBlock(html`<b class="bad">${status}</b> ${code}`, asJson(errorBody({ code, message })), "JSON")}
            </details>
            ${placesPart(places(code))}
          </article>`
      )}
    </div>`
  }
}

interface SearchEntry {
  readonly kind: "operation" | "field" | "error"
  readonly name: string
  /** Where it is: `POST /v1/otp/send`, the operation of a field, the status of an error. */
  readonly at: string
  readonly text: string
  readonly url: string
}

const fieldEntries = (document: ApiDocument, { slug, operations }: Group): ReadonlyArray<SearchEntry> =>
  operations.flatMap(({ operation }) => {
    const { operationId: id, summary = id } = operation
    const entry = (place: string, name: string, text = ""): SearchEntry => ({
      kind: "field",
      name,
      at: `${summary} · ${place}`,
      text,
      url: pathTo(slug, `${id}.${place}.${name}`)
    })
    const body = schemaIn(operation.requestBody?.content)
    const responses = Object.entries(operation.responses).flatMap(([status, response]) => {
      const schema = "content" in response ? schemaIn(response.content) : undefined
      return schema === undefined || Number(status) >= 400
        ? []
        : fieldsOf(document, schema).map((field) =>
            entry(status, field.name, descriptionOf(document, field.schema))
          )
    })
    return [
      ...parametersOf(document, operation).map((each) => entry(each.in, each.name, each.description)),
      ...(body === undefined ? [] : fieldsOf(document, body)).map(({ name, schema }) =>
        entry("body", name, descriptionOf(document, schema))
      ),
      ...responses
    ]
  })

const searchEntries = (document: ApiDocument, groups: ReadonlyArray<Group>): ReadonlyArray<SearchEntry> => [
  ...groups.flatMap(({ slug, operations }) =>
    operations.map(({ method, path, operation, isWebhook }): SearchEntry => ({
      kind: "operation",
      name: operation.summary ?? operation.operationId,
      at: isWebhook ? `event ${operation.operationId}` : `${method.toUpperCase()} ${path}`,
      text: `${operation.operationId} ${operation.description ?? ""}`,
      url: pathTo(slug, operation.operationId)
    }))
  ),
  ...Object.entries(document["x-error-codes"]).map(([code, { status, message, advice }]): SearchEntry => ({
    kind: "error",
    name: code,
    at: String(status),
    text: `${message} ${plain(advice)}`,
    url: pathTo(ERRORS, code)
  })),
  ...groups.flatMap((group) => fieldEntries(document, group))
]

export interface Reference {
  /** The HTML of each page by the last part of its path; the first one has none. */
  readonly pages: ReadonlyMap<string, () => string>
  /** Where operations and error codes are, by their ids. */
  readonly targets: ReadonlyMap<string, string>
  readonly search: () => string
}

export const makeReference = (document: ApiDocument, assets: string = ASSETS_PATH): Reference => {
  const groups = groupsOf(document)
  const pages = [
    ["", () => framed(startPage(document, groups), groups, assets)] as const,
    [ERRORS, () => framed(errorsPage(document, groups), groups, assets)] as const,
    ...groups.map((group) => [group.slug, () => framed(groupPage(document, group), groups, assets)] as const)
  ]
  const targets = [
    ...groups.flatMap(({ slug, operations }) =>
      operations.map(({ operation: { operationId } }) => [operationId, pathTo(slug, operationId)] as const)
    ),
    ...Object.keys(document["x-error-codes"]).map((code) => [code, pathTo(ERRORS, code)] as const)
  ]
  return {
    pages: new Map(pages),
    targets: new Map(targets),
    search: () => JSON.stringify(searchEntries(document, groups))
  }
}
