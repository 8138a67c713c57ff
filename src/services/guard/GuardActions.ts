import { Effect, Schema } from "effect"
import { defaultGuard, EntryType, GuardList, GuardMode } from "../../domain/guard/GuardSettings.ts"
import type { Actor } from "../../domain/user/Actor.ts"
import { action, NoInput, NoTarget } from "../Action.ts"
import { GuardRecords } from "./GuardRecords.ts"

export const MAX_GUARD_AMOUNT = 1_000_000_000
const GuardAmount = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: MAX_GUARD_AMOUNT }))

const budget = {
  unverified_hour: Schema.optionalKey(Schema.NullOr(GuardAmount)).annotateKey({
    description:
      "When enforcing, how many codes of an hour may be unverified at once; null: Peyk derives it from your traffic, 0: no limit."
  }),
  sms_price: Schema.optionalKey(Schema.NullOr(GuardAmount)).annotateKey({
    description: "What one SMS costs you, in rials, for the report."
  })
}

export const GuardBody = Schema.Struct({ mode: GuardMode, ...budget }).annotate({ identifier: "NewGuard" })
export const GuardChangeBody = Schema.Struct({ mode: Schema.optionalKey(GuardMode), ...budget }).annotate({
  identifier: "GuardChange"
})

export const EntryBody = Schema.Struct({
  type: EntryType,
  value: Schema.String.check(Schema.isMaxLength(64)).annotateKey({
    description: "A phone, the beginning of phones, or an address or network."
  })
}).annotate({ identifier: "NewGuardEntry" })

const settingsOf = ({ mode, unverified_hour, sms_price }: typeof GuardChangeBody.Type) => ({
  ...(mode === undefined ? {} : { mode }),
  ...(unverified_hour === undefined ? {} : { unverifiedHour: unverified_hour }),
  ...(sms_price === undefined ? {} : { smsPrice: sms_price })
})

const settingsBefore = ({ actor: { customerId } }: { readonly actor: Actor }) =>
  Effect.map(
    GuardRecords.use((guard) => guard.settings(customerId)),
    ({ mode, unverifiedHour, smsPrice }) => ({
      values: { mode, unverified_hour: unverifiedHour, sms_price: smsPrice }
    })
  )

/** All settings: absent ones become the defaults. */
export const replaceGuard = action("guard.replace", {
  input: GuardBody,
  target: NoTarget,
  access: "writer",
  before: settingsBefore,
  run: ({ actor, version, input }) =>
    GuardRecords.use((guard) =>
      guard.save(actor.customerId, { ...defaultGuard, ...settingsOf(input) }, version)
    ),
  audit: ({ mode, unverifiedHour, smsPrice }, { actor }) => ({
    id: actor.customerId,
    details: { mode, unverified_hour: unverifiedHour, sms_price: smsPrice }
  }),
  auditedAs: "guard.save"
})

/** Some settings: absent ones stay as they are. */
export const changeGuard = action("guard.update", {
  input: GuardChangeBody,
  target: NoTarget,
  access: "writer",
  before: settingsBefore,
  run: ({ actor, version, input }) =>
    GuardRecords.use((guard) => guard.save(actor.customerId, settingsOf(input), version)),
  audit: (_, { actor, input }) => ({ id: actor.customerId, details: input }),
  auditedAs: "guard.save"
})

/** To one of the lists. The audit log names no phone. */
export const addGuardEntry = action("guard.add", {
  input: EntryBody,
  target: GuardList,
  access: "writer",
  run: ({ actor, target, input }) => GuardRecords.use((guard) => guard.add(actor.customerId, target, input)),
  audit: (_, { actor, target, input }) => ({
    id: actor.customerId,
    details: { list: target, type: input.type }
  })
})

export const removeGuardEntry = action("guard.remove", {
  input: EntryBody,
  target: GuardList,
  access: "writer",
  run: ({ actor, target, input }) =>
    GuardRecords.use((guard) => guard.remove(actor.customerId, target, input)),
  audit: (_, { actor, target, input }) => ({
    id: actor.customerId,
    details: { list: target, type: input.type }
  })
})

/** Ends an alarm, and forgets what raised it. */
export const clearAlarm = action("guard.clear", {
  input: NoInput,
  target: Schema.String,
  access: "writer",
  run: ({ actor, target }) => GuardRecords.use((guard) => guard.clear(actor.customerId, target)),
  audit: ({ id, reason }) => ({ id, details: { reason } })
})
