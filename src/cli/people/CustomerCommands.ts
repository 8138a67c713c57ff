import { Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { Plan } from "../../domain/people/Customer.ts"
import { Brand, Locale } from "../../domain/message/CodeText.ts"
import { HostName } from "../../domain/text/HostName.ts"
import { formatInstant } from "../../domain/Instant.ts"
import { type CustomerRecord, CustomerRecords } from "../../services/resources/CustomerRecords.ts"
import { auditEntriesOf, ManagementWrites } from "../../services/resources/ManagementWrites.ts"
import { audited, withManagement } from "../CommandContext.ts"
import { customerFlag, noCustomer } from "../input/CustomerFlag.ts"
import { nameFlag } from "../input/NameFlag.ts"
import { customerLimits } from "./LimitCommands.ts"
import { printMany, printOne } from "../output/Output.ts"

const entry = auditEntriesOf("customer")

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
      Effect.gen(function* () {
        const { create: createOne } = yield* CustomerRecords
        const { byOperator } = yield* ManagementWrites
        // The log is the new customer's own.
        const created = yield* byOperator(
          Effect.map(createOne(name, plan), (customer) => ({
            result: customer,
            customerId: customer.id,
            audit: entry("create", customer.id, { name, plan })
          }))
        )
        yield* printOne(toFields(created))
      })
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

const nullIfEmpty = (text: Option.Option<string>): string | null | undefined => {
  const given = Option.getOrUndefined(text)
  return given === "" ? null : given
}

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
      Flag.withSchema(Schema.Union([Schema.Literal(""), HostName])),
      Flag.optional
    ),
    brand: Flag.String("brand").pipe(
      Flag.withDescription("The brand that the default text of codes names; empty for none"),
      Flag.withSchema(Schema.Union([Schema.Literal(""), Brand])),
      Flag.optional
    ),
    locale: Flag.Literals("locale", Locale.literals).pipe(
      Flag.withDescription("The language of the default text"),
      Flag.optional
    )
  },
  ({ customer, name, plan, webOtpHost, brand, locale }) =>
    withManagement(
      Effect.gen(function* () {
        const change = {
          name: Option.getOrUndefined(name),
          plan: Option.getOrUndefined(plan),
          webOtpHost: nullIfEmpty(webOtpHost),
          brand: nullIfEmpty(brand),
          locale: Option.getOrUndefined(locale)
        }
        const changed = yield* audited(customer, (yield* CustomerRecords).update(customer, change), () =>
          entry("update", customer, {
            name: change.name,
            plan: change.plan,
            webotp_host: change.webOtpHost,
            brand: change.brand,
            locale: change.locale
          })
        )
        yield* printOne(toFields(changed))
      }).pipe(Effect.mapError(() => noCustomer(customer)))
    )
).pipe(Command.withDescription("Change a customer; options that you leave out change nothing"))

export const customerCommand = Command.make("customer").pipe(
  Command.withSubcommands([create, list, update, customerLimits])
)
