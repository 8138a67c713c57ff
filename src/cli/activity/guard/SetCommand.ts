import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { adviceOf } from "../../../domain/guard/GuardReport.ts"
import { GuardMode, type GuardSettings } from "../../../domain/guard/GuardSettings.ts"
import { MAX_GUARD_AMOUNT } from "../../../http/manage/guard/GuardApi.ts"
import { toWireChange, toWireSettings } from "../../../http/manage/guard/GuardSchemas.ts"
import { GuardRecords } from "../../../services/resources/activity/GuardRecords.ts"
import { auditEntriesOf } from "../../../services/resources/ManagementWrites.ts"
import { audited, withManagement } from "../../CommandContext.ts"
import { customerFlag, requireCustomer } from "../../input/CustomerFlag.ts"
import { defaultableFlag } from "../../input/DefaultableFlag.ts"
import { CommandError } from "../../output/CommandError.ts"
import { printOne } from "../../output/Output.ts"

const entry = auditEntriesOf("guard")

const amountFlag = (name: string, description: string) =>
  Flag.optional(
    defaultableFlag(name, `${description}; default restores it`, { minimum: 0, maximum: MAX_GUARD_AMOUNT })
  )

const warnUnlessAdvised = Effect.fnUntraced(function* (customer: number, mode: GuardMode | undefined) {
  if (mode !== "enforcing") return
  const { isAdvised, cleanDays, cleanVerified } = adviceOf(yield* (yield* GuardRecords).days(customer))
  if (isAdvised) return
  yield* Effect.logWarning(
    `enforcing is advised after 7 days without a user who would have been refused, among 3000 verified codes; ` +
      `so far ${cleanDays} days and ${cleanVerified} codes`
  )
})

const describeConflict = () => new CommandError({ message: "somebody else changed it; try again" })

export const setCommand = Command.make(
  "set",
  {
    customer: customerFlag,
    mode: Flag.Literals("mode", GuardMode.literals).pipe(
      Flag.withDescription("off, record (refuses only what is on the deny list) or enforcing"),
      Flag.optional
    ),
    unverifiedHour: amountFlag("unverified-hour", "Unverified codes that may be out in an hour; 0: no limit"),
    smsPrice: amountFlag("sms-price", "The price of one SMS to the customer, in rials, for the report")
  },
  ({ customer, mode, unverifiedHour, smsPrice }) =>
    withManagement(
      Effect.gen(function* () {
        yield* requireCustomer(customer)
        const change: Partial<GuardSettings> = {
          ...(Option.isSome(mode) ? { mode: mode.value } : {}),
          ...(Option.isSome(unverifiedHour) ? { unverifiedHour: unverifiedHour.value } : {}),
          ...(Option.isSome(smsPrice) ? { smsPrice: smsPrice.value } : {})
        }
        yield* warnUnlessAdvised(customer, change.mode)
        const saved = yield* audited(
          customer,
          (yield* GuardRecords).save(customer, change, null).pipe(Effect.mapError(describeConflict)),
          () => entry("save", customer, toWireChange(change))
        )
        yield* printOne(toWireSettings(saved))
      })
    )
).pipe(Command.withDescription("Change a customer's guard: mode, budget, price of an SMS"))
