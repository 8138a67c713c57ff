import { Effect, Option, Schema, Struct } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { operate, withManagement } from "../CommandContext.ts"
import { customerFlag, nameFlag } from "../input/Flags.ts"
import { CommandError, refusedAction } from "../output/CommandError.ts"
import { printMany, printOne } from "../output/Output.ts"
import { formatInstant } from "../../domain/Instant.ts"
import { LimitOverrides } from "../../domain/customer/Admission.ts"
import { Plan } from "../../domain/customer/Customer.ts"
import { Locale } from "../../domain/message/Template.ts"
import { changeCustomer, createCustomer, setLimits } from "../../services/customer/CustomerActions.ts"
import { type CustomerRecord, CustomerRecords } from "../../services/customer/CustomerRecords.ts"

const toFields = ({ id, name, plan, webOtpHost, brand, locale, createdAt }: CustomerRecord) => ({
  id,
  name,
  plan,
  webotp_host: webOtpHost,
  brand,
  locale,
  created_at: formatInstant(createdAt)
})

const create = Command.make(
  "create",
  {
    name: nameFlag("The customer's name"),
    plan: Flag.Literals("plan", Plan.literals).pipe(Flag.withDescription("free, start or business"))
  },
  ({ name, plan }) =>
    withManagement(
      operate(createCustomer, { customer: null, target: undefined, input: { name, plan } }).pipe(
        Effect.mapError(refusedAction("customer")),
        Effect.flatMap((created) => printOne(toFields(created)))
      )
    )
).pipe(Command.withDescription("Create a customer"))

const list = Command.make("list", {}, () =>
  withManagement(
    Effect.gen(function* () {
      const customers = yield* (yield* CustomerRecords).list
      yield* printMany(customers.map(toFields))
    })
  )
).pipe(Command.withDescription("List the customers"))

/** An empty text ends what was set. */
const emptied = <Name extends string>(name: Name, text: Option.Option<string>) =>
  Option.isSome(text) ? { [name]: text.value === "" ? null : text.value } : {}

const given = <Name extends string>(name: Name, text: Option.Option<string>) =>
  Option.isSome(text) ? { [name]: text.value } : {}

const update = Command.make(
  "update",
  {
    customer: customerFlag,
    name: nameFlag("The customer's name").pipe(Flag.optional),
    plan: Flag.Literals("plan", Plan.literals).pipe(
      Flag.withDescription("free, start or business"),
      Flag.optional
    ),
    webOtpHost: Flag.String("webotp-host").pipe(
      Flag.withDescription("The host of the site that reads codes by itself (WebOTP); empty for none"),
      Flag.optional
    ),
    brand: Flag.String("brand").pipe(
      Flag.withDescription("The brand that the default text of codes names; empty for none"),
      Flag.optional
    ),
    locale: Flag.Literals("locale", Locale.literals).pipe(
      Flag.withDescription("The language of the default text"),
      Flag.optional
    )
  },
  ({ customer, name, plan, webOtpHost, brand, locale }) => {
    const input = {
      ...given("name", name),
      ...given("plan", plan),
      ...emptied("webotp_host", webOtpHost),
      ...emptied("brand", brand),
      ...given("locale", locale)
    }
    return withManagement(
      operate(changeCustomer, { customer, target: undefined, input }).pipe(
        Effect.mapError(refusedAction(`customer ${customer}`)),
        Effect.flatMap((changed) => printOne(toFields(changed)))
      )
    )
  }
).pipe(Command.withDescription("Change a customer; options that you leave out change nothing"))

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
const limitFields = (limits: LimitOverrides) =>
  Object.fromEntries(limitNames.map((name) => [name, limits[name] ?? "default"]))

const customerLimits = Command.make(
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
        yield* printOne(limitFields(yield* Effect.mapError(limits, refusedAction(`customer ${customer}`))))
      })
    )
).pipe(Command.withDescription("Show or override a customer's limits"))

export const customerCommand = Command.make("customer").pipe(
  Command.withSubcommands([create, list, update, customerLimits])
)
