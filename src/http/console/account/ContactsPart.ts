import { Effect, Schema } from "effect"
import { Phone } from "../../../domain/Phone.ts"
import { CHANNELS_PATH } from "./ChannelsPage.ts"
import { errorSummary, type FieldErrors, inputField, textAreaField } from "../forms/Fields.ts"
import { csrfField } from "../forms/Forms.ts"
import { html, type Html } from "../frame/Html.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { confirmButton } from "../parts/Confirm.ts"
import { emptyState, pager, pageRequest, table } from "../parts/Lists.ts"
import { mono, phoneNumber } from "../parts/Text.ts"
import type { AccountRecord } from "../../../services/account/Accounts.ts"
import { type ContactRecord, Contacts } from "../../../services/account/Contacts.ts"

const list = (view: View, id: number, items: ReadonlyArray<ContactRecord>): Html => {
  const { say, time } = view.locale
  const mayWrite = view.actor.scope === "full"
  return table(
    say("Linked phones", "شماره‌های وصل"),
    [
      { header: say("Phone", "شماره"), kind: "title", cell: ({ phone }) => phoneNumber(phone) },
      { header: say("Chat", "گفتگو"), cell: ({ chatId }) => mono(chatId) },
      { header: say("Since", "از"), cell: ({ linkedAt }) => time(linkedAt) },
      ...(mayWrite
        ? [
            {
              header: say("Actions", "کارها"),
              kind: "actions" as const,
              cell: ({ phone }: ContactRecord) =>
                confirmButton(view, {
                  action: `${CHANNELS_PATH}/${id}/contacts/remove`,
                  label: say("Remove", "حذف"),
                  isSmall: true,
                  kind: "quiet",
                  fields: { phone },
                  question: say(
                    "The account then reaches this phone no more, until the person writes to it again.",
                    "از آن پس این حساب به این شماره نمی‌رسد، مگر آن شخص دوباره به آن پیام دهد."
                  ),
                  confirm: say("Remove the contact", "حذف مخاطب")
                })
            }
          ]
        : [])
    ],
    items
  )
}

const addForm = (
  view: View,
  action: string,
  errors: FieldErrors,
  submitted: URLSearchParams | null
): Html => {
  const { say } = view.locale
  return html`<form class="fields inline" method="post" action="${action}">
    ${csrfField(view.csrf)}
    ${inputField({
      name: "phone",
      label: say("Phone", "شماره"),
      type: "tel",
      placeholder: "09121234567",
      isLtr: true,
      isRequired: true,
      value: submitted?.get("phone") ?? "",
      errors
    })}
    ${inputField({
      name: "chat_id",
      label: say("Chat id at the platform", "شناسهٔ گفتگو در پیام‌رسان"),
      isLtr: true,
      isRequired: true,
      value: submitted?.get("chat_id") ?? "",
      errors
    })}
    <div><button class="button">${say("Add", "افزودن")}</button></div>
  </form>`
}

const importForm = (
  view: View,
  action: string,
  errors: FieldErrors,
  submitted: URLSearchParams | null
): Html => {
  const { say } = view.locale
  const isOpen = errors.has("contacts")
  return html`<details ${isOpen && html`open`}>
    <summary class="more-summary">${say("Import many", "وارد کردن چندین مخاطب")}</summary>
    <form class="fields" method="post" action="${action}">
      ${csrfField(view.csrf)}
      ${textAreaField({
        name: "contacts",
        label: say("Lines of CSV: phone, chat id", "سطرهای CSV: شماره، شناسهٔ گفتگو"),
        hint: say(
          "At most 1000 lines, with commas, semicolons or tabs between the columns. A first line that names the columns (phone, chat_id, in any order) is optional. If a line is wrong, nothing is imported.",
          "حداکثر ۱۰۰۰ سطر، با ویرگول، نقطه‌ویرگول یا Tab میان ستون‌ها. سطر نخست با نام ستون‌ها (phone و chat_id، به هر ترتیب) اختیاری است. اگر سطری نادرست باشد، هیچ‌کدام وارد نمی‌شود."
        ),
        rows: 6,
        isCode: true,
        isRequired: true,
        value: submitted?.get("contacts") ?? "",
        errors
      })}
      <label
        class="field file-field"
        hidden
        data-file-into="field-contacts"
        data-replaces="${say("Replace what is typed above with this file?", "این پرونده جای آنچه بالا نوشته‌اید بنشیند؟")}"
      >
        <span>${say("Or a CSV file", "یا پروندهٔ CSV")}</span>
        <input type="file" accept=".csv,text/csv,text/plain" />
      </label>
      <div><button class="button">${say("Import", "وارد کردن")}</button></div>
    </form>
  </details>`
}

const addForms = (view: View, id: number, errors: FieldErrors, submitted: URLSearchParams | null): Html => {
  const action = `${CHANNELS_PATH}/${id}/contacts`
  return html`<div class="panel-body stack-tight">
    ${errorSummary(errors, view.locale)} ${addForm(view, action, errors, submitted)}
    ${importForm(view, action, errors, submitted)}
  </div>`
}

/** The phones that an account reaches, for providers that reach only those. */
export const contactsPanel = Effect.fnUntraced(function* (
  view: View,
  { id }: AccountRecord,
  errors: FieldErrors,
  submitted: URLSearchParams | null
) {
  const { say, number } = view.locale
  const contacts = yield* Contacts
  const { customerId } = view.actor
  const count = yield* Effect.catchTag(contacts.count(customerId, id), "conflict", Effect.die)
  const { items, next } = yield* contacts.list(customerId, id, yield* pageRequest(view, Schema.is(Phone)))
  return html`<section class="panel" id="contacts" aria-labelledby="contacts-title">
    <div class="panel-head">
      <h2 id="contacts-title">${say("Contacts", "مخاطبان")}</h2>
      <span class="muted"
        >${say(`${number(count)} ${count === 1 ? "phone" : "phones"}`, `${number(count)} شماره`)}</span
      >
    </div>
    ${
      items.length === 0
        ? emptyState(
            say("It reaches nobody yet", "هنوز به کسی نمی‌رسد"),
            say(
              "A bot writes only to people who wrote to it first. They link themselves when they share their number; you can also import links that you have.",
              "بات تنها به کسانی پیام می‌دهد که نخست به آن پیام داده‌اند. با فرستادن شماره‌شان وصل می‌شوند؛ پیوندهایی را که دارید نیز می‌توانید وارد کنید."
            )
          )
        : list(view, id, items)
    }
    ${pager(view, next)} ${view.actor.scope === "full" && addForms(view, id, errors, submitted)}
  </section>`
})
