import { Effect } from "effect"
import { changeKey, createKey, revokeKey, rotateKey } from "../../../../../services/key/KeyActions.ts"
import { answerPage, seeOther } from "../../../frame/Answers.ts"
import { typedNumber } from "../../../frame/forms/TypedBody.ts"
import { creating, formAction, onceFormAction } from "../../../frame/forms/ActionForms.ts"
import { pathId } from "../../../frame/PathIds.ts"
import { byField } from "../../../parts/fields/FieldErrors.ts"
import { withNotice } from "../../../parts/Notice.ts"
import { createdKeyPage, ShownKey, shownKey } from "./CreatedKeyPage.ts"
import { typedKey, typedTime } from "./KeyForms.ts"
import { keyPage } from "./KeyPage.ts"
import { KEYS_PATH } from "./KeysPage.ts"
import { newKeyPage } from "./NewKeyPage.ts"

export const submitNewKey = onceFormAction(createKey, {
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

export const submitKey = formAction(changeKey, {
  target: pathId,
  input: typedKey,
  done: (_, { id }) => seeOther(withNotice(`${KEYS_PATH}/${id}`, "saved")),
  again: (view, fields, errors) => Effect.flatMap(pathId, (id) => keyPage(view, id, fields, byField(errors)))
})

export const submitRotation = onceFormAction(rotateKey, {
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

export const submitRevocation = formAction(revokeKey, {
  target: pathId,
  done: (_, { id }) => seeOther(withNotice(`${KEYS_PATH}/${id}`, "revoked"))
})
