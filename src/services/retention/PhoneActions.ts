import { Effect, Schema } from "effect"
import { PhoneText } from "../../domain/Fields.ts"
import { parsePhone } from "../../domain/Phone.ts"
import { action, NoTarget } from "../Action.ts"
import { PhoneErasures } from "./PhoneErasures.ts"

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
