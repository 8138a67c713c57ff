import { Result } from "effect"
import { type Calendar, type Month, monthNamed } from "../Calendar.ts"
import { ValidationError } from "../Errors.ts"
import { problem } from "../Problem.ts"

const EXAMPLES: Readonly<Record<Calendar, string>> = { gregorian: "2026-11", jalali: "1405-09" }

/** The month of a statement: `2026-11`, or `1405-09` by the calendar of Iran, as it begins and ends in a zone. */
export const statementMonth = (
  name: string,
  { calendar, zone }: { readonly calendar: Calendar; readonly zone: string }
): Result.Result<Month, ValidationError> => {
  const month = monthNamed(name, { calendar, zone })
  return month === null
    ? Result.fail(
        new ValidationError({
          problems: [{ path: "path.month", problem: problem("not_a_month", { example: EXAMPLES[calendar] }) }]
        })
      )
    : Result.succeed(month)
}
