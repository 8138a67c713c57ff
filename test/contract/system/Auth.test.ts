import { beforeAll, describe, expect, it } from "vitest"
import { newKey, newPhone, ok, otp, type Reply, refused, request, sandbox, unknownId } from "../Client.ts"
import { newCustomer, sentCode } from "../Operator.ts"
import { until } from "../Server.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer
beforeAll(async () => {
  server = sharedServer()
})

const bodies: Readonly<Record<string, () => unknown>> = {
  send: () => ({ phone: newPhone() }),
  verify: () => ({ verification_id: unknownId, code: "123456" })
}

/** Calls one of the six operations with these credentials and an otherwise good request. */
const call = (operation: string, headers: Readonly<Record<string, string>>): Promise<Reply> => {
  const last = operation.slice(operation.lastIndexOf("/") + 1)
  const body = bodies[last]
  return body === undefined
    ? request(server, "GET", `/v1/${operation}`, { headers })
    : request(server, "POST", `/v1/${operation}`, {
        headers: { "content-type": "application/json", "idempotency-key": newKey(), ...headers },
        body: JSON.stringify(body())
      })
}

const liveOperations = ["otp/send", "otp/verify", `otp/${unknownId}`]
const sandboxOperations = liveOperations.map((operation) => `sandbox/${operation}`)
const operations = [...liveOperations, ...sandboxOperations]

describe("401 unauthenticated", () => {
  it.each(operations)("is the answer of %s without a key", async (operation) => {
    refused(await call(operation, {}), 401, "unauthenticated")
    refused(await call(operation, { "x-api-key": "" }), 401, "unauthenticated")
  })

  it.each(liveOperations)("is the answer of %s to a live key that does not exist", async (operation) => {
    const forged = `${server.demo.live_key.slice(0, -1)}${server.demo.live_key.endsWith("a") ? "b" : "a"}`
    refused(await call(operation, { "x-api-key": "svc_live_" }), 401, "unauthenticated")
    refused(await call(operation, { "x-api-key": forged }), 401, "unauthenticated")
    refused(await call(operation, { "x-api-key": `${server.demo.live_key}x` }), 401, "unauthenticated")
  })

  it.each(sandboxOperations)("is the answer of %s to a test key that does not exist", async (operation) => {
    const forged = `${server.demo.test_key.slice(0, -1)}${server.demo.test_key.endsWith("a") ? "b" : "a"}`
    refused(await call(operation, { "x-api-key": forged }), 401, "unauthenticated")
  })

  it.each(operations)("is the answer of %s to a personal access token as the key", async (operation) => {
    refused(await call(operation, { "x-api-key": `svc_pat_${"x".repeat(43)}` }), 401, "unauthenticated")
  })

  it("is the answer when the key is in another header", async () => {
    const authorization = { authorization: `apikey ${server.demo.live_key}` }
    for (const operation of liveOperations) {
      refused(await call(operation, authorization), 401, "unauthenticated")
    }
  })
})

describe("403 for the wrong kind of key", () => {
  it.each(liveOperations)("is test_key_not_allowed on %s", async (operation) => {
    refused(await call(operation, { "x-api-key": server.demo.test_key }), 403, "test_key_not_allowed")
  })

  it.each(sandboxOperations)("is live_key_not_allowed on %s", async (operation) => {
    refused(await call(operation, { "x-api-key": server.demo.live_key }), 403, "live_key_not_allowed")
  })
})

describe("the right key", () => {
  it("is let in everywhere it belongs", async () => {
    const live = { "x-api-key": server.demo.live_key }
    const test = { "x-api-key": server.demo.test_key }
    ok(await call("otp/send", live))
    refused(await call("otp/verify", live), 404, "not_found")
    refused(await call(`otp/${unknownId}`, live), 404, "not_found")
    ok(await call("sandbox/otp/send", test))
    refused(await call("sandbox/otp/verify", test), 404, "not_found")
    refused(await call(`sandbox/otp/${unknownId}`, test), 404, "not_found")
  })

  it("has the prefix of its kind", () => {
    expect(server.demo.live_key).toMatch(/^svc_live_/)
    expect(server.demo.test_key).toMatch(/^svc_test_/)
  })
})

