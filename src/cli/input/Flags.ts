import { Effect, Option, Schema, SchemaGetter, SchemaTransformation } from "effect"
import { Flag } from "effect/cli"
import { CommandError } from "../output/CommandError.ts"
import { pageFlags, pageOf, timeFlag } from "../output/Output.ts"
import { Name } from "../../domain/Fields.ts"
import { Channel } from "../../domain/routing/Channel.ts"
import { pasted } from "../../domain/text/PastedText.ts"
import type { ListName } from "../../http/manage/ManageWire.ts"
import { searchedPhone } from "../../http/manage/SearchFields.ts"
import { CustomerRecords } from "../../services/customer/CustomerRecords.ts"

/** A text that can be left out. */
export const optionalText = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

/** One of these words, which can be left out. */
export const optionalChoice = <const Choice extends string>(
  name: string,
  choices: ReadonlyArray<Choice>,
  description: string
) => Flag.Literals(name, choices).pipe(Flag.withDescription(description), Flag.optional)

/** Off unless it is given. */
export const switchFlag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

/** `--account ID`, for every command about one account. */
export const accountFlag = Flag.Int("account").pipe(Flag.withDescription("The account's credential_id"))

/** `--customer ID`, for every command about one customer. */
export const customerFlag = Flag.Int("customer").pipe(Flag.withDescription("The customer's id"))

const noCustomer = (id: number) => new CommandError({ message: `there is no customer ${id}` })

/** Fails if there is no such customer. Customers are never deleted, so later statements can rely on it. */
export const requireCustomer = (id: number) =>
  Effect.flatMap(CustomerRecords, ({ find }) => Effect.mapError(find(id), () => noCustomer(id)))

/** `--customer ID`, or `--shared` for an account of the platform. */
export const ownerFlags = {
  customer: Flag.optional(customerFlag),
  shared: switchFlag("shared", "An account of the platform, shared by customers")
}

export const ownerOf = Effect.fnUntraced(function* (customer: Option.Option<number>, shared: boolean) {
  if (Option.isSome(customer) === shared) {
    return yield* new CommandError({ message: "give either --customer ID or --shared" })
  }
  if (Option.isNone(customer)) return null
  return (yield* requireCustomer(customer.value)).id
})

interface Bounds {
  readonly minimum: number
  readonly maximum: number
}

const isWholeIn = (text: string, { minimum, maximum }: Bounds): boolean =>
  /^\d+$/.test(text) && Number(text) >= minimum && Number(text) <= maximum

const numberOrDefault = (bounds: Bounds) =>
  Schema.String.check(
    Schema.makeFilter(
      (text) =>
        text === "default" ||
        isWholeIn(text, bounds) ||
        `a whole number from ${bounds.minimum} to ${bounds.maximum}, or default, is expected`
    )
  ).pipe(
    Schema.decodeTo(Schema.NullOr(Schema.Int), {
      decode: SchemaGetter.transform((text: string) => (text === "default" ? null : Number(text))),
      encode: SchemaGetter.transform((number: number | null) =>
        number === null ? "default" : String(number)
      )
    })
  )

/** A whole number; null for the word `default`, which restores what Peyk chooses. */
export const defaultableFlag = (
  name: string,
  description: string,
  bounds: Bounds
): Flag.Flag<number | null> =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.withSchema(numberOrDefault(bounds)))

/** `--name`, by the API's rule for names. */
export const nameFlag = (description: string) =>
  Flag.String("name").pipe(Flag.withDescription(description), Flag.withSchema(Name))

/** The name of a key or a token whose creator gave none. */
export const UNNAMED = "command line"

/** `--expires-at`; the text after its meaning says what its form is. */
export const expiryFlag = (meaning: string, ifAbsent = "") =>
  Flag.Date("expires-at").pipe(
    Flag.withDescription(`${meaning}, ISO 8601${ifAbsent}`),
    Flag.map((date) => date.toISOString()),
    Flag.optional
  )

const PastedUuid = Schema.String.pipe(
  Schema.decode(SchemaTransformation.transform({ decode: pasted, encode: (id) => id })),
  Schema.check(Schema.isUUID())
)

/** For commands about one thing whose id is a UUID. */
export const uuidFlag = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.withSchema(PastedUuid))

/** `--webhook ID`, for every command about one webhook. */
export const webhookFlag = Flag.Int("webhook").pipe(Flag.withDescription("The webhook's id"))

/** The filters that verifications and messages share. */
export const searchFlags = {
  customer: customerFlag,
  phone: Flag.String("phone").pipe(
    Flag.withAlias("to"),
    Flag.withDescription("Only to this phone, in any accepted form"),
    Flag.optional
  ),
  channel: optionalChoice("channel", Channel.literals, "Only those tried over this channel"),
  createdAfter: timeFlag("created-after", "Only what was created then or later"),
  createdBefore: timeFlag("created-before", "Only what was created earlier"),
  ...pageFlags
}

interface Given {
  readonly phone: Option.Option<string>
  readonly channel: Option.Option<Channel>
  readonly createdAfter: Option.Option<number>
  readonly createdBefore: Option.Option<number>
  readonly limit: number
  readonly cursor: Option.Option<string>
}

export const searchOf = Effect.fnUntraced(function* (list: ListName, given: Given) {
  const phone = yield* Effect.mapError(
    searchedPhone(Option.getOrUndefined(given.phone)),
    () => new CommandError({ message: "--phone is not an Iranian mobile number" })
  )
  return {
    ...(yield* pageOf(list, given)),
    phone,
    channel: Option.getOrUndefined(given.channel),
    from: Option.getOrUndefined(given.createdAfter),
    to: Option.getOrUndefined(given.createdBefore)
  }
})
