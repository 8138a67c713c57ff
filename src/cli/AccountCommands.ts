import { Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { Channel } from "../domain/Channel.ts"
import type { SendingAccount } from "../domain/Customer.ts"
import { Management, ManagementError } from "../services/Management.ts"
import { withManagement } from "./CommandGround.ts"
import { customerFlag } from "./CustomerCommands.ts"
import { printMany, printOne } from "./Output.ts"

const toFields = (account: SendingAccount) => ({
  credential_id: account.id,
  channel: account.channel,
  provider: account.provider,
  label: account.label,
  default: account.isDefault,
  active: account.active,
  shared: account.shared,
  sends: [account.sendsCodes ? "codes" : "", account.sendsTexts ? "messages" : ""].filter(
    (kind) => kind !== ""
  )
})

const ownerFlags = {
  customer: Flag.optional(customerFlag),
  shared: Flag.Boolean("shared").pipe(
    Flag.withDescription("The platform's own, shared"),
    Flag.withDefault(false)
  )
}

/** The customer's id; null for the platform. */
const ownerOf = (
  customer: Option.Option<number>,
  shared: boolean
): Effect.Effect<number | null, ManagementError> => {
  if (Option.isSome(customer) === shared) {
    return Effect.fail(new ManagementError({ message: "give either --customer ID or --shared" }))
  }
  return Effect.succeed(Option.getOrNull(customer))
}

const Settings = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))

const connect = Command.make(
  "connect",
  {
    ...ownerFlags,
    channel: Flag.Literals("channel", Channel.literals),
    provider: Flag.String("provider").pipe(Flag.withDescription("The provider's name, e.g. simulator")),
    label: Flag.String("label").pipe(Flag.withDescription("How responses name the account")),
    settings: Flag.String("settings").pipe(
      Flag.withDescription("The provider's settings, as a JSON object"),
      Flag.withSchema(Settings),
      Flag.withDefault({})
    ),
    isDefault: Flag.Boolean("default").pipe(
      Flag.withDescription("Make it the channel's default account"),
      Flag.withDefault(false)
    )
  },
  ({ customer, shared, ...account }) =>
    withManagement(
      Effect.gen(function* () {
        const customerId = yield* ownerOf(customer, shared)
        yield* printOne(toFields(yield* (yield* Management).connectAccount({ customerId, ...account })))
      })
    )
).pipe(Command.withDescription("Connect a messenger or SMS account"))

const list = Command.make("list", ownerFlags, ({ customer, shared }) =>
  withManagement(
    Effect.gen(function* () {
      const accounts = yield* (yield* Management).listAccounts(yield* ownerOf(customer, shared))
      yield* printMany(accounts.map(toFields))
    })
  )
).pipe(Command.withDescription("List connected accounts"))

const accountFlag = Flag.Int("account").pipe(Flag.withDescription("The account's credential_id"))

const setActive = (name: string, active: boolean, description: string) =>
  Command.make(name, { account: accountFlag }, ({ account }) =>
    withManagement(
      Effect.gen(function* () {
        yield* printOne(toFields(yield* (yield* Management).setAccountActive(account, active)))
      })
    )
  ).pipe(Command.withDescription(description))

export const accountCommand = Command.make("account").pipe(
  Command.withDescription("Sending accounts"),
  Command.withSubcommands([
    connect,
    list,
    setActive("disable", false, "Stop sending with an account"),
    setActive("enable", true, "Send with an account again")
  ])
)
