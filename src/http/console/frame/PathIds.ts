import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { NotFound } from "../../../domain/Errors.ts"
import { isIdPosition } from "../../../domain/Paging.ts"

/** The number in a path (`:id`); what is none matches nothing. */
export const pathId = Effect.gen(function* () {
  const { id = "" } = yield* HttpRouter.params
  return isIdPosition(id) ? Number(id) : yield* new NotFound()
})
