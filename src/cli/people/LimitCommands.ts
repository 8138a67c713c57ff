import { Effect, Option, Schema, Struct } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { LimitOverrides } from "../../domain/people/Admission.ts"
import { CustomerRecords } from "../../services/resources/CustomerRecords.ts"
import { setLimits } from "../../services/resources/CustomerActions.ts"
import { operate, withManagement } from "../CommandContext.ts"
import { customerFlag } from "../input/CustomerFlag.ts"
import { CommandError, refusedAction } from "../output/CommandError.ts"
import { printOne } from "../output/Output.ts"

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
        const changes = yield* parseChanges([...set, ...more])
        const limits =
          changes.length === 0
            ? CustomerRecords.use((customers) => customers.limits(customer))
            : operate(setLimits, { customer, target: undefined, input: Object.fromEntries(changes) })
        yield* printOne(toFields(yield* Effect.mapError(limits, refusedAction(`customer ${customer}`))))
      })
    )
).pipe(Command.withDescription("Show or override a customer's limits"))
