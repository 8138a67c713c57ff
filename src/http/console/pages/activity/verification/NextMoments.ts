import type { Instant } from "../../../../../domain/Instant.ts"
import {
  effectiveStatus,
  isTerminal,
  type Verification
} from "../../../../../domain/verification/Verification.ts"
import type { Locale } from "../../../frame/Locale.ts"
import type { Moment } from "../Timeline.ts"
import { type CodeRun, stepName } from "./CodeRun.ts"

/** Why the next step waits, and for what. */
const waitWords = ({ repeating, slotReserved }: Verification, { say }: Locale): string => {
  if (repeating) {
    return say(
      "Asked again with the same id, because the first answer was lost.",
      "دوباره با همان شناسه، چون پاسخ نخست گم شد."
    )
  }
  return slotReserved
    ? say(
        "At a slot of its account that is reserved for it.",
        "در نوبتی از حسابش که برای آن کنار گذاشته شده است."
      )
    : say("Unless the code is entered before.", "مگر آنکه کد پیش از آن وارد شود.")
}

/** The next step and the expiry of a code that has not ended. */
export const nextMoments = ({ verification, now }: CodeRun, locale: Locale): ReadonlyArray<Moment> => {
  const { say } = locale
  const { remaining, nextStepAt, expiresAt } = verification
  if (isTerminal(effectiveStatus(verification, now))) return []
  const within = (at: Instant) => locale.duration((at - now) / 1000)
  const expiry: Moment = {
    at: expiresAt,
    tone: "plain",
    isToCome: true,
    what: say(`Expires in ${within(expiresAt)}`, `تا ${within(expiresAt)} دیگر منقضی می‌شود`)
  }
  const [next] = remaining
  if (next === undefined || nextStepAt === null) return [expiry]
  const step: Moment = {
    at: nextStepAt,
    tone: "plain",
    isToCome: true,
    what: say(
      `Next: ${stepName(verification, next, locale)} in ${within(nextStepAt)}`,
      `بعدی: ${stepName(verification, next, locale)} تا ${within(nextStepAt)} دیگر`
    ),
    more: [waitWords(verification, locale)]
  }
  return [step, expiry]
}
