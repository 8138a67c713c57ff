import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { until } from "../contract/Server.ts"
import {
  type DocumentServer,
  type DocumentShell,
  openDocumentServer,
  openDocumentShell
} from "./DocumentShell.ts"
import { type Example, examplesIn, nameOf, runScript, runUntil, serverIn } from "./ShellExamples.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const read = (name: string): string => readFileSync(`${root}${name}`, "utf8")
const files = (folder: string): ReadonlyArray<string> =>
  (readdirSync(`${root}${folder}`, { recursive: true }) as Array<string>).map((file) => `${folder}/${file}`)

const documents = ["README.md", "CONTRIBUTING.md", "bench/README.md", ...files("docs"), ...files("deploy")]
  .filter((name) => name.endsWith(".md"))
  .filter((name) => examplesIn(read(name)).length > 0)
  .toSorted()

const TAKE_KEY = `KEY=$(sed -n 's/.*"live_key": "\\(.*\\)".*/\\1/p' data/demo.json)`

/** All that is marked as not run, by its first line: nothing is left out without a word. */
const NOT_RUN: ReadonlyArray<readonly [string, string]> = [
  [
    "CONTRIBUTING.md",
    "npm test          # types, Effect diagnostics, lint, format and tests, at once; needs nothing running"
  ],
  ["README.md", "npm ci"],
  [
    "bench/README.md",
    "npm run bench                                                          # all of it: about 5 minutes on 2 cores"
  ],
  ["bench/README.md", "npm run bench:aims                                       # 5 rounds of 8 s"],
  [
    "bench/README.md",
    "npm run bench:start                                        # 5 rounds, half a minute each"
  ],
  [
    "bench/README.md",
    "npm run bench:cells -- --cluster postgres://peyk@coordinator/empty --one postgres://peyk@other/empty --cells 2 -- --rounds 5 --seconds 8 --warm-up 12"
  ],
  ["bench/README.md", "npm run bench:insights -- --data /var/tmp/insights --processes 1"],
  [
    "bench/README.md",
    "npm run bench:pages -- --stored 1000000 --data /var/tmp/console --processes 1       # each page's server time"
  ],
  [
    "bench/README.md",
    "npm run soak                                                    # 3 minutes, 2 processes, a random seed"
  ],
  ["bench/README.md", "apt-get install -y --no-install-recommends patroni etcd-server haproxy postgresql-15"],
  ["bench/README.md", "npm run ha -- --citus                                      # all faults"],
  ["docs/alerts.md", "npx peyk alert add --customer 1 --email oncall@example.ir"],
  ["docs/bridge.md", "BRIDGE_SECRET=whsec_… PORT=8090 python3 gateway.py"],
  ["docs/bridge.md", "BRIDGE_SECRET=whsec_… php -S 127.0.0.1:8090 gateway.php"],
  ["docs/bridge.md", "npm install smpp@0.5.1"],
  [
    "docs/bridge.md",
    "BRIDGE_SECRET=whsec_… SMPP_URL=smpp://smsc.example.com:2775 SMPP_SYSTEM_ID=… SMPP_PASSWORD=… SMPP_FROM=30001234 \\"
  ],
  ["docs/cells.md", "curl https://install.citusdata.com/community/deb.sh | sudo bash"],
  ["docs/cells.md", "sudo pg_conftool 17 main set shared_preload_libraries citus"],
  ["docs/cells.md", "sudo -u postgres createuser --pwprompt peyk"],
  ["docs/clients.md", "cd peyk && npm ci && npm pack -w @peyk/client --pack-destination ../shop"],
  ["docs/clients.md", "cd shop && pip install ../peyk/clients/python"],
  ["docs/clients.md", "cd shop && composer config repositories.peyk path ../peyk/clients/php"],
  ["docs/command-line.md", 'npx peyk setup --name "First shop" --email sara@example.com \\'],
  ["docs/fa/README.md", "npm ci"],
  ["docs/fa/alerts.md", "npx peyk alert add --customer 1 --email oncall@example.ir"],
  ["docs/fa/quickstart.md", TAKE_KEY],
  [
    "docs/fa/webhooks.md",
    "npx peyk webhook listen --forward http://localhost:3000/hooks --url https://peyk.example.com --token $PEYK_TOKEN"
  ],
  [
    "docs/management.md",
    'curl -s "$PEYK/v1/manage/statements/1405-09?calendar=jalali&timezone=Asia/Tehran" \\'
  ],
  ["docs/operations.md", "npm ci && npm run build"],
  [
    "docs/operations.md",
    "peyk() { sudo systemd-run --quiet --pipe --wait --uid=peyk --property=EnvironmentFile=/etc/peyk/environment \\"
  ],
  ["docs/operations.md", "PEYK_TEST_DATABASE_URL=postgres://postgres@localhost:6432/postgres \\"],
  ["docs/quickstarts.md", TAKE_KEY],
  [
    "docs/webhooks.md",
    "npx peyk webhook listen --forward http://localhost:3000/hooks --url https://peyk.example.com --token $PEYK_TOKEN"
  ]
]

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
const OWN_SERVER = [
  "docs/command-line.md",
  "docs/management.md",
  "docs/providers.md",
  "docs/quickstarts.md",
  "docs/routing.md",
  "docs/verification.md",
  "docs/fa/limits.md"
]

/** The other documents of a language have one server. */
const servers = new Map<string, Promise<DocumentServer>>()
const serverFor = (name: string): Promise<DocumentServer> => {
  const shared = name.startsWith("docs/fa/") ? "fa" : "en"
  const key = OWN_SERVER.includes(name) ? name : shared
  const server = servers.get(key) ?? openDocumentServer()
  servers.set(key, server)
  return server
}
afterAll(async () => {
  for (const server of servers.values()) await (await server).stop()
})

const runnableIn = (name: string) => examplesIn(read(name)).filter(({ notRun }) => notRun === undefined)

describe.each(documents.filter((name) => runnableIn(name).length > 0))("the commands of %s", (name) => {
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

describe("commands that are not run", () => {
  const marked = documents.flatMap((name) =>
    examplesIn(read(name))
      .filter(({ notRun }) => notRun !== undefined)
      .map((example) => ({ name, example }))
  )

  it("are those that are listed here", () => {
    expect(marked.map(({ name, example }) => [name, nameOf(example)])).toEqual(NOT_RUN)
  })

  it("name scripts that there are", () => {
    const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: object }
    const named = marked.flatMap(({ example }) =>
      [...example.script.matchAll(/npm run ([\w:-]+)/g)].map(([, script = ""]) => script)
    )
    expect(named.filter((script) => !Object.hasOwn(scripts, script))).toEqual([])
  })
})
