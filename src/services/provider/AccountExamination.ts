import { Clock, Effect, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { AccountFinding, type Credit } from "../../domain/account/AccountState.ts"
import { PLATFORM } from "../../domain/customer/Customer.ts"
import { renderCodeText } from "../../domain/verification/CodeText.ts"
import type { Phone } from "../../domain/Phone.ts"
import {
  inWords as reworded,
  keptText,
  ProviderOutcome,
  withoutPrivateParts
} from "../../domain/ProviderOutcome.ts"
import { type Channel, channelType } from "../../domain/routing/Channel.ts"
import { type AccountProblem, CallKind, type ProviderConnection } from "./ProviderAdapter.ts"

const findingOf = ({ message, isDefinite }: AccountProblem, credit: Credit): AccountFinding => {
  const found = { reason: keptText(message), credit }
  return isDefinite ? AccountFinding.Refused(found) : AccountFinding.NotReached(found)
}

const findingWith = (check: Effect.Effect<string, AccountProblem>, credit: Credit) =>
  Effect.match(check, {
    onSuccess: (detail) => AccountFinding.Works({ detail: keptText(detail), credit }),
    onFailure: (problem) => findingOf(problem, credit)
  })

const inWords = (credit: Credit, warning: string) =>
  [`credit ${credit ?? "unknown"}`, ...(warning === "" ? [] : [warning])].join("; ")

/**
 * Whether an account works, by calls that change nothing.
 *
 * Asks for the credit first: an account whose template is wrong has one too. If that fails, nothing else is asked,
 * because providers block those who come with wrong credentials too often.
 */
export const examine = ({
  check,
  credit
}: Pick<ProviderConnection, "check" | "credit">): Effect.Effect<AccountFinding> => {
  if (check === null) return Effect.succeed(AccountFinding.CannotBeChecked())
  if (credit === undefined) return findingWith(check, null)
  return Effect.matchEffect(credit, {
    onSuccess: (amount) => {
      const known = Number.isFinite(amount) ? amount : null
      return findingWith(
        Effect.map(check, (warning) => inWords(known, warning)),
        known
      )
    },
    onFailure: (problem) => Effect.succeed(findingOf(problem, null))
  })
}

const TEST_CODE_DIGITS = 6
const TEST_CODE_SECONDS = 300

/** Whom a test code goes to, over which channel. `chatId`: how the account reaches the phone, if it needs that. */
interface TestCode {
  readonly phone: Phone
  readonly channel: Channel
  readonly provider: string
  readonly chatId: string | null
}

/** Sends a code that no verification waits for: shows whether the account delivers. No limit counts it. */
export const sendTestCode = Effect.fnUntraced(function* (
  connection: ProviderConnection,
  { phone, channel, provider, chatId }: TestCode
) {
  const { traits } = connection
  if (!traits.sendsCodes) {
    return ProviderOutcome.Rejected({
      cause: "configuration",
      providerError: "the account has no setting for codes"
    })
  }
  if (traits.needsContact && chatId === null) {
    return ProviderOutcome.Rejected({
      cause: "recipient",
      providerError: "no contact: this number is not linked to the account"
    })
  }
  const random = yield* SecureRandom.SecureRandom
  const number = yield* random.intBetween(0, 10 ** TEST_CODE_DIGITS, { halfOpen: true })
  const code = String(number).padStart(TEST_CODE_DIGITS, "0")
  const text = renderCodeText({ textBody: null, textLocale: null }, code, TEST_CODE_SECONDS)
  const descriptor = { type: channelType(channel), provider, credential_id: null, label: provider }
  const sent = connection.sendCode({
    attemptId: `${yield* random.uuidV7()}-1`,
    customerId: PLATFORM,
    step: { channel, account_id: null, descriptor },
    phone,
    text: Redacted.make(text),
    code: Redacted.make(code),
    expiresAt: (yield* Clock.currentTimeMillis) + TEST_CODE_SECONDS * 1000,
    chatId
  })
  const outcome = yield* Effect.provideService(sent, CallKind, "code")
  return reworded(outcome, (words) => withoutPrivateParts(words, { phone, text, code }))
})
