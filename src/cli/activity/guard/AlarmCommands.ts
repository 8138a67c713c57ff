import { Effect } from "effect"
import { Command } from "effect/cli"
import { toWireAlarm } from "../../../http/manage/guard/GuardSchemas.ts"
import { GuardRecords } from "../../../services/resources/activity/GuardRecords.ts"
import { auditEntriesOf } from "../../../services/resources/ManagementWrites.ts"
import { audited, withManagement } from "../../CommandContext.ts"
import { customerFlag, requireCustomer } from "../../input/CustomerFlag.ts"
import { uuidFlag } from "../../input/UuidFlag.ts"
import { CommandError } from "../../output/CommandError.ts"
import { printMany, printOne } from "../../output/Output.ts"
import { listAll } from "../../output/Pages.ts"

const entry = auditEntriesOf("guard")

export const alarmsCommand = Command.make("alarms", { customer: customerFlag }, ({ customer }) =>
  withManagement(
    Effect.gen(function* () {
      yield* requireCustomer(customer)
      const { alarms: page } = yield* GuardRecords
      const found = yield* listAll((part) => page(customer, part))
      yield* printMany(
        found
          .map(toWireAlarm)
          .map(({ segment, ...alarm }) => ({ ...alarm, segment: segment.kind, key: segment.key }))
      )
    })
  )
).pipe(Command.withDescription("List a customer's alarms, the newest first"))

export const clearCommand = Command.make(
  "clear",
  { customer: customerFlag, alarm: uuidFlag("alarm", "The alarm's id") },
  ({ customer, alarm }) =>
    withManagement(
      Effect.gen(function* () {
        yield* requireCustomer(customer)
        const cleared = yield* audited(
          customer,
          (yield* GuardRecords)
            .clear(customer, alarm)
            .pipe(Effect.mapError(() => new CommandError({ message: `there is no alarm ${alarm}` }))),
          ({ id, reason }) => entry("clear", id, { reason })
        )
        const { segment, ...fields } = toWireAlarm(cleared)
        yield* printOne({ ...fields, segment: segment.kind, key: segment.key })
      })
    )
).pipe(Command.withDescription("End an alarm, and forget the codes that raised it"))
