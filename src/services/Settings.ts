import { Context } from "effect"
import { defaultRetention } from "../domain/Retention.ts"
import { defaultTimers } from "../domain/Schedules.ts"
import { defaultCooldown } from "../domain/account/Cooldown.ts"
import { defaultPace } from "../domain/account/Pace.ts"
import { defaultIdempotency } from "../domain/customer/IdempotencyKey.ts"
import { defaultLimits } from "../domain/customer/Limits.ts"
import { defaultPatience } from "../domain/message/MessageMachine.ts"
import { defaultPrices } from "../domain/money/Charging.ts"
import { defaultVoice } from "../domain/verification/PhoneCalls.ts"
import { defaultQuota } from "../domain/money/Quota.ts"
import { defaultCodes } from "../domain/verification/CodeRules.ts"
import { defaultCalls } from "./provider/ProviderAdapter.ts"

/** What an operator can change. Each stands, with its default, beside the rule that it is for. */
export const defaultSettings = {
  ...defaultCodes,
  ...defaultVoice,
  ...defaultLimits,
  ...defaultQuota,
  ...defaultPrices,
  ...defaultPace,
  ...defaultCooldown,
  ...defaultPatience,
  ...defaultCalls,
  ...defaultTimers,
  ...defaultRetention,
  ...defaultIdempotency
}

export type SettingsShape = Readonly<typeof defaultSettings>

export const Settings = Context.Reference<SettingsShape>("peyk/services/Settings", {
  defaultValue: () => defaultSettings
})
