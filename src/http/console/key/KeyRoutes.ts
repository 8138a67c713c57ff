import { Effect, Redacted, Schema } from "effect"
import { KeyMode } from "../../../domain/customer/Customer.ts"
import { FRESH_IN_SHELL } from "../../../domain/text/ShellCommands.ts"
import type { ConsolePages } from "../ConsolePages.ts"
import { creating, formAction, onceFormAction } from "../forms/ActionForms.ts"
import { byField } from "../forms/FieldErrors.ts"
import { typedNumber } from "../forms/Forms.ts"
import { answerPage, seeOther } from "../frame/Answers.ts"
import type { Page } from "../frame/Layout.ts"
import { change, page, pathId, type View, writerPage } from "../frame/SignedRoutes.ts"
import { newKeyPage, showNewKey, typedKey, typedTime } from "./KeyForms.ts"
import { keyPage, showKey } from "./KeyPage.ts"
import { KEYS_PATH, NEW_KEY_PATH, showKeys } from "./KeysPage.ts"
import { codeBlock, secretPanel } from "../parts/Code.ts"
import { withNotice } from "../parts/Notice.ts"
import { foreign, isolated } from "../parts/Text.ts"
import { changeKey, createKey, revokeKey, rotateKey } from "../../../services/key/KeyActions.ts"
import type { CreatedKey } from "../../../services/key/Keys.ts"

const firstRequest = (mode: "live" | "test", origin: string): string =>
  [
    `curl ${origin}/v1/${mode === "test" ? "sandbox/" : ""}otp/send \\`,
    `  -H "X-API-Key: $PEYK_KEY" -H "Content-Type: application/json" \\`,
    ...(mode === "live" ? [`  -H "Idempotency-Key: ${FRESH_IN_SHELL}" \\`] : []),
    `  -d '{"phone": "09121234567", "channels": ["bale", "sms"]}'`
  ].join("\n")

/** What the page of a new key shows. */
const ShownKey = Schema.Struct({
  name: Schema.String,
  mode: KeyMode,
  secret: Schema.RedactedFromValue(Schema.String)
})

const shownKey = ({ record, secret }: CreatedKey): typeof ShownKey.Type => {
  const { name, mode } = record
  return { name, mode, secret }
}

/** The only page that shows the key. */
const createdKeyPage = (view: View, { name, mode, secret }: typeof ShownKey.Type, title: string): Page => {
  const { say } = view.locale
  return {
    title,
    name: "keys",
    lead: foreign(name),
    content: secretPanel(
      {
        label: say("The key", "کلید"),
        secret: Redacted.value(secret),
        done: KEYS_PATH,
        more: codeBlock(
          say(
            "A first request, with the key in $PEYK_KEY",
            `نخستین درخواست، با کلید در ${isolated("$PEYK_KEY")}`
          ),
          firstRequest(mode, view.baseUrl),
          view.locale
        )
      },
      view.locale
    )
  }
}

const submitNewKey = onceFormAction(createKey, {
  target: creating,
  input: (fields, { locale }) => ({
    ...typedKey(fields),
    mode: fields.get("mode"),
    expires_at: typedTime(fields.get("expires_at"), locale.zone)
  }),
  shown: ShownKey,
  show: shownKey,
  done: (view, key) =>
    answerPage(view, createdKeyPage(view, key, view.locale.say("The key is made", "کلید ساخته شد"))),
  again: (view, fields, errors) => Effect.succeed(newKeyPage(view, fields, byField(errors)))
})

const submitKey = formAction(changeKey, {
  target: pathId,
  input: typedKey,
  done: (_, { id }) => seeOther(withNotice(`${KEYS_PATH}/${id}`, "saved")),
  again: (view, fields, errors) => Effect.flatMap(pathId, (id) => keyPage(view, id, fields, byField(errors)))
})

const submitRotation = onceFormAction(rotateKey, {
  target: pathId,
  input: (fields) => ({ overlap_seconds: typedNumber(fields.get("overlap_seconds")) }),
  shown: ShownKey,
  show: shownKey,
  done: (view, key) =>
    answerPage(
      view,
      createdKeyPage(view, key, view.locale.say("The new key is made", "کلید جایگزین ساخته شد"))
    )
})

const submitRevocation = formAction(revokeKey, {
  target: pathId,
  done: (_, { id }) => seeOther(withNotice(`${KEYS_PATH}/${id}`, "revoked"))
})

const KEY_PATH = `${KEYS_PATH}/:id` as const

/** Service keys. */
export const keyPages = {
  name: "keys",
  routes: [
    page(KEYS_PATH, showKeys),
    writerPage(NEW_KEY_PATH, showNewKey),
    change(NEW_KEY_PATH, submitNewKey),
    page(KEY_PATH, showKey),
    change(KEY_PATH, submitKey),
    change(`${KEY_PATH}/rotate`, submitRotation),
    change(`${KEY_PATH}/revoke`, submitRevocation)
  ]
} as const satisfies ConsolePages
