import { assert, describe, it } from "@effect/vitest"
import { html } from "../../../src/http/console/frame/Html.ts"
import { makeLocale } from "../../../src/http/console/frame/Locale.ts"
import {
  checkField,
  errorSummary,
  inputField,
  selectField
} from "../../../src/http/console/forms/FormFields.ts"

const locale = makeLocale("fa", "Asia/Tehran")

const formWith = (errors: ReadonlyMap<string, string>): string => {
  const steps = ["60", "5"].map((value, row) =>
    inputField({ name: "wait", key: `wait.${row}`, place: `گام ${row + 1}:`, label: "انتظار", value, errors })
  )
  return String(
    html`<form>
      ${errorSummary(errors, locale)}
      ${inputField({ name: "rate_limit_per_minute", label: "درخواست در دقیقه", hint: "خالی: پیش‌فرض.", errors })}
      <fieldset>${steps}</fieldset>
      ${selectField({ name: "mode", label: "حالت", choices: [["live", "واقعی"]], errors })}
      ${checkField({ name: "default", label: "پیش‌فرض", errors })}
    </form>`
  )
}

/** The lines of the summary: the link's target, if any, and the words. */
const linesOf = (page: string) =>
  [...page.matchAll(/<li>(.*?)<\/li>/gs)].map(([, line = ""]) => [
    /href="#([^"]+)"/.exec(line)?.[1] ?? null,
    line.replaceAll(/<[^>]+>/g, "")
  ])

describe("the summary of a form's errors", () => {
  it("leads to each field by the label that people see, not by the API's name", () => {
    const page = formWith(
      new Map([
        ["rate_limit_per_minute", "عدد لازم است"],
        ["default", "نمی‌شود"]
      ])
    )
    assert.deepStrictEqual(linesOf(page), [
      ["field-rate_limit_per_minute", "درخواست در دقیقه: عدد لازم است"],
      ["field-default", "پیش‌فرض: نمی‌شود"]
    ])
  })

  it("says which of several fields with one name is wrong, and only that one is invalid", () => {
    const page = formWith(new Map([["wait.1", "از ۴۵ تا ۱۲۰"]]))
    assert.deepStrictEqual(linesOf(page), [["field-wait-1", "گام 2: انتظار: از ۴۵ تا ۱۲۰"]])
    assert.match(
      page,
      /id="field-wait-1"\s+name="wait"[^>]*aria-describedby="field-wait-1-error"[^>]*aria-invalid="true"/
    )
    assert.strictEqual(page.split('aria-invalid="true"').length, 2)
  })

  it("has no link for an error that is about no field of the form", () => {
    assert.deepStrictEqual(linesOf(formWith(new Map([["send", "این شماره در فهرست منع است."]]))), [
      [null, "این شماره در فهرست منع است."]
    ])
  })

  it("is not there without errors", () => {
    assert.notInclude(formWith(new Map()), 'role="alert"')
  })
})
