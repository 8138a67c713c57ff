/** A reader of the reference: a customer of their own, who puts own ids where an example has a stand-in. */
import { expect } from "vitest"
import { operations } from "../../http/OpenApiDocument.ts"
import { newPhone } from "../Client.ts"
import { newManager } from "../ManagedSetUp.ts"
import type { SharedServer } from "../SharedServer.ts"
import { type Credentials, exampleResources } from "./ExampleResources.ts"

export interface ShownExample {
  readonly id: string
  readonly path: string
  readonly code: string
}

/** A program that a reader can run as it is. */
export interface FilledExample {
  readonly id: string
  readonly code: string
  readonly shown: string
  readonly mode: "live" | "test"
  readonly variables: Readonly<Record<string, string>>
}

/** The text of markup: colours are no part of a program. */
const textOf = (markup: string): string =>
  markup
    .replaceAll(/<[^>]+>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")

/** The pages of the reference, by their paths: those that the first one links to. */
export const referencePages = async ({
  url
}: Pick<SharedServer, "url">): Promise<ReadonlyMap<string, string>> => {
  const read = (path: string) => fetch(`${url}${path}`).then((reply) => reply.text())
  const start = await read("/docs/api")
  const linked = [...start.matchAll(/href="(\/docs\/api\/[a-z-]+)"/g)].map(([, path = ""]) => path)
  const paths = [...new Set(linked)]
  const pages = await Promise.all(paths.map(async (path) => [path, await read(path)] as const))
  return new Map([["/docs/api", start], ...pages])
}

/** The markup of each operation, by its id. */
export const shownOperations = (pages: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map(
    [...pages.values()].flatMap((page) =>
      [...page.matchAll(/<article id="([^"]+)">([\s\S]*?)<\/article>/g)].map(
        ([, id = "", article = ""]) => [id, article] as const
      )
    )
  )

/** The code of a figure with a class: a language has its name for one. */
export const codeIn = (markup: string, name: string): string => {
  const [, code = ""] =
    new RegExp(`<figure class="code ${name}">[\\s\\S]*?<pre><code>([\\s\\S]*?)</code></pre>`).exec(markup) ??
    []
  return textOf(code)
}

/** What the reference shows in a language, in the order of the document: users are made before they sign in. */
export const shownExamples = async (
  server: Pick<SharedServer, "url">,
  document: unknown,
  language: string
): Promise<ReadonlyArray<ShownExample>> => {
  const shown = shownOperations(await referencePages(server))
  return [...operations(document)].flatMap(([endpoint, operation]) => {
    const id = String(operation["operationId"])
    // It does not end: test/contract/webhook/WebhookListen.test.ts reads it.
    if (id === "webhooks.listen") return []
    const code = codeIn(shown.get(id) ?? "", language.toLowerCase())
    if (code === "") return expect.unreachable(`the reference has no ${language} for ${id}`)
    // where a language has no client for an operation, the page shows curl
    if (language !== "curl" && code.startsWith("curl ")) return []
    return [{ id, path: endpoint.split(" ")[1] ?? "", code }]
  })
}

const newCustomer = async (server: SharedServer): Promise<Credentials> => {
  const manager = await newManager(server)
  for (const channel of ["bale", "eitaa", "sms"]) await manager.newAccount(channel, { default: true })
  expect((await manager.put("/routing", { steps: [{ channel: "bale" }, { channel: "sms" }] })).status).toBe(
    200
  )
  const [live, test] = await Promise.all([manager.newKey(), manager.newKey({ mode: "test" })])
  return { live_key: live.secret, test_key: test.secret, token: manager.token }
}

/** `id: 1`, `id=1` or `'id' => 1`. */
const putIn = (code: string, name: string, value: unknown): string =>
  code.replace(
    new RegExp(`(\\b${name}["']?(?:: | => |=))(?:1|"…"|'…'|"[a-z]+"|'[a-z]+')(?=[\\s,)\\]}])`),
    (_, before: string) => before + JSON.stringify(value)
  )

const IDS: ReadonlyArray<readonly [stand: RegExp, field: "verification_id" | "refresh_token"]> = [
  [/0195f7a0-2c1b-7d3e-8a51-6f0c2b9d4e17/, "verification_id"],
  [/REFRESH_TOKEN/, "refresh_token"]
]

export const newReader = async (server: SharedServer, language: string) => {
  const credentials = await newCustomer(server)
  const { newParts, withIds } = exampleResources(server, credentials)
  const fill = async ({ id, path, code }: ShownExample): Promise<FilledExample> => {
    const parts = Object.entries(await newParts(path))
    const fields = Object.fromEntries(
      IDS.filter(([stand]) => stand.test(code)).map(([, field]) => [field, ""])
    )
    const ids = await withIds(path, fields)
    const own = IDS.reduce((text, [stand, field]) => text.replace(stand, String(ids[field])), code).replace(
      path.endsWith("/confirm") ? "123456" : "",
      String(ids["code"] ?? "")
    )
    const named = parts.reduce((text, [name, value]) => putIn(text, name, value), own)
    return {
      id,
      shown: code,
      code: named
        // an address is of one user of the installation, and a phone gets few codes
        .replaceAll("09121234567", newPhone())
        .replaceAll("sara@", `sara.${language.toLowerCase()}@`),
      mode: path.includes("/sandbox/") ? "test" : "live",
      variables: Object.fromEntries(parts.map(([name, value]) => [name.toUpperCase(), String(value)]))
    }
  }
  return { credentials, fill }
}
