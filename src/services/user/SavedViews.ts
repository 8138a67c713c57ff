import { Context, Effect, Schema } from "effect"
import { Conflict, type NotFound } from "../../domain/Errors.ts"
import { Name } from "../../domain/Fields.ts"
import { Instant } from "../../domain/Instant.ts"
import { problem } from "../../domain/Problem.ts"
import { action, NoInput } from "../Action.ts"

/** The pages whose filters can be kept under a name. */
export const ViewPage = Schema.Literals([
  "verifications",
  "messages",
  "requests",
  "insights",
  "usage",
  "wallet",
  "audit"
])
export type ViewPage = typeof ViewPage.Type

/** Views of one user, in one customer's console. */
export const MAX_VIEWS = 20
const MAX_QUERY = 1000

/** The filters of a list, under a name that its user gave them. */
export const SavedView = Schema.Struct({
  id: Schema.Int,
  page: ViewPage,
  name: Schema.String,
  /** The query of the page's address. */
  query: Schema.String,
  createdAt: Instant
})
export type SavedView = typeof SavedView.Type

/** Whose views: a user's, in the console of one customer. */
export interface ViewOwner {
  readonly customerId: number
  readonly userId: string
}

export class SavedViews extends Context.Service<
  SavedViews,
  {
    /** All of them, in the order in which they were saved. */
    readonly list: (owner: ViewOwner) => Effect.Effect<ReadonlyArray<SavedView>>
    readonly find: (owner: ViewOwner, id: number) => Effect.Effect<SavedView, NotFound>
    /** A view with this name on this page gets the new query. Undefined: there are `MAX_VIEWS` others. */
    readonly save: (
      owner: ViewOwner,
      view: Pick<SavedView, "page" | "name" | "query">
    ) => Effect.Effect<SavedView | undefined>
    /** A conflict if another view of the page has this name. */
    readonly rename: (
      owner: ViewOwner,
      id: number,
      name: string
    ) => Effect.Effect<SavedView, NotFound | Conflict>
    readonly remove: (owner: ViewOwner, id: number) => Effect.Effect<SavedView, NotFound>
  }
>()("peyk/services/user/SavedViews") {}

/** A search for a phone is no view: what is kept must not name anybody. */
const NOT_KEPT = ["q", "cursor", "notice", "lang", "theme", "show", "metadata"]

/** What a view keeps of the query of an address. */
export const keptQuery = (query: string): string => {
  const kept = [...new URLSearchParams(query)].filter(
    ([name, value]) => value !== "" && !NOT_KEPT.includes(name)
  )
  return new URLSearchParams(kept).toString()
}

const Query = Schema.String.check(Schema.isMaxLength(MAX_QUERY))

const ownerIn = ({
  actor,
  target
}: {
  readonly actor: { readonly customerId: number }
  readonly target: { readonly userId: string }
}): ViewOwner => ({ customerId: actor.customerId, userId: target.userId })

const OneView = Schema.Struct({ userId: Schema.String, id: Schema.Int })

const viewBefore = (call: {
  readonly actor: { readonly customerId: number }
  readonly target: typeof OneView.Type
}) =>
  Effect.map(
    SavedViews.use((views) => views.find(ownerIn(call), call.target.id)),
    ({ name }) => ({ name, values: { name } })
  )

export const saveView = action("view.create", {
  input: Schema.Struct({ page: ViewPage, name: Name, query: Query }),
  target: Schema.Struct({ userId: Schema.String }),
  access: "anyone",
  // It also makes saves of the customer's users wait for each other, so that nobody has more than the limit.
  before: () => Effect.succeed({}),
  run: (call) =>
    Effect.gen(function* () {
      const { page, name, query } = call.input
      const saved = yield* SavedViews.use((views) =>
        views.save(ownerIn(call), { page, name, query: keptQuery(query) })
      )
      return saved ?? (yield* new Conflict({ problem: problem("too_many_views", { maximum: MAX_VIEWS }) }))
    }),
  audit: ({ id, name, page }) => ({ id, name, details: { page } })
})

export const renameView = action("view.rename", {
  input: Schema.Struct({ name: Name }),
  target: OneView,
  access: "anyone",
  before: viewBefore,
  run: (call) => SavedViews.use((views) => views.rename(ownerIn(call), call.target.id, call.input.name)),
  audit: ({ id, name }) => ({ id, details: { name } })
})

export const removeView = action("view.remove", {
  input: NoInput,
  target: OneView,
  access: "anyone",
  before: viewBefore,
  run: (call) => SavedViews.use((views) => views.remove(ownerIn(call), call.target.id)),
  audit: ({ id }) => ({ id })
})
