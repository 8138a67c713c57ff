import { Layer } from "effect"
import { RetentionStoreLive } from "../../src/layers/graphs/LiveStores.ts"
import type { SettingsShape } from "../../src/services/Settings.ts"
import { DAY, TODAY } from "./OldRows.ts"
import { scriptProviders } from "./ScriptedProviders.ts"
import { testProcess } from "./TestGraph.ts"

export const daysAgo = (days: number) => TODAY - days * DAY

export const passOf = (task: "verifications" | "verification_phones", days: number) => ({
  task,
  from: 0,
  until: daysAgo(days),
  doneUntil: daysAgo(days),
  position: { at: 0, after: null }
})

/** A process with retention. */
export const retentionProcess = (settings: Partial<SettingsShape> = {}, providers = scriptProviders()) =>
  RetentionStoreLive.pipe(Layer.provideMerge(testProcess(providers.layer, settings, TODAY)))
