import { html } from "../../../frame/Html.ts"
import type { Locale } from "../../../frame/Locale.ts"
import { deliveryMoment, routeWords } from "../AttemptParts.ts"
import type { Moment } from "../Timeline.ts"
import { attemptMoments } from "./AttemptMoments.ts"
import { type CodeRun, stepName } from "./CodeRun.ts"
import { endMoments } from "./EndMoments.ts"
import { nextMoments } from "./NextMoments.ts"

const accepted = ({ verification }: CodeRun, locale: Locale): Moment => {
  const { say } = locale
  const { route, createdAt, expiresAt } = verification
  const { source } = route[0]
  const origin =
    source === "saved"
      ? say("your saved order", "ترتیب ذخیره‌شدهٔ شما")
      : source === "request"
        ? say("the channels of the request", "کانال‌های درخواست")
        : null
  const price = Math.max(0, ...route.map((step) => step.price ?? 0))
  return {
    at: createdAt,
    tone: "info",
    what: say("Accepted", "پذیرفته شد"),
    more: [
      html`${say("Route", "مسیر")}:
      ${routeWords(route, locale)}${origin !== null && ` · ${say("from", "از")} ${origin}`}`,
      say(
        `The code is valid for ${locale.duration((expiresAt - createdAt) / 1000)}.`,
        `کد ${locale.duration((expiresAt - createdAt) / 1000)} اعتبار دارد.`
      ),
      price > 0 &&
        say(
          `${locale.rials(price)} were held in the wallet.`,
          `${locale.rials(price)} از کیف پول نگه داشته شد.`
        )
    ]
  }
}

const reports = ({ verification }: CodeRun, locale: Locale): ReadonlyArray<Moment> =>
  verification.attempts.flatMap(({ step, delivery }) =>
    delivery === undefined ? [] : [deliveryMoment(delivery, stepName(verification, step, locale), locale)]
  )

const wrongCodes = ({ history, maxWrongCodes }: CodeRun, locale: Locale): ReadonlyArray<Moment> => {
  const { say, number } = locale
  const count = history.wrongCodes ?? 0
  if (count === 0) return []
  return [
    {
      at: null,
      tone: "warn",
      what:
        count === 1
          ? say("1 wrong code was entered", "۱ کد نادرست وارد شد")
          : say(`${number(count)} wrong codes were entered`, `${number(count)} کد نادرست وارد شد`),
      more: [
        maxWrongCodes !== null &&
          say(
            `After ${number(maxWrongCodes)} a code is locked.`,
            `پس از ${number(maxWrongCodes)} بار کد قفل می‌شود.`
          )
      ]
    }
  ]
}

/** The timeline of a code, with its next event. */
export const verificationMoments = (run: CodeRun, locale: Locale): ReadonlyArray<Moment> => [
  accepted(run, locale),
  ...attemptMoments(run, locale),
  ...wrongCodes(run, locale),
  ...reports(run, locale),
  ...endMoments(run, locale),
  ...nextMoments(run, locale)
]
