import { Context, Effect, Schema } from "effect"
import {
  type ChannelUnavailable,
  Conflict,
  fieldError,
  type NotFound,
  type PreconditionFailed,
  type ValidationError
} from "../../domain/Errors.ts"
import { Name, optional, PositiveInt } from "../../domain/Fields.ts"
import { DAY_MILLIS, type Instant } from "../../domain/Instant.ts"
import type { Page, PageRequest } from "../../domain/Paging.ts"
import type { Phone } from "../../domain/Phone.ts"
import { problem } from "../../domain/Problem.ts"
import { type ProviderOutcome, SimulatedOutcome } from "../../domain/ProviderOutcome.ts"
import { isMaxEntries } from "../../domain/SchemaProblems.ts"
import { AccountFinding, type LastError, type SettingsChange } from "../../domain/account/AccountState.ts"
import { MAX_STANDBY } from "../../domain/account/Standby.ts"
import { PLATFORM, type SendingAccount } from "../../domain/customer/Customer.ts"
import { Channel } from "../../domain/routing/Channel.ts"
import { type Actor, isCommandLine } from "../../domain/user/Actor.ts"
import { action, NoInput, NoTarget } from "../Action.ts"
import type { ProviderAdapter } from "../provider/ProviderAdapter.ts"
import { Simulator } from "../system/Simulator.ts"

/** A connected account, with its rate (null: its channel's default), and its state. */
export interface AccountRecord extends SendingAccount {
  readonly gapMillis: number | null
  readonly perMinute: number | null
  /** Failures in a row. */
  readonly failures: number
  readonly coolingUntil: Instant | null
  /** Null: none since its settings were changed. */
  readonly lastError: LastError | null
  readonly createdAt: Instant
  readonly version: number
}

/** The settings with which an account is connected to its provider. */
export interface AccountConnection {
  readonly channel: Channel
  readonly provider: string
  readonly settings: unknown
  readonly isDefault?: boolean
  /** Whether the settings may lead into a private network; absent: what this installation allows its customers. */
  readonly allowsPrivateAddresses?: boolean
}

export interface NewAccount extends AccountConnection {
  readonly label: string
  readonly isDefault: boolean
  /** The earlier response of its provider; kept as its last check. */
  readonly finding?: AccountFinding | undefined
}

/** A missing field stays as it is. */
export interface AccountChange {
  readonly label?: string | undefined
  /** Replaces all settings. */
  readonly settings?: unknown
  /** Replaces these settings, and removes those that are null; the others stay. */
  readonly settingsChange?: SettingsChange | undefined
  /** Whether the settings may lead into a private network; absent: what this installation allows its customers. */
  readonly allowsPrivateAddresses?: boolean
  /** The provider's answer to the new settings; kept as its last check. */
  readonly finding?: AccountFinding | undefined
  readonly isDefault?: boolean | undefined
  readonly active?: boolean | undefined
  readonly gapMillis?: number | null | undefined
  readonly perMinute?: number | null | undefined
  /** The accounts that take over with a code, in order; empty: none. */
  readonly standby?: ReadonlyArray<number> | undefined
}

export interface CheckedAccount {
  readonly accountId: number
  readonly owner: AccountOwner
  readonly channel: string
  readonly provider: string
  readonly label: string
  readonly finding: AccountFinding
}

/** A customer's id; null: the platform, whose accounts are shared. */
export type AccountOwner = number | null

/** More accounts than a person would want to see at once, and more than an owner has. */
export const FIRST_ACCOUNTS: PageRequest = { limit: 100, after: null }

