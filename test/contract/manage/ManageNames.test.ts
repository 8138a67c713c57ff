import { beforeAll, describe, expect, it } from "vitest"
import { issues, messages, ok, refused } from "../Client.ts"
import { type Fields, type Manager, newManager } from "../ManagedSetUp.ts"
import { newEmail, PASSWORD } from "../Manager.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer
let owner: Manager & { readonly customerId: string }
beforeAll(async () => {
  server = sharedServer()
  owner = await newManager(server)
})

/** Each thing that has a name, and how it is made with one. */
const made: ReadonlyArray<readonly [path: string, field: string, (name: string) => Fields]> = [
  ["/api-keys", "name", (name) => ({ name, mode: "live" })],
  ["/tokens", "name", (name) => ({ name, scope: "read_only" })],
  ["/users", "name", (name) => ({ name, email: newEmail("viewer"), role: "viewer", password: PASSWORD })],
  ["/templates", "name", (name) => ({ name, body: "سلام" })],
  ["/accounts", "label", (label) => ({ channel: "sms", provider: "simulator", label, settings: {} })]
]
const webhook = (description: string): Fields => ({
  url: "https://shop.example.com/peyk",
  events: ["message.sent"],
  description
})

const misleading = ["\u001b[31mred", "two\nlines", "a\u0085b", "a\u202eb", "\u2066a\u2069", "a\u2028b"]
const blank = ["", " ", "\u200b\u200c", "\u200f", "\u3164", "\u2800", "\u00a0"]

describe.each(made)("a name in %s", (path, field, bodyOf) => {
  it.each([...misleading, ...blank])("is refused: %j", async (name) => {
    expect(issues(await owner.post(path, bodyOf(name)))).toEqual([`body.${field}`])
  })

  it("keeps its joiners, and loses marks of direction at its ends", async () => {
    const reply = await owner.post(path, bodyOf("\u200f می\u200cخواهم\u200e\u061c "))
    expect(ok(reply, 201)).toMatchObject({ [field]: "می\u200cخواهم" })
  })
})

describe("other texts of one line", () => {
  it.each(misleading)("the description of a webhook is refused: %j", async (description) => {
    expect(issues(await owner.post("/webhooks", webhook(description)))).toEqual(["body.description"])
  })

  it.each([...misleading, ...blank.filter((name) => name !== "")])(
    "a brand is refused: %j",
    async (brand) => {
      expect(issues(await owner.patch("/me", { brand }))).toEqual(["body.brand"])
    }
  )

  it("a brand loses marks of direction at its ends", async () => {
    expect(ok(await owner.patch("/me", { brand: "\u200fپیک\u200f" }))).toMatchObject({ brand: "پیک" })
  })

  it("the command line refuses them too", async () => {
    const { code, err } = await server.run(
      "key",
      "create",
      "--customer",
      owner.customerId,
      "--mode",
      "live",
      "--name",
      "a\u202eb"
    )
    expect(code).not.toBe(0)
    expect(err).toContain("without control characters")
    expect(err).not.toContain("\u202e")
  })
})

describe("a template", () => {
  it.each(blank.filter((text) => text !== ""))("cannot have the text %j", async (body) => {
    expect(issues(await owner.post("/templates", { name: "Blank", body }))).toEqual(["body.body"])
  })

  it("is not filled with a value of which nothing is seen, nor sent without anything to see", async () => {
    await owner.newAccount("eitaa")
    const live = messages(server, (await owner.newKey()).secret)
    const { id } = await owner.newTemplate("{{name}}")
    const send = (name: string) =>
      live.send({ message: undefined, template: { id, parameters: { name } }, channels: "eitaa" })
    for (const name of blank.filter((text) => text !== "")) {
      expect(issues(await send(name))).toEqual(["body.template.parameters.name"])
    }
    refused(await send(""), 422, "message_required")
    ok(await send("می\u200cخواهم"), 201)
  })
})
