import { expect } from "vitest"
import type { Received } from "../../support/fakes/FakeFarEnd.ts"
import { messages, otp } from "../Client.ts"
import { BRIDGE_SECRET, connectAccount, openFarEnds } from "../FarEnds.ts"
import { newCustomer } from "../Operator.ts"
import { startServer } from "../Server.ts"

const TIMEOUT_MS = 2_000

/** A server whose providers are all fakes, and accounts over them by name. */
export const openProviders = async () => {
  const ends = await openFarEnds()
  const server = await startServer({
    env: {
      ...ends.env,
      PEYK_PROVIDER_TIMEOUT_MS: String(TIMEOUT_MS),
      // Several failures in a row are wanted here.
      PEYK_COOLDOWN_FAILURES: "1000"
    }
  })
  const customer = await newCustomer(server)
  /** The `credential_id` of every account; those of smsir that are not in order have names of their own. */
  const ids = new Map<string, number>()
  const account = (name: string) => {
    const id = ids.get(name)
    if (id === undefined) throw new Error(`no account ${name}`)
    return id
  }
  const connect = async (
    name: string,
    channel: string,
    provider: string,
    settings: object,
    ...flags: ReadonlyArray<string>
  ) => {
    ids.set(name, await connectAccount(server, customer.id, channel, provider, settings, ...flags))
  }
  return {
    ends,
    server,
    codes: otp(server, customer.live),
    live: messages(server, customer.live),
    connect,
    account,
    over: (channel: string, name: string) => ({ channel, account_id: account(name) }),
    close: async () => {
      await server.stop()
      await ends.close()
    }
  }
}

export type ProviderWorld = Awaited<ReturnType<typeof openProviders>>

/** A bridge account's settings. */
export const bridgeAt = (url: string) => ({ url: `${url}/send`, secret: BRIDGE_SECRET })

export const only = <A>(all: ReadonlyArray<A>): A => {
  const [one] = all
  expect(all).toHaveLength(1)
  if (one === undefined) throw new Error("none")
  return one
}

export const field = (received: Received | undefined, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>((value, name) => Object(value)[name], received?.json)

export const otpOf = (received: Received | undefined) =>
  String(field(received, "message_data", "otp_message", "otp"))
export const parameterOf = (received: Received | undefined) =>
  String(field(received, "parameters", 0, "value"))
