import { Effect } from "effect"
import { Command } from "effect/cli"
import { totalsOf } from "../../domain/guard/GuardReport.ts"
import { toWireGuard } from "../../http/manage/guard/GuardSchemas.ts"
import { GuardRecords } from "../../services/resources/activity/GuardRecords.ts"
import { withManagement } from "../CommandContext.ts"
import { customerFlag, requireCustomer } from "../input/CustomerFlag.ts"
import { printMany, printOne } from "../output/Output.ts"
import { alarmsCommand, clearCommand } from "./guard/AlarmCommands.ts"
import { listCommands } from "./guard/ListCommands.ts"
import { setCommand } from "./guard/SetCommand.ts"

const show = Command.make("show", { customer: customerFlag }, ({ customer }) =>
  withManagement(
    Effect.gen(function* () {
      yield* requireCustomer(customer)
      const guard = yield* GuardRecords
      const saved = yield* guard.settings(customer)
      const days = yield* guard.days(customer)
      yield* printOne(toWireGuard(saved, yield* guard.state(customer), days))
    })
  )
).pipe(Command.withDescription("Show a customer's guard: settings, alarms, and a report of refusals"))

const days = Command.make("days", { customer: customerFlag }, ({ customer }) =>
  withManagement(
    Effect.gen(function* () {
      yield* requireCustomer(customer)
      const found = yield* (yield* GuardRecords).days(customer)
      const rows = [...found, { day: "total", ...totalsOf(found) }]
      yield* printMany(
        rows.map((day) => ({
          day: day.day,
          codes: day.codes,
          verified: day.verified,
          would_refuse: day.flagged,
          would_refuse_verified: day.flaggedVerified,
          would_save_sms: day.flaggedSms,
          would_save_messenger_rials: day.flaggedCharges,
          refused: day.refused,
          denied: day.denied
        }))
      )
    })
  )
).pipe(Command.withDescription("Count the codes that the guard refused, or would refuse, by day"))

export const guardCommand = Command.make("guard").pipe(
  Command.withSubcommands([show, setCommand, days, alarmsCommand, clearCommand, ...listCommands])
)
