import { Effect } from "effect"
import { PLATFORM } from "../../domain/customer/Customer.ts"
import type { ConsolePages } from "./ConsolePages.ts"
import { VIEWS_PATH } from "./ConsolePaths.ts"
import { type PageName, pathOf } from "./Navigation.ts"
import { formAction } from "./forms/ActionForms.ts"
import { errorSummary, type FieldErrors, noFieldErrors } from "./forms/FormFields.ts"
import { csrfField } from "./forms/Forms.ts"
import { html, type Html } from "./frame/Html.ts"
import type { Page } from "./frame/Layout.ts"
import { seeOther } from "./frame/Responses.ts"
import { form, page, pathId, type View } from "./frame/SignedRoutes.ts"
import { confirmButton } from "./parts/Confirm.ts"
import { emptyState } from "./parts/Lists.ts"
import { withNotice } from "./parts/Notice.ts"
import { isolated, quoted } from "./parts/Text.ts"
import {
  keptQuery,
  MAX_VIEWS,
  removeView,
  renameView,
  type SavedView,
  SavedViews,
  saveView,
  ViewPage
} from "../../services/user/SavedViews.ts"

const MAX_NAME = 100

const isViewPage = (name: PageName | string): name is ViewPage =>
  ViewPage.literals.some((each) => each === name)

const ownerOf = ({ actor, session }: View) => ({ customerId: actor.customerId, userId: session.user.id })

const addressOf = ({ page: name, query }: SavedView): string =>
  query === "" ? pathOf(name) : `${pathOf(name)}?${query}`

const saveForm = ({ csrf, locale: { say } }: View, name: ViewPage, query: string): Html =>
  html`<details class="save-view">
    <summary>${say("Save this view", "ذخیرهٔ این نما")}</summary>
    <form method="post" action="${VIEWS_PATH}">
      ${csrfField(csrf)}
      <input type="hidden" name="page" value="${name}" />
      <input type="hidden" name="query" value="${query}" />
      <label class="field">
        <span>${say("Name", "نام")}</span>
        <input type="text" name="name" required maxlength="${MAX_NAME}" dir="auto" autocomplete="off" />
      </label>
      <button class="button">${say("Save", "ذخیره")}</button>
    </form>
  </details>`

/** Under the filters of a list: this user's views of it, and the form that keeps the filters as they are. */
export const savedViews = Effect.fnUntraced(function* (view: View, name: PageName) {
  const { say } = view.locale
  if (view.actor.customerId === PLATFORM || !isViewPage(name)) return null
  const all = yield* SavedViews.use((views) => views.list(ownerOf(view)))
  const own = all.filter(({ page: each }) => each === name)
  const query = keptQuery(view.query.toString())
  const isNew = query !== "" && !own.some((each) => each.query === query)
  if (own.length === 0 && !isNew) return null
  return html`<nav class="saved-views" aria-label="${say("Saved views", "نماهای ذخیره‌شده")}">
    ${own.map(
      (each) =>
        html`<a class="chip" href="${addressOf(each)}" ${each.query === query && html`aria-current="true"`}
          >${isolated(each.name)}</a
        >`
    )}
    ${isNew && saveForm(view, name, query)}
    ${own.length > 0 && html`<a class="muted" href="${VIEWS_PATH}">${say("Manage views", "مدیریت نماها")}</a>`}
  </nav>`
})

const pageText = (name: ViewPage, { navigation, locale: { say } }: View): string => {
  const found = navigation.flatMap(({ pages }) => pages).find((each) => each.name === name)
  return found === undefined ? name : say(found.english, found.persian)
}

const viewRow = (saved: SavedView, view: View): Html => {
  const { csrf, locale } = view
  const { say } = locale
  const path = `${VIEWS_PATH}/${saved.id}`
  const name = quoted(saved.name, locale)
  return html`<li>
    <a href="${addressOf(saved)}">${isolated(saved.name)}</a>
    <span class="muted">${pageText(saved.page, view)}</span>
    <form method="post" action="${path}/rename" class="rename">
      ${csrfField(csrf)}
      <input
        type="text"
        name="name"
        value="${saved.name}"
        required
        maxlength="${MAX_NAME}"
        dir="auto"
        autocomplete="off"
        aria-label="${say(`New name of ${name}`, `نام جدید ${name}`)}"
      />
      <button class="button small">${say("Rename", "تغییر نام")}</button>
    </form>
    ${confirmButton(view, {
      action: `${path}/delete`,
      label: say("Delete", "حذف"),
      isSmall: true,
      kind: "quiet",
      question: say(`Delete the view ${name}?`, `نمای ${name} حذف شود؟`),
      confirm: say("Delete view", "حذف نما")
    })}
  </li>`
}

const viewsPage = Effect.fnUntraced(function* (view: View, errors: FieldErrors) {
  const { say, number } = view.locale
  const all = yield* SavedViews.use((views) => views.list(ownerOf(view)))
  return {
    title: say("Saved views", "نماهای ذخیره‌شده"),
    name: null,
    lead: say(
      `Filters of lists that you keep under a name. Only you see them; at most ${MAX_VIEWS}.`,
      `فیلترهایی که با یک نام نگه می‌دارید. فقط شما آن‌ها را می‌بینید؛ حداکثر ${number(MAX_VIEWS)} نما.`
    ),
    content: html`${errorSummary(errors, view.locale)}
      <section class="panel">
        ${
          all.length > 0
            ? html`<ul class="view-list">
                ${all.map((each) => viewRow(each, view))}
              </ul>`
            : emptyState(
                say("No saved views", "نمایی ذخیره نشده است"),
                say(
                  "Filter a list, then choose “Save this view” below its filters.",
                  "فهرستی را فیلتر کنید و زیر فیلترها «ذخیرهٔ این نما» را انتخاب کنید."
                ),
                { href: pathOf("verifications"), label: say("Verifications", "کدهای تأیید") }
              )
        }
      </section>`
  } satisfies Page
})

const again = (view: View, _: URLSearchParams, errors: FieldErrors) => viewsPage(view, errors)

const targetOf = ({ session }: View) => Effect.map(pathId, (id) => ({ userId: session.user.id, id }))

const submitSave = (view: View, fields: URLSearchParams) =>
  formAction(saveView, {
    target: Effect.succeed({ userId: view.session.user.id }),
    input: () => ({ page: fields.get("page"), name: fields.get("name"), query: fields.get("query") ?? "" }),
    done: (_, saved) => seeOther(withNotice(addressOf(saved), "saved")),
    again
  })(view, fields)

const submitRename = (view: View, fields: URLSearchParams) =>
  formAction(renameView, {
    target: targetOf(view),
    input: () => ({ name: fields.get("name") }),
    done: () => seeOther(withNotice(VIEWS_PATH, "saved")),
    again
  })(view, fields)

const submitRemoval = (view: View, fields: URLSearchParams) =>
  formAction(removeView, {
    target: targetOf(view),
    done: () => seeOther(withNotice(VIEWS_PATH, "deleted"))
  })(view, fields)

/** The views of whoever is signed in. */
export const savedViewPages = {
  name: null,
  routes: [
    page(VIEWS_PATH, (view) => viewsPage(view, noFieldErrors)),
    form(VIEWS_PATH, submitSave),
    form(`${VIEWS_PATH}/:id/rename`, submitRename),
    form(`${VIEWS_PATH}/:id/delete`, submitRemoval)
  ]
} as const satisfies ConsolePages
