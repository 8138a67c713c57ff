import { beforeAll, describe, expect, it } from "vitest"
import {
  type Created,
  issues,
  json,
  messages,
  newKey,
  newPhone,
  ok,
  otp,
  refused,
  type Reply
} from "../Client.ts"
import { customerWith, simulated } from "../Operator.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer
let live: ReturnType<typeof messages>
beforeAll(async () => {
  server = sharedServer()
  live = messages(server, server.demo.live_key)
})

const withKey = (key: string) => ({ "idempotency-key": key })
const replayed = (reply: Reply) => reply.headers.get("idempotency-replayed")
const newBody = () => ({ to: newPhone(), message: "سلام", channels: ["sms", "bale"], delay: "20d" })

/** The second must be the replay of the first. */
const expectReplay = (first: Reply, again: Reply) => {
  const created = ok<Created>(first, 201)
  expect(replayed(first)).toBeNull()
  expect(ok<Created>(again, 201)).toEqual(created)
  expect(replayed(again)).toBe("true")
}

describe("the Idempotency-Key of a message", () => {
  it("is optional: without it the same body makes another message", async () => {
    const body = newBody()
    const first = ok<Created>(await live.post(body), 201)
    const reply = await live.post(body)
    expect(replayed(reply)).toBeNull()
    expect(ok<Created>(reply, 201).message_id).not.toBe(first.message_id)
  })

  it("is too long with 256 characters", async () => {
    refused(await live.post(newBody(), withKey("k".repeat(256))), 400, "idempotency_key_too_long")
  })

  it("may have 255 characters", async () => {
    const body = newBody()
    const key = withKey("k".repeat(255))
    expectReplay(await live.post(body, key), await live.post(body, key))
  })

  it("makes a repetition answer 201 with the same body and Idempotency-Replayed, and sends nothing", async () => {
    const body = { ...newBody(), delay: undefined }
    const key = withKey(newKey())
    const first = await live.post(body, key)
    await live.completed(ok<Created>(first, 201).message_id)
    expectReplay(first, await live.post(body, key))
    expect(await simulated(server, body.to)).toHaveLength(1)
  })

  it("does not care about the order of keys and white space, however deep", async () => {
    const to = newPhone()
    const key = withKey(newKey())
    const first = await live.post(
      `{"to":"${to}","message":"سلام","channels":[{"channel":"sms","account_id":null}],"delay":"1d","metadata":{"a":{"b":1,"c":[2]},"d":null}}`,
      key
    )
    const again = await live.post(
      ` {"metadata": {"d": null,\n "a": {"c": [ 2 ], "b": 1}}, "delay": "1d",\t"channels": [{"account_id": null, "channel": "sms"}], "message": "\\u0633لام", "to": "${to}"}`,
      key
    )
    expectReplay(first, again)
  })

  it.each<[string, object]>([
    ["another phone", { to: "09129999999" }],
    ["another message", { message: "سلام." }],
    ["another order of channels", { channels: ["bale", "sms"] }],
    ["fewer channels", { channels: ["sms"] }],
    ["another strategy", { strategy: "broadcast" }],
    ["another delay", { delay: "21d" }],
    ["metadata", { metadata: { a: 1 } }],
    ["a template instead of the message", { message: undefined, template: { id: 1, parameters: {} } }]
  ])("conflicts when it comes again with %s", async (_, other) => {
    const body = newBody()
    const key = withKey(newKey())
    const first = await live.post(body, key)
    refused(await live.post({ ...body, ...other }, key), 409, "idempotency_key_conflict")
    expectReplay(first, await live.post(body, key))
  })

  it.each([
    ["a null and nothing", '{"a":null}', "{}"],
    ["nothing and a null", "{}", '{"a":null}'],
    ["a nested null and nothing", '{"a":{"b":null}}', '{"a":{}}'],
    ["a number and a string", '{"a":1}', '{"a":"1"}'],
    ["another order in a list", '{"a":[1,2]}', '{"a":[2,1]}'],
    ["an object and a list", '{"a":{}}', '{"a":[]}'],
    ["large integers that are close", '{"a":12345678901234567890}', '{"a":12345678901234567891}'],
    ["a key __proto__ and nothing", '{"__proto__":{"a":1}}', "{}"],
    ["similar keys", '{"a":1,"\\"":2}', '{"a":1,"\\\\":2}']
  ])("conflicts when only the metadata differ: %s", async (_, one, other) => {
    const to = newPhone()
    const key = withKey(newKey())
    const body = (metadata: string) =>
      `{"to":"${to}","message":"سلام","channels":"sms","delay":"20d","metadata":${metadata}}`
    const first = await live.post(body(one), key)
    refused(await live.post(body(other), key), 409, "idempotency_key_conflict")
    expectReplay(first, await live.post(body(one), key))
  })

  it("means nothing to another customer", async () => {
    const other = messages(server, (await customerWith(server, { sms: {} })).live)
    const body = { ...newBody(), channels: "sms" }
    const key = withKey(newKey())
    const mine = ok<Created>(await live.post(body, key), 201)
    const reply = await other.post(body, key)
    expect(replayed(reply)).toBeNull()
    expect(ok<Created>(reply, 201).message_id).not.toBe(mine.message_id)
  })

  it("means nothing to the sending of codes", async () => {
    const key = newKey()
    ok(await live.post(newBody(), withKey(key)), 201)
    const code = await otp(server, server.demo.live_key).send({ channels: "eitaa" }, withKey(key))
    expect(replayed(code)).toBeNull()
    ok(code)
  })

  it("is not used up by a request that is refused", async () => {
    const body = newBody()
    const key = withKey(newKey())
    issues(await live.post({ ...body, to: 7 }, key))
    refused(await live.post({ ...body, to: "12" }, key), 422, "invalid_phone")
    refused(await live.post({ ...body, message: " " }, key), 422, "message_required")
    refused(await live.post({ ...body, delay: "31d" }, key), 422, "schedule_too_far")
    refused(await live.post({ ...body, channels: "fax" }, key), 422, "invalid_channel")
    const template = { id: 999_999, parameters: {} }
    refused(await live.post({ ...body, message: undefined, template }, key), 404, "template_not_found")
    expectReplay(await live.post(body, key), await live.post(body, key))
  })

  it("makes 20 parallel identical requests one message, sent once", async () => {
    const body = { ...newBody(), delay: undefined }
    const key = withKey(newKey())
    const replies = await Promise.all(Array.from({ length: 20 }, () => live.post(body, key)))
    const accepted = replies.filter((reply) => reply.status === 201)
    for (const reply of replies) {
      if (reply.status !== 201) refused(reply, 409, "idempotency_key_in_progress")
    }
    expect(accepted.filter((reply) => replayed(reply) === null)).toHaveLength(1)
    const ids = new Set(accepted.map((reply) => json<Created>(reply).message_id))
    expect(ids.size).toBe(1)
    for (const id of ids) await live.completed(id)
    expect(await simulated(server, body.to)).toHaveLength(1)
  })

  it("makes 20 parallel requests with different texts one message, and conflicts for the others", async () => {
    const body = newBody()
    const key = withKey(newKey())
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, n) => live.post({ ...body, message: `متن ${n}` }, key))
    )
    expect(replies.filter((reply) => reply.status === 201)).toHaveLength(1)
    for (const reply of replies) {
      if (reply.status !== 201)
        expect(json<object>(reply)).toMatchObject({
          error: { code: expect.stringMatching(/^idempotency_key_(conflict|in_progress)$/) }
        })
    }
  })
})
