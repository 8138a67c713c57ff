import { Effect, Redacted, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { fieldError, NotFound } from "../../../../domain/Errors.ts"
import { makesOwner } from "../../../../domain/people/Actor.ts"
import { isUuid } from "../../../../domain/Uuid.ts"
import { auditEntriesOf } from "../../../../services/resources/ManagementWrites.ts"
import { Users } from "../../../../services/resources/access/Users.ts"
import { NewUserBody, UserChangeBody } from "../../../manage/access/UsersApi.ts"
import type { ConsolePages } from "../../ConsolePages.ts"
import { emptyForm } from "../../frame/forms/Forms.ts"
import { answerPage, seeOther } from "../../frame/Answers.ts"
import { NO_REFERRER } from "../../frame/ConsoleHeaders.ts"
import { showAgain } from "../../frame/forms/ShownAgain.ts"
import { decodeInput } from "../../../errors/SchemaErrors.ts"
import { writeAs, writeOnce } from "../../frame/forms/Writes.ts"
import { ownerChange, ownerPage, page, requireFresh, type View } from "../../frame/SignedRoutes.ts"
import { noFieldErrors } from "../../parts/fields/FieldErrors.ts"
import { withNotice } from "../../parts/Notice.ts"
import { newUserPage } from "./InvitePage.ts"
import { newSignInLink, type ShownLink } from "./NewSignInLink.ts"
import { linkPage } from "./SignInLinkPage.ts"
import { userPage } from "./UserPage.ts"
import { hashed, unknownPassword } from "./UserPasswords.ts"
import { NEW_USER_PATH, showUsers, USERS_PATH } from "./UsersPage.ts"
import { problem } from "../../../../domain/Problem.ts"

const userEntry = auditEntriesOf("user")

const USER_PATH = `${USERS_PATH}/:id` as const

const showLink = (view: View, email: string, link: ShownLink) =>
  answerPage(view, linkPage(view, email, link), { headers: NO_REFERRER })

const invite = (view: View, fields: URLSearchParams) =>
  Effect.gen(function* () {
    yield* requireFresh(view)
    const users = yield* Users
    const password = yield* unknownPassword
    const { email, name, role } = yield* decodeInput(NewUserBody, {
      email: fields.get("email"),
      name: fields.get("name")?.trim(),
      role: fields.get("role"),
      password: Redacted.value(password)
    })
    const passwordHash = yield* hashed(view, password)
    yield* writeOnce(
      view,
      "user.create",
      Schema.Null,
      Effect.map(users.create(view.actor.customerId, { email, name, role, passwordHash }), ({ id }) => ({
        result: null,
        audit: userEntry("create", id, { role })
      }))
    ).pipe(Effect.catchTag("conflict", () => fieldError("email", problem("email_taken"))))
    return showLink(view, email, yield* newSignInLink(view, email))
  }).pipe(Effect.catch(showAgain(view, (errors) => Effect.succeed(newUserPage(view, fields, errors)))))

const ofPath = Effect.fnUntraced(function* ({ actor }: View) {
  const { id = "" } = yield* HttpRouter.params
  if (!isUuid(id)) return yield* new NotFound()
  return yield* (yield* Users).find(actor.customerId, id)
})

const showUser = (view: View) => Effect.map(ofPath(view), (user) => userPage(view, user, null, noFieldErrors))

const changeUser = (view: View, fields: URLSearchParams) =>
  Effect.flatMap(ofPath(view), (user) =>
    Effect.gen(function* () {
      const users = yield* Users
      const { name, role } = yield* decodeInput(UserChangeBody, {
        name: fields.get("name")?.trim(),
        role: fields.get("role")
      })
      if (makesOwner(user, { ...user, role: role ?? user.role })) yield* requireFresh(view)
      yield* writeAs(
        view,
        "user.update",
        Effect.map(users.update(view.actor.customerId, user.id, { name, role }), (result) => ({
          result,
          audit: userEntry("update", user.id, { role })
        }))
      )
      return seeOther(withNotice(`${USERS_PATH}/${user.id}`, "saved"))
    }).pipe(Effect.catch(showAgain(view, (errors) => Effect.succeed(userPage(view, user, fields, errors)))))
  )

const setDisabled = (isDisabled: boolean) =>
  Effect.fnUntraced(function* (view: View) {
    const user = yield* ofPath(view)
    if (!isDisabled && makesOwner(user, { ...user, disabledAt: null })) yield* requireFresh(view)
    const users = yield* Users
    yield* writeAs(
      view,
      "user.update",
      Effect.map(users.update(view.actor.customerId, user.id, { isDisabled }), (result) => ({
        result,
        audit: userEntry("update", user.id, { active: !isDisabled })
      }))
    )
    return seeOther(withNotice(`${USERS_PATH}/${user.id}`, isDisabled ? "disabled" : "enabled"))
  })

const makeLink = Effect.fnUntraced(function* (view: View) {
  const { email } = yield* ofPath(view)
  return showLink(view, email, yield* newSignInLink(view, email))
})

/** The people of an account, which its owners manage. */
export const userPages = {
  name: "users",
  routes: [
    page(USERS_PATH, showUsers),
    ownerPage(NEW_USER_PATH, (view) => Effect.succeed(newUserPage(view, emptyForm(), noFieldErrors))),
    ownerChange(NEW_USER_PATH, invite),
    ownerPage(USER_PATH, showUser),
    ownerChange(USER_PATH, changeUser),
    ownerChange(`${USER_PATH}/disable`, setDisabled(true)),
    ownerChange(`${USER_PATH}/enable`, setDisabled(false)),
    ownerChange(`${USER_PATH}/link`, makeLink)
  ]
} as const satisfies ConsolePages
