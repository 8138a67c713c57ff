import { Clock, Context, Effect, Layer, Option, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { Conflict } from "../../domain/Errors.ts"
import { MINUTE_MILLIS } from "../../domain/Instant.ts"
import { problem } from "../../domain/Problem.ts"
import { CONFIRMATION_DIGITS, CONFIRMATION_MILLIS } from "../../domain/alert/Alert.ts"
import { confirmationLetter } from "../../domain/alert/AlertText.ts"
import { PLATFORM } from "../../domain/customer/Customer.ts"
import { CustomerRecords } from "../customer/CustomerRecords.ts"
import { Verifications } from "../verification/Verifications.ts"
import { Mailer } from "./Mailer.ts"

type CodeResult = "right" | "wrong" | "ended"

/** The codes that confirm where alerts go. A phone is confirmed by a code of the customer, over its own accounts. */
export class AlertCodes extends Context.Service<
  AlertCodes,
  {
    readonly hasMail: boolean
    readonly sendToEmail: (
      customerId: number,
      address: string
    ) => Effect.Effect<{ readonly code: Redacted.Redacted; readonly expiresAt: number }, Conflict>
    readonly sendToPhone: (
      customerId: number,
      phone: string
    ) => Effect.Effect<{ readonly verificationId: string }, Conflict>
    readonly verifyPhone: (
      customerId: number,
      verificationId: string,
      code: string
    ) => Effect.Effect<CodeResult>
  }
>()("peyk/services/alert/AlertCodes") {
  private static readonly withMail = Effect.gen(function* () {
    const mailer = yield* Mailer
    const random = yield* SecureRandom.SecureRandom
    const customers = yield* CustomerRecords

    const sendToEmail = Effect.fnUntraced(function* (customerId: number, address: string) {
      const now = yield* Clock.currentTimeMillis
      const number = yield* random.intBetween(0, 10 ** CONFIRMATION_DIGITS, { halfOpen: true })
      const code = String(number).padStart(CONFIRMATION_DIGITS, "0")
      const customer =
        customerId === PLATFORM ? Option.none() : yield* Effect.option(customers.find(customerId))
      const { locale, name } = Option.getOrElse(customer, () => ({ locale: "en" as const, name: null }))
      const letter = confirmationLetter(code, CONFIRMATION_MILLIS / MINUTE_MILLIS, locale, name)
      const outcome = yield* mailer.send({ ...letter, to: address, id: yield* random.uuidV4(), at: now })
      if (outcome._tag !== "Sent")
        return yield* new Conflict({ problem: problem("alert_code_not_sent", { reason: outcome.reason }) })
      return { code: Redacted.make(code), expiresAt: now + CONFIRMATION_MILLIS }
    })
    return { hasMail: mailer.isOn, sendToEmail }
  })

  static readonly layer = Layer.effect(
    AlertCodes,
    Effect.gen(function* () {
      const verifications = yield* Verifications
      return AlertCodes.of({
        ...(yield* AlertCodes.withMail),
        sendToPhone: (customerId, phone) =>
          Effect.mapBoth(verifications.send({ customerId, phone }), {
            onFailure: ({ _tag }) =>
              new Conflict({ problem: problem("alert_code_not_sent", { reason: _tag }) }),
            onSuccess: ({ verificationId }) => ({ verificationId })
          }),
        verifyPhone: (customerId, id, code) =>
          Effect.match(verifications.verify({ customerId, id, code }), {
            onFailure: (): CodeResult => "ended",
            onSuccess: ({ reason }): CodeResult => {
              if (reason === "ok" || reason === "already_verified") return "right"
              return reason === "invalid_code" ? "wrong" : "ended"
            }
          })
      })
    })
  )

  /** Without the use cases of codes, as the command line has it: phones are confirmed in the console. */
  static readonly layerMail = Layer.effect(
    AlertCodes,
    Effect.map(AlertCodes.withMail, (mail) =>
      AlertCodes.of({
        ...mail,
        sendToPhone: () =>
          Effect.fail(
            new Conflict({ problem: problem("alert_code_not_sent", { reason: "add phones in the console" }) })
          ),
        verifyPhone: () => Effect.succeed("ended")
      })
    )
  )
}