/** Sending accounts, by their owner. Those of another owner do not exist for it. */
export class Accounts extends Context.Service<
  Accounts,
  {
    readonly list: (
      owner: AccountOwner,
      page: PageRequest & { readonly channel?: Channel | undefined; readonly active?: boolean | undefined }
    ) => Effect.Effect<Page<AccountRecord>>
    readonly find: (owner: AccountOwner, id: number) => Effect.Effect<AccountRecord, NotFound>
    readonly ownerOf: (id: number) => Effect.Effect<AccountOwner, NotFound>
    /**
     * The settings that an account of this provider needs to send codes, and texts. Without them it can be connected.
     * Undefined: it needs none. Null: there is no such provider.
     */
    readonly sendingSettings: (provider: string) => ProviderAdapter["sendingSettings"] | null
    /** Checks the settings, and asks the provider whether the account works: outside any transaction. */
    readonly examine: (
      owner: AccountOwner,
      account: AccountConnection
    ) => Effect.Effect<AccountFinding, ValidationError | ChannelUnavailable>
    /** The names of its stored settings; their values are never shown. */
    readonly storedSettings: (
      owner: AccountOwner,
      id: number
    ) => Effect.Effect<ReadonlyArray<string>, NotFound>
    /** As `examine`, with the stored settings of an account and a change of some of them. */
    readonly examineChange: (
      owner: AccountOwner,
      id: number,
      change: Pick<AccountChange, "settingsChange" | "allowsPrivateAddresses">
    ) => Effect.Effect<AccountFinding, NotFound | ValidationError | ChannelUnavailable>
    readonly connect: (
      owner: AccountOwner,
      account: NewAccount
    ) => Effect.Effect<AccountRecord, ValidationError | ChannelUnavailable>
    /** @param version the one that is to be changed; null: whatever it is */
    readonly update: (
      owner: AccountOwner,
      id: number,
      change: AccountChange,
      version: number | null
    ) => Effect.Effect<AccountRecord, NotFound | PreconditionFailed | ValidationError>
    /**
     * Removes the account with its contacts, unless something still needs it. History keeps its label.
     *
     * @param version the one that is to be removed; null: whatever it is
     */
    readonly remove: (
      owner: AccountOwner,
      id: number,
      version: number | null
    ) => Effect.Effect<void, NotFound | PreconditionFailed | Conflict>
    /** Asks the provider about an existing account, and keeps the response as its last check. */
    readonly check: (owner: AccountOwner, id: number) => Effect.Effect<AccountFinding, NotFound>
    /** Sends a code that no verification waits for, over an account that need not be stored: outside any transaction. */
    readonly tryConnection: (
      account: AccountConnection,
      phone: Phone
    ) => Effect.Effect<ProviderOutcome, ValidationError | ChannelUnavailable>
    /** Sends a code that no verification waits for, over an existing account. */
    readonly tryAccount: (
      owner: AccountOwner,
      id: number,
      phone: Phone
    ) => Effect.Effect<ProviderOutcome, NotFound>
    /** Asks the providers about every account that is switched on. */
    readonly checkAll: Effect.Effect<ReadonlyArray<CheckedAccount>>
    /** Asks for the credit of every active account whose provider reports it, and stores it. */
    readonly noteCredits: Effect.Effect<void>
    /** The path for the account's updates; a new one when it `rotates`. */
    readonly inboxPath: (
      owner: AccountOwner,
      id: number,
      rotates: boolean
    ) => Effect.Effect<string, NotFound | Conflict>
  }
>()("peyk/services/account/Accounts") {}

const Settings = Schema.Record(Schema.String, Schema.Unknown).annotate({
  description: "The provider's settings. Stored encrypted, and never returned."
})

const checks = optional(Schema.Boolean).annotateKey({
  description: "Whether the provider is asked first if the account works; true if absent."
})

export const NewAccountBody = Schema.Struct({
  channel: Channel,
  provider: Schema.String.check(Schema.isMaxLength(50)),
  label: Name,
  settings: Settings,
  default: optional(Schema.Boolean),
  check: checks
}).annotate({ identifier: "NewAccount" })

const Gap = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: DAY_MILLIS }))
const Rate = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 }))

/** In a change, null restores the default if there is one. */
export const AccountChangeBody = Schema.Struct({
  label: optional(Name),
  settings: optional(Settings),
  settings_change: optional(Schema.Record(Schema.String, Schema.Unknown)).annotateKey({
    description:
      "Changes some of the provider's settings: null removes one, the others stay. Not with `settings`."
  }),
  default: optional(Schema.Boolean),
  active: optional(Schema.Boolean),
  gap_ms: Schema.optionalKey(Schema.NullOr(Gap)),
  per_minute: Schema.optionalKey(Schema.NullOr(Rate)),
  check: checks
}).annotate({ identifier: "AccountChange" })

export const StandbyBody = Schema.Struct({
  account_ids: Schema.Array(PositiveInt)
    .check(isMaxEntries(MAX_STANDBY))
    .annotate({ description: "Accounts of the same channel, in order; an empty list removes them." })
}).annotate({ identifier: "Standby" })

/** The actor's own accounts; those of the platform, which are shared, for an operator. */
export const ownerOf = ({ kind, customerId }: Actor): AccountOwner =>
  kind === "operator" && customerId === PLATFORM ? null : customerId

/** The operator of this machine may name any host; for others the installation decides. */
const privateAddresses = (actor: Actor) => (isCommandLine(actor) ? { allowsPrivateAddresses: true } : {})

/** A saved account, and what its provider said of it; undefined: it was not asked. */
export interface Examined {
  readonly account: AccountRecord
  readonly finding: AccountFinding | undefined
}

/** The provider's finding about new settings. Peyk refuses what it refuses, and saves them if it cannot be reached. */
const accepted = (finding: AccountFinding) =>
  AccountFinding.$is("Refused")(finding)
    ? fieldError("settings", problem("provider_refuses", { reason: finding.reason }))
    : Effect.succeed(finding)

/**
 * Asks the provider about new settings.
 *
 * @param check false: the provider is not asked
 */
const examine = Effect.fnUntraced(function* (
  actor: Actor,
  connection: Pick<AccountConnection, "channel" | "provider" | "settings">,
  check: boolean | null | undefined
) {
  if (check === false) return undefined
  const accounts = yield* Accounts
  return yield* accepted(
    yield* accounts.examine(ownerOf(actor), { ...connection, ...privateAddresses(actor) })
  )
})

