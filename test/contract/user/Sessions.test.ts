import type { JWK } from "jose"
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { json, ok, refused, request } from "../Client.ts"
import {
  auth,
  firstUser,
  manage,
  newEmail,
  newToken,
  newUser,
  PASSWORD,
  signIn,
  type Token,
  withPasswordFile
} from "../Manager.ts"
import { type Demo, type Server, startServer, until } from "../Server.ts"

let server: Server
let customer: { readonly id: string; readonly owner: string }
let stranger: { readonly id: string; readonly owner: string }
const sessions = { owner: "", developer: "" }
beforeAll(async () => {
  server = await startServer()
  const { customer_id, token } = server.demo as Demo & { readonly token: string }
  customer = { id: String(customer_id), owner: `apikey ${token}` }
  const other = await newCustomer("Other")
  const owner = ["--customer", other, "--scope", "full", "--name", "first"]
  const { secret } = (await server.cli("token", "create", ...owner)) as Token
  stranger = { id: other, owner: `apikey ${secret}` }
  for (const role of ["owner", "developer"] as const) {
    const { email } = await newUser(server, customer.owner, role)
    sessions[role] = (await signIn(server, email)).access_token
  }
})
afterAll(() => server?.stop())

const newCustomer = async (name: string) => {
  const made = (await server.cli("customer", "create", "--name", name, "--plan", "free")) as { id: number }
  return String(made.id)
}

describe("a session", () => {
  const me = (jwt: string) => manage(server, "GET", "/me", { authorization: `Bearer ${jwt}` })

  it("goes on by refreshing, and each refresh token is good for once", async () => {
    const { email } = await newUser(server, customer.owner, "owner")
    const first = await signIn(server, email)
    expect(first).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: "Bearer",
      expires_in: 900,
      refresh_token: expect.stringMatching(/^svc_refresh_[\w-]{43}$/)
    })
    const reply = await auth(server, "refresh", { refresh_token: first.refresh_token })
    const second = ok<typeof first>(reply)
    expect(reply.headers.get("cache-control")).toBe("no-store")
    ok(await me(second.access_token))
    refused(await auth(server, "refresh", { refresh_token: first.refresh_token }), 401, "unauthenticated")
    refused(await auth(server, "refresh", { refresh_token: second.refresh_token }), 401, "unauthenticated")
    refused(await me(second.access_token), 401, "unauthenticated")
  })

  it("ends by signing out, for its JWT as well", async () => {
    const { email } = await newUser(server, customer.owner, "owner")
    const { access_token, refresh_token } = await signIn(server, ` ${email.toUpperCase()} `)
    ok(await me(access_token))
    const out = await auth(server, "sign-out", { refresh_token })
    expect([out.status, out.text]).toEqual([204, ""])
    await until("the JWT to be refused", async () =>
      (await me(access_token)).status === 401 ? true : undefined
    )
    refused(await auth(server, "refresh", { refresh_token }), 401, "unauthenticated")
    expect((await auth(server, "sign-out", { refresh_token: "nonsense" })).status).toBe(204)
  })

  it("ends when an operator disables its user", async () => {
    const { id, email } = await newUser(server, customer.owner, "developer")
    const { access_token } = await signIn(server, email)
    ok(await me(access_token))
    expect(await server.cli("user", "disable", "--user", id)).toMatchObject({ status: "disabled" })
    await until("the JWT to be refused", async () =>
      (await me(access_token)).status === 401 ? true : undefined
    )
    refused(await auth(server, "sign-in", { email, password: PASSWORD }), 401, "unauthenticated")
    await server.cli("user", "enable", "--user", id)
    ok(await me((await signIn(server, email)).access_token))
  })

  it("goes on though the keys are rotated, and new ones are signed with the new key", async () => {
    const { email } = await newUser(server, customer.owner, "viewer")
    const { access_token: old } = await signIn(server, email)
    const { kid } = (await server.cli("signing-key", "rotate")) as { readonly kid: string }
    ok(await me(old))
    const reply = await request(server, "GET", "/.well-known/jwks.json")
    const { keys: published } = ok<{ readonly keys: ReadonlyArray<JWK> }>(reply)
    expect(reply.headers.get("cache-control")).toBe("public, max-age=300")
    expect(published.map((key) => key.kid)).toContain(kid)
    expect(published.length).toBeGreaterThan(1)
    for (const key of published) expect(Object.keys(key)).not.toContain("d")
    const kidOf = (jwt: string) =>
      (JSON.parse(Buffer.from(jwt.split(".")[0] ?? "", "base64url").toString()) as { kid: string }).kid
    const fresh = await until(
      "a JWT of the new key",
      async () => {
        const { access_token } = await signIn(server, email)
        return kidOf(access_token) === kid ? access_token : undefined
      },
      20_000
    )
    ok(await me(fresh))
  })
})

