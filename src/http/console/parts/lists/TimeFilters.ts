import type { Instant } from "../../../../domain/Instant.ts"
import { pasted } from "../../../../domain/text/PastedText.ts"
import { ValidationError } from "../../../../domain/Errors.ts"
import { parseLocalTime } from "../../frame/forms/LocalTime.ts"
import { html, type Html } from "../../frame/Html.ts"
import type { Locale } from "../../frame/Locale.ts"
import type { Visit } from "../../frame/Visit.ts"
import { JALALI_EXAMPLE } from "../fields/TimeField.ts"
import type { TextFilter } from "./Filters.ts"
import { problem } from "../../../../domain/Problem.ts"

/** The times between which a list's rows lie, as its address has them. */
export interface TimeSearch {
  readonly from: Instant | undefined
  readonly to: Instant | undefined
  /** The times that could not be read, in words; such a search finds nothing. */
  readonly problems: ReadonlyArray<string>
}

const labels = ({ say }: Locale) => ({ from: say("From", "از"), to: say("To", "تا") })

export const timeFilters = (locale: Locale): ReadonlyArray<TextFilter> =>
  Object.entries(labels(locale)).map(([name, label]) => ({ name, label, type: "datetime-local" }))

export const readTimes = ({ query, locale }: Pick<Visit, "query" | "locale">): TimeSearch => {
  const problems: Array<string> = []
  const read = (name: "from" | "to"): Instant | undefined => {
    const text = pasted(query.get(name) ?? "")
    if (text === "") return undefined
    const at = parseLocalTime(text, locale.zone)
    if (at !== null) return at
    const label = labels(locale)[name]
    problems.push(
      locale.say(
        `${label}: not a date and time.`,
        `«${label}» تاریخ و ساعت نیست. مانند \u2066${JALALI_EXAMPLE}\u2069 بنویسید.`
      )
    )
    return undefined
  }
  return { from: read("from"), to: read("to"), problems }
}

/** Above a list: what was not understood of its search. */
export const searchProblems = (problems: ReadonlyArray<string>): ReadonlyArray<Html> =>
  problems.map((problem) => html`<p class="notice bad" role="alert">${problem}</p>`)

/** A file has no place for problems: it is refused. */
export const refusedSearch = (problems: ReadonlyArray<string>): ValidationError =>
  new ValidationError({
    problems: problems.map((text) => ({ path: "", problem: problem("other", { text }) }))
  })
