import { Context } from "effect"

/**
 * The classes of requests under overload. `vital` ones (health, metrics) are always served. Each of the others has
 * its own share: the largest for checks (verify, status), because a person is waiting with a code, then sends,
 * management, and last requests without a credential. `asset` is what everybody may read and nobody computes: the
 * documents and the console's files.
 */
export const requestClasses = ["vital", "check", "send", "manage", "public", "asset"] as const
export type RequestClass = (typeof requestClasses)[number]

/** What requests of a route can be about. */
export type SubjectKind = "verification" | "message"

/** What is known of a request by its method and path alone, before it is read. */
export interface RouteTraits {
  readonly load: RequestClass
  /** It takes credentials of persons and their programs, which service keys are not: browsers may call it. */
  readonly isPersonal: boolean
  /** Its body has more time to arrive. */
  readonly hasLargeBody: boolean
  readonly subject: SubjectKind | null
}

const USUAL: RouteTraits = { load: "public", isPersonal: false, hasLargeBody: false, subject: null }

/** Of a path that is not served. */
export const unmatched = USUAL

/** Annotations of endpoints, or of a group for all of its endpoints that do not say otherwise. */
export const Load = Context.Reference<RequestClass>("peyk/http/RouteTable/Load", {
  defaultValue: () => USUAL.load
})
export const IsPersonal = Context.Reference<boolean>("peyk/http/RouteTable/IsPersonal", {
  defaultValue: () => USUAL.isPersonal
})
export const HasLargeBody = Context.Reference<boolean>("peyk/http/RouteTable/HasLargeBody", {
  defaultValue: () => USUAL.hasLargeBody
})
export const Subject = Context.Reference<SubjectKind | null>("peyk/http/RouteTable/Subject", {
  defaultValue: () => USUAL.subject
})

export const traitsIn = (annotations: Context.Context<never>): RouteTraits => ({
  load: Context.get(annotations, Load),
  isPersonal: Context.get(annotations, IsPersonal),
  hasLargeBody: Context.get(annotations, HasLargeBody),
  subject: Context.get(annotations, Subject)
})

/**
 * A method and the path it serves. Path parameters have the form `:name`; with `/*` at the end it is the path itself and
 * anything below.
 */
export interface ServedRoute extends Partial<RouteTraits> {
  readonly method: string
  readonly path: string
}

/** A path of the table, and the methods that serve it. */
export interface ServedPath {
  /** `/v1/otp/{verification_id}` */
  readonly template: string
  readonly methods: ReadonlySet<string>
  /** By method; those of another one decide for a method that is not served. */
  readonly traitsOf: (method: string) => RouteTraits
  /** Which part of the path its first parameter is. */
  readonly parameterAt: number
}

/** Finds the route of a URL's path. An exact path hides the patterns that match it too. */
export type FindPath = (path: string) => ServedPath | undefined

export const pathOf = (url: string): string => {
  const end = url.search(/[?#]/)
  return end === -1 ? url : url.slice(0, end)
}

const BELOW = "*"

export const templateOf = (path: string): string => path.replaceAll(/:(\w+)/g, "{$1}")

const matches = (pattern: ReadonlyArray<string>, segments: ReadonlyArray<string>): boolean =>
  (pattern.at(-1) === BELOW ? pattern.length - 1 <= segments.length : pattern.length === segments.length) &&
  pattern.every(
    (part, index) =>
      part === BELOW || (part.startsWith(":") ? segments[index] !== "" : part === segments[index])
  )

const servedAt = (path: string, routes: ReadonlyArray<ServedRoute>): ServedPath => {
  const byMethod = new Map(routes.map(({ method, ...traits }) => [method, { ...USUAL, ...traits }]))
  const read = byMethod.get("GET")
  if (read !== undefined) byMethod.set("HEAD", read)
  const [usual = USUAL] = byMethod.values()
  return {
    template: templateOf(path),
    methods: new Set(byMethod.keys()),
    traitsOf: (method) => byMethod.get(method) ?? usual,
    parameterAt: path.split("/").findIndex((part) => part.startsWith(":"))
  }
}

/** The first two parts of a path, by which patterns are found without trying all of them. */
const areaOf = (path: string): string => {
  const end = path.indexOf("/", path.indexOf("/", 1) + 1)
  return end === -1 ? path : path.slice(0, end)
}

/** Decides what the router cannot: whether a path exists for another method (405) or not at all (404). */
export const makeRouteTable = (routes: ReadonlyArray<ServedRoute>): FindPath => {
  const byPath = new Map(
    [...Map.groupBy(routes, ({ path }) => path)].map(([path, same]) => [path, servedAt(path, same)])
  )
  const patterns = [...byPath]
    .filter(([path]) => path.includes("/:") || path.endsWith(`/${BELOW}`))
    .map(([path, served]) => ({ area: areaOf(path), parts: path.split("/"), served }))
  const isWide = (area: string) => area.includes("/:") || area.endsWith(`/${BELOW}`)
  const wide = patterns.filter(({ area }) => isWide(area))
  const byArea = Map.groupBy(patterns, ({ area }) => area)
  return (path) => {
    // No path has a semicolon. The router would end the path there, and serve another one.
    if (path.includes(";")) return undefined
    const exact = byPath.get(path)
    if (exact !== undefined) return exact
    const segments = path.split("/")
    const isMatch = ({ parts }: { readonly parts: ReadonlyArray<string> }) => matches(parts, segments)
    return (byArea.get(areaOf(path))?.find(isMatch) ?? wide.find(isMatch))?.served
  }
}

/** Whether a path, served or not, is beside those with personal credentials. */
export const personalPaths = (routes: ReadonlyArray<ServedRoute>): ((path: string) => boolean) => {
  const areas = new Set(routes.flatMap(({ path, isPersonal }) => (isPersonal === true ? [areaOf(path)] : [])))
  return (path) => areas.has(areaOf(path))
}

/** The public address of this service, without a slash at its end; null: it was not set. */
export const PublicUrl = Context.Reference<string | null>("peyk/http/RouteTable/PublicUrl", {
  defaultValue: () => null
})
