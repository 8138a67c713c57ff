import type { Visitor } from "../../Visitor.ts"

/** The pages of the console that a visitor is led to, and those that somebody sees who is not signed in. */
export const pagesOf = async ({ get }: Pick<Visitor, "get">): Promise<ReadonlyArray<string>> => {
  const { text } = await get("/console/overview")
  const listed = [...text.matchAll(/href="(\/console\/[a-z/-]+)"/g)].map(([, path = ""]) => path)
  return [...new Set(["/console/sign-in", "/console/sign-in-link", ...listed])]
}
