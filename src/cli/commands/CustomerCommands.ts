import { Effect, Option, Schema, Struct } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { actionCommand, installation, ofCustomer } from "../ActionCommand.ts"
import { operate, withManagement } from "../CommandContext.ts"
import { customerFlag, nameFlag, optionalChoice } from "../input/Flags.ts"
import { CommandError, refusedAction } from "../output/CommandError.ts"
import { printMany, printOne } from "../output/Output.ts"
import { formatInstant } from "../../domain/Instant.ts"
import { CustomerMovesLive } from "../../layers/graphs/LiveStores.ts"
import { isBusy } from "../../layers/customer/MovedRowsSql.ts"
import { CustomerMoves, switchCustomer } from "../../services/customer/CustomerMoves.ts"
import { LimitOverrides } from "../../domain/customer/Limits.ts"
import { Plan } from "../../domain/customer/Customer.ts"
import { Locale } from "../../domain/verification/CodeText.ts"
import {
  changeCustomer,
  createCustomer,
  type CustomerRecord,
  CustomerRecords,
  setLimits
} from "../../services/customer/CustomerRecords.ts"

const toFields = (customer: CustomerRecord) => {
  const { id, name, plan, webOtpHost, webOtpOrigins, appHash, brand, locale, createdAt } = customer
  return {
    id,
    name,
    plan,
    webotp_host: webOtpHost,
    webotp_origins: webOtpOrigins,
    app_hash: appHash,
    brand,
    locale,
    created_at: formatInstant(createdAt)
  }
}

const planFlag = Flag.Literals("plan", Plan.literals).pipe(Flag.withDescription("free, start or business"))

const print = (customer: CustomerRecord) => printOne(toFields(customer))

const create = actionCommand("create", "Create a customer", createCustomer, installation("customer"), {
  flags: { name: nameFlag("The customer's name"), plan: planFlag },
  print
})

const list = Command.make("list", {}, () =>
  withManagement(
    Effect.gen(function* () {
      const customers = yield* (yield* CustomerRecords).list
      yield* printMany(customers.map(toFields))
    })
  )
).pipe(Command.withDescription("List the customers"))

/** A text; an empty one ends what was set. */
const emptiableFlag = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(`${description}; empty for none`),
    Flag.map((text) => (text === "" ? null : text)),
    Flag.optional
  )

const update = actionCommand(
  "update",
  "Change a customer; options that you leave out change nothing",
  changeCustomer,
  ofCustomer,
  {
    flags: {
      name: nameFlag("The customer's name").pipe(Flag.optional),
      plan: planFlag.pipe(Flag.optional),
      webotp_host: emptiableFlag("webotp-host", "The host of the site that reads codes by itself (WebOTP)"),
      webotp_origins: emptiableFlag(
        "webotp-origins",
        "The sites that read codes by themselves, such as https://a.example.ir,https://b.example.ir"
      ).pipe(Flag.map(Option.map((text) => text?.split(",").map((origin) => origin.trim()) ?? null))),
      app_hash: emptiableFlag("app-hash", "The hash of the Android app that reads codes from SMS by itself"),
      brand: emptiableFlag("brand", "The brand that the default text of codes names"),
      locale: optionalChoice("locale", Locale.literals, "The language of the default text")
    },
    print
  }
)

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

const MOST_SWITCHES = 40

const switchOnce = (customer: number, cell: number) =>
  Effect.mapError(
    operate(switchCustomer, { customer, target: undefined, input: { cell } }),
    refusedAction(`customer ${customer}`)
  )

type Switching = Effect.Services<ReturnType<typeof switchOnce>>

/** Others can hold up the moment of the switch: then nothing has happened, and it is tried again. */
const switchTo = (
  customer: number,
  cell: number,
  left = MOST_SWITCHES
): Effect.Effect<void, CommandError, Switching> =>
  Effect.catchDefect(switchOnce(customer, cell), (defect) =>
    left > 0 && isBusy(defect)
      ? Effect.andThen(Effect.sleep("250 millis"), switchTo(customer, cell, left - 1))
      : Effect.die(defect)
  )

const move = Command.make(
  "move",
  {
    customer: customerFlag,
    cell: Flag.Int("cell").pipe(Flag.withDescription("The number of the cell; 0: the store's own schema"))
  },
  ({ customer, cell }) =>
    withManagement(
      Effect.gen(function* () {
        const moves = yield* CustomerMoves
        const found = yield* Effect.mapError(
          moves.copy(customer, cell),
          ({ message }) => new CommandError({ message })
        )
        if (found === "copied") yield* switchTo(customer, cell)
        yield* moves.clear(customer)
        yield* printOne({ id: customer, cell, moved: found !== "there" })
      }).pipe(Effect.provide(CustomerMovesLive))
    )
).pipe(
  Command.withDescription(
    "Move a customer's sends to another cell while it sends; run it again if it was stopped"
  )
)

const customerCommand = Command.make("customer").pipe(
  Command.withSubcommands([create, list, update, customerLimits, move])
)

export const commands = { customer: customerCommand }
