import { Context, Effect, Layer, Schema } from "effect"
import { PhoneText } from "../domain/Fields.ts"
import { parsePhone, type Phone } from "../domain/Phone.ts"
import type { KeyMode } from "../domain/customer/Customer.ts"
import { action, NoTarget } from "./Action.ts"
import { Messages, SandboxMessages } from "./message/Messages.ts"
import { SandboxVerifications, Verifications } from "./verification/Verifications.ts"

/** Something of a phone that has not ended. */
interface SendInProgress {
  readonly kind: "verification" | "message"
  readonly mode: KeyMode
  readonly id: string
}

/** How many records were erased, and how many links of bots were removed. */
interface Erased {
  readonly verifications: number
  readonly messages: number
  readonly contacts: number
}

export class PhoneErasureStore extends Context.Service<
  PhoneErasureStore,
  {
    readonly inProgress: (customerId: number, phone: Phone) => Effect.Effect<ReadonlyArray<SendInProgress>>
    /** Erases what has ended, as retention does later, in one transaction. */
    readonly erase: (customerId: number, phone: Phone) => Effect.Effect<Erased>
  }
>()("peyk/services/PhoneErasures/PhoneErasureStore") {}

/** Erases a phone on request. */
export class PhoneErasures extends Context.Service<
  PhoneErasures,
  {
    /** Cancels what is in progress to the phone. */
    readonly cancelOpen: (customerId: number, phone: Phone) => Effect.Effect<void>
    /** Erases the phone from what has ended. */
    readonly erase: (customerId: number, phone: Phone) => Effect.Effect<Erased>
  }
>()("peyk/services/PhoneErasures") {
  static readonly layer = Layer.effect(
    PhoneErasures,
    Effect.gen(function* () {
      const store = yield* PhoneErasureStore
      const codes = { live: yield* Verifications, test: yield* SandboxVerifications }
      const messages = { live: yield* Messages, test: yield* SandboxMessages }

      /** Nothing happens to what has ended, or is being sent. */
      const cancel = (customerId: number, { kind, mode, id }: SendInProgress): Effect.Effect<void> =>
        kind === "verification"
          ? Effect.ignore(codes[mode].cancel({ customerId, id }))
          : Effect.ignore(messages[mode].stop({ customerId, id }))

      return PhoneErasures.of({
        cancelOpen: Effect.fnUntraced(function* (customerId, phone) {
          const open = yield* store.inProgress(customerId, phone)
          yield* Effect.forEach(open, (subject) => cancel(customerId, subject), { discard: true })
        }),
        erase: store.erase
      })
    })
  )
}

export const EraseBody = Schema.Struct({ phone: PhoneText }).annotate({ identifier: "PhoneErasureRequest" })

/** Cancels what is in progress to a phone, each by itself, and then erases the phone together with the entry. */
export const erasePhone = action("phone.erase", {
  input: EraseBody,
  target: NoTarget,
  access: "writer",
  prepare: ({ actor: { customerId }, input }) =>
    Effect.fromResult(parsePhone(input.phone)).pipe(
      Effect.tap((phone) => PhoneErasures.use((erasures) => erasures.cancelOpen(customerId, phone)))
    ),
  run: ({ actor: { customerId } }, phone) =>
    PhoneErasures.use((erasures) => erasures.erase(customerId, phone)),
  // The log does not keep the phone either.
  audit: (erased, { actor: { customerId } }) => ({ id: customerId, details: { ...erased } })
})
