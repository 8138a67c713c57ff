import { Effect, Exit, Scope } from "effect"
import { insertToken } from "../../support/InsertedTokens.ts"
import { fakeFarEnd } from "../../support/fakes/FakeFarEnd.ts"
import { sharedServerWithDemo } from "../SharedServer.ts"

/** The run's server, a token for everything of the demo's customer, and a far end that answers webhooks with a status. */
export const startReceiver = async (status: number) => {
  const scope = Scope.makeUnsafe()
  const server = await sharedServerWithDemo()
  const fake = await Effect.runPromise(fakeFarEnd(() => ({ status })).pipe(Scope.provide(scope)))
  return {
    server,
    owner: await insertToken(server.dataDir, server.demo.customer_id),
    fake,
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
