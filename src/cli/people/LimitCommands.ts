import { Effect, Option, Schema, Struct } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { LimitOverrides } from "../../domain/people/Admission.ts"
import { CustomerRecords } from "../../services/resources/CustomerRecords.ts"
import { auditEntriesOf } from "../../services/resources/ManagementWrites.ts"
import { audited, withManagement } from "../CommandContext.ts"
import { customerFlag, noCustomer } from "../input/CustomerFlag.ts"
import { CommandError } from "../output/CommandError.ts"
import { printOne } from "../output/Output.ts"

const entry = auditEntriesOf("customer")

type LimitName = keyof LimitOverrides

const limitNames = Struct.keys(LimitOverrides.fields)

const isLimitName = (name: string): name is LimitName => limitNames.some((known) => known === name)

const parseLimit = Schema.decodeUnknownOption(LimitOverrides.fields.phone_hour.schema)

/** `name=number`, or `name=default` to restore the platform's value. */
const parseChange = (text: string): Option.Option<readonly [LimitName, number | null]> => {
  const [name = "", value = ""] = text.split("=")
  if (!isLimitName(name)) return Option.none()
  if (value === "default") return Option.some([name, null])
  return Option.map(/^\d+$/.test(value) ? parseLimit(Number(value)) : Option.none(), (limit) => [name, limit])
}

const set = Flag.String("set").pipe(
  Flag.withDescription(`name=number (0: no limit) or name=default; names: ${limitNames.join(", ")}`),
  Flag.between(0, limitNames.length)
)
/** `--set a=1 b=2` means the same as `--set a=1 --set b=2`. */
const more = Argument.String("name=number").pipe(Argument.variadic())

const parseChanges = (texts: ReadonlyArray<string>) =>
  Effect.forEach(texts, (text) =>
    Effect.mapError(
      Effect.fromOption(parseChange(text)),
      () =>
        new CommandError({
          message: `${text} is no limit: give name=number or name=default, of ${limitNames.join(", ")}`
        })
    )
  )

/** Every limit that can be overridden, with its override. */
const toFields = (limits: LimitOverrides) =>
  Object.fromEntries(limitNames.map((name) => [name, limits[name] ?? "default"]))

export const customerLimits = Command.make(
  "limits",
  { customer: customerFlag, set, more },
  ({ customer, set, more }) =>
    withManagement(
      Effect.gen(function* () {
        const customers = yield* CustomerRecords
        const changes = yield* parseChanges([...set, ...more])
        const change = Object.fromEntries(changes)
        const limits =
          changes.length === 0
            ? customers.limits(customer)
            : audited(customer, customers.changeLimits(customer, change), () =>
                entry("set_limits", customer, change)
              )
        yield* printOne(toFields(yield* limits))
      }).pipe(Effect.catchTag("not_found", () => noCustomer(customer)))
    )
).pipe(Command.withDescription("Show or override a customer's limits"))
