import { Clock, Effect, Option, Schema } from "effect"
import { fieldError, NotFound, ValidationError } from "../../domain/Errors.ts"
import { Email, Name, optional, PhoneText } from "../../domain/Fields.ts"
import { parsePhone, type Phone } from "../../domain/Phone.ts"
import { problem } from "../../domain/Problem.ts"
import { isMaxEntries } from "../../domain/SchemaProblems.ts"
import { AccountFinding, whySendsNothing } from "../../domain/account/AccountState.ts"
import { PLATFORM, type RoutingStep } from "../../domain/customer/Customer.ts"
import type { ProviderOutcome } from "../../domain/ProviderOutcome.ts"
import { Channel } from "../../domain/routing/Channel.ts"
import { action, NoTarget } from "../Action.ts"
import { Accounts } from "../account/Accounts.ts"
import { Keys } from "../key/Keys.ts"
import { Wallets } from "../Wallets.ts"
import { RoutingOrders } from "../routing/RoutingOrders.ts"
import { SignInLinks } from "../user/ConsoleSessions.ts"
import { unknownPassword, Users } from "../user/Users.ts"
import { CustomerRecords, TopUpAmount } from "./CustomerRecords.ts"

export const MAX_FIRST_ACCOUNTS = 20
/** Providers that are asked at once. */
const CONCURRENCY = 4

const FirstAccount = Schema.Struct({
  channel: Channel,
  provider: Schema.String.check(Schema.isMaxLength(50)),
  label: optional(Name),
  settings: optional(Schema.Record(Schema.String, Schema.Unknown))
})

const SetUp = Schema.Struct({
  name: Name,
  email: Email,
  accounts: optional(Schema.Array(FirstAccount).check(isMaxEntries(MAX_FIRST_ACCOUNTS))),
  top_up: optional(TopUpAmount).annotateKey({
    description: "Rials in the wallet, from which sends are paid. Absent: the customer is not charged."
  }),
  send_to: optional(PhoneText).annotateKey({ description: "The phone that gets a code as a test." })
})
type SetUp = typeof SetUp.Type

/** An account that is not connected yet, in its place of the list. */
interface Candidate {
  readonly index: number
  readonly channel: Channel
  readonly provider: string
  readonly label: string
  readonly settings: Readonly<Record<string, unknown>>
  /** The first of its channel. */
  readonly isDefault: boolean
  readonly allowsPrivateAddresses: true
}

/** What a test code came to on the accounts that were tried; the last one accepted it, or none did. */
export interface TestSend {
  readonly account: Candidate
  readonly outcome: ProviderOutcome
}

const candidatesOf = ({ accounts }: SetUp): ReadonlyArray<Candidate> =>
  (accounts ?? []).map(({ channel, provider, label, settings }, index, all) => ({
    index,
    channel,
    provider,
    label: label ?? provider,
    settings: settings ?? {},
    isDefault: all.findIndex((other) => other.channel === channel) === index,
    allowsPrivateAddresses: true
  }))

/** The path of an account's problem in the input. */
const at = ({ index }: Candidate, error: ValidationError): ValidationError =>
  new ValidationError({
    problems: error.problems.map((found) => ({
      ...found,
      path: found.path.replace(/^body/, `body.accounts[${index}]`)
    }))
  })

const refusedBy = (account: Candidate, reason: string) =>
  at(account, fieldError("settings", problem("provider_refuses", { reason })))

/** Asks the provider. If it refuses the account, nothing is set up; if it cannot be reached, the account stays. */
const examine = (account: Candidate) =>
  Accounts.use((accounts) => accounts.examine(PLATFORM, account)).pipe(
    Effect.catchTag("validation_error", (error) => at(account, error)),
    Effect.filterOrFail(
      (finding) => !AccountFinding.$is("Refused")(finding),
      (finding) => refusedBy(account, AccountFinding.$is("Refused")(finding) ? finding.reason : "")
    )
  )

/** What a provider has found wrong with the account or the text, and not with the phone. */
const refusalIn = (outcome: ProviderOutcome) =>
  outcome._tag === "Rejected" && outcome.cause !== "recipient" ? outcome : undefined

/** Connected, such an account would look like one that works. */
const canSendNothing = Effect.fnUntraced(function* (candidate: Candidate) {
  const text = whySendsNothing((yield* Accounts).sendingSettings(candidate.provider))
  return yield* at(candidate, fieldError("settings", problem("other", { text })))
})

