import { DateTime, Effect } from "effect"
import { globSync, readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { tabsIn } from "../../site/lib/Documents.ts"
import { type ErrorCode, errorTable } from "../../src/http/errors/ErrorTable.ts"
import { otp } from "../contract/Client.ts"
import { simulated } from "../contract/Operator.ts"
import { type Server, startServer, until } from "../contract/Server.ts"
import { root } from "../clients/packages/Packed.ts"
import { type Asked, languages, type Reader, type Recorder, recordTo } from "./TabPrograms.ts"

const PHONE = "+989121234567"
const pages = globSync("docs/**/*.md", { cwd: root }).toSorted()
const allTabs = pages.flatMap((page) =>
  tabsIn(readFileSync(`${root}/${page}`, "utf8")).map((tabs) => ({
    name: `${page}: ${tabs[0]?.code.split("\n")[0] ?? ""}`,
    tabs
  }))
)
/** Not the receivers of webhooks, which WebhookTabs.test.ts runs, and not the commands that install a client. */
const groups = allTabs.filter(
  ({ tabs }) => tabs[0]?.label === "curl" || (tabs[0]?.lang === "ts" && !tabs[0].code.includes("export "))
)

/** All tabs send to one phone. */
const LIMITS = [
  "PEYK_LIMIT_PHONE_HOUR",
  "PEYK_LIMIT_PHONE_DAY",
  "PEYK_LIMIT_PLATFORM_PHONE_DAY",
  "PEYK_LIMIT_MESSAGE_PHONE_HOUR",
  "PEYK_LIMIT_MESSAGE_PHONE_DAY"
]

let server: Server
let recorder: Recorder
beforeAll(async () => {
  server = await startServer({ env: Object.fromEntries(LIMITS.map((name) => [name, "1000"])) })
  recorder = await recordTo(server.url)
})
afterAll(async () => {
  recorder?.close()
  await server?.stop()
})

const post = async (path: string, body: object, headers: Record<string, string>) => {
  const reply = await fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body)
  })
  return (await reply.json()) as Readonly<Record<string, string & number>>
}

/** The newest code that the phone got; messages have none. */
const newestCode = () =>
  until(
    "a code",
    async () => (await simulated(server, PHONE)).findLast(({ code }) => code !== null)?.code ?? undefined
  )

const tomorrow = Effect.map(DateTime.now, (now) => DateTime.formatIsoDateUtc(DateTime.add(now, { days: 1 })))

/** A reader who has sent a code and a message, and made a template; in the sandbox, if the tab is about that. */
const newReader = async (code: string): Promise<Reader> => {
  const { live_key, test_key, token } = server.demo
  const isSandbox = code.includes("TEST_KEY")
  const live = { "x-api-key": live_key }
  const { verification_id } = isSandbox
    ? await post("/v1/sandbox/otp/send", { phone: PHONE }, { "x-api-key": test_key })
    : await otp(server, live_key).sent({ phone: PHONE, channels: ["bale", "sms"] })
  const { message_id } = await post(
    "/v1/messages/send",
    { to: PHONE, message: "later", channels: "bale", delay: "90m" },
    live
  )
  const template = await post(
    "/v1/manage/templates",
    {
      name: `order-${String(message_id)}`,
      body: code.includes("/v1/otp/") ? "{{code}}" : "{{name}} {{number}}"
    },
    { authorization: `apikey ${token}` }
  )
  const ids = {
    verification_id: verification_id ?? "",
    message_id: message_id ?? "",
    template_id: template["id"] ?? 0,
    tomorrow: await Effect.runPromise(tomorrow)
  }
  return {
    url: recorder.url,
    key: isSandbox ? test_key : live_key,
    token,
    ids: { ...ids, code: isSandbox ? "123456" : await newestCode() },
    enterCode: newestCode
  }
}

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g

/** What can be made only once: users and templates by their names, and sends by their idempotency keys. */
const ONCE = /reza(?=@)|login-code|(?:signup|order|moved|reminders)-[\d-]+\d/g
const ownTo = (label: string, code: string) => code.replaceAll(ONCE, `$&-of-${label}`)

/** What differs for each reader has one name for all: ids, codes, and what can be made once. */
const comparable = (asked: ReadonlyArray<Asked>): unknown =>
  JSON.parse(
    JSON.stringify(asked)
      .replaceAll(UUID, "id")
      .replaceAll(/"code":"\d+"/g, '"code":"code"')
      .replaceAll(/"(template":\{"id|template_id)":\d+/g, '"$1":0')
      .replaceAll(/-of-\w+/g, "")
  )

/** The error that a tab says it ends with. */
const refusalIn = (code: string) => /, whose (?:code|errorCode) is (\w+)\./.exec(code)?.[1]

const isAsSaid = (code: string, ended: string): boolean => {
  const refusal = refusalIn(code)
  return refusal === undefined ? ended === "" : ended.includes(errorTable[refusal as ErrorCode].message)
}

describe("the tabs of the documents", () => {
  it("have the same four languages, at each API call", () => {
    expect(groups.length).toBeGreaterThan(35)
    const all = languages.map(({ label }) => label)
    for (const { name, tabs } of allTabs)
      expect(
        tabs.map(({ label }) => label),
        name
        // setting up a client, and what only it does, is nothing for curl
      ).toEqual(tabs[0]?.label === "curl" ? all : all.slice(1))
  })

  it.each(groups)(
    "ask the same of the server in each language: $name",
    { timeout: 120_000 },
    async ({ tabs }) => {
      const curl = tabs[0]?.code ?? ""
      const asked = new Map<string, unknown>()
      for (const { label, run } of languages.filter(({ isInstalled }) => isInstalled)) {
        const code = tabs.find((tab) => tab.label === label)?.code
        if (code === undefined) continue
        const reader = await newReader(curl)
        recorder.asked()
        const ended = await run(ownTo(label, code), reader).then(
          () => "",
          (cause: unknown) => String(cause)
        )
        expect(isAsSaid(code, ended), `${label}: ${ended}`).toBe(true)
        asked.set(label, comparable(recorder.asked()))
      }
      const [first] = asked.values()
      expect(first).not.toEqual([])
      for (const [label, requests] of asked) expect(requests, label).toEqual(first)
    }
  )
})
