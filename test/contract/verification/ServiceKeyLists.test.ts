import { beforeAll, describe, expect, it } from "vitest"
import { formatInstant } from "../../../src/domain/Instant.ts"
import { issues, messages, newPhone, ok, otp, refused, request, sandbox, timestamp } from "../Client.ts"
import { type List, query } from "../ManagedCustomer.ts"
import { customerWith, newCustomer, sentCode } from "../Operator.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

interface Listed {
  readonly verification_id: string
  readonly message_id: string
  readonly status: string
  readonly created_at: string
}

let server: SharedServer
let live: string
let test: string
let customerId: string

const read = (path: string, key = live) => request(server, "GET", path, { headers: { "x-api-key": key } })
const list = async (path: string, key = live) => ok<List<Listed>>(await read(path, key))
const ids = ({ data }: List<Listed>) => data.map((each) => each.verification_id ?? each.message_id)

/** All parts of a list, two entries each. */
const readAll = async (path: string, key = live) => {
  const found: Array<string> = []
  let cursor: string | null = ""
  while (cursor !== null) {
    const more: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`
    const part: List<Listed> = await list(`${path}?limit=2${more}`, key)
    expect(part.data.length).toBeLessThanOrEqual(2)
    found.push(...ids(part))
    cursor = part.next_cursor
  }
  return found
}

beforeAll(async () => {
  server = sharedServer()
  const customer = await customerWith(server, { bale: undefined })
  ;({ live, test, id: customerId } = customer)
})

describe("GET /v1/otp", () => {
  it("lists the customer's codes, newest first, in parts that hold each one once", async () => {
    const sent: Array<string> = []
    for (let n = 0; n < 5; n++)
      sent.unshift((await otp(server, live).sent({ channels: "bale" })).verification_id)
    expect((await readAll("/v1/otp")).slice(0, 5)).toEqual(sent)
  })

  it("shows what the status shows, and when the code was accepted", async () => {
    const { verification_id } = await otp(server, live).sent({ channels: "bale" })
    const [listed] = (await list("/v1/otp?limit=1")).data
    const { remaining_seconds: _, ...status } = await otp(server, live).status(verification_id)
    expect(listed).toMatchObject(status)
    expect(listed?.created_at).toMatch(timestamp)
  })

  it("finds the codes of a phone, in whatever form it is written", async () => {
    const phone = newPhone()
    const { verification_id } = await otp(server, live).sent({ phone, channels: "bale" })
    for (const form of [phone, phone.replace("+98", "0"), phone.replace("+", "")])
      expect(ids(await list(`/v1/otp?${query({ phone: form })}`))).toEqual([verification_id])
    refused(await read("/v1/otp?phone=12"), 422, "invalid_phone")
  })

  it("finds the codes in a state", async () => {
    const phone = newPhone()
    const { id, code } = await sentCode(server, live, { phone, channels: "bale" })
    await otp(server, live).outcome(id, code)
    const open = await otp(server, live).sent({ phone, channels: "bale" })
    expect(ids(await list(`/v1/otp?${query({ phone, status: "verified" })}`))).toEqual([id])
    expect(ids(await list(`/v1/otp?${query({ phone, status: "queued" })}`))).toEqual([open.verification_id])
    expect(issues(await read("/v1/otp?status=lost"))).toEqual(["query.status"])
  })

  it("leaves out what was created at created_after or before it, and from created_before on", async () => {
    const phone = newPhone()
    const first = await otp(server, live).sent({ phone, channels: "bale" })
    const [{ created_at } = { created_at: "" }] = (await list(`/v1/otp?${query({ phone })}`)).data
    const second = await otp(server, live).sent({ phone, channels: "bale" })
    expect(ids(await list(`/v1/otp?${query({ phone, created_after: created_at })}`))).toEqual([
      second.verification_id
    ])
    const before = formatInstant(Date.parse(created_at) + 1)
    expect(ids(await list(`/v1/otp?${query({ phone, created_before: before })}`))).toEqual([
      first.verification_id
    ])
    expect(issues(await read("/v1/otp?created_after=yesterday"))).toEqual(["query.created_after"])
  })

  it("refuses a cursor that is none, and one of another list", async () => {
    const { next_cursor } = await list("/v1/otp?limit=1")
    for (const cursor of ["x", ""])
      expect(issues(await read(`/v1/otp?cursor=${cursor}`))).toEqual(["query.cursor"])
    const path = `/v1/messages?cursor=${encodeURIComponent(next_cursor ?? "")}`
    expect(issues(await read(path))).toEqual(["query.cursor"])
  })

  it("knows nothing of other customers, and refuses keys of the other mode", async () => {
    const other = await newCustomer(server)
    expect((await list("/v1/otp", other.live)).data).toEqual([])
    refused(await read("/v1/otp", test), 403, "test_key_not_allowed")
    refused(await read("/v1/messages", test), 403, "test_key_not_allowed")
    refused(await read("/v1/sandbox/otp"), 403, "live_key_not_allowed")
    refused(await read("/v1/otp", "svc_live_unknown"), 401, "unauthenticated")
  })

  it("refuses a key from the moment its revocation is answered", async () => {
    const { id, secret } = (await server.cli(
      "key",
      "create",
      "--customer",
      customerId,
      "--mode",
      "live"
    )) as {
      readonly id: number
      readonly secret: string
    }
    await list("/v1/otp", secret)
    await server.cli("key", "revoke", "--key", String(id))
    for (const path of ["/v1/otp", "/v1/messages", "/v1/account"])
      refused(await read(path, secret), 401, "unauthenticated")
  })
})

describe("GET /v1/sandbox/otp", () => {
  it("lists simulated codes and no live ones", async () => {
    const sent = await sandbox(server, test).sent({ channels: "bale" })
    const found = await list("/v1/sandbox/otp", test)
    expect(ids(found)).toEqual([sent.verification_id])
    expect(Object.keys(found.data[0] ?? {}).sort()).toEqual([
      "created_at",
      "current_channel",
      "expires_at",
      "phone",
      "status",
      "verification_id",
      "verified_at"
    ])
    expect(ids(await list("/v1/otp"))).not.toContain(sent.verification_id)
  })
})

describe("GET /v1/messages", () => {
  const toList = (filters: Readonly<Record<string, string>>) => list(`/v1/messages?${query(filters)}`)

  it("finds the messages to a phone, as their status shows them", async () => {
    const to = newPhone()
    const { message_id } = await messages(server, live).created({ to, channels: "bale", delay: "1d" })
    const found = await toList({ to })
    expect(found.data).toEqual([await messages(server, live).status(message_id)])
    expect(found.next_cursor).toBeNull()
  })

  it("finds messages by their metadata's top-level texts", async () => {
    const to = newPhone()
    const send = (metadata: unknown) =>
      messages(server, live).created({ to, channels: "bale", delay: "1d", metadata })
    const first = await send({ order: "17", of: "shop", n: 5 })
    await send({ order: "18", of: "shop" })
    expect(ids(await toList({ to, "metadata[order]": "17" }))).toEqual([first.message_id])
    expect(ids(await toList({ to, "metadata[of]": "shop", "metadata[n]": "5" }))).toEqual([first.message_id])
    expect(ids(await toList({ to, "metadata[of]": "shop" }))).toHaveLength(2)
    expect(ids(await toList({ to, "metadata[none]": "17" }))).toEqual([])
  })

  it("finds messages also where metadata holds what PostgreSQL's JSON cannot", async () => {
    const to = newPhone()
    const body = String.raw`{"to":"${to}","message":"m","channels":"bale","delay":"1d",
      "metadata":{"zero":"a\u0000b","half":"\ud800","slash":"\\u0000","order":"21"}}`
    const { message_id } = ok<Listed>(await messages(server, live).post(body), 201)
    expect(ids(await toList({ to, "metadata[order]": "21" }))).toEqual([message_id])
    // After a backslash that is escaped itself, this is text.
    expect(ids(await toList({ to, "metadata[slash]": String.raw`\u0000` }))).toEqual([message_id])
  })

  it("refuses two values for one key of the metadata", async () => {
    const twice = "metadata[order]=1&metadata[order]=2"
    expect(issues(await read(`/v1/messages?${twice}`))).toEqual(["query.metadata[order]"])
    expect(issues(await read(`/v1/otp?${twice}`))).toEqual(["query.metadata[order]"])
  })

  it("refuses metadata filters that are too long or too many", async () => {
    expect(issues(await read(`/v1/messages?${query({ "metadata[a]": "x".repeat(201) })}`))).toEqual([
      "query.metadata[a]"
    ])
    for (const name of ["metadata", "metadata[]", "metadata[a"]) {
      expect(issues(await read(`/v1/messages?${query({ [name]: "x" })}`))).toEqual([`query.${name}`])
    }
    const many = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`metadata[k${n}]`, "v"]))
    expect(issues(await read(`/v1/messages?${query(many)}`))).toEqual(["query.metadata"])
  })
})
