import { readFileSync } from "node:fs"
import { DateTime, Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { codeOf } from "../contract/Operator.ts"
import { type Server, startServer, until } from "../contract/Server.ts"
import { curlRequest, examplesIn, words } from "./ShellExamples.ts"

let server: Server
const variables: Record<string, string> = {}
beforeAll(async () => {
  server = await startServer()
  variables["PEYK"] = server.url
  variables["KEY"] = server.demo.live_key
  variables["TEST_KEY"] = server.demo.test_key
  const tomorrow = Effect.map(DateTime.now, DateTime.add({ days: 1 }))
  variables["TOMORROW"] = DateTime.formatIsoDateUtc(await Effect.runPromise(tomorrow))
}, 60_000)
afterAll(() => server?.stop())

const isCountingDown = (from: number) => (left: unknown) =>
  typeof left === "number" && left <= from && left > from - 20

/** With any text where the document has `…`. Seconds that are counted down may be fewer already. */
const expected = (value: unknown, key = ""): unknown => {
  if (value === "…") return expect.stringMatching(/./)
  if (key === "remaining_seconds") return expect.toSatisfy(isCountingDown(Number(value)))
  if (Array.isArray(value)) return value.map((element) => expected(element))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, expected(field, name)]))
}

const callOnce = async (command: ReadonlyArray<string>) => {
  const { method, url, headers, body } = curlRequest(command)
  const reply = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) })
  return (await reply.json()) as Record<string, unknown>
}

/** A message that was just accepted is read until it is sent: that takes a moment. */
const isUnderWay = (answer: Record<string, unknown>) =>
  answer["message_id"] !== undefined && (answer["status"] === "queued" || answer["status"] === "sending")

const call = (command: ReadonlyArray<string>) =>
  command.includes("-d")
    ? callOnce(command)
    : until("a final answer", async () => {
        const answer = await callOnce(command)
        return isUnderWay(answer) ? undefined : answer
      })

const keepAnswer = async ({ message_id, verification_id }: Record<string, unknown>) => {
  if (typeof message_id === "string") variables["MESSAGE_ID"] = message_id
  if (typeof verification_id !== "string") return
  variables["VERIFICATION_ID"] = verification_id
  variables["CODE"] = await codeOf(server, "+989121234567")
}

describe.each(["verification.md", "messages.md"])("the examples of docs/%s", (name) => {
  const examples = examplesIn(readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8"))

  it("are there", () => {
    expect(examples.length).toBeGreaterThan(7)
  })

  it.each(examples)("$command", async ({ command, answer }) => {
    const line = words(command, variables)
    if (line[0] === "npx") {
      const made = (await server.cli(...line.slice(2))) as { readonly id: number }
      variables["TEMPLATE_ID"] = String(made.id)
      return
    }
    const reply = await call(line)
    if (answer === undefined) expect(reply).toHaveProperty("message_id")
    else expect(reply).toEqual(expected(answer))
    await keepAnswer(reply)
  })
})
