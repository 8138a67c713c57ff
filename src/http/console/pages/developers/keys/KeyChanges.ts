import { byField } from "../../../parts/fields/FieldErrors.ts"
import { Effect } from "effect"
import { Keys } from "../../../../../services/resources/access/Keys.ts"
import { auditEntriesOf } from "../../../../../services/resources/ManagementWrites.ts"
import { ApiKeyChange, KeyRotation } from "../../../../manage/access/ApiKeysApi.ts"
import { answerPage, seeOther } from "../../../frame/Answers.ts"
import { showAgain } from "../../../frame/forms/ShownAgain.ts"
import { readTyped } from "../../../frame/forms/TypedBody.ts"
import { writeAs, writeOnce } from "../../../frame/forms/Writes.ts"
import { pathId } from "../../../frame/PathIds.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { withNotice } from "../../../parts/Notice.ts"
import { createdKeyPage, ShownKey, shownKey } from "./CreatedKeyPage.ts"
import { typedKey } from "./KeyForms.ts"
import { keyPage } from "./KeyPage.ts"
import { KEYS_PATH } from "./KeysPage.ts"

const keyEntry = auditEntriesOf("api_key")

export const changeKey = (view: View, fields: URLSearchParams) =>
  Effect.flatMap(pathId, (id) =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const body = yield* readTyped(ApiKeyChange, typedKey(fields))
      const change = {
        name: body.name ?? undefined,
        requestsPerMinute: body.rate_limit_per_minute,
        allowedIps: body.allowed_ips
      }
      const version = Number(fields.get("version"))
      yield* writeAs(
        view,
        "api_key.update",
        Effect.map(
          keys.update(view.actor.customerId, id, change, Number.isSafeInteger(version) ? version : null),
          (result) => ({ result, audit: keyEntry("update", id, body) })
        )
      )
      return seeOther(withNotice(`${KEYS_PATH}/${id}`, "saved"))
    }).pipe(Effect.catch(showAgain(view, (errors) => keyPage(view, id, fields, byField(errors)))))
  )

export const rotateKey = Effect.fnUntraced(function* (view: View, fields: URLSearchParams) {
  const id = yield* pathId
  const keys = yield* Keys
  const { overlap_seconds: seconds = 86_400 } = yield* readTyped(KeyRotation, {
    overlap_seconds: Number(fields.get("overlap_seconds") ?? Number.NaN)
  })
  const created = yield* writeOnce(
    view,
    "api_key.rotate",
    ShownKey,
    Effect.map(keys.rotate(view.actor.customerId, id, (seconds ?? 86_400) * 1000), (key) => ({
      result: shownKey(key),
      audit: keyEntry("rotate", id, { replaced_by: key.record.id, overlap_seconds: seconds })
    }))
  )
  return answerPage(
    view,
    createdKeyPage(view, created, view.locale.say("The new key is made", "کلید جایگزین ساخته شد"))
  )
})

export const revokeKey = Effect.fnUntraced(function* (view: View) {
  const id = yield* pathId
  const keys = yield* Keys
  yield* writeAs(
    view,
    "api_key.revoke",
    Effect.map(keys.revoke(view.actor.customerId, id, null), (result) => ({
      result,
      audit: keyEntry("revoke", id)
    }))
  )
  return seeOther(withNotice(`${KEYS_PATH}/${id}`, "revoked"))
})
