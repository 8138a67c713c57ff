import { assert, describe, it } from "@effect/vitest"
import type { Page } from "../../../src/domain/Paging.ts"
import { makeLocale } from "../../../src/http/console/frame/Locale.ts"
import type { View } from "../../../src/http/console/frame/SignedRoutes.ts"
import { sentList } from "../../../src/http/console/runs/SentPages.ts"

const AT = Date.UTC(2026, 10, 26, 10, 30)
const NEXT = `${AT}_019ca6b1-dc00-74ba-98ec-5981f164faae`

const view = (query: string): View =>
  Object.assign(Object.create(null), {
    path: "/console/verifications",
    query: new URLSearchParams(query),
    locale: makeLocale("en", "UTC"),
    navigation: []
  })

/** The list as text. */
const shown = (query: string, found: Page<{ readonly id: string }>): string =>
  String(
    sentList(view(query), {
      caption: "Codes",
      columns: [{ header: "Id", kind: "title", cell: ({ id }) => id }],
      found,
      refused: null,
      problems: [],
      path: "/console/verifications",
      none: { title: "No code has been sent yet", text: "Send one." }
    })
  )

const CSV = "/console/verifications/export.csv"

describe("a list of sends", () => {
  it("whose search has found nothing yet says how far it went, goes on from there, and offers its file", () => {
    const page = shown("status=failed", { items: [], next: NEXT, searchedTo: AT })
    assert.match(page, /Searched back to\s+<time datetime="2026-11-26T10:30:00.000Z"/)
    assert.include(page, `${CSV}?status=failed`)
    assert.include(page, "Search older")
    assert.notInclude(page, "Next page")
  })

  it("whose search has found few promises no next page either", () => {
    const page = shown("status=failed", { items: [{ id: "1" }], next: NEXT, searchedTo: AT })
    assert.include(page, "Searched back to")
    assert.notInclude(page, "Next page")
    assert.include(page, CSV)
  })

  it("with more of what was found has a next page", () => {
    const page = shown("status=failed", { items: [{ id: "1" }], next: NEXT })
    assert.include(page, "Next page")
    assert.notInclude(page, "Searched back to")
  })

  it("that was searched to its end says so, and has no empty file to offer", () => {
    const page = shown("status=failed", { items: [], next: null })
    assert.include(page, "No results")
    assert.notInclude(page, CSV)
  })

  it("in which nothing was sent yet says so, after the switch to live sends too", () => {
    for (const query of ["", "show=live", "lang=en&theme=dark&size=50"]) {
      const page = shown(query, { items: [], next: null })
      assert.include(page, "No code has been sent yet", query)
      assert.notInclude(page, "No results", query)
    }
  })
})
