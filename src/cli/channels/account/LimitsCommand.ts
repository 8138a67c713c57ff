import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { DAY_MILLIS } from "../../../domain/Instant.ts"
import { Accounts } from "../../../services/resources/accounts/Accounts.ts"
import { withManagement } from "../../CommandContext.ts"
import { accountFlag, noAccount } from "../../input/AccountFlag.ts"
import { defaultableFlag } from "../../input/DefaultableFlag.ts"
import { changeAccount } from "./AccountChanges.ts"
import { printAccount } from "./AccountOutput.ts"

const paceFlag = (name: string, description: string, maximum: number) =>
  Flag.optional(defaultableFlag(name, `${description}; or default`, { minimum: 0, maximum }))

export const limitsCommand = Command.make(
  "limits",
  {
    account: accountFlag,
    gapMillis: paceFlag("gap-ms", "Least time between two sends (0: none)", DAY_MILLIS),
    perMinute: paceFlag("per-minute", "Sends in any minute (0: no limit)", 100_000)
  },
  ({ account, gapMillis, perMinute }) =>
    withManagement(
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const change = {
          gapMillis: Option.getOrUndefined(gapMillis),
          perMinute: Option.getOrUndefined(perMinute)
        }
        const isShown = change.gapMillis === undefined && change.perMinute === undefined
        const record = isShown
          ? accounts.find(yield* accounts.ownerOf(account), account)
          : changeAccount(account, change, { gap_ms: change.gapMillis, per_minute: change.perMinute })
        yield* printAccount(yield* record)
      }).pipe(Effect.mapError(noAccount(account)))
    )
).pipe(Command.withDescription("Show or override how fast an account sends"))
