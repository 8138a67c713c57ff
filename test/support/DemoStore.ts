import * as NodeServices from "@effect/platform-node/NodeServices"
import { ConfigProvider, Effect, Layer } from "effect"
import { readConfiguration } from "../../src/cli/CommandContext.ts"
import { createDemoCustomer } from "../../src/layers/customer/DemoCustomer.ts"
import { Infrastructure } from "../../src/layers/graphs/Infrastructure.ts"
import { ManagementLive } from "../../src/layers/graphs/Management.ts"

/** Makes the demo customer in a store that is not embedded, as the program does in an embedded one. */
export const makeDemoIn = (env: Readonly<Record<string, string>>): Promise<unknown> =>
  Effect.gen(function* () {
    const configuration = yield* readConfiguration
    const store = Layer.provideMerge(ManagementLive, Infrastructure(configuration))
    return yield* Effect.provide(createDemoCustomer(configuration.dataDirectory), store)
  }).pipe(
    Effect.scoped,
    Effect.provide([NodeServices.layer, ConfigProvider.layer(ConfigProvider.fromEnv({ env }))]),
    Effect.runPromise
  )