describe("the life of a key", () => {
  const customer = () => String(server.demo.customer_id)

  it("ends within seconds of its revocation, also while it is in use", async () => {
    const made = (await server.cli(
      "key",
      "create",
      "--customer",
      customer(),
      "--mode",
      "live",
      "--name",
      "x"
    )) as {
      readonly id: string | number
      readonly secret: string
    }
    const probe = () => otp(server, made.secret).read(unknownId)
    refused(await probe(), 404, "not_found")
    await server.cli("key", "revoke", "--key", String(made.id))
    const last = await until(
      "the revocation to be noticed",
      async () => {
        const reply = await probe()
        return reply.status === 401 ? reply : undefined
      },
      10_000
    )
    refused(last, 401, "unauthenticated")
    refused(await otp(server, server.demo.live_key).read(unknownId), 404, "not_found")
  })

  it("ends when it expires", async () => {
    const expiry = Temporal.Now.instant().add({ seconds: 6 }).toString({ smallestUnit: "millisecond" })
    const made = (await server.cli(
      "key",
      "create",
      "--customer",
      customer(),
      "--mode",
      "test",
      "--expires-at",
      expiry
    )) as { readonly secret: string }
    const probe = () => sandbox(server, made.secret).read(unknownId)
    refused(await probe(), 404, "not_found")
    const last = await until(
      "the key to expire",
      async () => {
        const reply = await probe()
        return reply.status === 401 ? reply : undefined
      },
      20_000
    )
    refused(last, 401, "unauthenticated")
  })
})

describe("another customer's verification", () => {
  it("is 404, exactly as an id that does not exist", async () => {
    const stranger = await newCustomer(server)
    const { id, code } = await sentCode(server, server.demo.live_key)
    const theirs = otp(server, stranger.live)
    const answer = (reply: Reply, asked: string) =>
      JSON.stringify(refused(reply, 404, "not_found")).replaceAll(asked, "ID")
    expect(answer(await theirs.read(id), id)).toBe(answer(await theirs.read(unknownId), unknownId))
    expect(answer(await theirs.verify(id, code), id)).toBe(
      answer(await theirs.verify(unknownId, code), unknownId)
    )
    const mine = otp(server, server.demo.live_key)
    expect(await mine.outcome(id, code)).toEqual({ verified: true, reason: "ok" })
  })

  it("is not locked by wrong codes from outside", async () => {
    const stranger = await newCustomer(server)
    const { id, code } = await sentCode(server, server.demo.live_key)
    for (let n = 0; n < 6; n++)
      refused(await otp(server, stranger.live).verify(id, "000000"), 404, "not_found")
    expect(await otp(server, server.demo.live_key).outcome(id, code)).toEqual({
      verified: true,
      reason: "ok"
    })
  })
})

describe("the message of a 401", () => {
  const forged = () => `${server.demo.live_key.slice(0, -1)}${server.demo.live_key.endsWith("a") ? "b" : "a"}`
  const pat = `svc_pat_${"x".repeat(43)}`
  const messageOf = async (operation: string, headers: Readonly<Record<string, string>>) =>
    refused(await call(operation, headers), 401, "unauthenticated").message

  it.each([...operations, "messages/send", "account"])(
    "of %s asks for the header, where it is absent",
    async (path) => {
      for (const headers of [{}, { "x-api-key": "" }]) {
        expect(await messageOf(path, headers)).toContain("Send a service key in the header X-API-Key")
      }
    }
  )

  it("says which key the path takes", async () => {
    expect(await messageOf("otp/send", {})).toContain("svc_live_")
    expect(await messageOf("sandbox/otp/send", {})).toContain("svc_test_")
  })

  it("says so where the key is in another header", async () => {
    for (const scheme of ["apikey", "Bearer"]) {
      expect(await messageOf("otp/send", { authorization: `${scheme} ${server.demo.live_key}` })).toBe(
        "Send a service key in the header X-API-Key, not in Authorization."
      )
    }
    expect(await messageOf("otp/send", { authorization: server.demo.live_key })).toContain(
      "not in Authorization"
    )
  })

  it("says that a token is not a service key, in whichever header", async () => {
    for (const headers of [{ "x-api-key": pat }, { authorization: `apikey ${pat}` }]) {
      const message = await messageOf("otp/send", headers as Readonly<Record<string, string>>)
      expect(message).toContain("Send a service key in the header X-API-Key")
      expect(message).toContain("only for /v1/manage")
    }
  })

  it("tells a key that is cut off from one that does not exist", async () => {
    const cut = server.demo.live_key.slice(0, 30)
    expect(await messageOf("otp/send", { "x-api-key": cut })).toMatch(/not a whole service key/)
    expect(await messageOf("otp/send", { "x-api-key": forged() })).toMatch(/unknown, expired or revoked/)
  })

  it("never repeats the credential", async () => {
    for (const secret of [forged(), pat, server.demo.live_key.slice(0, 30)]) {
      expect(await messageOf("otp/send", { "x-api-key": secret })).not.toContain(secret.slice(0, 20))
    }
  })
})
