/** A method and the path it serves; path parameters have the form `:name`. */
export interface ServedRoute {
  readonly method: string
  readonly path: string
}

/** Which methods a path has. An exact path hides the patterns that would match it too. */
export type MethodsOf = (path: string) => ReadonlySet<string> | undefined

const matches = (pattern: ReadonlyArray<string>, segments: ReadonlyArray<string>): boolean =>
  pattern.length === segments.length &&
  pattern.every((part, index) => (part.startsWith(":") ? segments[index] !== "" : part === segments[index]))

/** Answers what the router cannot: whether a path exists for another method (405) or not at all (404). */
export const makeRouteTable = (routes: ReadonlyArray<ServedRoute>): MethodsOf => {
  const byPath = new Map<string, Set<string>>()
  for (const { method, path } of routes) {
    const methods = byPath.get(path) ?? new Set<string>()
    byPath.set(path, methods.add(method))
    if (method === "GET") methods.add("HEAD")
  }
  const patterns = [...byPath]
    .filter(([path]) => path.includes("/:"))
    .map(([path, methods]) => ({
      parts: path.split("/"),
      methods
    }))
  return (path) => {
    const exact = byPath.get(path)
    if (exact !== undefined) return exact
    const segments = path.split("/")
    return patterns.find(({ parts }) => matches(parts, segments))?.methods
  }
}
