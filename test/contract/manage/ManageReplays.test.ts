import { beforeAll, describe, expect, it } from "vitest"
import { newKey, ok, refused } from "../Client.ts"
import { auth, manage, newToken, newUser, signIn } from "../Manager.ts"
import { type Demo } from "../Server.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer
let owner: string
beforeAll(async () => {
  server = sharedServer()
  const { token } = server.demo as Demo & { readonly token: string }
  owner = `apikey ${token}`
})

interface Created {
  readonly id: number
  readonly secret: string
  readonly status: string
  readonly revoked_at: string | null
}

/** The same creation as often as asked, by whomever. */
const creation = (path: string, body: unknown) => {
  const key = newKey()
  return (authorization: string) =>
    manage(server, "POST", path, { authorization, "idempotency-key": key }, body)
}
const apiKeyCreation = () => creation("/api-keys", { name: "CI", mode: "live" })
const tokenCreation = () => creation("/tokens", { name: "CI", scope: "full" })

const newOwner = async () => {
  const { email } = await newUser(server, owner, "owner")
  const { access_token, refresh_token } = await signIn(server, email)
  return { email, jwt: `Bearer ${access_token}`, refresh_token }
}
const freshToken = async () => {
  const { id, secret } = await newToken(server, owner, "full")
  return { id, authorization: `apikey ${secret}` }
}

describe("a creation that is repeated with its idempotency key", () => {
  for (const [what, make] of Object.entries({ key: apiKeyCreation, token: tokenCreation })) {
    it(`gives a ${what}'s secret to whoever made it, and to no other token or user of the customer`, async () => {
      const create = make()
      const [mine, others, user] = [await freshToken(), await freshToken(), await newOwner()]
      const { secret } = ok<Created>(await create(mine.authorization), 201)
      for (const authorization of [others.authorization, user.jwt]) {
        const reply = await create(authorization)
        refused(reply, 409, "idempotency_key_conflict")
        expect(reply.text).not.toContain(secret)
      }
      const again = await create(mine.authorization)
      expect(again.headers.get("idempotency-replayed")).toBe("true")
      expect(ok<Created>(again, 201).secret).toBe(secret)
    })
  }

  it("is a user's also in another session of theirs", async () => {
    const create = apiKeyCreation()
    const { email, jwt } = await newOwner()
    const { secret } = ok<Created>(await create(jwt), 201)
    const other = await signIn(server, email)
    expect(ok<Created>(await create(`Bearer ${other.access_token}`), 201).secret).toBe(secret)
  })

  it("is nobody's any more after the session that made it has ended", async () => {
    const create = apiKeyCreation()
    const { email, jwt, refresh_token } = await newOwner()
    const { secret } = ok<Created>(await create(jwt), 201)
    const other = await signIn(server, email)
    expect((await auth(server, "sign-out", { refresh_token })).status).toBe(204)
    const reply = await create(`Bearer ${other.access_token}`)
    refused(reply, 409, "idempotency_key_conflict")
    expect(reply.text).not.toContain(secret)
  })

  it("is nobody's any more after the token that made it was revoked", async () => {
    const create = apiKeyCreation()
    const { id, authorization } = await freshToken()
    const { secret } = ok<Created>(await create(authorization), 201)
    await manage(server, "DELETE", `/tokens/${id}`, { authorization: owner })
    const replies = [await create(authorization), await create(owner)]
    expect(replies[0]?.status).toBeOneOf([401, 409])
    refused(replies[1] ?? (await create(owner)), 409, "idempotency_key_conflict")
    for (const reply of replies) expect(reply.text).not.toContain(secret)
  })

  for (const [path, make] of Object.entries({ "api-keys": apiKeyCreation, tokens: tokenCreation })) {
    it(`says that what it made under /${path} was revoked`, async () => {
      const create = make()
      const { id } = ok<Created>(await create(owner), 201)
      expect(ok<Created>(await create(owner), 201)).toMatchObject({ status: "active", revoked_at: null })
      await manage(server, "DELETE", `/${path}/${id}`, { authorization: owner })
      const replayed = ok<Created>(await create(owner), 201)
      expect(replayed).toMatchObject({ id, status: "revoked", revoked_at: expect.any(String) })
    })
  }
})
