import * as NodeServices from "@effect/platform-node/NodeServices"
import { ConfigProvider, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { readConfiguration } from "../../src/cli/Configured.ts"
import { createDemoCustomer, createTrialCustomer } from "../../src/layers/customer/DemoCustomer.ts"
import { Infrastructure } from "../../src/layers/graphs/Infrastructure.ts"
import { ManagementLive } from "../../src/layers/graphs/Management.ts"

type Environment = Readonly<Record<string, string>>

const management = Effect.map(readConfiguration, (configuration) => ({
  configuration,
  store: Layer.provideMerge(ManagementLive, Infrastructure(configuration))
}))

const inEnvironment = (env: Environment) =>
  Effect.provide([NodeServices.layer, ConfigProvider.layer(ConfigProvider.fromEnv({ env }))])

/** Makes the demo customer in a store that is not embedded, as the program does in an embedded one. */
export const makeDemoIn = (env: Environment): Promise<unknown> =>
  Effect.gen(function* () {
    const { configuration, store } = yield* management
    return yield* Effect.provide(createDemoCustomer(configuration.dataDirectory), store)
  }).pipe(Effect.scoped, inEnvironment(env), Effect.runPromise)

/** Makes another customer like the demo customer, in a store that has one. */
export const makeAnotherDemo = (env: Environment) =>
  Effect.gen(function* () {
    const { store } = yield* management
    return yield* Effect.provide(createTrialCustomer(`owner-${randomUUID()}@demo.peyk.invalid`), store)
  }).pipe(Effect.scoped, inEnvironment(env), Effect.runPromise)
