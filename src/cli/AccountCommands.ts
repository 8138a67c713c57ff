import { Clock, Console, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { Channel } from "../domain/routing/Channel.ts"
import type { SendingAccount } from "../domain/people/Customer.ts"
import { formatInstant, type Instant } from "../domain/Instant.ts"
import {
  type AccountState,
  Management,
  ManagementError,
  type NewAccount
} from "../services/resources/Management.ts"
import { describeFinding } from "./output/AccountFindings.ts"
import { accountFlag } from "./input/AccountFlag.ts"
import { withManagement } from "./CommandContext.ts"
import { customerFlag } from "./input/CustomerFlag.ts"
import { printMany, printOne } from "./output/Output.ts"

const toFields = ({ account, gapMillis, perMinute, failures, coolingUntil }: AccountState, now: Instant) => ({
  credential_id: account.id,
  channel: account.channel,
  provider: account.provider,
  label: account.label,
  default: account.isDefault,
  active: account.active,
  shared: account.shared,
  sends: [account.sendsCodes ? "codes" : "", account.sendsTexts ? "messages" : ""].filter(
    (kind) => kind !== ""
  ),
  gap_ms: gapMillis ?? "default",
  per_minute: perMinute ?? "default",
  failures,
  cooling_until: coolingUntil === null || coolingUntil <= now ? null : formatInstant(coolingUntil)
})

const printState = (state: AccountState) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => printOne(toFields(state, now)))

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

const readSettings = Schema.decodeUnknownResult(
  Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))
)

/** Parsed here and not by a flag's schema, whose error would repeat the value. */
const settingsOf = (given: string) =>
  Effect.mapError(
    Effect.fromResult(readSettings(given)),
    () => new ManagementError({ message: "--settings is not a JSON object" })
  )

/** Connects an account unless its provider refuses it. If the provider cannot be asked, the account is connected. */
const checkNew = Effect.fnUntraced(function* (account: NewAccount) {
  const finding = yield* (yield* Management).checkNewAccount(account)
  if (finding._tag !== "Refused") return describeFinding(finding)
  return yield* new ManagementError({
    message: `${account.provider} refuses the account: ${finding.reason} (connect it anyway with --no-check)`
  })
})

/** Also a warning on standard error: an account that can send nothing looks like one that works. */
const warnUnlessSending = Effect.fnUntraced(function* ({ provider, sendsCodes, sendsTexts }: SendingAccount) {
  if (sendsCodes || sendsTexts) return {}
  const settings = (yield* Management).sendingSettings(provider)
  const missing =
    settings == null
      ? `${provider} sends neither codes nor messages over this channel`
      : `it needs ${settings.codes} in --settings for codes, and ${settings.texts} for messages`
  const warning = `this account can send nothing: ${missing}`
  yield* Console.error(`warning: ${warning}`)
  return { warning }
})

const connect = Command.make(
  "connect",
  {
    ...ownerFlags,
    channel: Flag.Literals("channel", Channel.literals),
    provider: Flag.String("provider").pipe(Flag.withDescription("The provider's name, e.g. simulator")),
    label: Flag.String("label").pipe(Flag.withDescription("How responses name the account")),
    settings: Flag.String("settings").pipe(
      Flag.withDescription("The provider's settings, as a JSON object"),
      Flag.withDefault("{}")
    ),
    isDefault: Flag.Boolean("default").pipe(
      Flag.withDescription("Make it the channel's default account"),
      Flag.withDefault(false)
    ),
    checks: Flag.Boolean("check").pipe(
      Flag.withDescription("Ask the provider first whether the account works (--no-check: do not)"),
      Flag.withDefault(true)
    )
  },
  ({ customer, shared, checks, ...given }) =>
    withManagement(
      Effect.gen(function* () {
        const management = yield* Management
        const account: NewAccount = {
          customerId: yield* ownerOf(customer, shared),
          ...given,
          settings: yield* settingsOf(given.settings)
        }
        const check = checks ? yield* checkNew(account) : "skipped"
        const connected = yield* management.connectAccount(account)
        const state = {
          account: connected,
          gapMillis: null,
          perMinute: null,
          failures: 0,
          coolingUntil: null
        }
        const now = yield* Clock.currentTimeMillis
        yield* printOne({ ...toFields(state, now), check, ...(yield* warnUnlessSending(connected)) })
      })
    )
).pipe(Command.withDescription("Connect a messenger or SMS account"))

const list = Command.make("list", ownerFlags, ({ customer, shared }) =>
  withManagement(
    Effect.gen(function* () {
      const accounts = yield* (yield* Management).listAccounts(yield* ownerOf(customer, shared))
      const now = yield* Clock.currentTimeMillis
      yield* printMany(accounts.map((state) => toFields(state, now)))
    })
  )
).pipe(Command.withDescription("List connected accounts"))

const setActive = (name: string, active: boolean, description: string) =>
  Command.make(name, { account: accountFlag }, ({ account }) =>
    withManagement(
      Effect.gen(function* () {
        yield* printState(yield* (yield* Management).setAccountActive(account, active))
      })
    )
  ).pipe(Command.withDescription(description))

/** A number, or `default`. */
const paceFlag = (name: string, description: string, maximum: number) =>
  Flag.String(name).pipe(
    Flag.withDescription(`${description}; or default`),
    Flag.withSchema(
      Schema.Union([
        Schema.Literal("default"),
        Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum }))
      ])
    ),
    Flag.optional
  )

/** Undefined: no change; null: the default. */
const paceOf = (given: Option.Option<number | "default">): number | null | undefined =>
  Option.getOrUndefined(Option.map(given, (pace) => (pace === "default" ? null : pace)))

const limits = Command.make(
  "limits",
  {
    account: accountFlag,
    gapMillis: paceFlag("gap-ms", "Least time between two sends (0: none)", 86_400_000),
    perMinute: paceFlag("per-minute", "Sends in any minute (0: no limit)", 100_000)
  },
  ({ account, gapMillis, perMinute }) =>
    withManagement(
      Effect.gen(function* () {
        const change = { gapMillis: paceOf(gapMillis), perMinute: paceOf(perMinute) }
        yield* printState(yield* (yield* Management).limitAccount(account, change))
      })
    )
).pipe(Command.withDescription("Show or override how fast an account sends"))

const inbox = Command.make(
  "inbox",
  {
    account: accountFlag,
    rotate: Flag.Boolean("rotate").pipe(
      Flag.withDescription("Give the account another address; the old one ends at once"),
      Flag.withDefault(false)
    )
  },
  ({ account, rotate }) =>
    withManagement(
      Effect.gen(function* () {
        yield* printOne({ account_id: account, path: yield* (yield* Management).inboxPath(account, rotate) })
      })
    )
).pipe(Command.withDescription("Show the secret path that an account's updates are posted to"))

export const accountCommand = Command.make("account").pipe(
  Command.withDescription("Sending accounts"),
  Command.withSubcommands([
    connect,
    list,
    limits,
    inbox,
    setActive("disable", false, "Stop sending with an account"),
    setActive("enable", true, "Send with an account again")
  ])
)
