import { Array as Arr, Clock, Effect } from "effect"
import { formatInstant, type Instant } from "../../domain/Instant.ts"
import { textOf } from "../../domain/ProblemTexts.ts"
import { AccountFinding, whySendsNothing } from "../../domain/account/AccountState.ts"
import { ProviderOutcome } from "../../domain/ProviderOutcome.ts"
import { type SkipCounts, SkipReason, skipWords } from "../../domain/account/Pace.ts"
import {
  type AccountOwner,
  type AccountRecord,
  Accounts,
  type CheckedAccount
} from "../../services/account/Accounts.ts"
import { CustomerRecords } from "../../services/customer/CustomerRecords.ts"
import { SetUpConcern, SetUpConcerns } from "../../services/customer/SetUpConcerns.ts"

/** The result of checking an account, in one line for people. */
export const describeFinding: (finding: AccountFinding) => string = AccountFinding.$match({
  Works: ({ detail }) => `works: ${detail}`,
  Refused: ({ reason }) => `refused: ${reason}`,
  NotReached: ({ reason }) => `the provider could not be asked: ${reason}`,
  CannotBeChecked: () => "the provider offers no check"
})

/** What became of a code that was sent as a test, in one line for people. */
export const describeOutcome: (outcome: ProviderOutcome) => string = ProviderOutcome.$match({
  Accepted: () => "the provider accepted the code",
  Rejected: ({ providerError }) => `refused: ${providerError}`,
  Throttled: ({ providerError }) => `the provider asks to slow down: ${providerError}`,
  Unavailable: ({ providerError }) => `the code was not sent: ${providerError}`,
  Unknown: ({ providerError }) => `it is unknown whether the code was sent: ${providerError}`
})

/** Questions to the store at a time: an installation can have thousands of customers. */
const CONCURRENCY = 4

/** A remark about an account. `words` is empty if the provider's own words are enough. */
interface Remark {
  readonly words: string
  /** The next step for the operator; null if there is none. */
  readonly advice: string | null
}

const changeSettings = ({ accountId, owner }: CheckedAccount): string =>
  owner === null
    ? "change them under “Shared accounts” in the console"
    : `change them on its page in the console, or with PATCH /v1/manage/accounts/${accountId}`

/** What to do about the provider's response. */
const onFinding = (checked: CheckedAccount): Remark | null =>
  AccountFinding.$match(checked.finding, {
    Refused: () => ({
      words: "",
      advice: `compare its settings with the provider's panel; ${changeSettings(checked)}`
    }),
    NotReached: () => ({
      words: "",
      advice:
        "without an answer, check the network, PEYK_PROVIDER_PROXY and the provider's address; then run this again"
    }),
    Works: ({ credit }) =>
      credit !== null && credit <= 0
        ? { words: "no credit is left", advice: "buy credit at the provider" }
        : null,
    CannotBeChecked: () => null
  })

/** The account's own sends fail, whatever its provider says to the check. */
const onFailures = ({ failures, coolingUntil }: AccountRecord, now: Instant): Remark | null => {
  if (coolingUntil === null || coolingUntil <= now) return null
  const reason = failures === 0 ? "its provider asked to slow down" : `${failures} sends in a row failed`
  const words = `${reason}, so its codes or its messages wait until ${formatInstant(coolingUntil)}`
  if (failures === 0) return { words, advice: null }
  return {
    words,
    advice: "read the provider's words about a send with peyk verification show or peyk message show"
  }
}

const listed = (settings: ReadonlyArray<string>) => settings.join(" and ")

/** What the account cannot send. */
const onSettings = (
  checked: CheckedAccount,
  { sendsCodes, sendsTexts }: AccountRecord,
  needed: ReturnType<Accounts["Service"]["sendingSettings"]>
): Remark | null => {
  if (needed == null || (sendsCodes && sendsTexts)) return null
  if (sendsCodes) return { words: `it sends no messages without ${listed(needed.texts)}`, advice: null }
  if (sendsTexts) return { words: `it sends no codes without ${listed(needed.codes)}`, advice: null }
  return {
    words: `it can send nothing: ${whySendsNothing(needed)}`,
    advice: `complete its settings; ${changeSettings(checked)}`
  }
}

const summary = (checked: CheckedAccount, remarks: ReadonlyArray<Remark | null>) => {
  const { accountId, owner, channel, provider, label, finding } = checked
  const words = remarks.flatMap((remark) => remark?.words ?? []).filter((each) => each !== "")
  const advice = remarks.flatMap((remark) => remark?.advice ?? [])
  const whose = owner === null ? "the platform" : `customer ${owner}`
  const account = `${channel} over ${provider}, “${label}” of ${whose}`
  return {
    check: `account ${accountId}`,
    ok: advice.length === 0,
    finding: `${account}: ${[describeFinding(finding), ...words].join("; ")}`,
    ...(advice.length > 0 && { advice: advice.join("; ") })
  }
}

