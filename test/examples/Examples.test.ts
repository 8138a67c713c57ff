import { afterAll, describe, expect, it } from "vitest"
import { describeCommands, documents, OWN_SERVER, read } from "./DocumentCommands.ts"
import { type DocumentServer, openDocumentServer } from "./DocumentShell.ts"
import { examplesIn, nameOf } from "./ShellExamples.ts"

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

/** The documents of a language have one server. */
const servers = new Map<string, Promise<DocumentServer>>()
const serverFor = (name: string): Promise<DocumentServer> => {
  const language = name.startsWith("docs/fa/") ? "fa" : "en"
  const server = servers.get(language) ?? openDocumentServer()
  servers.set(language, server)
  return server
}
afterAll(async () => {
  for (const server of servers.values()) await (await server).stop()
})

describeCommands(
  documents.filter((name) => !OWN_SERVER.includes(name)),
  serverFor
)

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
