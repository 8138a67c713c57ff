import { Clock, Effect, Redacted, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { PLATFORM } from "../../domain/customer/Customer.ts"
import { NotFound } from "../../domain/Errors.ts"
import { type FactorState, hasFactor, isNeeded, RECOVERY_CODES } from "../../domain/user/SecondFactor.ts"
import type { ConsolePages } from "./ConsolePages.ts"
import { SECURITY_PATH, SIGN_OUT_EVERYWHERE_PATH } from "./ConsolePaths.ts"
import { appPage, passkeyPage } from "./EnrolmentPages.ts"
import { creating, formAction, rerender, submitOnce } from "./forms/ActionForms.ts"
import { pageResponse, seeOther } from "./frame/Responses.ts"
import { NO_REFERRER } from "./frame/Document.ts"
import { html, type Html } from "./frame/Html.ts"
import type { Page } from "./frame/Layout.ts"
import { form, inOwnLog, ownerChange, page, type View } from "./frame/SignedRoutes.ts"
import { badge } from "./parts/Badge.ts"
import { secretPanel } from "./parts/Code.ts"
import { confirmButton, postButton } from "./parts/Confirm.ts"
import { table } from "./parts/Lists.ts"
import { withNotice } from "./parts/Notice.ts"
import { isolated, ltr, quoted } from "./parts/Text.ts"
import { changeCustomer, CustomerRecords } from "../../services/customer/CustomerRecords.ts"
import { ConsoleSessions, type ListedSession } from "../../services/user/ConsoleSessions.ts"
import {
  addPasskey,
  enrolApp,
  removeApp,
  removePasskey,
  renewRecoveryCodes
} from "../../services/user/SecondFactorActions.ts"
import { Passkeys, SecondFactors } from "../../services/user/SecondFactors.ts"
import { endOwnSession } from "../../services/user/Users.ts"

const APP_PATH = `${SECURITY_PATH}/app` as const
const PASSKEY_PATH = `${SECURITY_PATH}/passkey` as const
const CODES_PATH = `${SECURITY_PATH}/recovery-codes` as const
const SESSIONS_PATH = `${SECURITY_PATH}/sessions` as const

const enrolNotice = ({ session, locale: { say } }: View): Html | null =>
  session.mustEnrol
    ? html`<p class="notice warn" role="status">
        ${say("Your account requires a second factor. Set one up here to go on.", "حساب شما ورود دومرحله‌ای لازم دارد. برای ادامه، آن را همین‌جا راه‌اندازی کنید.")}
      </p>`
    : null

const appPart = (view: View, state: FactorState): Html => {
  const { say, time } = view.locale
  const { appSince } = state
  return html`<section class="panel" aria-labelledby="app-title">
    <div class="panel-head"><h2 id="app-title">${say("Authenticator app", "برنامهٔ رمزساز")}</h2></div>
    <div class="panel-body fields">
      <p>
        ${
          appSince === null
            ? say(
                "An app on your phone shows a new code every 30 seconds. Works offline.",
                "برنامه‌ای روی گوشی شما هر ۳۰ ثانیه کد جدیدی نشان می‌دهد. اینترنت لازم ندارد."
              )
            : html`${badge("good", say("On", "روشن"))} ${say("since", "از")} ${time(appSince)}`
        }
      </p>
      <div class="actions">
        <a class="button ${appSince === null && "primary"}" href="${APP_PATH}">
          ${appSince === null ? say("Set up an app", "راه‌اندازی برنامه") : say("Replace the app", "تعویض برنامه")}
        </a>
        ${
          appSince !== null &&
          !isNeeded(state) &&
          confirmButton(view, {
            action: `${APP_PATH}/remove`,
            label: say("Remove", "حذف"),
            kind: "danger",
            question: say(
              "Codes of the app no longer sign you in.",
              "دیگر با کدهای این برنامه نمی‌توانید وارد شوید."
            ),
            confirm: say("Remove the app", "حذف برنامه")
          })
        }
      </div>
    </div>
  </section>`
}

const passkeyTable = (view: View, state: FactorState): Html => {
  const { say, time } = view.locale
  return table(
    say("Your passkeys", "گذرکلیدهای شما"),
    [
      {
        header: say("Name", "نام"),
        kind: "title",
        cell: ({ name }: FactorState["passkeys"][number]) => isolated(name)
      },
      { header: say("Added", "زمان افزودن"), cell: ({ createdAt }) => time(createdAt) },
      {
        header: say("Last used", "آخرین استفاده"),
        cell: ({ lastUsedAt }) => (lastUsedAt === null ? say("Never", "هرگز") : time(lastUsedAt))
      },
      {
        header: say("Actions", "کارها"),
        kind: "actions",
        cell: ({ id, name }) =>
          isNeeded(state)
            ? null
            : confirmButton(view, {
                action: `${PASSKEY_PATH}/${id}/remove`,
                label: say("Remove", "حذف"),
                kind: "danger",
                isSmall: true,
                question: say(
                  `${quoted(name, view.locale)} no longer signs you in.`,
                  `دیگر با ${quoted(name, view.locale)} نمی‌توانید وارد شوید.`
                ),
                confirm: say("Remove the passkey", "حذف گذرکلید")
              })
      }
    ],
    state.passkeys
  )
}

const passkeyPart = (view: View, state: FactorState, isOffered: boolean): Html => {
  const { say } = view.locale
  return html`<section class="panel" aria-labelledby="passkeys-title">
    <div class="panel-head"><h2 id="passkeys-title">${say("Passkeys", "گذرکلیدها")}</h2></div>
    ${state.passkeys.length > 0 && passkeyTable(view, state)}
    <div class="panel-body fields">
      <p>
        ${
          isOffered
            ? say(
                "Your device or a security key signs you in, with its fingerprint, face or PIN.",
                "دستگاه شما یا یک کلید امنیتی، با اثر انگشت، چهره یا پین، شما را وارد می‌کند."
              )
            : say(
                "Passkeys need an https address with a name (PEYK_PUBLIC_URL). Ask the operator, or use an app.",
                "گذرکلید به نشانی https با نام دامنه (PEYK_PUBLIC_URL) نیاز دارد. از مدیر سامانه بخواهید یا برنامهٔ رمزساز به کار ببرید."
              )
        }
      </p>
      ${isOffered && html`<div><a class="button" href="${PASSKEY_PATH}">${say("Add a passkey", "افزودن گذرکلید")}</a></div>`}
    </div>
  </section>`
}

const recoveryPart = (view: View, state: FactorState): Html | null => {
  const { say, number } = view.locale
  if (!hasFactor(state)) return null
  return html`<section class="panel" aria-labelledby="recovery-title">
    <div class="panel-head"><h2 id="recovery-title">${say("Recovery codes", "کدهای بازیابی")}</h2></div>
    <div class="panel-body fields">
      <p>
        ${say(
          `Each signs you in once, without your phone. Left: ${number(state.recoveryCodes)} of ${number(RECOVERY_CODES)}.`,
          `هر کدام یک بار، بدون گوشی، شما را وارد می‌کند. باقی‌مانده: ${number(state.recoveryCodes)} از ${number(RECOVERY_CODES)}.`
        )}
      </p>
      <div>
        ${confirmButton(view, {
          action: CODES_PATH,
          label: say("New recovery codes", "کدهای بازیابی جدید"),
          question: say("The earlier codes stop working.", "کدهای قبلی از کار می‌افتند."),
          confirm: say("Create new codes", "ساخت کدهای جدید")
        })}
      </div>
    </div>
  </section>`
}

const requirementPart = (view: View, isRequired: boolean): Html => {
  const { say } = view.locale
  return html`<section class="panel" aria-labelledby="required-title">
    <div class="panel-head">
      <h2 id="required-title">${say("Everybody in this account", "همهٔ کاربران این حساب")}</h2>
    </div>
    <div class="panel-body fields">
      <p>
        ${
          isRequired
            ? say("Everybody needs a second factor to sign in.", "ورود همهٔ کاربران دومرحله‌ای است.")
            : say(
                "If you require a second factor, users without one can only set one up, from now on.",
                "اگر ورود دومرحله‌ای را لازم کنید، کاربرانی که آن را ندارند از همان لحظه فقط می‌توانند آن را راه‌اندازی کنند."
              )
        }
      </p>
      <div>
        ${postButton(view, {
          action: `${SECURITY_PATH}/required`,
          label: isRequired
            ? say("Do not require it", "دیگر لازم نباشد")
            : say("Require a second factor", "لازم کردن ورود دومرحله‌ای"),
          fields: { required: isRequired ? "false" : "true" }
        })}
      </div>
    </div>
  </section>`
}

const sessionTable = (view: View, sessions: ReadonlyArray<ListedSession>): Html => {
  const { say, time } = view.locale
  return table(
    say("Sessions", "نشست‌ها"),
    [
      {
        header: say("Where", "کجا"),
        kind: "title",
        cell: ({ id, kind }: ListedSession) =>
          html`${kind === "console" ? say("Console", "کنسول") : "API"}
          ${id === view.session.id && badge("info", say("This one", "همین نشست"))}`
      },
      { header: say("Network", "شبکه"), cell: ({ network }) => (network === null ? "–" : ltr(network)) },
      { header: say("Began", "شروع"), cell: ({ beganAt }) => time(beganAt) },
      { header: say("Last used", "آخرین استفاده"), cell: ({ lastUsedAt }) => time(lastUsedAt) },
      { header: say("Ends", "پایان"), cell: ({ endsAt }) => time(endsAt) },
      {
        header: say("Actions", "کارها"),
        kind: "actions",
        cell: ({ id }) =>
          id === view.session.id
            ? null
            : postButton(view, {
                action: `${SESSIONS_PATH}/${id}/end`,
                label: say("End", "پایان دادن"),
                isSmall: true
              })
      }
    ],
    sessions
  )
}

export const signOutEverywhereButton = (view: View): Html => {
  const { say } = view.locale
  return confirmButton(view, {
    action: SIGN_OUT_EVERYWHERE_PATH,
    label: say("Sign out everywhere", "خروج از همه‌جا"),
    kind: "danger",
    question: say("All your sessions end, including this one.", "همهٔ نشست‌های شما تمام می‌شود، حتی همین نشست."),
    confirm: say("Sign out everywhere", "خروج از همه‌جا")
  })
}

const sessionsPart = (view: View, sessions: ReadonlyArray<ListedSession>): Html => {
  const { say } = view.locale
  return html`<section class="panel" aria-labelledby="sessions-title">
    <div class="panel-head"><h2 id="sessions-title">${say("Your sessions", "نشست‌های شما")}</h2></div>
    ${sessionTable(view, sessions)}
    <div class="panel-body">${signOutEverywhereButton(view)}</div>
  </section>`
}

const titleOf = ({ locale: { say } }: View): string => say("Security", "امنیت ورود")

const showSecurity = Effect.fnUntraced(function* (view: View) {
  const { user, mustEnrol } = view.session
  const state = yield* (yield* SecondFactors).stateOf(user.id)
  const { isOffered } = yield* Passkeys
  const sessions = yield* (yield* ConsoleSessions).list(user.id, yield* Clock.currentTimeMillis)
  const { customerId } = view.actor
  const isOwner = view.actor.isOwner && customerId !== PLATFORM && !mustEnrol
  const customer = isOwner ? yield* (yield* CustomerRecords).find(customerId) : null
  return {
    title: titleOf(view),
    name: "settings",
    lead: view.locale.say("Your second factor and your sessions.", "ورود دومرحله‌ای و نشست‌های شما."),
    content: html`${enrolNotice(view)}
      <div class="columns">
        <div class="stack">${appPart(view, state)} ${passkeyPart(view, state, isOffered)}</div>
        <div class="stack">
          ${recoveryPart(view, state)}
          ${customer !== null && requirementPart(view, customer.needsSecondFactor)}
        </div>
      </div>
      ${sessionsPart(view, sessions)}`
  } satisfies Page
})

/** What is kept of new recovery codes, and shown. */
const ShownCodes = Schema.Array(Schema.RedactedFromValue(Schema.String))

const redactedCodes = (codes: ReadonlyArray<string>) => codes.map((code) => Redacted.make(code))

/** The only page that shows them. */
const codesPage = (view: View, codes: typeof ShownCodes.Type): Page => {
  const { say } = view.locale
  return {
    title: say("Recovery codes", "کدهای بازیابی"),
    name: "settings",
    content: secretPanel(
      {
        label: say("Your recovery codes", "کدهای بازیابی شما"),
        secret: codes.map(Redacted.value).join("\n"),
        isMany: true,
        done: SECURITY_PATH,
        more: html`<p class="hint">
          ${say("Each signs you in once if you do not have your phone. Print them, or keep them in a password manager.", "هر کدام یک بار شما را وارد می‌کند، وقتی گوشی در دسترس نیست. چاپشان کنید یا در مدیر گذرواژه نگه دارید.")}
        </p>`
      },
      view.locale
    )
  }
}

/** After a form: the codes that it has made; without any, the page that it was on. */
const codesResponse = (view: View, codes: typeof ShownCodes.Type) =>
  codes.length === 0
    ? seeOther(withNotice(SECURITY_PATH, "saved"))
    : pageResponse(view, codesPage(view, codes), { headers: NO_REFERRER })

const shownCodes = { target: creating, as: inOwnLog, shown: ShownCodes, show: redactedCodes }

const submitApp = (view: View, fields: URLSearchParams) =>
  submitOnce(
    enrolApp,
    { ...shownCodes, input: () => ({ offer: fields.get("offer"), code: fields.get("code") }) },
    view,
    fields
  ).pipe(
    Effect.map((codes) => codesResponse(view, codes)),
    Effect.catch(rerender(view, (errors) => appPage(view, fields, errors)))
  )

const submitPasskey = (view: View, fields: URLSearchParams) =>
  submitOnce(
    addPasskey,
    {
      ...shownCodes,
      input: () => ({
        name: fields.get("name")?.trim(),
        offer: fields.get("offer"),
        passkey: fields.get("passkey")
      })
    },
    view,
    fields
  ).pipe(
    Effect.map((codes) => codesResponse(view, codes)),
    Effect.catch(rerender(view, (errors) => passkeyPage(view, fields, errors)))
  )

const submitCodes = (view: View, fields: URLSearchParams) =>
  Effect.map(submitOnce(renewRecoveryCodes, shownCodes, view, fields), (codes) => codesResponse(view, codes))

const back = () => seeOther(withNotice(SECURITY_PATH, "deleted"))

/** The id in the path of a passkey or a session. */
const pathItem = Effect.gen(function* () {
  const { id = "" } = yield* HttpRouter.params
  return /^[A-Za-z0-9_-]{1,1500}$/.test(id) ? id : yield* new NotFound()
})

const submitAppRemoval = formAction(removeApp, { target: creating, as: inOwnLog, done: back })

const submitPasskeyRemoval = formAction(removePasskey, { target: pathItem, as: inOwnLog, done: back })

const submitSessionEnd = formAction(endOwnSession, {
  target: pathItem,
  as: inOwnLog,
  done: () => seeOther(withNotice(SECURITY_PATH, "session_stopped"))
})

const submitRequirement = formAction(changeCustomer, {
  target: creating,
  input: (fields) => ({ second_factor_required: fields.get("required") === "true" }),
  done: () => seeOther(withNotice(SECURITY_PATH, "saved"))
})

/** A person's second factor, and where they are signed in. */
export const securityPages = {
  name: null,
  routes: [
    page(SECURITY_PATH, showSecurity),
    page(APP_PATH, (view) => appPage(view, null)),
    form(APP_PATH, submitApp),
    form(`${APP_PATH}/remove`, submitAppRemoval),
    page(PASSKEY_PATH, (view) => passkeyPage(view, null)),
    form(PASSKEY_PATH, submitPasskey),
    form(`${PASSKEY_PATH}/:id/remove`, submitPasskeyRemoval),
    form(CODES_PATH, submitCodes),
    form(`${SESSIONS_PATH}/:id/end`, submitSessionEnd),
    ownerChange(`${SECURITY_PATH}/required`, submitRequirement)
  ]
} as const satisfies ConsolePages
