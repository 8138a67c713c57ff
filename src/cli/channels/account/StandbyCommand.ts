import { Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { withManagement } from "../../CommandContext.ts"
import { accountFlag, noAccount } from "../../input/AccountFlag.ts"
import { describeError } from "../../output/CommandError.ts"
import { changeAccount } from "./AccountChanges.ts"
import { printAccount } from "./AccountOutput.ts"

const ids = Schema.String.check(
  Schema.isPattern(/^(\d{1,9}(,\d{1,9})*)?$/, { message: "account ids, separated by commas" })
)

export const standbyCommand = Command.make(
  "standby",
  {
    account: accountFlag,
    by: Flag.String("by").pipe(
      Flag.withDescription('Accounts of its channel, in order, e.g. 7,8; "" removes them'),
      Flag.withSchema(ids)
    )
  },
  ({ account, by }) =>
    withManagement(
      Effect.gen(function* () {
        const wanted = by === "" ? [] : by.split(",").map(Number)
        yield* printAccount(yield* changeAccount(account, { standby: wanted }, { standby: wanted }))
      }).pipe(
        Effect.mapError((error) =>
          error._tag === "validation_error" ? describeError(error) : noAccount(account)()
        )
      )
    )
).pipe(Command.withDescription("Set the accounts that take over with a code when one cannot send it"))
