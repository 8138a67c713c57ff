/** A customer whose account is looked at with a personal access token. */
import { insertToken } from "../support/InsertedTokens.ts"
import { ok, request } from "./Client.ts"
import { newAccount, newCustomer } from "./Operator.ts"
import type { Server } from "./Server.ts"

export interface List<A> {
  readonly data: ReadonlyArray<A>
  readonly next_cursor: string | null
}

export interface Identified {
  readonly verification_id: string
  readonly message_id: string
}

export const query = (fields: Readonly<Record<string, string>>) => new URLSearchParams(fields).toString()

/** Charged, and with a bale that reaches nobody; its token, and one of another customer: the demo's. */
export const managedCustomer = async (server: Pick<Server, "url" | "cli" | "dataDir" | "demo">) => {
  const customer = await newCustomer(server, "start")
  await Promise.all([
    server.cli("wallet", "top-up", "--customer", customer.id, "--amount", "100000"),
    newAccount(server, customer.id, "bale", { settings: { outcome: "unreachable" } }),
    newAccount(server, customer.id, "eitaa"),
    newAccount(server, customer.id, "sms")
  ])
  const token = await insertToken(server.dataDir, customer.id)
  const others = await insertToken(server.dataDir, server.demo.customer_id)
  const get = (path: string, secret = token, method = "GET") =>
    request(server, method, `/v1/manage/${path}`, { headers: { authorization: `apikey ${secret}` } })
  const list = async <A = Identified>(path: string, secret = token) => ok<List<A>>(await get(path, secret))
  return { customer, token, others, get, list }
}
