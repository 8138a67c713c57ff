import type { Visitor } from "../../Visitor.ts"

/** Pages that differ only in ids look the same. */
const patternOf = (path: string): string =>
  path.replaceAll(/\/(?:\d+|\+98\d{10}|[0-9a-f]{8}-[0-9a-f-]{27}(?:\.\d+)?)(?=\/|$)/g, "/:id")

const linksIn = (html: string): ReadonlyArray<string> =>
  [...html.matchAll(/href="(\/console\/[a-zA-Z0-9/_+.-]+)"/g)].map(([, path = ""]) => path)

/** A request's id has a dot, as files do. */
const isPage = (path: string): boolean => !path.includes("/assets/") && !/\.[a-z]+$/.test(path)

/** Every kind of page that links lead to from the overview, and those that somebody sees who is not signed in. */
export const pagesOf = async ({ get }: Pick<Visitor, "get">): Promise<ReadonlyArray<string>> => {
  const found = new Map([["/console/overview", "/console/overview"]])
  const todo = ["/console/overview"]
  for (let path = todo.shift(); path !== undefined; path = todo.shift()) {
    const { text } = await get(path)
    for (const link of linksIn(text).filter(isPage)) {
      const pattern = patternOf(link)
      if (found.has(pattern)) continue
      found.set(pattern, link)
      todo.push(link)
    }
  }
  return ["/console/sign-in", "/console/sign-in-link", ...found.values()]
}
