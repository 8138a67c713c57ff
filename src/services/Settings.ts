import { Context } from "effect"
import { defaultRetention } from "../domain/Retention.ts"
import { defaultTimers } from "../domain/Schedules.ts"
import { defaultPace } from "../domain/account/Pace.ts"
import { defaultLimits } from "../domain/customer/Limits.ts"
import { defaultPatience } from "../domain/message/MessageMachine.ts"
import { defaultPrices } from "../domain/money/Charging.ts"
import { defaultVoice } from "../domain/verification/PhoneCalls.ts"
import { defaultCodes } from "../domain/verification/Verification.ts"
import { defaultCalls } from "./provider/ProviderAdapter.ts"

/** What an operator can change. Each stands, with its default, beside the rule that it is for. */
export const defaultSettings = {
  ...defaultCodes,
  ...defaultVoice,
  ...defaultLimits,
  ...defaultPrices,
  ...defaultPace,
  ...defaultPatience,
  ...defaultCalls,
  ...defaultTimers,
  ...defaultRetention
}

export type SettingsShape = Readonly<typeof defaultSettings>

export const Settings = Context.Reference<SettingsShape>("peyk/services/Settings", {
  defaultValue: () => defaultSettings
})
