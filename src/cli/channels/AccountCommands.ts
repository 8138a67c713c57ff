import { Clock, Console, Effect, Option, Schema, Struct } from "effect"
import { Command, Flag } from "effect/cli"
import { Channel } from "../../domain/routing/Channel.ts"
import type { SendingAccount } from "../../domain/people/Customer.ts"
import { DAY_MILLIS, type Instant } from "../../domain/Instant.ts"
import { Name } from "../../http/manage/wire/ManageFields.ts"
import { toAccount } from "../../http/manage/wire/SetUpWire.ts"
import {
  type AccountChange,
  type AccountOwner,
  type AccountRecord,
  Accounts,
  type NewAccount
} from "../../services/resources/accounts/Accounts.ts"
import { IntegerText } from "../../layers/config/Setting.ts"
import { auditEntriesOf } from "../../services/resources/ManagementWrites.ts"
import { audited, withManagement } from "../CommandContext.ts"
import { accountFlag, noAccount } from "../input/AccountFlag.ts"
import { customerFlag, requireCustomer } from "../input/CustomerFlag.ts"
import { describeFinding } from "../output/AccountFindings.ts"
import { CommandError, describeError } from "../output/CommandError.ts"
import { printMany, printOne } from "../output/Output.ts"
import { listAll } from "../output/Pages.ts"

const entry = auditEntriesOf("account")

const toFields = (account: AccountRecord, now: Instant) => {
  const { gap_ms, per_minute, cooling_until, ...shown } = toAccount(account)
  return {
    ...Struct.omit(shown, ["needs_contacts", "created_at", "version"]),
    shared: account.shared,
    gap_ms: gap_ms ?? "default",
    per_minute: per_minute ?? "default",
    cooling_until: (account.coolingUntil ?? now) <= now ? null : cooling_until
  }
}

const printAccount = (account: AccountRecord, extra: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => printOne({ ...toFields(account, now), ...extra }))

const ownerFlags = {
  customer: Flag.optional(customerFlag),
  shared: Flag.Boolean("shared").pipe(
    Flag.withDescription("An account of the platform, shared by customers"),
    Flag.withDefault(false)
  )
}

const ownerOf = Effect.fnUntraced(function* (customer: Option.Option<number>, shared: boolean) {
  if (Option.isSome(customer) === shared) {
    return yield* new CommandError({ message: "give either --customer ID or --shared" })
  }
  if (Option.isNone(customer)) return null
  return (yield* requireCustomer(customer.value)).id
})

const readSettings = Schema.decodeUnknownResult(
  Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))
)

/** Parsed here and not by a flag's schema, whose error would repeat the value. */
const settingsOf = (given: string) =>
  Effect.mapError(
    Effect.fromResult(readSettings(given)),
    () => new CommandError({ message: "--settings is not a JSON object" })
  )

/** Connects an account unless its provider refuses it. If the provider cannot be asked, the account is connected. */
const checkNew = Effect.fnUntraced(function* (owner: AccountOwner, account: NewAccount) {
  const finding = yield* (yield* Accounts).examine(owner, account)
  if (finding._tag !== "Refused") return finding
  return yield* new CommandError({
    message: `${account.provider} refuses the account: ${finding.reason} (connect it anyway with --no-check)`
  })
})

/** Also a warning on standard error: an account that can send nothing looks like one that works. */
const warnUnlessSending = Effect.fnUntraced(function* ({ provider, sendsCodes, sendsTexts }: SendingAccount) {
  if (sendsCodes || sendsTexts) return {}
  const settings = (yield* Accounts).sendingSettings(provider)
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
    label: Flag.String("label").pipe(
      Flag.withDescription("How responses name the account"),
      Flag.withSchema(Name)
    ),
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
        const owner = yield* ownerOf(customer, shared)
        const settings = yield* settingsOf(given.settings)
        const account: NewAccount = { ...given, settings, allowsPrivateAddresses: true }
        const finding = checks ? yield* checkNew(owner, account) : undefined
        const check = finding === undefined ? "skipped" : describeFinding(finding)
        const { channel, provider, label } = account
        const connected = yield* audited(
          owner,
          (yield* Accounts).connect(owner, { ...account, finding }),
          ({ id }) => entry("connect", id, { channel, provider, label })
        )
        yield* printAccount(connected, { check, ...(yield* warnUnlessSending(connected)) })
      }).pipe(Effect.catchTags({ validation_error: describeError, channel_unavailable: describeError }))
    )
).pipe(Command.withDescription("Connect a messenger or SMS account"))

