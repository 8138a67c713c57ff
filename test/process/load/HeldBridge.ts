/** A customer's gateway that answers when it is asked to, and a customer who sends by it. */
import { Effect, Exit, Scope } from "effect"
import { BRIDGE_SECRET, connectAccount } from "../../contract/FarEnds.ts"
import { newCustomer } from "../../contract/Operator.ts"
import { type Running, until } from "../../contract/Server.ts"
import { fakeFarEnd } from "../../support/fakes/FakeFarEnd.ts"

export const bridgeEnv = { PEYK_ALLOW_PRIVATE_ADDRESSES: "true", PEYK_PROVIDER_TIMEOUT_MS: "60000" }

const ACCEPTED = { json: { status: "accepted", message_id: "1" } }

export const openHeldBridge = async () => {
  const scope = Scope.makeUnsafe()
  const fake = await Effect.runPromise(
    Scope.provide(
      fakeFarEnd(() => ACCEPTED),
      scope
    )
  )
  let release = () => {}
  let released = Promise.resolve()
  return {
    /** From here on nothing is answered. */
    hold: () => {
      released = new Promise((resolve) => {
        release = resolve
      })
      const held = released
      fake.script(...Array.from({ length: 1000 }, () => () => held.then(() => ACCEPTED)))
    },
    release: () => release(),
    /** Once so many calls have come in, since the beginning. */
    called: (count: number) =>
      until(`${count} calls of the gateway`, async () => (fake.received.length >= count ? true : undefined)),
    customer: async (server: Pick<Running, "cli">) => {
      const customer = await newCustomer(server)
      await connectAccount(server, customer.id, "bale", "bridge", { url: fake.url, secret: BRIDGE_SECRET })
      return customer
    },
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

export type HeldBridge = Awaited<ReturnType<typeof openHeldBridge>>
