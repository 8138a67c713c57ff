import { describe, expect, it } from "vitest"
import { translations } from "../../scripts/Translations.ts"

describe("the Persian pages", () => {
  it.each(translations())("$page is not older than $english", ({ stamp, current }) => {
    // Compare the two, then run: npm run translated -- PAGE
    expect(stamp).toBe(current)
  })

  it("are those that a newcomer needs", () => {
    const needed = ["README", "quickstart", "verification", "messages", "providers"].concat([
      "webhooks",
      "console",
      "operations",
      "limits",
      "guard",
      "alerts"
    ])
    expect(translations().map(({ page }) => page)).toEqual(
      expect.arrayContaining(needed.map((name) => `docs/fa/${name}.md`))
    )
  })
})
