import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { partsOf } from "../../site/lib/SearchParts.ts"
import { AttemptErrorCode } from "../../src/domain/ProviderOutcome.ts"
import { errorTable } from "../../src/http/errors/ErrorTable.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const read = (page: string) =>
  partsOf(page, readFileSync(`${root}docs/${page}.md`, "utf8")).filter(({ heading }) =>
    /^[a-z_]+$/.test(heading)
  )
const OF_CLIENTS = ["timeout", "connection_failed", "invalid_response"]
const all = [...Object.keys(errorTable), ...AttemptErrorCode.literals, ...OF_CLIENTS].toSorted()

describe.each(["errors", "fa/errors"])("docs/%s.md", (page) => {
  it("has each code of an error under its own anchor, and no other", () => {
    const codes = read(page).map(({ anchor }) => anchor)
    expect(codes.toSorted()).toEqual(all)
  })

  it("gives each its status, and says what to do", () => {
    for (const { heading, text } of read(page)) {
      if (!(heading in errorTable)) continue
      const { status, message } = errorTable[heading as keyof typeof errorTable]
      const start = page === "errors" ? `${status} – ${message} ` : `${status} – `
      expect(text.startsWith(start), `${heading}: ${text}`).toBe(true)
      expect(text.length, heading).toBeGreaterThan(start.length + 10)
    }
  })
})
