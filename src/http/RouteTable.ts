import { Context } from "effect"

/**
 * A method and the path it serves. Path parameters have the form `:name`; with `/*` at the end it is the path itself and
 * anything below.
 */
export interface ServedRoute {
  readonly method: string
  readonly path: string
}

/** A path of the table, and the methods that serve it. */
export interface ServedPath {
  /** `/v1/otp/{verification_id}` */
  readonly template: string
  readonly methods: ReadonlySet<string>
}

/** Finds the route of a path. An exact path hides the patterns that match it too. */
export type FindPath = (path: string) => ServedPath | undefined

const BELOW = "*"

const templateOf = (path: string): string => path.replaceAll(/:(\w+)/g, "{$1}")

const matches = (pattern: ReadonlyArray<string>, segments: ReadonlyArray<string>): boolean =>
  (pattern.at(-1) === BELOW ? pattern.length - 1 <= segments.length : pattern.length === segments.length) &&
  pattern.every(
    (part, index) =>
      part === BELOW || (part.startsWith(":") ? segments[index] !== "" : part === segments[index])
  )

/** Decides what the router cannot: whether a path exists for another method (405) or not at all (404). */
export const makeRouteTable = (routes: ReadonlyArray<ServedRoute>): FindPath => {
  const methodsByPath = new Map<string, Set<string>>()
  for (const { method, path } of routes) {
    const methods = methodsByPath.get(path) ?? new Set<string>()
    methodsByPath.set(path, methods.add(method))
    if (method === "GET") methods.add("HEAD")
  }
  const byPath = new Map(
    [...methodsByPath].map(([path, methods]) => [path, { template: templateOf(path), methods }])
  )
  const patterns = [...byPath]
    .filter(([path]) => path.includes("/:") || path.endsWith(`/${BELOW}`))
    .map(([path, served]) => ({ parts: path.split("/"), served }))
  return (path) => {
    // No path has a semicolon. The router would end the path there, and serve another one.
    if (path.includes(";")) return undefined
    const exact = byPath.get(path)
    if (exact !== undefined) return exact
    const segments = path.split("/")
    return patterns.find(({ parts }) => matches(parts, segments))?.served
  }
}

/** The public address of this service, without a slash at its end; null: it was not set. */
export const PublicUrl = Context.Reference<string | null>("peyk/http/RouteTable/PublicUrl", {
  defaultValue: () => null
})
