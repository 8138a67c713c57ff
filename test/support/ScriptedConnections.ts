import { Effect, Layer } from "effect"
import {
  liveMessageStore,
  LiveMessagePorts,
  messageGraph,
  MessagesSandbox
} from "../../src/layers/graphs/MessageGraph.ts"
import {
  ProviderEndpoints,
  type ProviderEndpointsShape
} from "../../src/layers/provider/ProviderEndpoints.ts"
import { timerGraph } from "../../src/layers/graphs/TimerGraph.ts"
import {
  LivePorts,
  liveStore,
  VerificationsSandbox,
  verificationGraph
} from "../../src/layers/graphs/VerificationGraph.ts"
import { AccountConnections, AccountUnusable } from "../../src/services/account/AccountSlots.ts"
import { BotInboxes } from "../../src/services/account/BotInboxes.ts"
import type { ProviderConnection } from "../../src/services/provider/ProviderAdapter.ts"
import type { Providers } from "../../src/services/provider/Providers.ts"
import type { SettingsShape } from "../../src/services/Settings.ts"
import { testProcess } from "./TestGraph.ts"

/** A connection that can do nothing but what the test says. */
export const connectionWith = (changes: Partial<ProviderConnection>): ProviderConnection => ({
  traits: {
    sendsCodes: true,
    sendsTexts: true,
    deduplicatesCodes: false,
    deduplicatesTexts: false,
    reportsDelivery: false,
    needsContact: false
  },
  sendCode: () => Effect.die("no code is sent here"),
  sendText: () => Effect.die("no text is sent here"),
  check: null,
  deliveryReport: null,
  inbox: null,
  ...changes
})

export type Connect = (accountId: number) => ProviderConnection | AccountUnusable

export const switchedOff = new AccountUnusable({ message: "the account was switched off" })

/** The accounts are what the test says, each time they are asked for. */
export const scriptConnections = (connect: Connect) =>
  Layer.succeed(
    AccountConnections,
    AccountConnections.of({
      of: (accountId) =>
        Effect.suspend(() => {
          const connection = connect(accountId)
          return connection instanceof AccountUnusable ? Effect.fail(connection) : Effect.succeed(connection)
        })
    })
  )

/** A process whose sends are scripted, and whose reports and updates come from scripted connections. */
export const connectedProcess = (
  providers: Layer.Layer<Providers>,
  connect: Connect,
  changes: {
    readonly settings?: Partial<SettingsShape>
    readonly endpoints?: ProviderEndpointsShape
  } = {}
) => {
  const graphs = {
    live: verificationGraph(liveStore, Layer.merge(LivePorts, providers)),
    messages: messageGraph(liveMessageStore, Layer.merge(LiveMessagePorts, providers)),
    sandbox: VerificationsSandbox,
    sandboxMessages: MessagesSandbox
  }
  const ground = testProcess(providers, changes.settings)
  return Layer.fresh(timerGraph(graphs)).pipe(
    Layer.provideMerge(Layer.fresh(BotInboxes.layer)),
    Layer.provideMerge(scriptConnections(connect)),
    Layer.provideMerge(
      changes.endpoints === undefined
        ? ground
        : Layer.provide(ground, Layer.succeed(ProviderEndpoints, changes.endpoints))
    )
  )
}
