import { Effect, Exit, Scope, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ok, request } from "../../contract/Client.ts"
import { manage, withPasswordFile } from "../../contract/Manager.ts"
import { type Server, startServer } from "../../contract/Server.ts"
import { onEmbeddedStore } from "../../support/EmbeddedStore.ts"
import { fakeFarEnd, type FakeFarEnd } from "../../support/fakes/FakeFarEnd.ts"
import { insertToken } from "../../support/InsertedTokens.ts"
import { type Act, id, made, ofCustomer } from "./audited/Act.ts"
import { bot, channelActs, ofAccount, ofTemplate } from "./audited/ChannelActs.ts"
import { allCommands, READS } from "./audited/Commands.ts"
import { peopleActs } from "./audited/PeopleActs.ts"
import { ofWebhook, webhookActs } from "./audited/WebhookActs.ts"

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

beforeAll(async () => {
  server = await startServer({ env: { PEYK_ALLOW_PRIVATE_ADDRESSES: "true" } })
  receiver = await Effect.runPromise(fakeFarEnd(() => ({ status: 200 })).pipe(Scope.provide(scope)))
  made.set("receiver", receiver.url)
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

const acts = [...peopleActs, ...channelActs, ...webhookActs]

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

/** Commands that need a send, or an alarm: the demo customer's accounts can send. */
const ON_SENDS = ["guard clear", "verification next", "verification cancel", "message cancel"]

const perform = ({ command, words = () => [], input, makes, subject }: Act) =>
  withPasswordFile(PASSWORD, async (file) => {
    made.set("file", file)
    const answer = await run([...command.split(" "), ...words()], input)
    if (makes !== undefined) made.set(subject, String(answer[makes]))
  })

const subjectId = (subject: string) =>
  id(["wallet", "routing", "guard"].includes(subject) ? "customer" : subject)

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

  it("setup", async () => {
    const flags = ["--name", "Ready", "--email", "ready@example.ir", "--channel", "bale"]
    const made = await run(["setup", ...flags, "--provider", "simulator"], undefined)
    const customer = Number(made["customer_id"])
    const own = await insertToken(server.dataDir, String(customer))
    const log = await manage(server, "GET", "/audit-log", { authorization: `apikey ${own}` })
    expect(ok<{ readonly data: ReadonlyArray<AuditRecord> }>(log).data).toMatchObject([
      {
        actor: OPERATOR,
        action: "customer.set_up",
        subject: { type: "customer", id: String(customer) },
        details: {
          name: "Ready",
          plan: "free",
          accounts: [{ channel: "bale", provider: "simulator" }],
          routing: [{ channel: "bale" }]
        }
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
    // The names of actions are fixed: `webhook.rotate_secret`.
    const log = JSON.stringify((await auditLog()).map((entry) => Struct.omit(entry, ["action"])))
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
    const tried = [...acts, ...removals].map(({ command }) => command)
    // A store of one cell has nothing to move: test/process/processes/CustomerMove.slow.test.ts.
    // A listener runs until it is stopped: test/contract/webhook/WebhookListen.test.ts.
    const others = ["customer create", "customer move", "signing-key rotate", "webhook listen"]
    const changes = [...others, ...ON_SENDS, ...tried]
    expect(allCommands.toSorted()).toEqual([...READS, ...changes].toSorted())
  })
})