describe("a failed sign-in", () => {
  it("is the same for a wrong password, nobody, and what is no password", async () => {
    const { email } = await newUser(server, customer.owner, "owner")
    const answers = await Promise.all(
      [
        { email, password: "wrong password" },
        { email: `nobody-${randomUUID()}@example.ir`, password: PASSWORD },
        { email, password: "" }
      ].map(async (body) => refused(await auth(server, "sign-in", body), 401, "unauthenticated"))
    )
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
  })
})

describe("tokens and users", () => {
  const owner = () => ({ authorization: `Bearer ${sessions.owner}` })
  const developer = () => ({ authorization: `Bearer ${sessions.developer}` })

  it("are made by owners alone", async () => {
    const body = { name: "ci", scope: "read_only" }
    refused(await manage(server, "POST", "/tokens", developer(), body), 403, "scope_insufficient")
    refused(await manage(server, "GET", "/users", developer()), 403, "scope_insufficient")
    const created = ok<{ readonly id: number; readonly secret: string }>(
      await manage(server, "POST", "/tokens", owner(), body),
      201
    )
    expect(created).toMatchObject({
      ...body,
      status: "active",
      prefix: created.secret.slice(0, 12),
      last_four: created.secret.slice(-4)
    })
    const read = await manage(server, "GET", `/tokens/${created.id}`, owner())
    const { secret: _secret, ...record } = created
    expect(json(read)).toEqual(record)
    const gone = await manage(server, "DELETE", `/tokens/${created.id}`, owner())
    expect(gone.status).toBe(204)
    expect(json(await manage(server, "GET", `/tokens/${created.id}`, owner()))).toMatchObject({
      status: "revoked"
    })
  })

  it("of another customer do not exist", async () => {
    const theirs = await newToken(server, stranger.owner, "full")
    const theirUser = await newUser(server, stranger.owner, "owner")
    refused(await manage(server, "GET", `/tokens/${theirs.id}`, owner()), 404, "not_found")
    refused(await manage(server, "DELETE", `/tokens/${theirs.id}`, owner()), 404, "not_found")
    refused(await manage(server, "GET", `/users/${theirUser.id}`, owner()), 404, "not_found")
    refused(await manage(server, "PATCH", `/users/${theirUser.id}`, owner(), { name: "x" }), 404, "not_found")
    const password = { password: "another password" }
    refused(
      await manage(server, "PUT", `/users/${theirUser.id}/password`, owner(), password),
      404,
      "not_found"
    )
    refused(await manage(server, "GET", "/users/nonsense", owner()), 404, "not_found")
    await signIn(server, theirUser.email)
  })

  it("a user is made, changed, disabled and given another password by an owner", async () => {
    const email = `mina-${randomUUID()}@example.ir`
    const body = { email: email.toUpperCase(), name: "Mina", role: "developer", password: PASSWORD }
    const user = ok<{ readonly id: string }>(await manage(server, "POST", "/users", owner(), body), 201)
    expect(user).toMatchObject({
      email,
      name: "Mina",
      role: "developer",
      status: "active",
      disabled_at: null
    })
    refused(await manage(server, "POST", "/users", owner(), body), 409, "conflict")
    refused(
      await manage(server, "POST", "/users", owner(), { ...body, email: "x@y.ir", password: "short" }),
      422,
      "validation_error"
    )
    await signIn(server, email)
    const password = { password: "another password" }
    expect((await manage(server, "PUT", `/users/${user.id}/password`, owner(), password)).status).toBe(204)
    await signIn(server, email, "another password")
    const change = { role: "viewer", active: false }
    expect(json(await manage(server, "PATCH", `/users/${user.id}`, owner(), change))).toMatchObject({
      role: "viewer",
      status: "disabled"
    })
    refused(await auth(server, "sign-in", { email, ...password }), 401, "unauthenticated")
  })

  it("a customer keeps an owner, and an operator sets passwords from a file", async () => {
    const alone = await newCustomer("Alone")
    const { id, email } = await firstUser(server, alone, "owner")
    const authorization = `Bearer ${(await signIn(server, email)).access_token}`
    for (const change of [{ role: "viewer" }, { active: false }]) {
      refused(await manage(server, "PATCH", `/users/${id}`, { authorization }, change), 409, "conflict")
    }
    await withPasswordFile("set by hand", (file) =>
      server.cli("user", "set-password", "--user", id, "--password-file", file)
    )
    await signIn(server, email, "set by hand")
  })
})

