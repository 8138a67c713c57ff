import { createServer } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../../../bench/FreePort.ts"
import { type Finished, makeDataDir, neutralEnvironment, runProgram } from "../../contract/Server.ts"
import { type SharedServer, sharedServer } from "../../contract/SharedServer.ts"
import { discard } from "../store/Postgres.ts"

let server: SharedServer
beforeAll(() => {
  server = sharedServer()
})

/** Exit code 1, one line (under its heading) that says what is wrong, and nothing for a machine to misread. */
const explained = ({ code, out, err }: Finished, what: RegExp) => {
  const [heading, ...lines] = err.trim().split("\n")
  const said = heading === "ERROR" ? lines : [heading, ...lines]
  expect(err).toMatch(what)
  expect({ code, out, lines: said.length }, err).toEqual({ code: 1, out: "", lines: 1 })
}

const UNKNOWN = "987654"
const NO_UUID = "01800000-0000-7000-8000-000000000001"
const connect = (channel: string, provider: string, settings = "{}", label = "Mine") =>
  ["account", "connect", "--channel", channel, "--provider", provider].concat([
    "--label",
    label,
    "--settings",
    settings
  ])
const route = (steps: unknown) => [
  "routing",
  "set",
  "--steps",
  typeof steps === "string" ? steps : JSON.stringify(steps)
]

describe("an unknown customer is refused by", () => {
  const commands: ReadonlyArray<[string, ReadonlyArray<string>]> = [
    ["key create", ["key", "create", "--mode", "live"]],
    ["key list", ["key", "list"]],
    ["account connect", connect("bale", "simulator")],
    ["account list", ["account", "list"]],
    ["routing set", route([{ channel: "bale" }])],
    ["routing show", ["routing", "show"]],
    ["template create", ["template", "create", "--name", "n", "--body", "b"]],
    ["template list", ["template", "list"]]
  ]
  it.each(commands)("%s", async (_, command) => {
    explained(await server.run(...command, "--customer", UNKNOWN, "--json"), /no customer 987654/)
  })
})

