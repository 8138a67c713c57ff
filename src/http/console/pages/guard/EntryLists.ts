import { EntryType, type GuardList } from "../../../../domain/guard/GuardSettings.ts"
import type { StoredEntry } from "../../../../services/resources/activity/GuardRecords.ts"
import { csrfField } from "../../frame/forms/Forms.ts"
import { html, type Html } from "../../frame/Html.ts"
import type { View } from "../../frame/SignedRoutes.ts"
import { postButton } from "../../parts/Confirm.ts"
import { CONFLICT } from "../../parts/fields/FieldErrors.ts"
import { errorSummary } from "../../parts/fields/ErrorSummary.ts"
import { inputField, selectField } from "../../parts/fields/Fields.ts"
import { table } from "../../parts/lists/Table.ts"
import { mono } from "../../parts/Text.ts"
import { GUARD_PATH, mayChange, type ShownForm } from "./GuardForms.ts"
import { typeWords } from "./GuardWords.ts"

/** Both lists have a form on the page: the names of their fields differ. */
export const fieldOf = (list: GuardList, field: string): string => `${list}_${field}`

const entryForm = (list: GuardList, view: View, { errors: given, typed }: ShownForm): Html => {
  const { locale } = view
  const errors = new Map(
    [...given].map(
      ([field, message]) => [field === CONFLICT ? field : fieldOf(list, field), message] as const
    )
  )
  const { say } = locale
  return html`<form class="panel-body fields" method="post" action="${GUARD_PATH}/${list}/add">
    ${csrfField(view.csrf)} ${errorSummary(errors, locale)}
    ${selectField({
      name: fieldOf(list, "type"),
      label: say("What", "چه"),
      value: typed?.get(fieldOf(list, "type")) ?? "prefix",
      choices: EntryType.literals.map((type) => [type, typeWords(type, locale)] as const),
      errors
    })}
    ${inputField({
      name: fieldOf(list, "value"),
      label: say("Value", "مقدار"),
      value: typed?.get(fieldOf(list, "value")) ?? "",
      isLtr: true,
      isRequired: true,
      errors
    })}
    <div class="actions"><button class="button">${say("Add", "افزودن")}</button></div>
  </form>`
}

export const entryPanel = (
  list: GuardList,
  entries: ReadonlyArray<StoredEntry>,
  view: View,
  shown: ShownForm
): Html => {
  const { locale } = view
  const { say } = locale
  const title = list === "allow" ? say("Always let pass", "همیشه مجاز") : say("Always refuse", "همیشه ممنوع")
  return html`<section class="panel">
    <h2 class="panel-body">${title}</h2>
    ${
      entries.length > 0 &&
      table(
        title,
        [
          { header: say("Value", "مقدار"), kind: "title", cell: ({ value }: StoredEntry) => mono(value) },
          { header: say("What", "چه"), cell: ({ type }) => typeWords(type, locale) },
          {
            header: say("Actions", "کارها"),
            kind: "actions",
            cell: ({ type, value }) =>
              mayChange(view) &&
              postButton(view, {
                action: `${GUARD_PATH}/${list}/remove`,
                label: say("Remove", "حذف"),
                fields: { type, value },
                isSmall: true
              })
          }
        ],
        entries
      )
    }
    ${mayChange(view) && entryForm(list, view, shown)}
  </section>`
}