/** One finding for each account that is switched on. An account that cannot be checked is not an error. */
export const accountFindings = Effect.gen(function* () {
  const { checkAll, find, sendingSettings } = yield* Accounts
  const all = yield* checkAll
  const now = yield* Clock.currentTimeMillis
  // An account that was deleted meanwhile has no finding.
  return Arr.getSomes(
    yield* Effect.forEach(
      all,
      (checked) =>
        Effect.option(
          Effect.map(find(checked.owner, checked.accountId), (record) =>
            summary(checked, [
              onFinding(checked),
              onFailures(record, now),
              onSettings(checked, record, sendingSettings(record.provider))
            ])
          )
        ),
      { concurrency: CONCURRENCY }
    )
  )
})

const skippedWords = (skips: SkipCounts): string =>
  SkipReason.literals
    .flatMap((reason) => ((skips[reason] ?? 0) > 0 ? [`${skipWords[reason][0]} (${skips[reason]})`] : []))
    .join("; ")

const accountName = ({ id, channel, label }: { id: number; channel: string; label: string }): string =>
  `account ${id} (${channel}, “${label}”)`

const describeConcern: (
  concern: SetUpConcern
) => { readonly finding: string; readonly advice: string } | null = SetUpConcern.$match({
  // the findings of the accounts say both, after a new check
  AccountSendsNothing: () => null,
  AccountNotReached: () => null,
  AccountRefused: ({ account, error }) => ({
    finding: `${accountName(account)} was refused at ${formatInstant(error.at)}: ${error.message}`,
    advice: "compare its settings with the provider's panel"
  }),
  AccountSkipped: ({ account, steps, skips, most }) => ({
    finding:
      (most === null ? "" : `${accountName(account)} sends at most ${most} a minute; `) +
      `${steps} were refused in the last hour${most === null ? ` over ${accountName(account)}` : ""}: ${skippedWords(skips)}`,
    advice:
      "lower its gap (PEYK_ACCOUNT_GAP_MS, or peyk account limits --gap-ms) or raise its rate if its provider allows it; or add an account"
  }),
  StepCannotSend: ({ channel, accountId, code, problem }) => ({
    finding:
      `the saved order's step ${channel} cannot send` +
      `${accountId === null ? "" : ` over account ${accountId}`}: ${code}${problem === null ? "" : `, ${textOf(problem)}`}`,
    advice: "complete the account's settings, or change the order with peyk routing set"
  }),
  ChannelDeliversNothing: ({ channel, codes, accepted }) => ({
    finding: `${channel} delivers nothing: ${codes} codes were tried in the last day, ${accepted} accepted, none verified or delivered`,
    advice: "read the provider's words with peyk verification show, and send yourself a code"
  }),
  GuardAlarms: ({ open, reason, since }) => ({
    finding: `${open} ${open === 1 ? "alarm" : "alarms"} of the guard, the newest (${reason}) since ${formatInstant(since)}`,
    advice: "look at it with peyk guard alarms, or on the page Guard of the console"
  })
})

/** Others than these are a customer's own choice, or are over: they do not fail the installation's check. */
const failing: ReadonlyArray<SetUpConcern["_tag"]> = ["AccountRefused", "ChannelDeliversNothing"]

const toFindings = (owner: AccountOwner, concern: SetUpConcern) => {
  const described = describeConcern(concern)
  if (described === null) return []
  const ok = !failing.includes(concern._tag)
  const { finding, advice } = described
  const check = owner === null ? "shared" : `customer ${owner}`
  return [ok ? { check, ok, finding: `${finding}; ${advice}` } : { check, ok, finding, advice }]
}

/** One finding for each thing in a customer's set-up that keeps codes from arriving. */
export const setUpFindings = Effect.gen(function* () {
  const concerns = yield* SetUpConcerns
  const now = yield* Clock.currentTimeMillis
  const customers = yield* (yield* CustomerRecords).list
  const owners: ReadonlyArray<AccountOwner> = [null, ...customers.map(({ id }) => id)]
  const found = yield* Effect.forEach(
    owners,
    (owner) => Effect.map(concerns.read(owner, now), (each) => each.flatMap((one) => toFindings(owner, one))),
    { concurrency: CONCURRENCY }
  )
  return found.flat()
})
