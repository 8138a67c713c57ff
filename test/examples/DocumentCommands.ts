/** The commands that the documents show, run as a reader would. */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { until } from "../contract/Server.ts"
import { type DocumentServer, type DocumentShell, openDocumentShell } from "./DocumentShell.ts"
import { type Example, examplesIn, nameOf, runScript, runUntil, serverIn } from "./ShellExamples.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
export const read = (name: string): string => readFileSync(`${root}${name}`, "utf8")
const files = (folder: string): ReadonlyArray<string> =>
  (readdirSync(`${root}${folder}`, { recursive: true }) as Array<string>).map((file) => `${folder}/${file}`)

export const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "bench/README.md",
  ...files("docs"),
  ...files("deploy")
]
  .filter((name) => name.endsWith(".md"))
  .filter((name) => examplesIn(read(name)).length > 0)
  .toSorted()

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

const isError = (answer: unknown): boolean => Object(answer).error !== undefined

/** A message that was just accepted is read until it is sent: that takes a moment. */
const isInProgress = (answer: unknown): boolean =>
  Object(answer).message_id !== undefined && ["queued", "sending"].includes(Object(answer).status)

const runExample = async ({ script, answer, runsUntil }: Example, document: DocumentShell) => {
  const shell = document.shell(isError(answer))
  const filled = document.fill(script)
  if (runsUntil !== undefined) return await runUntil(runsUntil, filled, shell)
  const run = () => runScript(filled, document.input, shell)
  const isLook = answer !== undefined && !script.includes("-d ")
  const printed = isLook
    ? await until("a final answer", async () => {
        const text = await run()
        return isInProgress(JSON.parse(text)) ? undefined : text
      })
    : await run()
  if (answer !== undefined) expect(JSON.parse(printed)).toEqual(expected(answer))
  await document.keep(script, printed)
}

/**
 * Documents whose examples need a server that no other document has changed, or change what others show. Two use the
 * idempotency key of README.md for other requests.
 */
export const OWN_SERVER = [
  "docs/command-line.md",
  "docs/management.md",
  "docs/providers.md",
  "docs/quickstarts.md",
  "docs/routing.md",
  "docs/verification.md",
  "docs/fa/limits.md"
]

const runnableIn = (name: string) => examplesIn(read(name)).filter(({ notRun }) => notRun === undefined)

/** Tests of the commands of these documents. */
export const describeCommands = (
  names: ReadonlyArray<string>,
  serverFor: (name: string) => Promise<DocumentServer>
) =>
  describe.each(names.filter((name) => runnableIn(name).length > 0))("the commands of %s", (name) => {
    const examples = runnableIn(name)
    let document: DocumentShell
    beforeAll(async () => {
      document = await openDocumentShell(await serverFor(name), serverIn(read(name)))
    })
    afterAll(() => document?.stop())

    it.each(examples.map((example) => ({ name: nameOf(example), example })))(
      "$name",
      async ({ example }) => {
        await runExample(example, document)
      },
      180_000
    )
  })
