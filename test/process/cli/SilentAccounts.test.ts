import { beforeAll, describe, expect, it } from "vitest"
import { type Customer, newCustomer } from "../../contract/Operator.ts"
import { type SharedServer, sharedServer } from "../../contract/SharedServer.ts"

let server: SharedServer
let customer: Customer
beforeAll(async () => {
  server = sharedServer()
  customer = await newCustomer(server)
})

const connect = (settings: object, ...more: ReadonlyArray<string>) => {
  const owner = ["--customer", customer.id, "--channel", "sms"]
  const account = ["--provider", "smsir", "--label", "SMS", "--settings", JSON.stringify(settings)]
  return server.run("account", "connect", "--no-check", ...owner, ...account, ...more)
}

describe("account connect", () => {
  it("warns when the account can send nothing, and says what is missing", async () => {
    const { code, out, err } = await connect({ api_key: "k" })
    expect(code).toBe(0)
    expect(out).toMatch(/sends +–/)
    expect(err).toMatch(/^warning: this account can send nothing: .*otp_template_id.*line_number/)
  })

  it("has the warning in its JSON too", async () => {
    const { out } = await connect({ api_key: "k" }, "--json")
    expect(JSON.parse(out)).toMatchObject({
      sends: [],
      warning: expect.stringMatching(/otp_template_id.*line_number/)
    })
  })

  it.each([
    ["codes", { api_key: "k", otp_template_id: 1 }],
    ["messages", { api_key: "k", line_number: 3000 }]
  ])("does not warn of one that sends %s", async (kind, settings) => {
    const { out, err } = await connect(settings, "--json")
    expect(err).toBe("")
    expect(JSON.parse(out)).not.toHaveProperty("warning")
    expect(JSON.parse(out)).toMatchObject({ sends: [kind] })
  })
})
