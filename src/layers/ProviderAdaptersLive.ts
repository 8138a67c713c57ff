import { Effect, Layer } from "effect"
import { ProviderAdapters } from "../services/ProviderAdapter.ts"
import { Simulator } from "../services/Simulator.ts"
import { simulatorAdapter } from "./providers/SimulatorAdapter.ts"

export const ProviderAdaptersLive = Layer.effect(
  ProviderAdapters,
  Effect.map(Simulator, (simulator) => {
    const adapters = [simulatorAdapter(simulator)]
    return new Map(adapters.map((adapter) => [adapter.name, adapter]))
  })
)