const list = Command.make("list", ownerFlags, ({ customer, shared }) =>
  withManagement(
    Effect.gen(function* () {
      const owner = yield* ownerOf(customer, shared)
      const { list: page } = yield* Accounts
      const accounts = yield* listAll((part) => page(owner, part))
      const now = yield* Clock.currentTimeMillis
      yield* printMany(accounts.map((account) => toFields(account, now)))
    })
  )
).pipe(Command.withDescription("List connected accounts"))

const changed = Effect.fnUntraced(function* (
  account: number,
  change: AccountChange,
  details: Readonly<Record<string, unknown>>
) {
  const accounts = yield* Accounts
  const owner = yield* accounts.ownerOf(account)
  return yield* audited(owner, accounts.update(owner, account, change, null), ({ id }) =>
    entry("update", id, details)
  )
})

const setActive = (name: string, active: boolean, description: string) =>
  Command.make(name, { account: accountFlag }, ({ account }) =>
    withManagement(
      changed(account, { active }, { active }).pipe(
        Effect.flatMap((record) => printAccount(record)),
        Effect.mapError(noAccount(account))
      )
    )
  ).pipe(Command.withDescription(description))

/** A number, or `default`. */
const paceFlag = (name: string, description: string, maximum: number) =>
  Flag.String(name).pipe(
    Flag.withDescription(`${description}; or default`),
    Flag.withSchema(
      Schema.Union([Schema.Literal("default"), IntegerText.check(Schema.isBetween({ minimum: 0, maximum }))])
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
    gapMillis: paceFlag("gap-ms", "Least time between two sends (0: none)", DAY_MILLIS),
    perMinute: paceFlag("per-minute", "Sends in any minute (0: no limit)", 100_000)
  },
  ({ account, gapMillis, perMinute }) =>
    withManagement(
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const change = { gapMillis: paceOf(gapMillis), perMinute: paceOf(perMinute) }
        const isShown = change.gapMillis === undefined && change.perMinute === undefined
        const record = isShown
          ? accounts.find(yield* accounts.ownerOf(account), account)
          : changed(account, change, { gap_ms: change.gapMillis, per_minute: change.perMinute })
        yield* printAccount(yield* record)
      }).pipe(Effect.mapError(noAccount(account)))
    )
).pipe(Command.withDescription("Show or override how fast an account sends"))

const ids = Schema.String.check(
  Schema.isPattern(/^(\d{1,9}(,\d{1,9})*)?$/, { message: "account ids, separated by commas" })
)

const standby = Command.make(
  "standby",
  {
    account: accountFlag,
    by: Flag.String("by").pipe(
      Flag.withDescription('Accounts of its channel, in order, e.g. 7,8; "" removes them'),
      Flag.withSchema(ids)
    )
  },
  ({ account, by }) =>
    withManagement(
      Effect.gen(function* () {
        const wanted = by === "" ? [] : by.split(",").map(Number)
        yield* printAccount(yield* changed(account, { standby: wanted }, { standby: wanted }))
      }).pipe(
        Effect.mapError((error) =>
          error._tag === "validation_error" ? describeError(error) : noAccount(account)()
        )
      )
    )
).pipe(Command.withDescription("Set the accounts that take over with a code when one cannot send it"))

const inbox = Command.make(
  "inbox",
  {
    account: accountFlag,
    rotate: Flag.Boolean("rotate").pipe(
      Flag.withDescription("Create another path; the old one stops working at once"),
      Flag.withDefault(false)
    )
  },
  ({ account, rotate }) =>
    withManagement(
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const owner = yield* accounts.ownerOf(account)
        const found = accounts.inboxPath(owner, account, rotate)
        const path = rotate ? audited(owner, found, () => entry("rotate_inbox", account)) : found
        yield* printOne({ account_id: account, path: yield* path })
      }).pipe(Effect.catchTags({ not_found: noAccount(account), conflict: describeError }))
    )
).pipe(Command.withDescription("Show the secret path that an account's updates are posted to"))

const remove = Command.make("delete", { account: accountFlag }, ({ account }) =>
  withManagement(
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const owner = yield* accounts.ownerOf(account)
      yield* audited(owner, accounts.remove(owner, account, null), () => entry("remove", account))
      yield* printOne({ credential_id: account, deleted: true })
    }).pipe(
      Effect.catchTags({
        not_found: noAccount(account),
        conflict: describeError,
        precondition_failed: Effect.die
      })
    )
  )
).pipe(Command.withDescription("Delete an account that nothing needs, with its contacts"))

export const accountCommand = Command.make("account").pipe(
  Command.withDescription("Sending accounts"),
  Command.withSubcommands([
    connect,
    list,
    limits,
    standby,
    inbox,
    setActive("disable", false, "Stop sending with an account"),
    setActive("enable", true, "Send with an account again"),
    remove
  ])
)
