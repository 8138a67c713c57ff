import { Clock, Effect, Option, Redacted, Schema } from "effect"
import { Conflict, fieldError, NotFound } from "../../domain/Errors.ts"
import { GivenSecret, Name } from "../../domain/Fields.ts"
import { problem } from "../../domain/Problem.ts"
import type { Actor } from "../../domain/user/Actor.ts"
import { hasFactor, isNeeded, MAX_PASSKEYS, readFactor } from "../../domain/user/SecondFactor.ts"
import { matchingStep, minutesOff } from "../../domain/user/Totp.ts"
import { loggedName } from "../../domain/user/User.ts"
import { action, NoInput, NoTarget, requireFresh } from "../Action.ts"
import { ConsoleSessions } from "./ConsoleSessions.ts"
import { type AppOffer, AppCodeLimits, FactorOffers, Passkeys, SecondFactors } from "./SecondFactors.ts"
import { requireFreshSession, Users } from "./Users.ts"

/** Before any code was accepted. */
const NO_STEP = -1

/** Codes for somebody who sets up their first factor, so that they are not locked out with its loss; else none. */
const firstRecoveryCodes = Effect.fnUntraced(function* (userId: string) {
  const factors = yield* SecondFactors
  const { recoveryCodes } = yield* factors.stateOf(userId)
  return recoveryCodes > 0 ? [] : yield* factors.newRecoveryCodes(userId, yield* Clock.currentTimeMillis)
})

/** The step of the code that confirms an app; for a code of another time it says how far the phone's clock is off. */
const confirmedStep = Effect.fnUntraced(function* ({ codeAt }: AppOffer, text: string) {
  const now = yield* Clock.currentTimeMillis
  const given = readFactor(text)
  const code = given?.kind === "app" ? given.code : ""
  const step = matchingStep(codeAt, code, now, NO_STEP)
  if (step !== null) return step
  const minutes = minutesOff(codeAt, code, now)
  return yield* fieldError(
    "code",
    minutes === null ? problem("factor_wrong") : problem("clock_off", { minutes })
  )
})

const isOwn =
  (field: string) =>
  ({ actor }: { readonly actor: Actor }) =>
    requireFreshSession(actor, field)

/** Sets up the person's authenticator app, or replaces it. `offer` is what its page has sealed. */
export const enrolApp = action("user.enrol_app", {
  input: Schema.Struct({ offer: GivenSecret, code: GivenSecret }),
  target: NoTarget,
  access: "anyone",
  allow: isOwn("code"),
  run: ({ actor, input: { offer, code } }) =>
    Effect.gen(function* () {
      const [offers, factors] = [yield* FactorOffers, yield* SecondFactors]
      const now = yield* Clock.currentTimeMillis
      const app = offers.openApp(actor.id, Redacted.value(offer), now)
      if (Option.isNone(app)) return yield* fieldError("code", problem("factor_form_expired"))
      const step = yield* confirmedStep(app.value, Redacted.value(code))
      yield* factors.saveApp(actor.id, app.value.key, step, now)
      return yield* firstRecoveryCodes(actor.id)
    }),
  audit: (_, { actor }) => ({ id: actor.id, name: loggedName(actor.name) })
})

/** Takes a factor away from its person, unless they must have one, and it is the last. Recovery codes go with the last. */
const removing = Effect.fnUntraced(function* <A, E, R>(userId: string, remove: Effect.Effect<A, E, R>) {
  const factors = yield* SecondFactors
  if (isNeeded(yield* factors.stateOf(userId)))
    return yield* new Conflict({ problem: problem("factor_needed") })
  const removed = yield* remove
  if (!hasFactor(yield* factors.stateOf(userId))) yield* factors.clear(userId)
  return removed
})

export const removeApp = action("user.remove_app", {
  input: NoInput,
  target: NoTarget,
  access: "anyone",
  allow: ({ actor }) => requireFresh(actor),
  run: ({ actor }) =>
    Effect.flatMap(SecondFactors, (factors) => removing(actor.id, factors.removeApp(actor.id))),
  audit: (_, { actor }) => ({ id: actor.id, name: loggedName(actor.name) })
})

/** Adds a passkey that the person's browser has made. */
export const addPasskey = action("user.add_passkey", {
  input: Schema.Struct({ name: Name, offer: GivenSecret, passkey: Schema.String }),
  target: NoTarget,
  access: "anyone",
  allow: isOwn("name"),
  run: ({ actor, input: { name, offer, passkey } }) =>
    Effect.gen(function* () {
      const [offers, factors] = [yield* FactorOffers, yield* SecondFactors]
      const now = yield* Clock.currentTimeMillis
      const challenge = offers.openChallenge(actor.id, Redacted.value(offer), now)
      if (Option.isNone(challenge)) return yield* fieldError("name", problem("factor_form_expired"))
      const { passkeys } = yield* factors.stateOf(actor.id)
      if (passkeys.length >= MAX_PASSKEYS)
        return yield* fieldError("name", problem("too_many_passkeys", { maximum: MAX_PASSKEYS }))
      const created = yield* (yield* Passkeys).created(passkey, challenge.value)
      if (Option.isNone(created)) return yield* fieldError("name", problem("passkey_refused"))
      if (!(yield* factors.addPasskey(actor.id, created.value, name, now)))
        return yield* fieldError("name", problem("passkey_known"))
      return yield* firstRecoveryCodes(actor.id)
    }),
  audit: (_, { actor, input: { name } }) => ({
    id: actor.id,
    name: loggedName(actor.name),
    details: { passkey: name }
  })
})

export const removePasskey = action("user.remove_passkey", {
  input: NoInput,
  target: Schema.String,
  access: "anyone",
  allow: ({ actor }) => requireFresh(actor),
  run: ({ actor, target }) =>
    Effect.gen(function* () {
      const factors = yield* SecondFactors
      const removed = yield* removing(actor.id, factors.removePasskey(actor.id, target))
      return Option.isSome(removed) ? removed.value : yield* new NotFound()
    }),
  audit: (passkey, { actor }) => ({ id: actor.id, name: loggedName(actor.name), details: { passkey } })
})

/** New recovery codes: the earlier ones stop working. */
export const renewRecoveryCodes = action("user.renew_recovery_codes", {
  input: NoInput,
  target: NoTarget,
  access: "anyone",
  allow: ({ actor }) => requireFresh(actor),
  run: ({ actor }) =>
    Effect.gen(function* () {
      const factors = yield* SecondFactors
      if (!hasFactor(yield* factors.stateOf(actor.id))) return yield* new NotFound()
      return yield* factors.newRecoveryCodes(actor.id, yield* Clock.currentTimeMillis)
    }),
  audit: (_, { actor }) => ({ id: actor.id, name: loggedName(actor.name) })
})

/** For somebody who has lost theirs: they sign in without one, and are signed out everywhere until then. */
export const resetSecondFactor = action("user.reset_second_factor", {
  input: NoInput,
  target: Schema.String,
  access: "owner",
  allow: ({ actor }) => requireFresh(actor),
  run: ({ actor, target }) =>
    Effect.gen(function* () {
      const user = yield* Users.use((users) => users.find(actor.customerId, target))
      yield* SecondFactors.use((factors) => factors.clear(target))
      yield* AppCodeLimits.use((limits) => limits.forget(target))
      const sessions = yield* ConsoleSessions
      yield* sessions.endAll(target, yield* Clock.currentTimeMillis)
      return { ...user, hasSecondFactor: false }
    }),
  audit: ({ id, name }) => ({ id, name: loggedName(name) })
})