/** A code over one account after another, until one accepts it. */
const tryAccounts = Effect.fnUntraced(function* (candidates: ReadonlyArray<Candidate>, phone: Phone) {
  const accounts = yield* Accounts
  const tried: Array<TestSend> = []
  for (const account of candidates) {
    const outcome = yield* Effect.catchTag(
      accounts.tryConnection(account, phone),
      "validation_error",
      (error) => at(account, error)
    )
    const refusal = refusalIn(outcome)
    if (refusal !== undefined) return yield* refusedBy(account, refusal.providerError)
    tried.push({ account, outcome })
    if (outcome._tag === "Accepted") break
  }
  return tried
})

const phoneOf = ({ send_to }: SetUp) =>
  send_to == null
    ? Effect.succeed(null)
    : Effect.mapError(Effect.fromResult(parsePhone(send_to)), () =>
        fieldError("send_to", problem("not_mobile"))
      )

/** Plan free has a monthly quota instead of prices; without one it sends for nothing. */
const createCharged = Effect.fnUntraced(function* ({ name, top_up }: SetUp) {
  const customers = yield* CustomerRecords
  if (top_up != null) {
    const customer = yield* customers.create(name, "business")
    yield* Wallets.use((wallets) => wallets.topUp(customer.id, top_up))
    return customer
  }
  const customer = yield* customers.create(name, "free")
  yield* customers.changeLimits(customer.id, { monthly_quota: 0 })
  return customer
})

/** The first account of each channel that sends codes, in the order of the list. */
const stepsOf = (
  accounts: ReadonlyArray<{ readonly id: number; readonly channel: Channel; readonly sendsCodes: boolean }>
): ReadonlyArray<RoutingStep> =>
  accounts
    .filter(({ sendsCodes }) => sendsCodes)
    .filter(({ channel }, index, all) => all.findIndex((other) => other.channel === channel) === index)
    .map(({ id, channel }) => ({ channel, account_id: id }))

const createAccess = Effect.fnUntraced(function* (
  customerId: number,
  { email }: SetUp,
  passwordHash: string
) {
  const name = email.slice(0, 100)
  yield* Users.use((users) => users.create(customerId, { email, name, role: "owner", passwordHash }))
  const now = yield* Clock.currentTimeMillis
  const link = yield* SignInLinks.use((links) => links.create(customerId, email, now))
  const newKey = (mode: "live" | "test") =>
    Keys.use((keys) => keys.create(customerId, { mode, name: "backend", expiresAt: null }))
  const [live, test] = yield* Effect.all([newKey("live"), newKey("test")])
  if (Option.isNone(link)) return yield* new NotFound()
  return { link: link.value, liveKey: live.secret, testKey: test.secret }
})

/**
 * A customer that can send: with its owner, keys, accounts, saved route, and money or none to pay. All of it or nothing.
 * The providers are asked, and the test code is sent, before anything is stored.
 */
export const setUpCustomer = action("customer.set_up", {
  input: SetUp,
  target: NoTarget,
  access: "operator",
  prepare: (call) =>
    Effect.gen(function* () {
      const phone = yield* phoneOf(call.input)
      const candidates = candidatesOf(call.input)
      const findings = yield* Effect.forEach(candidates, examine, { concurrency: CONCURRENCY })
      const tests = phone === null ? [] : yield* tryAccounts(candidates, phone)
      return { candidates, findings, tests, passwordHash: yield* unknownPassword(call) }
    }),
  run: ({ input }, { candidates, findings, tests, passwordHash }) =>
    Effect.gen(function* () {
      const { connect } = yield* Accounts
      const customer = yield* createCharged(input)
      const access = yield* createAccess(customer.id, input, passwordHash)
      const accounts = yield* Effect.forEach(candidates, (candidate, index) =>
        Effect.gen(function* () {
          const finding = findings[index]
          const account = yield* connect(customer.id, { ...candidate, finding })
          if (!account.sendsCodes && !account.sendsTexts) return yield* canSendNothing(candidate)
          return { account, finding }
        })
      )
      const steps = stepsOf(accounts.map(({ account }) => account))
      if (steps.length > 0) {
        const saved = RoutingOrders.use((routing) => routing.save(customer.id, steps, null))
        yield* Effect.orDie(saved)
      }
      return { customer, ...access, accounts, steps, tests }
    }),
  audit: ({ customer, accounts, steps }, { input }) => ({
    id: customer.id,
    name: customer.name,
    customerId: customer.id,
    details: {
      name: customer.name,
      plan: customer.plan,
      accounts: accounts.map(({ account: { id, channel, provider } }) => ({ id, channel, provider })),
      routing: steps,
      top_up: input.top_up ?? undefined
    }
  })
})