/** As `examine`, with the settings that an account will have. */
const examineChanged = Effect.fnUntraced(function* (
  actor: Actor,
  id: number,
  { settings, settings_change: some, check }: typeof AccountChangeBody.Type
) {
  const accounts = yield* Accounts
  if (settings != null && some != null) return yield* fieldError("settings_change", problem("settings_twice"))
  if (some != null) {
    if (check === false) return undefined
    const change = { settingsChange: some, ...privateAddresses(actor) }
    return yield* accepted(yield* accounts.examineChange(ownerOf(actor), id, change))
  }
  if (settings == null) return undefined
  const { channel, provider } = yield* accounts.find(ownerOf(actor), id)
  return yield* examine(actor, { channel, provider, settings }, check)
})

const accountBefore = ({ actor, target }: { readonly actor: Actor; readonly target: number }) =>
  Effect.map(
    Accounts.use((accounts) => accounts.find(ownerOf(actor), target)),
    ({ label, isDefault, active, gapMillis, perMinute, standby }) => ({
      name: label,
      values: { label, default: isDefault, active, gap_ms: gapMillis, per_minute: perMinute, standby }
    })
  )

export const connectAccount = action("account.connect", {
  input: NewAccountBody,
  target: NoTarget,
  access: "writer",
  prepare: ({ actor, input }) => examine(actor, input, input.check),
  run: ({ actor, input: { channel, provider, label, settings, default: isDefault } }, finding) =>
    Effect.map(
      Accounts.use((accounts) =>
        accounts.connect(ownerOf(actor), {
          channel,
          provider,
          label,
          settings,
          isDefault: isDefault ?? false,
          finding,
          ...privateAddresses(actor)
        })
      ),
      (account): Examined => ({ account, finding })
    ),
  audit: ({ account: { id, channel, provider, label } }) => ({
    id,
    name: label,
    details: { channel, provider, label }
  })
})

export const changeAccount = action("account.update", {
  input: AccountChangeBody,
  target: Schema.Int,
  access: "writer",
  prepare: ({ actor, target, input }) => examineChanged(actor, target, input),
  before: accountBefore,
  run: ({ actor, target, version, input }, finding) => {
    const change = {
      label: input.label ?? undefined,
      settings: input.settings ?? undefined,
      settingsChange: input.settings_change ?? undefined,
      finding,
      isDefault: input.default ?? undefined,
      active: input.active ?? undefined,
      gapMillis: input.gap_ms,
      perMinute: input.per_minute,
      ...privateAddresses(actor)
    }
    const saved = Accounts.use((accounts) => accounts.update(ownerOf(actor), target, change, version))
    return Effect.map(saved, (account): Examined => ({ account, finding }))
  },
  audit: (
    _,
    { target, input: { settings, settings_change: some, label, gap_ms, per_minute, ...input } }
  ) => ({
    id: target,
    details: {
      label: label ?? undefined,
      // their names only
      settings: some == null ? (settings == null ? undefined : "replaced") : Object.keys(some),
      default: input.default ?? undefined,
      active: input.active ?? undefined,
      gap_ms,
      per_minute
    }
  })
})

/** The accounts that take over with a code when this one cannot send it. */
export const setStandby = action("account.standby", {
  input: StandbyBody,
  target: Schema.Int,
  access: "writer",
  auditedAs: "account.update",
  before: accountBefore,
  run: ({ actor, target, version, input: { account_ids: standby } }) =>
    Accounts.use((accounts) => accounts.update(ownerOf(actor), target, { standby }, version)),
  audit: ({ id }, { input: { account_ids: standby } }) => ({ id, details: { standby } })
})

/** Refused while something still needs the account. */
export const removeAccount = action("account.remove", {
  input: NoInput,
  target: Schema.Int,
  access: "writer",
  before: accountBefore,
  run: ({ actor, target, version }) =>
    Accounts.use((accounts) => accounts.remove(ownerOf(actor), target, version)),
  audit: (_, { target }) => ({ id: target })
})

/** Another path that the account's updates are posted to; the old one ends at once. */
export const rotateInbox = action("account.rotate_inbox", {
  input: NoInput,
  target: Schema.Int,
  access: "writer",
  before: accountBefore,
  run: ({ actor, target }) =>
    Effect.map(
      Accounts.use((accounts) => accounts.inboxPath(ownerOf(actor), target, true)),
      (path) => ({ account: target, path })
    ),
  audit: (_, { target }) => ({ id: target })
})

/** Forces the outcome of a simulated account's next send, once; null takes that back. */
export const forceOutcome = action("account.force_outcome", {
  input: Schema.Struct({ outcome: Schema.NullOr(SimulatedOutcome) }),
  target: Schema.Int,
  access: "writer",
  before: accountBefore,
  run: ({ actor, target, input: { outcome } }) =>
    Effect.gen(function* () {
      const simulator = yield* Simulator
      const { provider } = yield* Accounts.use((accounts) => accounts.find(ownerOf(actor), target))
      if (provider !== "simulator" || !simulator.isOn) {
        return yield* new Conflict({ problem: problem("account_not_simulated", { account: target }) })
      }
      yield* simulator.force(target, outcome)
      return target
    }),
  audit: (_, { target, input: { outcome } }) => ({ id: target, details: { outcome } })
})
