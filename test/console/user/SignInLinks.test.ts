import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { beforeAll, describe, expect, it } from "vitest"
import { submit } from "../Forms.ts"
import { type Answer, csrfIn, newOperator, newVisitor, signedIn, type Visitor } from "../Visitor.ts"
import { ok, refused } from "../../contract/Client.ts"
import { auth, manage, newEmail, PASSWORD, type SignedIn, signIn, type User } from "../../contract/Manager.ts"
import { newCustomer } from "../../contract/Operator.ts"
import { type SharedServer, sharedServerWithDemo } from "../../contract/SharedServer.ts"
import { onEmbeddedStore } from "../../support/EmbeddedStore.ts"

let server: SharedServer
beforeAll(async () => {
  server = await sharedServerWithDemo()
})

const SAY_SIGN_IN = "Sign out and in again first"

const onStore = (statement: string) =>
  onEmbeddedStore(
    server.dataDir,
    Effect.orDie(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)))
  )

/** The sessions of somebody become so old that nobody believes that they sit there themselves. */
const makeStale = (email: string) =>
  onStore(`update console_sessions set signed_in_at = signed_in_at - interval '11 minutes'
    where user_id = (select id from users where email = '${email}')`)

const linkIn = ({ text }: Answer): string =>
  /<code>(http[^<]+)<\/code>/.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? ""

const openLink = async (url: string, visitor = newVisitor(server)) => {
  const { pathname, search, searchParams } = new URL(url)
  const page = await visitor.get(`${pathname}${search}`)
  const reply = await visitor.post("/console/sign-in-link", {
    csrf: csrfIn(page),
    token: searchParams.get("token") ?? ""
  })
  return { visitor, page, reply }
}

const newLink = async (email: string) => {
  const args = ["user", "sign-in-link", "--customer", String(server.demo.customer_id), "--email", email]
  return ((await server.cli(...args)) as { readonly url: string }).url
}

const pathOf = ({ id }: Pick<User, "id">) => `/console/users/${id}`

const makeLink = (visitor: Visitor, user: Pick<User, "id">) =>
  submit(visitor, pathOf(user), `${pathOf(user)}/link`)

const setPassword = (visitor: Visitor) =>
  submit(visitor, "/console/settings", "/console/settings/password", { password: "another password" })

/** By the demo customer's token. */
const setActive = async ({ id }: Pick<User, "id">, active: boolean) =>
  ok(
    await manage(
      server,
      "PATCH",
      `/users/${id}`,
      { authorization: `apikey ${server.demo.token}` },
      { active }
    )
  )

const newOwner = () => signedIn(server, server.demo.customer_id, "owner")

describe("an owner's session that is older than ten minutes", () => {
  it("makes no link for its owner, for another owner, or for anybody who is invited", async () => {
    const [owner, other] = [await newOwner(), await newOwner()]
    await makeStale(owner.user.email)
    const invitation = { name: "Sara", email: newEmail("viewer"), role: "viewer" }
    const replies = [
      await makeLink(owner, owner.user),
      await makeLink(owner, other.user),
      await submit(owner, "/console/users/new", "/console/users/new", invitation)
    ]
    for (const reply of replies) {
      expect(reply.status).toBe(403)
      expect(reply.text).toContain(SAY_SIGN_IN)
      expect(linkIn(reply)).toBe("")
    }
    expect((await owner.get("/console/users")).text).not.toContain(invitation.email)
  })

  it("makes no owner, and no token that could set a password", async () => {
    const [owner, viewer] = [await newOwner(), await signedIn(server, server.demo.customer_id, "viewer")]
    await makeStale(owner.user.email)
    const promote = { name: "Sara", role: "owner" }
    const raised = await submit(owner, pathOf(viewer.user), pathOf(viewer.user), promote)
    expect([raised.status, raised.text]).toEqual([403, expect.stringContaining(SAY_SIGN_IN)])
    const token = (scope: string) =>
      submit(owner, "/console/tokens/new", "/console/tokens/new", { name: "t", scope })
    const disabled = await newOwner()
    await setActive(disabled.user, false)
    expect((await submit(owner, pathOf(disabled.user), `${pathOf(disabled.user)}/enable`)).status).toBe(403)
    expect((await token("full")).text).not.toContain("svc_pat_")
    expect((await token("read_only")).text).toContain("svc_pat_")
  })

  it("does the same by the API", async () => {
    const owner = await newOwner()
    const { refresh_token } = await signIn(server, owner.user.email)
    await onStore(`update refresh_tokens set family = '01800000-0000-7000-8000-000000000001'
      where user_id = '${owner.user.id}'`)
    const { access_token } = ok<SignedIn>(await auth(server, "refresh", { refresh_token }))
    const headers = { authorization: `Bearer ${access_token}` }
    const disabled = await newOwner()
    await setActive(disabled.user, false)
    const body = { email: newEmail("owner"), name: "Sara", role: "owner", password: PASSWORD }
    const replies = [
      await manage(server, "POST", "/users", headers, body),
      await manage(server, "PATCH", `/users/${disabled.user.id}`, headers, { active: true }),
      await manage(server, "PUT", `/users/${owner.user.id}/password`, headers, { password: PASSWORD }),
      await manage(server, "POST", "/tokens", headers, { name: "t", scope: "full" })
    ]
    for (const reply of replies) {
      const { details } = refused(reply, 403, "scope_insufficient")
      expect(details).toEqual({
        reason: expect.stringContaining("sign-in of the last 10 minutes")
      })
    }
    const member = { ...body, email: newEmail("viewer"), role: "viewer" }
    expect((await manage(server, "POST", "/users", headers, member)).status).toBe(201)
    expect(
      (await manage(server, "PATCH", `/users/${owner.user.id}`, headers, { name: "Sara", role: "owner" }))
        .status
    ).toBe(200)
    const fresh = await signIn(server, owner.user.email)
    const authorization = `Bearer ${fresh.access_token}`
    expect((await manage(server, "POST", "/users", { authorization }, body)).status).toBe(201)
  })

  it("is no older by an operator in a customer's console", async () => {
    const operator = await newOperator(server, "stale@example.ir")
    const { id } = await newCustomer(server)
    const { user } = await signedIn(server, id, "owner")
    await submit(operator, "/console/customers", `/console/customers/${id}/enter`)
    expect((await operator.get(pathOf(user))).status).toBe(200)
    await makeStale("stale@example.ir")
    const reply = await makeLink(operator, user)
    expect([reply.status, linkIn(reply)]).toEqual([403, ""])
  })
})

