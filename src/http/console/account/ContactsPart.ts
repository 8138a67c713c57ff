import { Effect, Schema } from "effect"
import { Phone } from "../../../domain/Phone.ts"
import { CHANNELS_PATH } from "./ChannelsPage.ts"
import { errorSummary, type FieldErrors, inputField, textAreaField } from "../forms/FormFields.ts"
import { csrfField } from "../forms/Forms.ts"
import { html, type Html } from "../frame/Html.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { confirmButton } from "../parts/Confirm.ts"
import { emptyState, pager, pageRequest, table } from "../parts/Lists.ts"
import { isolatedText, mono, phoneNumber } from "../parts/Text.ts"
import type { AccountRecord } from "../../../services/account/Accounts.ts"
import { type ContactRecord, Contacts } from "../../../services/account/Contacts.ts"

const list = (view: View, id: number, items: ReadonlyArray<ContactRecord>): Html => {
  const { say, time } = view.locale
  const mayWrite = view.actor.scope === "full"
  return table(
    say("Linked phones", "شماره‌های وصل‌شده"),
    [
      { header: say("Phone", "شماره"), kind: "title", cell: ({ phone }) => phoneNumber(phone) },
      { header: say("Chat", "گفت‌وگو"), cell: ({ chatId }) => mono(chatId) },
      { header: say("Linked", "زمان وصل شدن"), cell: ({ linkedAt }) => time(linkedAt) },
      ...(mayWrite
        ? [
            {
              header: say("Actions", "عملیات"),
              kind: "actions" as const,
              cell: ({ phone }: ContactRecord) =>
                confirmButton(view, {
                  action: `${CHANNELS_PATH}/${id}/contacts/remove`,
                  label: say("Remove", "حذف"),
                  isSmall: true,
                  kind: "quiet",
                  fields: { phone },
                  question: say(
                    `This account can no longer reach ${isolatedText(phone)}, until that person writes to it again.`,
                    `این حساب دیگر نمی‌تواند به ${isolatedText(phone)} پیام بدهد، مگر این که آن شخص دوباره به آن پیام دهد.`
                  ),
                  confirm: say("Remove contact", "حذف مخاطب")
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
      label: say("Chat id in the messenger", "شناسهٔ گفت‌وگو در پیام‌رسان"),
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
    <summary class="more-summary">${say("Import from CSV", "وارد کردن از CSV")}</summary>
    <form class="fields" method="post" action="${action}">
      ${csrfField(view.csrf)}
      ${textAreaField({
        name: "contacts",
        label: say("CSV lines: phone, chat id", "سطرهای CSV: شماره، شناسهٔ گفت‌وگو"),
        hint: say(
          "At most 1000 lines, with commas, semicolons or tabs between the columns. A header line (phone, chat_id, in any order) is optional. If one line is wrong, nothing is imported.",
          "حداکثر ۱۰۰۰ سطر، با ویرگول، نقطه‌ویرگول یا Tab بین ستون‌ها. سطر عنوان (phone و chat_id، به هر ترتیب) اختیاری است. اگر یک سطر اشتباه باشد، هیچ سطری وارد نمی‌شود."
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
        data-replaces="${say("Replace the text above with this file?", "محتوای این فایل جای متن بالا بیاید؟")}"
      >
        <span>${say("Or a CSV file", "یا فایل CSV")}</span>
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
      <h2 id="contacts-title">${say("Contacts", "مخاطب‌ها")}</h2>
      <span class="muted"
        >${say(`${number(count)} ${count === 1 ? "phone" : "phones"}`, `${number(count)} شماره`)}</span
      >
    </div>
    ${
      items.length === 0
        ? emptyState(
            say("No contacts yet", "هنوز مخاطبی نیست"),
            say(
              "A bot can write only to people who wrote to it first. They become contacts when they share their number. You can also import contacts.",
              "ربات فقط به کسی پیام می‌دهد که اول به آن پیام داده باشد. هر کس شماره‌اش را برای ربات بفرستد، مخاطب می‌شود. می‌توانید مخاطب‌ها را خودتان هم وارد کنید."
            )
          )
        : list(view, id, items)
    }
    ${pager(view, next)} ${view.actor.scope === "full" && addForms(view, id, errors, submitted)}
  </section>`
})
