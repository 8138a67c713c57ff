import { Effect, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { OpenApi } from "effect/http-api"
import { ValidationError } from "../../domain/Errors.ts"
import { PhoneText } from "../../domain/Fields.ts"
import type { TimeRange } from "../../domain/Paging.ts"
import { type FieldProblem, problem, type Problem } from "../../domain/Problem.ts"
import { documentedError } from "../errors/Envelope.ts"
import { type ListName, pageQuery } from "./ManageWire.ts"
import { FILTER_LENGTH, FilterText, SearchInstant } from "./SearchFields.ts"

/** The query of a list for a service key: of codes by `phone`, of messages by `to`. */
export const sentQuery = <Own extends Schema.Struct.Fields>(list: ListName, own: Own) => ({
  ...pageQuery(list),
  ...own,
  created_after: Schema.optionalKey(SearchInstant).annotateKey({
    description: "ISO 8601 date-time, not included; without an offset it is Tehran time. Write + as %2B."
  }),
  created_before: Schema.optionalKey(SearchInstant).annotateKey({
    description: "ISO 8601 date-time, not included."
  })
})

export const phoneFilter = Schema.optionalKey(PhoneText)

export const sentListErrors = [documentedError("validation_error"), documentedError("invalid_phone")] as const

/** Both ends are excluded; times have whole milliseconds. */
export const createdWithin = (query: {
  readonly created_after?: number
  readonly created_before?: number
}): TimeRange => ({
  from: query.created_after === undefined ? undefined : query.created_after + 1,
  to: query.created_before
})

const MAX_METADATA_FILTERS = 10
const METADATA_KEY = /^metadata\[(.+)\]$/s
/** What is meant as a filter: ignored, it would list what nobody asked for. */
const METADATA_LIKE = /^metadata(?:\[|$)/

const isFilterText = Schema.is(FilterText)

const metadataProblem = (key: string, value: string): Problem | undefined => {
  if (!isFilterText(key)) return problem("metadata_filter_key", FILTER_LENGTH)
  return isFilterText(value) ? undefined : problem("wrong_length", FILTER_LENGTH)
}

/** The `metadata[key]=value` parameters of a request, by key. */
export const metadataFilters = Effect.gen(function* () {
  const { url } = yield* HttpServerRequest.HttpServerRequest
  const filters = new Map<string, string>()
  const problems: Array<FieldProblem> = []
  for (const [name, value] of new URL(url, "http://localhost").searchParams) {
    const key = METADATA_KEY.exec(name)?.[1]
    const path = `query.${name}`
    if (key === undefined) {
      if (METADATA_LIKE.test(name)) problems.push({ path, problem: problem("metadata_filter_form") })
      continue
    }
    const found = filters.has(key) ? problem("metadata_filter_twice") : metadataProblem(key, value)
    if (found !== undefined) problems.push({ path, problem: found })
    filters.set(key, value)
  }
  if (filters.size > MAX_METADATA_FILTERS)
    problems.push({
      path: "query.metadata",
      problem: problem("metadata_filters", { maximum: MAX_METADATA_FILTERS })
    })
  if (problems.length > 0) return yield* new ValidationError({ problems })
  return filters
})

const METADATA_PARAMETER = {
  name: "metadata",
  in: "query",
  required: false,
  style: "deepObject",
  explode: true,
  description: "metadata[key]=value: only what has this text under this top-level key. At most 10 keys.",
  schema: { type: "object", additionalProperties: { type: "string", minLength: 1, maxLength: 200 } }
}

const PARTS =
  "The newest first. A filtered part may be shorter than limit: the list is complete when next_cursor is null."

/** With the parameters that `metadataFilters` reads. */
export const sentList = (summary: string) =>
  OpenApi.annotations({
    summary,
    description: PARTS,
    transform: (operation) => ({
      ...operation,
      parameters: [...Object(operation).parameters, METADATA_PARAMETER]
    })
  })
