import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { Plan } from "../../domain/people/Customer.ts"
import { Locale } from "../../domain/message/CodeText.ts"
import { formatInstant } from "../../domain/Instant.ts"
import { type CustomerRecord, CustomerRecords } from "../../services/resources/CustomerRecords.ts"
import { changeCustomer, createCustomer } from "../../services/resources/CustomerActions.ts"
import { operate, withManagement } from "../CommandContext.ts"
import { customerFlag } from "../input/CustomerFlag.ts"
import { nameFlag } from "../input/NameFlag.ts"
import { customerLimits } from "./LimitCommands.ts"
import { refusedAction } from "../output/CommandError.ts"
import { printMany, printOne } from "../output/Output.ts"

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

export const customerCommand = Command.make("customer").pipe(
  Command.withSubcommands([create, list, update, customerLimits])
)
