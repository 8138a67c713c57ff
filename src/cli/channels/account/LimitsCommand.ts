import { Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { DAY_MILLIS } from "../../../domain/Instant.ts"
import { IntegerText } from "../../../layers/config/Setting.ts"
import { Accounts } from "../../../services/resources/accounts/Accounts.ts"
import { withManagement } from "../../CommandContext.ts"
import { accountFlag, noAccount } from "../../input/AccountFlag.ts"
import { changeAccount } from "./AccountChanges.ts"
import { printAccount } from "./AccountOutput.ts"

/** A number, or `default`. */
const paceFlag = (name: string, description: string, maximum: number) =>
  Flag.String(name).pipe(
    Flag.withDescription(`${description}; or default`),
    Flag.withSchema(
      Schema.Union([Schema.Literal("default"), IntegerText.check(Schema.isBetween({ minimum: 0, maximum }))])
    ),
    Flag.optional
  )

/** Undefined: no change; null: the default. */
const paceOf = (given: Option.Option<number | "default">): number | null | undefined =>
  Option.getOrUndefined(Option.map(given, (pace) => (pace === "default" ? null : pace)))

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
        const change = { gapMillis: paceOf(gapMillis), perMinute: paceOf(perMinute) }
        const isShown = change.gapMillis === undefined && change.perMinute === undefined
        const record = isShown
          ? accounts.find(yield* accounts.ownerOf(account), account)
          : changeAccount(account, change, { gap_ms: change.gapMillis, per_minute: change.perMinute })
        yield* printAccount(yield* record)
      }).pipe(Effect.mapError(noAccount(account)))
    )
).pipe(Command.withDescription("Show or override how fast an account sends"))
