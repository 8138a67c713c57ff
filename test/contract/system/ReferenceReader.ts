/** A reader of /docs: a customer of their own, who puts own ids where an example has a stand-in. */
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

const unescape = (html: string): string =>
  html
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")

/** What the page shows in a language, in the order of the document: users are made before they sign in. */
export const shownExamples = async (
  server: Pick<SharedServer, "url">,
  document: unknown,
  language: string
): Promise<ReadonlyArray<ShownExample>> => {
  const page = await fetch(`${server.url}/docs/api`).then((reply) => reply.text())
  const byId = new Map(
    [...page.matchAll(/<article id="([^"]+)">([\s\S]*?)<\/article>/g)].map(([, id = "", article = ""]) => {
      const [, code = ""] =
        new RegExp(`<pre class="${language.toLowerCase()}">\n?([\\s\\S]*?)</pre>`).exec(article) ?? []
      return [id, unescape(code)] as const
    })
  )
  return [...operations(document)].flatMap(([endpoint, operation]) => {
    const id = String(operation["operationId"])
    const code = byId.get(id)
    if (code === undefined || code === "") return expect.unreachable(`/docs has no ${language} for ${id}`)
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

/** `"id": 1`, `id=1` or `"id" => 1`; and `…` as an argument of its own. */
const putIn = (code: string, name: string, value: unknown): string =>
  code.replace(
    new RegExp(`(\\b${name}"?(?:: | => |=))(?:1|"…"|"[a-z]+")(?=[\\s,)\\]}])`),
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
    const own = IDS.reduce((text, [stand, field]) => text.replace(stand, String(ids[field])), code)
    const named = parts.reduce((text, [name, value]) => putIn(text, name, value), own)
    return {
      id,
      shown: code,
      code: named
        .replace('"…"', JSON.stringify(parts[0]?.[1]))
        // an address is of one user of the installation, and a phone gets few codes
        .replaceAll("09121234567", newPhone())
        .replaceAll("sara@", `sara.${language.toLowerCase()}@`),
      mode: path.includes("/sandbox/") ? "test" : "live",
      variables: Object.fromEntries(parts.map(([name, value]) => [name.toUpperCase(), String(value)]))
    }
  }
  return { credentials, fill }
}