describe("what is wrong is explained in one line:", () => {
  const ofDemo: ReadonlyArray<[string, ReadonlyArray<string>, RegExp]> = [
    ["an unknown provider", connect("bale", "pigeon"), /unknown provider pigeon/],
    ["an unknown channel", connect("pigeon", "simulator"), /channel.*pigeon/],
    ["settings that are no JSON", connect("bale", "simulator", "{"), /settings/],
    ["settings that are no object", connect("bale", "simulator", "[1]"), /settings/],
    [
      "settings with an unknown value",
      connect("bale", "simulator", '{"outcome":"lost"}'),
      /settings of simulator.*outcome/
    ],
    ["a channel twice in a routing", route([{ channel: "bale" }, { channel: "bale" }]), /duplicate_channel/],
    ["an unknown channel in a routing", route([{ channel: "pigeon" }]), /steps.*channel/],
    ["steps that are no JSON", route("bale,sms"), /steps.*JSON/],
    ["steps that are no list", route({ channel: "bale" }), /steps.*array/i],
    ["no steps at all", route([]), /steps/],
    ["a field that no step has", route([{ channel: "bale", bogus: 1 }]), /steps.*bogus/],
    [
      "a field that the settings of a provider do not have",
      connect("bale", "simulator", '{"bogus":"x"}'),
      /settings of simulator: bogus is not a setting of this provider/
    ],
    ["a wait that is too short", route([{ channel: "bale", wait: 44 }]), /steps.*wait/],
    [
      "an account in a routing that is not the customer's",
      route([{ channel: "bale", account_id: 987_654 }]),
      /no bale account 987654/
    ],
    ["a key with an empty name", ["key", "create", "--mode", "live", "--name", ""], /name/],
    ["a token with a blank name", ["token", "create", "--scope", "full", "--name", " "], /name/],
    ["a label that is empty", connect("bale", "simulator", "{}", ""), /label.*1 to 100 characters/],
    ["a label that is too long", connect("bale", "simulator", "{}", "x".repeat(101)), /label.*1 to 100/],
    ["a template with a blank name", ["template", "create", "--name", " ", "--body", "b"], /name.*1 to 100/],
    [
      "a webhook's description that is too long",
      ["webhook", "create", "--url", "https://example.com/", "--events", "*", "--description"].concat(
        "x".repeat(201)
      ),
      /description.*at most 200 characters/
    ],
    [
      "a budget of the guard that is too large",
      ["guard", "set", "--unverified-hour", "9999999999"],
      /unverified-hour.*1000000000/
    ],
    [
      "a budget of the guard that is no number, and it names the word default",
      ["guard", "set", "--unverified-hour", "abc"],
      /a whole number from 0 to 1000000000, or default, is expected/
    ],
    [
      "a price of an SMS that is too large",
      ["guard", "set", "--sms-price", "2000000000"],
      /sms-price.*1000000000/
    ],
    [
      "a phone of the guard that is none",
      ["guard", "deny", "add", "--phone", "0212345678"],
      /--phone Expected an Iranian mobile number/
    ],
    [
      "an entry of the guard that is not there",
      ["guard", "deny", "remove", "--prefix", "0990"],
      /no such entry/
    ],
    ["an alarm that is not there", ["guard", "clear", "--alarm", NO_UUID], new RegExp(`no alarm ${NO_UUID}`)],
    [
      "an amount that is too large",
      ["wallet", "top-up", "--amount", "1000000000001"],
      /--amount Expected a value between 1 and 1000000000000/
    ],
    [
      "a WebOTP host that is none",
      ["customer", "update", "--webotp-host", "https://x"],
      /--webotp-host Expected a host name/
    ],
    [
      "a WebOTP site with a port",
      ["customer", "update", "--webotp-origins", "https://a.ir,https://b.ir:8443"],
      /--webotp-origins.* Expected a site without port and path/
    ],
    [
      "the hash of an app that is none",
      ["customer", "update", "--app-hash", "abc"],
      /--app-hash Expected 11 characters/
    ],
    ["a user who is not there for a link", ["user", "sign-in-link", "--email", "no@x.ir"], /no user no@x.ir/],
    ["a customer's new name that is empty", ["customer", "update", "--name", ""], /name/],
    [
      "an --expires-at that has passed",
      ["key", "create", "--mode", "live", "--expires-at", "2020-01-01T00:00:00Z"],
      /--expires-at Expected a time in the future/
    ],
    [
      "an --expires-at that is no date",
      ["key", "create", "--mode", "live", "--expires-at", "soon"],
      /expires-at/
    ]
  ]
  it("an empty name for a customer", async () => {
    explained(await server.run("customer", "create", "--name", "", "--plan", "free"), /name/)
  })

  it.each(ofDemo)("%s", async (_, command, what) => {
    const customer = String(server.demo.customer_id)
    explained(await server.run(...command, "--customer", customer, "--json"), what)
  })

  const others: ReadonlyArray<[string, ReadonlyArray<string>, RegExp]> = [
    ["an unknown plan", ["customer", "create", "--name", "A", "--plan", "gold"], /plan.*gold/],
    ["a missing flag", ["customer", "create", "--plan", "free"], /--name/],
    ["an unknown flag", ["customer", "list", "--all"], /--all/],
    ["an unknown command", ["parcel"], /parcel/],
    ["an id that is no number", ["key", "list", "--customer", "mina"], /customer.*mina/],
    ["an unknown key", ["key", "revoke", "--key", UNKNOWN], /no key 987654/],
    [
      "an unknown user",
      ["user", "update", "--user", NO_UUID, "--name", "A"],
      new RegExp(`no user ${NO_UUID}`)
    ],
    [
      "an unknown operator",
      ["operator", "sign-in-link", "--email", "no@x.ir"],
      /no operator no@x.ir who may/
    ],
    ["an unknown account", ["account", "disable", "--account", UNKNOWN], /no account 987654/],
    ["an account of nobody", connect("bale", "simulator"), /--customer.*--shared/],
    ["a shared sms account", [...connect("sms", "simulator"), "--shared"], /no shared sms/]
  ]
  it.each(others)("%s", async (_, command, what) => {
    explained(await server.run(...command, "--json"), what)
  })
})

describe("peyk serve refuses to start", () => {
  let unused: string
  beforeAll(async () => {
    unused = await makeDataDir()
  })
  afterAll(() => discard(unused))

  const serve = (env: NodeJS.ProcessEnv) =>
    runProgram({ ...neutralEnvironment(), PEYK_DATA_DIR: unused, ...env }, ["serve"])

  it.each(["http", "65536"])("with PEYK_PORT=%s", async (port) => {
    explained(await serve({ PEYK_PORT: port }), /PEYK_PORT/)
  })

  it("with a setting that is out of its range, and says which", async () => {
    explained(await serve({ PEYK_PORT: String(await freePort()), PEYK_LEASE_MS: "1" }), /PEYK_LEASE_MS/)
  })

  it("with a secret that is not the one of its data directory", async () => {
    const other = Buffer.alloc(32).toString("base64")
    const env = { PEYK_DATA_DIR: server.dataDir, PEYK_PORT: String(await freePort()), PEYK_SECRET: other }
    explained(await serve(env), /PEYK_SECRET is not the secret/)
  })

  it("where another program listens, and says how to listen elsewhere", async () => {
    const other = createServer()
    await new Promise<void>((resolve) => {
      other.listen(0, "127.0.0.1", resolve)
    })
    const address = other.address()
    const port = typeof address === "object" ? String(address?.port) : ""
    const finished = await serve({ PEYK_PORT: port })
    other.close()
    explained(finished, new RegExp(`127\\.0\\.0\\.1:${port}.*PEYK_PORT`))
  }, 60_000)
})
