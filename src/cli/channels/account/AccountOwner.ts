import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { customerFlag, requireCustomer } from "../../input/CustomerFlag.ts"
import { CommandError } from "../../output/CommandError.ts"

export const ownerFlags = {
  customer: Flag.optional(customerFlag),
  shared: Flag.Boolean("shared").pipe(
    Flag.withDescription("An account of the platform, shared by customers"),
    Flag.withDefault(false)
  )
}

export const ownerOf = Effect.fnUntraced(function* (customer: Option.Option<number>, shared: boolean) {
  if (Option.isSome(customer) === shared) {
    return yield* new CommandError({ message: "give either --customer ID or --shared" })
  }
  if (Option.isNone(customer)) return null
  return (yield* requireCustomer(customer.value)).id
})
