/** An operator's preparations on the command line, and the simulator's record of sends. */
import { expect } from "vitest"
import { json, newPhone, otp, request } from "./Client.ts"
import { type Running, until } from "./Server.ts"

export interface Customer {
  readonly id: string
  readonly live: string
  readonly test: string
}

export const newSecret = async (server: Pick<Running, "cli">, customer: string, mode: "live" | "test") => {
  const made = (await server.cli("key", "create", "--customer", customer, "--mode", mode)) as {
    readonly secret: string
  }
  return made.secret
}

/** A customer with both keys and no account; on the free plan by default: nothing is charged. */
export const newCustomer = async (
  server: Pick<Running, "cli">,
  plan: "free" | "start" | "business" = "free"
) => {
  const made = (await server.cli("customer", "create", "--name", `Test ${plan}`, "--plan", plan)) as {
    readonly id: string | number
  }
  const id = String(made.id)
  const [live, test] = await Promise.all([newSecret(server, id, "live"), newSecret(server, id, "test")])
  return { id, live, test } satisfies Customer
}

export interface AccountOptions {
  readonly label?: string
  readonly settings?: { readonly outcome?: string; readonly latency_ms?: number }
  readonly isDefault?: boolean
}

const connect = async (
  server: Pick<Running, "cli">,
  owner: ReadonlyArray<string>,
  channel: string,
  options: AccountOptions
) => {
  const made = (await server.cli(
    "account",
    "connect",
    ...owner,
    "--channel",
    channel,
    "--provider",
    "simulator",
    "--label",
    options.label ?? `The ${channel}`,
    ...(options.settings === undefined ? [] : ["--settings", JSON.stringify(options.settings)]),
    ...(options.isDefault === true ? ["--default"] : [])
  )) as { readonly credential_id: number }
  expect(made.credential_id).toBeTypeOf("number")
  return made.credential_id
}

/** Connects a simulator account for the customer and gives its `credential_id`. */
export const newAccount = (
  server: Pick<Running, "cli">,
  customer: string,
  channel: string,
  options: AccountOptions = {}
) => connect(server, ["--customer", customer], channel, options)

export const newSharedAccount = (server: Pick<Running, "cli">, channel: string) =>
  connect(server, ["--shared"], channel, { label: `Platform ${channel}` })

/** A customer whose account of each channel behaves as given. */
export const customerWith = async (
  server: Pick<Running, "cli">,
  accounts: Readonly<Record<string, AccountOptions["settings"]>>
) => {
  const customer = await newCustomer(server)
  await Promise.all(
    Object.entries(accounts).map(([channel, settings]) =>
      newAccount(server, customer.id, channel, settings === undefined ? {} : { settings })
    )
  )
  return customer
}

/** Makes a template and gives its id. */
export const newTemplate = async (
  server: Pick<Running, "cli">,
  customer: string | number,
  body: string,
  name = "A template"
) => {
  const owner = ["--customer", String(customer)]
  const made = (await server.cli("template", "create", ...owner, "--name", name, "--body", body)) as {
    readonly id: number
  }
  expect(made.id).toBeTypeOf("number")
  return made.id
}

export interface Simulated {
  readonly phone: string
  readonly channel: string
  readonly text: string
  readonly code: string
  readonly at: string
}

/** Oldest first. */
export const simulated = async (server: Pick<Running, "url">, phone: string) => {
  const query = new URLSearchParams({ phone })
  const reply = await request(server, "GET", `/simulator/messages?${query}`)
  expect(reply.status, reply.text).toBe(200)
  const { data } = json<{ readonly data: ReadonlyArray<Simulated> }>(reply)
  return data.toSorted((a, b) => (a.at < b.at ? -1 : 1))
}

/** The text of the one message that the phone received. */
export const textOf = async (server: Pick<Running, "url">, phone: string) => {
  const received = await simulated(server, phone)
  expect(received).toHaveLength(1)
  return received.at(0)?.text
}

export const codeOf = (server: Pick<Running, "url">, phone: string) =>
  until(`a code for ${phone}`, async () => (await simulated(server, phone)).at(-1)?.code)

/** Sends a code to a new phone and reads it from the simulator. */
export const sentCode = async (
  server: Pick<Running, "url">,
  key: string,
  body: Readonly<Record<string, unknown>> = { channels: "sms" }
) => {
  const phone = typeof body["phone"] === "string" ? body["phone"] : newPhone()
  const { verification_id: id } = await otp(server, key).sent({ ...body, phone })
  return { id, phone, code: await codeOf(server, phone) }
}

/** The n-th code that is not the given one. */
export const wrongCode = (code: string, n = 1) =>
  String((Number(code) + n) % 10 ** code.length).padStart(code.length, "0")
