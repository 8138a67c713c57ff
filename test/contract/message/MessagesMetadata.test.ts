import { beforeAll, describe, expect, it } from "vitest"
import { type Created, messages, newPhone, ok } from "../Client.ts"
import { textOf } from "../Operator.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer
let live: ReturnType<typeof messages>
beforeAll(async () => {
  server = sharedServer()
  live = messages(server, server.demo.live_key)
})

/** Sends metadata written as this JSON text and gives the text of the status. */
const returned = async (metadata: string) => {
  const reply = await live.post(
    `{"to":"${newPhone()}","message":"سلام","channels":"sms","delay":"20d","metadata":${metadata}}`
  )
  return (await live.read(ok<Created>(reply, 201).message_id)).text
}

const metadataOf = (text: string) => (JSON.parse(text) as { readonly metadata: unknown }).metadata

describe("metadata", () => {
  it("is an empty object when none was sent", async () => {
    const { message_id } = await live.created({ delay: "20d" })
    expect((await live.status(message_id)).metadata).toEqual({})
  })

  it("does not affect what is sent", async () => {
    const phone = newPhone()
    const metadata = { message: "other", to: "+989120000000", channels: ["bale"], template: null }
    const message = await live.delivered({ to: phone, metadata })
    expect(message).toMatchObject({ to: phone, metadata, attempts: [{ channel: { type: "sms" } }] })
    expect(await textOf(server, phone)).toBe("سلام")
  })

  it.each([
    ["an empty object", "{}"],
    ["nested objects and lists", '{"a":{"b":[{"c":[[],[{}]]},"d"]},"e":{}}'],
    ["nulls and booleans", '{"a":null,"b":[null,true,false],"c":{"d":null}}'],
    ["Persian, emoji and an empty key", '{"نام":"علی\u200Cرضا 👍🏽","":""}'],
    ["a key __proto__", '{"__proto__":{"admin":true},"a":1}'],
    ["a nested key __proto__", '{"a":[{"__proto__":null}]}'],
    ["the keys constructor and prototype", '{"constructor":{"prototype":{"x":1}},"prototype":[]}'],
    ["the names of an object's methods", '{"toString":1,"hasOwnProperty":2,"toJSON":"x","then":null}'],
    ["quotes and backslashes in keys", '{"\\"":1,"\\\\":2,"a\\"b\\\\":3,"\\\\\\"":4}'],
    ["escapes in values", '{"a":"\\"\\\\/\\n\\t\\r\\b\\f"}'],
    ["what looks like JSON in a string", '{"a":"{\\"b\\":1.0}","n":"12345678901234567890"}'],
    ["what looks like a number's wrapper", '{"isLosslessNumber":true,"value":"1"}']
  ])("comes back as it was sent: %s", async (_, metadata) => {
    expect(await returned(metadata)).toContain(`"metadata":${metadata}`)
  })

  it("comes back with U+0000 in a key and in a value", async () => {
    const metadata = { "a\u0000": "b\u0000" }
    expect(metadataOf(await returned(JSON.stringify(metadata)))).toEqual(metadata)
  })

  it("comes back with keys that are numbers", async () => {
    const metadata = { b: 1, "10": 2, "2": 3, "-1": 4 }
    expect(metadataOf(await returned('{"b":1,"10":2,"2":3,"-1":4}'))).toEqual(metadata)
  })

  it.each([
    "12345678901234567890",
    "-9007199254740993",
    "1.0",
    "0.10",
    "1e3",
    "-0",
    "3.14159265358979323846",
    "0.1000000000000000055511151231257827"
  ])("comes back with the number %s digit by digit", async (number) => {
    const metadata = `{"n":${number},"list":[${number}],"deep":{"n":${number}}}`
    expect(await returned(metadata)).toContain(`"metadata":${metadata}`)
  })

  it("comes back with a number that is too large for a double", async () => {
    expect(await returned('{"n":1e400}')).toContain('"metadata":{"n":1e400}')
  })

  it("comes back with its own keys after a request with similar ones", async () => {
    expect(await returned('{"h":[],"\\\\":0}')).toContain('"metadata":{"h":[],"\\\\":0}')
    const text = await returned('{"h":1,"\\"":2}')
    expect(metadataOf(text)).toEqual({ h: 1, '"': 2 })
    expect(text).toContain('"metadata":{"h":1,"\\"":2}')
  })

  it("is each message's own when many come at once", async () => {
    const sent = Array.from({ length: 20 }, (_, n) => `{"n":${n},"k${n}":[${n}.0]}`)
    const texts = await Promise.all(sent.map(returned))
    for (const [n, text] of texts.entries()) expect(text).toContain(`"metadata":${sent[n]}`)
  })

  it("does not leak into other messages through __proto__", async () => {
    await returned('{"__proto__":{"polluted":"yes"}}')
    expect(await returned("{}")).toContain('"metadata":{}')
  })
})
