import { beforeAll, describe, expect, it } from "vitest"
import { type Created, issues, messages, ok, refused } from "../Client.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer
let live: ReturnType<typeof messages>
beforeAll(async () => {
  server = sharedServer()
  live = messages(server, server.demo.live_key)
})

const later = { delay: "20d" }
const template = { id: 1, parameters: {} }

/** An object of so many levels, in JSON. */
const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`

const withMetadata = (metadata: string) =>
  live.post(`{"to":"09121234567","message":"سلام","channels":"sms","delay":"20d","metadata":${metadata}}`)

describe("validation_error", () => {
  it.each([
    ["nothing", ""],
    ["an open brace", "{"],
    ["thousands of open brackets", "[".repeat(30_000)],
    ["null", "null"],
    ["an array", "[]"],
    ["a string", '"text"']
  ])("is the answer to a body that is no JSON object: %s", async (_, body) => {
    issues(await live.post(body))
  })

  it.each([undefined, null, 9_121_234_567, ["09121234567"], {}, true])(
    "is the answer to a recipient that is %j, and names body.to",
    async (to) => {
      expect(issues(await live.send({ to }))).toEqual(["body.to"])
    }
  )

  it.each([
    ["message", 7],
    ["message", ["سلام"]],
    ["message", {}],
    ["template", "1"],
    ["template", 1],
    ["template", []],
    ["channels", 7],
    ["channels", true],
    ["channels", {}],
    ["channels", { channel: "sms" }],
    ["strategy", 5],
    ["strategy", ["failover"]],
    ["strategy", true],
    ["delay", 5],
    ["delay", ["5s"]],
    ["delay", {}],
    ["send_at", 1_796_000_000],
    ["send_at", {}],
    ["metadata", []],
    ["metadata", [1]],
    ["metadata", "text"],
    ["metadata", 7],
    ["metadata", true]
  ])("names body.%s when it is %j", async (field, value) => {
    const without = field === "template" ? { message: undefined } : {}
    expect(issues(await live.send({ ...without, [field]: value }))).toEqual([`body.${field}`])
  })

  it.each([
    [[7], "body.channels[0]"],
    [["sms", null], "body.channels[1]"],
    [[["sms"]], "body.channels[0]"],
    [[{}], "body.channels[0].channel"],
    [["sms", { channel: null }], "body.channels[1].channel"],
    [[{ channel: 7 }], "body.channels[0].channel"],
    [[{ channel: "sms", account_id: "one" }], "body.channels[0].account_id"],
    [[{ channel: "sms", account_id: 1.5 }], "body.channels[0].account_id"],
    [["bale", { channel: "sms", account_id: true }], "body.channels[1].account_id"]
  ])("for the channels %j names the element", async (channels, path) => {
    expect(issues(await live.send({ channels }))).toEqual([path])
  })

  it.each([
    ["no id", { parameters: {} }, "body.template.id"],
    ["an id that is a word", { id: "welcome", parameters: {} }, "body.template.id"],
    ["an id that is no integer", { id: 1.5, parameters: {} }, "body.template.id"],
    ["parameters that are a list", { id: 1, parameters: ["x"] }, "body.template.parameters"],
    ["parameters that are a string", { id: 1, parameters: "x" }, "body.template.parameters"],
    ["parameters that are a number", { id: 1, parameters: 7 }, "body.template.parameters"],
    ["an object as a parameter", { id: 1, parameters: { name: {} } }, "body.template.parameters.name"],
    ["a list as a parameter", { id: 1, parameters: { name: ["x"] } }, "body.template.parameters.name"]
  ])("for a template with %s names the field", async (_, template, path) => {
    expect(issues(await live.send({ message: undefined, template }))).toEqual([path])
  })

  it("for a parameter whose digits would be lost says how long a number can be", async () => {
    const send = (name: number) =>
      live.send({ message: undefined, template: { id: 1, parameters: { name } } })
    for (const number of [2 ** 53, 1.5]) {
      const { details } = refused(await send(number), 422, "validation_error")
      expect(details["errors"]).toEqual([
        { path: "body.template.parameters.name", message: expect.stringContaining("2^53 - 1") }
      ])
    }
    refused(await send(2 ** 53 - 1), 404, "template_not_found")
  })

  it("is the answer to both a message and a template", async () => {
    for (const path of issues(await live.send({ template }))) {
      expect(path).toMatch(/^body(\.message|\.template)?$/)
    }
  })

  it("is the answer to both a time and a delay", async () => {
    for (const path of issues(await live.send({ send_at: "2099-01-01T00:00:00Z", delay: "1h" }))) {
      expect(path).toMatch(/^body(\.send_at|\.delay)?$/)
    }
  })

  it.each([
    "2026-02-30T10:00:00",
    "2027-02-29T10:00:00Z",
    "2099-13-01T10:00:00",
    "2099-01-01T25:00:00",
    "2099-01-01T10:61:00Z",
    "2099-01-01T10:00:00+25:00",
    "2099-01-01",
    "10:00:00",
    "tomorrow",
    "1796000000",
    " ",
    ""
  ])("is the answer to the time %j, and names body.send_at", async (send_at) => {
    expect(issues(await live.send({ send_at }))).toEqual(["body.send_at"])
  })

  it("is the answer to U+0000 in a message", async () => {
    expect(issues(await live.send({ message: "سلام\u0000" }))).toEqual(["body.message"])
  })

  it("is the answer to metadata that is too big", async () => {
    expect(issues(await withMetadata(`{"a":"${"x".repeat(40_000)}"}`))).toEqual(["body.metadata"])
  })

  it("is the answer to metadata that is too deep", async () => {
    expect(issues(await withMetadata(deep(1_000)))).toEqual(["body.metadata"])
  })

  it("is not for metadata of some size and depth", async () => {
    ok(await withMetadata(`{"a":"${"x".repeat(8_000)}","deep":${deep(12)}}`), 201)
  })

  it("lists every issue of the types", async () => {
    const reply = await live.post({
      to: 1,
      message: 2,
      channels: ["sms", 3, { channel: 4, account_id: "x" }],
      strategy: 5,
      metadata: [],
      send_at: "2026-02-30T10:00:00"
    })
    expect(issues(reply)).toEqual([
      "body.channels[1]",
      "body.channels[2].account_id",
      "body.channels[2].channel",
      "body.message",
      "body.metadata",
      "body.send_at",
      "body.strategy",
      "body.to"
    ])
  })
})

describe("invalid_phone", () => {
  it.each(["", "abc", "0912123456", "091212345678", "02188776655", "+14155552671", "989121234567"])(
    "is the answer to the recipient %j",
    async (to) => {
      refused(await live.send({ to }), 422, "invalid_phone")
    }
  )
})

describe("message_required", () => {
  it("is the answer when there is neither a message nor a template", async () => {
    refused(await live.send({ message: undefined }), 422, "message_required")
    refused(await live.send({ message: null, template: null }), 422, "message_required")
  })

  it.each([
    "",
    " ",
    " \n\t\r\n ",
    "\u200b\u200c\u200f",
    "\u2066\u2069",
    "\u00a0\u2003",
    "\ufeff",
    "\u2800",
    "\u3164\u115f"
  ])("is the answer to the message %j", async (message) => {
    refused(await live.send({ message }), 422, "message_required")
  })
})

describe("message_too_long", () => {
  const family = "👍"
  const persian = "می\u200Cخو"
  it.each([
    ["of one unit", "x".repeat(1_000)],
    ["of emoji outside the basic plane", family.repeat(1_000)],
    ["of Persian with zero-width non-joiners", persian.repeat(200)]
  ])("begins after 1000 characters %s", async (_, message) => {
    expect(Array.from(message)).toHaveLength(1_000)
    ok<Created>(await live.send({ ...later, message }), 201)
    refused(await live.send({ ...later, message: `${message}ی` }), 422, "message_too_long")
    refused(await live.send({ ...later, message: `${message}${family}` }), 422, "message_too_long")
  })

  it("does not count the white space at the ends", async () => {
    ok<Created>(await live.send({ ...later, message: `  \n${"x".repeat(1_000)}\t  ` }), 201)
  })
})

describe("invalid_strategy", () => {
  it.each(["", "Failover", "FAILOVER", "parallel", "failover ", "failover,broadcast"])(
    "is the answer to the strategy %j",
    async (strategy) => {
      refused(await live.send({ strategy }), 422, "invalid_strategy")
    }
  )
})
