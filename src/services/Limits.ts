import { Context, Effect, Layer } from "effect"
import type { PhoneLimits } from "../domain/Admission.ts"
import { Customers } from "./Customers.ts"
import { Settings } from "./Settings.ts"

const UNLIMITED: PhoneLimits = { hour: 0, day: 0, platformDay: 0 }

/** How often a customer may send to one phone. They are counted where a request is accepted. */
export class Limits extends Context.Service<
  Limits,
  {
    readonly ofCodes: (customerId: number) => Effect.Effect<PhoneLimits>
    readonly ofMessages: (customerId: number) => Effect.Effect<PhoneLimits>
  }
>()("peyk/services/Limits") {
  /** The platform's, or the customer's own. */
  static readonly layer = Layer.effect(
    Limits,
    Effect.gen(function* () {
      const settings = yield* Settings
      const customers = yield* Customers
      return Limits.of({
        ofCodes: (customerId) =>
          Effect.map(customers.configuration(customerId), ({ limits }) => ({
            hour: limits.phone_hour ?? settings.phoneHourLimit,
            day: limits.phone_day ?? settings.phoneDayLimit,
            platformDay: settings.platformPhoneDayLimit
          })),
        ofMessages: (customerId) =>
          Effect.map(customers.configuration(customerId), ({ limits }) => ({
            hour: limits.message_phone_hour ?? settings.messagePhoneHourLimit,
            day: limits.message_phone_day ?? settings.messagePhoneDayLimit,
            platformDay: 0
          }))
      })
    })
  )

  static readonly layerUnlimited = Layer.succeed(
    Limits,
    Limits.of({ ofCodes: () => Effect.succeed(UNLIMITED), ofMessages: () => Effect.succeed(UNLIMITED) })
  )
}
