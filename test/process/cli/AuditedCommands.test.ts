import { Effect, Exit, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { accountCommand } from "../../../src/cli/channels/AccountCommands.ts"
import { contactsCommand } from "../../../src/cli/channels/ContactCommands.ts"
import { customerCommand } from "../../../src/cli/people/CustomerCommands.ts"
import { keyCommand } from "../../../src/cli/people/KeyCommands.ts"
import { messageCommand } from "../../../src/cli/activity/MessageCommands.ts"
import { routingCommand } from "../../../src/cli/channels/RoutingCommands.ts"
import { templateCommand } from "../../../src/cli/channels/TemplateCommands.ts"
import { tokenCommand } from "../../../src/cli/people/TokenCommands.ts"
import { signingKeyCommand, userCommand } from "../../../src/cli/people/UserCommands.ts"
import { verificationCommand } from "../../../src/cli/activity/VerificationCommands.ts"
import { walletCommand } from "../../../src/cli/people/WalletCommands.ts"
import { webhookCommand } from "../../../src/cli/webhooks/WebhookCommands.ts"
import { ok, request } from "../../contract/Client.ts"
import { manage, withPasswordFile } from "../../contract/Manager.ts"
import { type Server, startServer } from "../../contract/Server.ts"
import { onEmbeddedStore } from "../../support/EmbeddedStore.ts"
import { fakeFarEnd, type FakeFarEnd } from "../../support/fakes/FakeFarEnd.ts"
import { insertToken } from "../../support/InsertedTokens.ts"

const READS = [
  "account list",
  "contacts count",
  "customer list",
  "key list",
  "message list",
  "message show",
  "routing show",
  "template list",
  "template show",
  "token list",
  "user list",
  "verification list",
  "verification show",
  "wallet show",
  "webhook deliveries",
  "webhook list",
  "webhook show"
]

const groups = [
  accountCommand,
  contactsCommand,
  customerCommand,
  keyCommand,
  messageCommand,
  routingCommand,
  signingKeyCommand,
  templateCommand,
  tokenCommand,
  userCommand,
  verificationCommand,
  walletCommand,
  webhookCommand
]

interface AuditRecord {
  readonly actor: { readonly kind: string; readonly id: string; readonly name: string }
  readonly action: string
  readonly subject: { readonly type: string; readonly id: string }
  readonly details: Readonly<Record<string, unknown>>
}

const OPERATOR = { kind: "operator", id: "command-line", name: "Operator" }
const PASSWORD = "correct horse battery"

let server: Server
let receiver: FakeFarEnd
let token: string
const scope = Scope.makeUnsafe()
/** The ids of what earlier commands made. */
const made = new Map<string, string>()
const id = (name: string): string => made.get(name) ?? "none"

beforeAll(async () => {
  server = await startServer({ env: { PEYK_ALLOW_PRIVATE_ADDRESSES: "true" } })
  receiver = await Effect.runPromise(fakeFarEnd(() => ({ status: 200 })).pipe(Scope.provide(scope)))
})
afterAll(async () => {
  await server?.stop()
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

const manageAs = (method: string, path: string) =>
  manage(server, method, path, { authorization: `apikey ${token}` })

const auditLog = async () =>
  ok<{ readonly data: ReadonlyArray<AuditRecord> }>(await manageAs("GET", "/audit-log?limit=100")).data

/** Runs a command and gives its answer; `input` goes to its standard input. */
const run = async (words: ReadonlyArray<string>, input: string | undefined) => {
  const { code, out, err } =
    input === undefined ? await server.run(...words, "--json") : await server.feed(input, ...words, "--json")
  expect(code, `${words.join(" ")}: ${err}`).toBe(0)
  return JSON.parse(out) as Readonly<Record<string, unknown>>
}

interface Act {
  readonly command: string
  readonly words?: () => ReadonlyArray<string>
  readonly input?: string
  readonly action: string
  /** The kind of the subject; by its name in `made`, its id. */
  readonly subject: string
  readonly details: Readonly<Record<string, unknown>>
  /** The field of the answer that is the id of what the command made. */
  readonly makes?: string
}

const ofCustomer = () => ["--customer", id("customer")]
const ofKey = () => ["--key", id("api_key")]
const ofAccount = () => ["--account", id("account")]
const ofUser = () => ["--user", id("user")]
const ofTemplate = () => ["--template", id("template")]
const ofWebhook = () => [...ofCustomer(), "--webhook", id("webhook")]
const bot = ["--channel", "telegram", "--provider", "telegram_bot", "--label", "Ours", "--no-check"]

/** In an order in which each finds what it is about. */
const acts: ReadonlyArray<Act> = [
  {
    command: "customer update",
    words: () => [...ofCustomer(), "--plan", "start"],
    action: "customer.update",
    subject: "customer",
    details: { plan: "start" }
  },
  {
    command: "customer limits",
    words: () => [...ofCustomer(), "--set", "phone_hour=7"],
    action: "customer.set_limits",
    subject: "customer",
    details: { phone_hour: 7 }
  },
  {
    command: "wallet top-up",
    words: () => [...ofCustomer(), "--amount", "5000"],
    action: "wallet.top_up",
    subject: "wallet",
    details: { amount: 5000 }
  },
  {
    command: "key create",
    words: () => [...ofCustomer(), "--mode", "live", "--name", "shop"],
    action: "api_key.create",
    subject: "api_key",
    details: { name: "shop", mode: "live" },
    makes: "id"
  },
  {
    command: "key limit",
    words: () => [...ofKey(), "--per-minute", "9"],
    action: "api_key.update",
    subject: "api_key",
    details: { rate_limit_per_minute: 9 }
  },
  { command: "key revoke", words: ofKey, action: "api_key.revoke", subject: "api_key", details: {} },
  {
    command: "token create",
    words: () => [...ofCustomer(), "--scope", "read_only", "--name", "CI"],
    action: "token.create",
    subject: "token",
    details: { name: "CI", scope: "read_only" },
    makes: "id"
  },
  {
    command: "token revoke",
    words: () => ["--token", id("token")],
    action: "token.revoke",
    subject: "token",
    details: {}
  },
  {
    command: "user create",
    words: () => [
      ...ofCustomer(),
      "--email",
      "sara@example.ir",
      "--role",
      "owner",
      "--password-file",
      id("file")
    ],
    action: "user.create",
    subject: "user",
    details: { role: "owner" },
    makes: "id"
  },
  {
    command: "user set-password",
    words: () => [...ofUser(), "--password-file", id("file")],
    action: "user.set_password",
    subject: "user",
    details: {}
  },
  {
    command: "user disable",
    words: ofUser,
    action: "user.update",
    subject: "user",
    details: { active: false }
  },
  {
    command: "user enable",
    words: ofUser,
    action: "user.update",
    subject: "user",
    details: { active: true }
  },
  {
    command: "user sign-in-link",
    words: ofCustomer,
    action: "user.create_sign_in_link",
    subject: "user",
    details: {}
  },
  {
    command: "account connect",
    words: () => [...ofCustomer(), ...bot, "--settings", '{"token":"1:secret"}'],
    action: "account.connect",
    subject: "account",
    details: { channel: "telegram", provider: "telegram_bot", label: "Ours" },
    makes: "credential_id"
  },
  {
    command: "account limits",
    words: () => [...ofAccount(), "--gap-ms", "5"],
    action: "account.update",
    subject: "account",
    details: { gap_ms: 5 }
  },
  {
    command: "account inbox",
    words: () => [...ofAccount(), "--rotate"],
    action: "account.rotate_inbox",
    subject: "account",
    details: {}
  },
  {
    command: "contacts import",
    words: () => [...ofAccount(), "--file", "-"],
    input: "phone,chat_id\n09121234567,42\n",
    action: "contacts.import",
    subject: "account",
    details: { imported: 1 }
  },
  {
    command: "contacts remove",
    words: () => [...ofAccount(), "--phone", "09121234567"],
    action: "contacts.remove",
    subject: "account",
    details: { removed: true }
  },
  {
    command: "account disable",
    words: ofAccount,
    action: "account.update",
    subject: "account",
    details: { active: false }
  },
  {
    command: "account enable",
    words: ofAccount,
    action: "account.update",
    subject: "account",
    details: { active: true }
  },
  {
    command: "routing set",
    words: () => [...ofCustomer(), "--steps", '[{"channel":"bale"}]'],
    action: "routing.save",
    subject: "routing",
    details: { steps: [{ channel: "bale" }] }
  },
  {
    command: "template create",
    words: () => [...ofCustomer(), "--name", "Welcome", "--body", "Hello {{name}}"],
    action: "template.create",
    subject: "template",
    details: { name: "Welcome" },
    makes: "id"
  },
  {
    command: "template disable",
    words: ofTemplate,
    action: "template.update",
    subject: "template",
    details: { active: false }
  },
  {
    command: "template enable",
    words: ofTemplate,
    action: "template.update",
    subject: "template",
    details: { active: true }
  },
  {
    command: "webhook create",
    words: () => [...ofCustomer(), "--url", `${receiver.url}/hook?secret=1`, "--events", "message.sent"],
    action: "webhook.create",
    subject: "webhook",
    details: { events: ["message.sent"], origin: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) },
    makes: "id"
  },
  {
    command: "webhook replay",
    words: () => [...ofWebhook(), "--since", "2020-01-01T00:00:00Z"],
    action: "webhook.replay",
    subject: "webhook",
    details: { since: "2020-01-01T00:00:00.000Z", replayed: 0 }
  }
]

/** Commands that remove what the others made. */
const removals = [
  {
    command: "account standby",
    words: () => [...ofAccount(), "--by", ""],
    action: "account.update",
    subject: "account"
  },
  { command: "template delete", words: ofTemplate, action: "template.remove", subject: "template" },
  { command: "webhook delete", words: ofWebhook, action: "webhook.remove", subject: "webhook" },
  { command: "account delete", words: ofAccount, action: "account.remove", subject: "account" }
]

/** Of the demo customer, whose accounts send. */
const ON_SENDS = ["verification next", "verification cancel", "message cancel"]

const perform = ({ command, words = () => [], input, makes, subject }: Act) =>
  withPasswordFile(PASSWORD, async (file) => {
    made.set("file", file)
    const answer = await run([...command.split(" "), ...words()], input)
    if (makes !== undefined) made.set(subject, String(answer[makes]))
  })

const subjectId = (subject: string) => id(["wallet", "routing"].includes(subject) ? "customer" : subject)

describe("a change by the command line is in the customer's audit log, as the operator's:", () => {
  it("customer create", async () => {
    const created = await run(["customer", "create", "--name", "Shop", "--plan", "free"], undefined)
    made.set("customer", String(created["id"]))
    token = await insertToken(server.dataDir, id("customer"))
    expect(await auditLog()).toMatchObject([
      {
        actor: OPERATOR,
        action: "customer.create",
        subject: { type: "customer", id: id("customer") },
        details: { name: "Shop", plan: "free" }
      }
    ])
  })

  it.each(acts)("$command", async (act) => {
    const before = (await auditLog()).length
    await perform(act)
    const [newest, ...rest] = await auditLog()
    expect(rest).toHaveLength(before)
    expect(newest).toMatchObject({
      actor: OPERATOR,
      action: act.action,
      subject: { type: act.subject, id: subjectId(act.subject) },
      ip: null,
      user_agent: null,
      request_id: null
    })
    expect(newest?.details).toEqual(act.details)
  })

  it("webhook replay of one event", async () => {
    const delivery = await manageAs("POST", `/webhooks/${id("webhook")}/test`)
    const { event_id } = ok<{ readonly event_id: string }>(delivery, 202)
    await run(["webhook", "replay", ...ofWebhook(), "--event", event_id], undefined)
    const [newest] = await auditLog()
    expect(newest).toMatchObject({ actor: OPERATOR, action: "webhook.replay", details: { event_id } })
  })

  it("never with a secret, a password, a phone or an e-mail address", async () => {
    const log = JSON.stringify(await auditLog())
    expect(log).not.toMatch(/secret|horse|9121234567|sara@example/)
  })
})

describe("a change by the command line", () => {
  it("that only shows something leaves no entry", async () => {
    const before = await auditLog()
    await run(["account", "limits", ...ofAccount()], undefined)
    await run(["account", "inbox", ...ofAccount()], undefined)
    await run(["customer", "limits", ...ofCustomer()], undefined)
    expect(await auditLog()).toEqual(before)
  })

  it("that is refused leaves no entry", async () => {
    const before = await auditLog()
    const steps = JSON.stringify([{ channel: "bale", account_id: 987_654 }])
    const { code } = await server.run("routing", "set", ...ofCustomer(), "--steps", steps)
    expect(code).toBe(1)
    expect(await auditLog()).toEqual(before)
  })

  it("to what is the platform's own is logged for the platform", async () => {
    await run(["account", "connect", "--shared", ...bot, "--settings", '{"token":"2:secret"}'], undefined)
    await run(["signing-key", "rotate"], undefined)
    const platformLog = Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`select actor_kind, action from audit_log where customer_id = 0 order by id`
    )
    expect(await onEmbeddedStore(server.dataDir, platformLog)).toEqual([
      { actor_kind: "operator", action: "account.connect" },
      { actor_kind: "operator", action: "signing_key.rotate" }
    ])
  })

  const demoManages = async (path: string) => {
    const authorization = `apikey ${server.demo.token}`
    return ok<{ readonly data: ReadonlyArray<AuditRecord> }>(
      await manage(server, "GET", path, { authorization })
    ).data
  }

  const sendAsDemo = async (path: string, body: unknown) => {
    const headers = {
      "content-type": "application/json",
      "x-api-key": server.demo.live_key,
      "idempotency-key": crypto.randomUUID()
    }
    const reply = await request(server, "POST", path, { headers, body: JSON.stringify(body) })
    return JSON.parse(reply.text) as Readonly<Record<string, string>>
  }

  it("to a code or a message names it", async () => {
    const channels = ["bale", "eitaa", "sms"]
    const code = await sendAsDemo("/v1/otp/send", { phone: "09121234567", channels })
    const later = { to: "09121234567", message: "Hello", channels: ["bale"], delay: "1h" }
    const message = await sendAsDemo("/v1/messages/send", later)
    for (const [command, kind, subject] of [
      ["verification next", "verification", code["verification_id"]],
      ["verification cancel", "verification", code["verification_id"]],
      ["message cancel", "message", message["message_id"]]
    ] as const) {
      const words = ["--customer", String(server.demo.customer_id), `--${kind}`, String(subject)]
      await run([...command.split(" "), ...words], undefined)
      const [newest] = await demoManages("/audit-log?limit=1")
      const action = command.replace(" ", ".")
      expect(newest).toMatchObject({ actor: OPERATOR, action, subject: { type: kind, id: subject } })
    }
  })

  it.each(removals)("$command", async ({ command, words, action, subject }) => {
    await run([...command.split(" "), ...words()], undefined)
    const [newest] = await auditLog()
    expect(newest).toMatchObject({ actor: OPERATOR, action, subject: { type: subject, id: id(subject) } })
  })

  it("is in the list above, or is no change", () => {
    const all = groups.flatMap(({ name, subcommands }) =>
      subcommands.flatMap(({ commands }) => commands.map((command) => `${name} ${command.name}`))
    )
    const tried = [...acts, ...removals].map(({ command }) => command)
    const changes = ["customer create", "signing-key rotate", ...ON_SENDS, ...tried]
    expect(all.toSorted()).toEqual([...READS, ...changes].toSorted())
  })
})