describe("a link that was made in the console", () => {
  it("for its maker continues their sign-in, and is no newer one", async () => {
    const owner = await newOwner()
    const url = linkIn(await makeLink(owner, owner.user))
    await onStore(`update sign_in_links set signed_in_at = signed_in_at - interval '11 minutes'
      where user_id = '${owner.user.id}'`)
    const { visitor, reply } = await openLink(url)
    expect(reply.status).toBe(303)
    const stale = await setPassword(visitor)
    expect(stale.status).toBe(422)
    expect(stale.text).toContain(SAY_SIGN_IN)
    expect((await makeLink(visitor, owner.user)).status).toBe(403)
  })

  it("lets somebody choose their password, and nobody else in", async () => {
    const [owner, other] = [await newOwner(), await newOwner()]
    const { visitor } = await openLink(linkIn(await makeLink(owner, other.user)))
    expect((await visitor.get("/console/overview")).text).toContain(other.user.email)
    expect((await makeLink(visitor, owner.user)).status).toBe(403)
    expect((await setPassword(visitor)).status).toBe(303)
    await visitor.signIn(other.user.email, "another password")
    expect(linkIn(await makeLink(visitor, owner.user))).toContain("/console/sign-in-link?token=")
  })

  it.each([
    [
      "signs out everywhere",
      (maker: Visitor) => submit(maker, "/console/overview", "/console/sign-out-everywhere")
    ],
    ["sets a password", setPassword]
  ])("ends when its maker %s", async (_, act) => {
    const [maker, other] = [await newOwner(), await newOwner()]
    const url = linkIn(await makeLink(maker, other.user))
    expect((await act(maker)).status).toBe(303)
    expect((await openLink(url)).reply.status).toBe(401)
  })

  it.each([{ active: false }, { role: "developer" }])(
    "ends when its maker may make it no longer: %j",
    async (change) => {
      const [maker, other] = [await newOwner(), await newOwner()]
      const url = linkIn(await makeLink(maker, other.user))
      const headers = { authorization: `apikey ${server.demo.token}` }
      ok(await manage(server, "PATCH", `/users/${maker.user.id}`, headers, change))
      expect((await openLink(url)).reply.status).toBe(401)
    }
  )

  it("is in the audit log with its maker, and so is the sign-in", async () => {
    const [maker, other] = [await newOwner(), await newOwner()]
    await openLink(linkIn(await makeLink(maker, other.user)))
    const headers = { authorization: `apikey ${server.demo.token}` }
    const log = async (action: string) => {
      const path = `/audit-log?subject_id=${other.user.id}&action=${action}`
      const { data } = ok<{ readonly data: ReadonlyArray<Record<string, unknown>> }>(
        await manage(server, "GET", path, headers)
      )
      return data
    }
    expect(await log("user.create_sign_in_link")).toMatchObject([{ actor: { id: maker.user.id } }])
    expect(await log("user.sign_in")).toContainEqual(
      expect.objectContaining({ details: { by: "link", made_by: maker.user.id } })
    )
  })
})

describe("an older link ends", () => {
  const act = {
    "with a newer one": async ({ user }: { readonly user: User }) => void (await newLink(user.email)),
    "when its user signs out everywhere": async (visitor: Visitor) => {
      await submit(visitor, "/console/overview", "/console/sign-out-everywhere")
    },
    "with a new password": async (visitor: Visitor) => void (await setPassword(visitor))
  }
  it.each(Object.entries(act))("%s", async (_, end) => {
    const owner = await newOwner()
    const url = await newLink(owner.user.email)
    await end(owner)
    expect((await openLink(url)).reply.status).toBe(401)
  })

  it("however many are made at once: one is left", async () => {
    const owner = await newOwner()
    const urls = await Promise.all(Array.from({ length: 5 }, () => newLink(owner.user.email)))
    const replies = []
    for (const url of urls) replies.push((await openLink(url)).reply.status)
    expect(replies.toSorted()).toEqual([303, 401, 401, 401, 401])
  })
})

describe("a page with a token", () => {
  it("names its address to nobody", async () => {
    const owner = await newOwner()
    const made = await makeLink(owner, owner.user)
    const { page, reply } = await openLink(linkIn(made))
    const used = await openLink(linkIn(made))
    for (const { headers } of [made, page, reply, used.reply])
      expect(headers.get("referrer-policy")).toBe("no-referrer")
  })

  it("says what to do when its address has lost the token", async () => {
    const page = await newVisitor(server).get("/console/sign-in-link")
    expect(page.status).toBe(200)
    expect(page.text).toContain("Open the sign-in link again")
    expect(page.text).not.toContain("<form")
  })
})