describe("an operator", () => {
  const tokens = async () =>
    ((await server.cli("token", "list", "--customer", stranger.id)) as { data: ReadonlyArray<unknown> }).data

  it("makes, lists and revokes tokens on the command line", async () => {
    const owner = ["--customer", stranger.id, "--scope", "read_only", "--name", "ci"]
    const end = ["--expires-at", "2099-01-02T03:04:05Z"]
    const { secret, ...record } = (await server.cli("token", "create", ...owner, ...end)) as Token
    expect(record).toMatchObject({
      name: "ci",
      scope: "read_only",
      prefix: secret.slice(0, 12),
      last_four: secret.slice(-4),
      status: "active",
      expires_at: "2099-01-02T03:04:05.000Z",
      revoked_at: null
    })
    expect(await tokens()).toContainEqual(record)
    expect(await server.cli("token", "revoke", "--token", String(record.id))).toMatchObject({
      status: "revoked"
    })
    await until("the token to be refused", async () => {
      const reply = await manage(server, "GET", "/me", { authorization: `apikey ${secret}` })
      return reply.status === 401 ? true : undefined
    })
  })

  it("explains in a line what cannot be done", async () => {
    const nobody = await server.run("token", "create", "--customer", "999999", "--scope", "full")
    expect(nobody).toMatchObject({ code: 1, out: "" })
    expect(nobody.err).toContain("there is no customer 999999")
    const owner = ["--customer", stranger.id, "--email", "a@b.ir", "--role", "owner"]
    const short = await withPasswordFile("short", (file) =>
      server.run("user", "create", ...owner, "--password-file", file)
    )
    expect(short.err).toContain("a password has 8 to 1024 characters")
  })

  it("makes a user without a password, who signs in by a link, and changes their name and role", async () => {
    const email = newEmail("viewer")
    const of = ["--customer", stranger.id, "--email", email]
    const { id } = (await server.cli("user", "create", ...of, "--role", "viewer")) as { id: string }
    const changed = await server.cli("user", "update", "--user", id, "--role", "developer", "--name", "Sara")
    expect(changed).toMatchObject({ id, email, name: "Sara", role: "developer" })
    expect(await server.cli("user", "sign-in-link", ...of)).toMatchObject({
      url: expect.stringContaining("/console/sign-in-link?token=")
    })
  })

  it("lists users without anything of their passwords", async () => {
    const { id, email } = await firstUser(server, stranger.id, "viewer")
    const { data } = (await server.cli("user", "list", "--customer", stranger.id)) as {
      data: ReadonlyArray<unknown>
    }
    expect(data).toContainEqual({
      id,
      email,
      name: "viewer",
      role: "viewer",
      active: true,
      status: "active",
      created_at: expect.any(String),
      disabled_at: null,
      last_sign_in_at: null,
      second_factor: false,
      invited_by: null
    })
  })
})
