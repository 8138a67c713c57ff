import { Effect, Option, Schema } from "effect"
import { Flag } from "effect/cli"
import type { Page, PageRequest } from "../../domain/Paging.ts"
import {
  decodeCursor,
  decodeNestedPosition,
  type ListName,
  type NestedListName
} from "../../http/wire/ManageWire.ts"
import { SearchInstant } from "../../http/wire/SearchFields.ts"
import { CommandError } from "./CommandError.ts"
import { asTable, type Fields, print } from "./Output.ts"

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 100

/** The flags of every list with pages. */
export const pageFlags = {
  limit: Flag.Int("limit").pipe(
    Flag.withDescription(`Rows to show: 1 to ${MAX_LIMIT}`),
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MAX_LIMIT }))),
    Flag.withDefault(DEFAULT_LIMIT)
  ),
  cursor: Flag.String("cursor").pipe(
    Flag.withDescription("The cursor that the previous page ended with"),
    Flag.optional
  )
}

interface GivenPart {
  readonly limit: number
  readonly cursor: Option.Option<string>
}

const partAfter = (
  { limit, cursor }: GivenPart,
  positionOf: (cursor: string) => string | null
): Effect.Effect<PageRequest, CommandError> => {
  const after = Option.isNone(cursor) ? null : positionOf(cursor.value)
  return after === null && Option.isSome(cursor)
    ? Effect.fail(
        new CommandError({ message: "--cursor must be the cursor that a page of this list ended with" })
      )
    : Effect.succeed({ limit, after })
}

/** The page that the flags ask for; a list does not accept the cursor of another one. */
export const pageOf = (list: ListName, given: GivenPart) =>
  partAfter(given, (cursor) => decodeCursor(list, cursor))

/** The same for a list that each parent has one of. */
export const nestedPageOf = (list: NestedListName, parent: number, given: GivenPart) =>
  partAfter(given, (cursor) => {
    const position = decodeCursor(list, cursor)
    return position === null ? null : decodeNestedPosition(parent, position)
  })

/** A time to compare with; without an offset it is Tehran time, as in the API. */
export const timeFlag = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(`${description}, ISO 8601`),
    Flag.withSchema(SearchInstant),
    Flag.optional
  )

/** A page of a list: a table and how to continue; or the API's response. */
export const printPage = (json: string, rows: ReadonlyArray<Fields>, nextCursor: string | null) =>
  print(json, nextCursor === null ? asTable(rows) : `${asTable(rows)}\n\nmore with --cursor ${nextCursor}`)

const PART = 100

/** All of a list, in the order of the list. */
export const listAll = Effect.fnUntraced(function* <A, E, R>(
  list: (page: PageRequest) => Effect.Effect<Page<A>, E, R>
) {
  const items: Array<A> = []
  let after: string | null = null
  do {
    const page: Page<A> = yield* list({ limit: PART, after })
    items.push(...page.items)
    after = page.next
  } while (after !== null)
  return items
})
