import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { fieldError, NotFound } from "../../../domain/Errors.ts"
import { isUuid } from "../../../domain/Uuid.ts"
import type { ConsolePages } from "../ConsolePages.ts"
import { creating, formAction, rerender, submitOnce } from "../forms/ActionForms.ts"
import { noFieldErrors } from "../forms/FieldErrors.ts"
import { emptyForm } from "../forms/Forms.ts"
import { answerPage, seeOther } from "../frame/Answers.ts"
import { NO_REFERRER } from "../frame/Document.ts"
import { ownerChange, ownerPage, page, type View } from "../frame/SignedRoutes.ts"
import { withNotice } from "../parts/Notice.ts"
import { linkPage, newUserPage, ShownLink, userPage } from "./UserPage.ts"
import { NEW_USER_PATH, showUsers, USERS_PATH } from "./UsersPage.ts"
import { changeUser, createSignInLink, inviteUser } from "../../../services/user/UserActions.ts"
import { Users } from "../../../services/user/Users.ts"

const USER_PATH = `${USERS_PATH}/:id` as const

/** The id in the path; what is none matches nobody. */
const pathUser = Effect.gen(function* () {
  const { id = "" } = yield* HttpRouter.params
  return isUuid(id) ? id : yield* new NotFound()
})

const ofPath = ({ actor }: View) =>
  Effect.flatMap(pathUser, (id) => Users.use((users) => users.find(actor.customerId, id)))

/** The page of a link that signs this user in once. */
const showLink = (view: View, fields: URLSearchParams, email: string) =>
  submitOnce(
    createSignInLink,
    {
      target: creating,
      input: () => ({ email }),
      shown: ShownLink,
      show: ({ secret, expiresAt }) => ({ secret, expiresAt })
    },
    view,
    fields
  ).pipe(Effect.map((link) => answerPage(view, linkPage(view, email, link), { headers: NO_REFERRER })))

/** Two actions: if the second one fails, the user's page makes the link. */
const invite = (view: View, fields: URLSearchParams) =>
  submitOnce(
    inviteUser,
    {
      target: creating,
      input: () => ({
        email: fields.get("email"),
        name: fields.get("name")?.trim(),
        role: fields.get("role")
      }),
      shown: Schema.String,
      show: ({ email }) => email
    },
    view,
    fields
  ).pipe(
    Effect.catchTag("conflict", (error) => fieldError("email", error.problem)),
    Effect.flatMap((email) => showLink(view, fields, email)),
    Effect.catch(rerender(view, (errors) => Effect.succeed(newUserPage(view, fields, errors))))
  )

const submitUser = formAction(changeUser, {
  target: pathUser,
  input: (fields) => ({ name: fields.get("name")?.trim(), role: fields.get("role") }),
  done: (_, { id }) => seeOther(withNotice(`${USERS_PATH}/${id}`, "saved")),
  again: (view, fields, errors) => Effect.map(ofPath(view), (user) => userPage(view, user, fields, errors))
})

const submitActive = (active: boolean) =>
  formAction(changeUser, {
    target: pathUser,
    input: () => ({ active }),
    done: (_, { id }) => seeOther(withNotice(`${USERS_PATH}/${id}`, active ? "enabled" : "disabled"))
  })

/** The people of an account, which its owners manage. */
export const userPages = {
  name: "users",
  routes: [
    page(USERS_PATH, showUsers),
    ownerPage(NEW_USER_PATH, (view) => Effect.succeed(newUserPage(view, emptyForm(), noFieldErrors))),
    ownerChange(NEW_USER_PATH, invite),
    ownerPage(USER_PATH, (view) =>
      Effect.map(ofPath(view), (user) => userPage(view, user, null, noFieldErrors))
    ),
    ownerChange(USER_PATH, submitUser),
    ownerChange(`${USER_PATH}/disable`, submitActive(false)),
    ownerChange(`${USER_PATH}/enable`, submitActive(true)),
    ownerChange(`${USER_PATH}/link`, (view, fields) =>
      Effect.flatMap(ofPath(view), ({ email }) => showLink(view, fields, email))
    )
  ]
} as const satisfies ConsolePages
