import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { otp, type Reply, refused } from "../../contract/Client.ts"
import { auth, firstUser, manage, newUser, PASSWORD, type User } from "../../contract/Manager.ts"
import { type Customer, customerWith } from "../../contract/Operator.ts"
import { type Demo, type Server, startServer } from "../../contract/Server.ts"

let server: Server
let flooding: { readonly owner: string; readonly user: User }
let other: Customer & { readonly user: User }
beforeAll(async () => {
  // A room in which two hundred requests that counted as work would be too many.
  server = await startServer({
    env: { PEYK_MAX_REQUESTS_IN_FLIGHT: "1024" },
    // In the tests' own program, passwords cost too little to be a flood.
    command: ["bin/peyk.js", "serve"]
  })
  const { token } = server.demo as Demo & { readonly token: string }
  const owner = `apikey ${token}`
  flooding = { owner, user: await newUser(server, owner, "developer") }
  const customer = await customerWith(server, { sms: {} })
  other = { ...customer, user: await firstUser(server, customer.id, "owner") }
})
afterAll(() => server?.stop())

const countOf = (replies: ReadonlyArray<Reply>, status: number) =>
  replies.filter((reply) => reply.status === status).length

describe("while a customer sets two hundred passwords at once", () => {
  it("another's sign-ins, from the same address, and sends are answered, and none is refused", async () => {
    const flood = Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        manage(
          server,
          "PUT",
          `/users/${flooding.user.id}/password`,
          { authorization: flooding.owner },
          { password: `${PASSWORD} ${n}` }
        )
      )
    )
    const others = Promise.all([
      ...Array.from({ length: 10 }, () =>
        auth(server, "sign-in", { email: other.user.email, password: PASSWORD })
      ),
      ...Array.from({ length: 30 }, () => otp(server, other.live).send({ channels: "sms" }))
    ])
    expect((await others).map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 200))
    const replies = await flood
    expect(countOf(replies, 204)).toBeGreaterThanOrEqual(1)
    for (const reply of replies.filter(({ status }) => status !== 204)) {
      refused(reply, 429, "too_many_sign_ins")
      expect(reply.headers.get("retry-after")).toBe("1")
    }
    expect(countOf(replies, 204) + countOf(replies, 429)).toBe(200)
  }, 60_000)
})
