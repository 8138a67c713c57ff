import type { Visitor } from "../../Visitor.ts"

/** Pages that differ only in ids look the same. */
const patternOf = (path: string): string =>
  path.replaceAll(/\/(?:\d+|\+98\d{10}|[0-9a-f]{8}-[0-9a-f-]{27}(?:\.\d+)?)(?=\/|$)/g, "/:id")

const linksIn = (html: string): ReadonlyArray<string> =>
  [...html.matchAll(/href="(\/console\/[a-zA-Z0-9/_+.-]+)(?:\?[^"]*)?"/g)].map(([, path = ""]) => path)

/** A request's id has a dot, as files do. */
const isPage = (path: string): boolean => !path.includes("/assets/") && !/\.[a-z]+$/.test(path)

/** Pages to which links lead only in another state than that of the tests, or with what was searched for. */
const others = [
  "/console/wallet/holds",
  "/console/search?q=0912",
  "/console/wallet?within=today",
  "/console/verifications?status=verified"
]

/** Every kind of page that links lead to from this one. */
const reachedFrom = async ({ get }: Pick<Visitor, "get">, start: string): Promise<ReadonlyArray<string>> => {
  const found = new Map([[start, start]])
  const todo = [start]
  for (let path = todo.shift(); path !== undefined; path = todo.shift()) {
    const { text } = await get(path)
    for (const link of linksIn(text).filter(isPage)) {
      const pattern = patternOf(link)
      if (found.has(pattern)) continue
      found.set(pattern, link)
      todo.push(link)
    }
  }
  return [...found.values()]
}

/** Every kind of page that somebody of a customer sees, and those for people who are not signed in. */
export const pagesOf = async (visitor: Pick<Visitor, "get">): Promise<ReadonlyArray<string>> => [
  "/console/sign-in",
  "/console/sign-in-link",
  ...(await reachedFrom(visitor, "/console/overview")),
  ...others
]

/** Every kind of page that an operator sees who has entered no customer. */
export const operatorPagesOf = (visitor: Pick<Visitor, "get">) => reachedFrom(visitor, "/console/customers")
