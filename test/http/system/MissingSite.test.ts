import { Layer } from "effect"
import { HttpRouter } from "effect/http"
import { afterAll, expect, it } from "vitest"
import { DOCS_PATH } from "../../../src/http/system/DocumentationPage.ts"
import { pagesWithoutSite } from "../../../src/http/system/DocumentationSite.ts"
import { referenceAt } from "../../../src/http/system/reference/ReferenceRoutes.ts"

const { handler, dispose } = HttpRouter.toWebHandler(Layer.merge(referenceAt(DOCS_PATH), pagesWithoutSite), {
  disableLogger: true
})
afterAll(() => dispose())

const get = (path: string, accept: string) =>
  handler(new Request(`http://127.0.0.1${path}`, { headers: { accept } }))

it("leads people from a page of the documentation to the reference, where no site was built", async () => {
  const page = await get("/docs/fa/webhooks/", "text/html")
  expect([page.status, page.headers.get("location")]).toEqual([302, "/docs"])
  expect((await get("/docs", "text/html")).status).toBe(200)
  expect((await get("/docs/nothing.png", "image/png")).status).toBe(404)
})
