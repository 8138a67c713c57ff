import { Context, Effect, Layer } from "effect"
import type { PhoneLimits } from "../../../domain/people/Admission.ts"
import type { CustomerConfiguration } from "../../../domain/people/Customer.ts"
import type { Phone } from "../../../domain/Phone.ts"
import { sandboxRefusal, type SandboxRefusal } from "../../../domain/verification/SandboxPhone.ts"
import { Settings } from "../../Settings.ts"

const UNLIMITED: PhoneLimits = { hour: 0, day: 0, platformDay: 0, callers: 0 }

/** How often a customer can send to one phone. The statement that accepts a request counts it. */
export class Limits extends Context.Service<
  Limits,
  {
    readonly ofCodes: (customer: Pick<CustomerConfiguration, "limits">) => PhoneLimits
    readonly ofMessages: (customer: Pick<CustomerConfiguration, "limits">) => PhoneLimits
    /** A refusal that the sandbox simulates for this phone. */
    readonly simulatedRefusal: (phone: Phone) => SandboxRefusal | undefined
  }
>()("peyk/services/customer/limits/Limits") {
  /** The platform's limits, or the customer's own. */
  static readonly layer = Layer.effect(
    Limits,
    Effect.map(Settings, (settings) =>
      Limits.of({
        ofCodes: ({ limits }) => ({
          hour: limits.phone_hour ?? settings.phoneHourLimit,
          day: limits.phone_day ?? settings.phoneDayLimit,
          platformDay: settings.platformPhoneDayLimit,
          callers: 0
        }),
        ofMessages: ({ limits }) => ({
          hour: limits.message_phone_hour ?? settings.messagePhoneHourLimit,
          day: limits.message_phone_day ?? settings.messagePhoneDayLimit,
          platformDay: 0,
          callers: 0
        }),
        simulatedRefusal: () => undefined
      })
    )
  )

  /** No limits, but the refusals of the phones that are for them. */
  static readonly layerSandbox = Layer.succeed(
    Limits,
    Limits.of({
      ofCodes: () => UNLIMITED,
      ofMessages: () => UNLIMITED,
      simulatedRefusal: sandboxRefusal
    })
  )
}
