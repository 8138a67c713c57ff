import { Effect, Option, Schema, Struct } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { LimitOverrides } from "../domain/people/Admission.ts"
import { Management, ManagementError } from "../services/resources/Management.ts"
import { withManagement } from "./CommandContext.ts"
import { customerFlag } from "./input/CustomerFlag.ts"
import { printOne } from "./output/Output.ts"

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
        new ManagementError({
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
        const change = Object.fromEntries(yield* parseChanges([...set, ...more]))
        yield* printOne(toFields(yield* (yield* Management).changeLimits(customer, change)))
      })
    )
).pipe(Command.withDescription("Show or override a customer's limits"))
