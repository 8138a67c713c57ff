import { Clock, Effect } from "effect"
import { pathOf } from "../Navigation.ts"
import { CONNECT_PATH } from "../account/ChannelsPage.ts"
import { icon } from "../frame/Document.ts"
import { html, type Html } from "../frame/Html.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { NEW_KEY_PATH } from "../key/KeysPage.ts"
import { codeBlock } from "../parts/Code.ts"
import { programsOf, testRequestOf } from "../verification/TestForm.ts"
import { NEW_WEBHOOK_PATH } from "../webhook/WebhooksPage.ts"
import {
  isBeingSetUp,
  type SetUpProgress,
  SetUpProgresses
} from "../../../services/customer/SetUpProgress.ts"

interface Step {
  readonly isDone: boolean
  readonly title: string
  readonly hint: string
  /** The hint while the step is next, if it is another one. */
  readonly nextHint?: string
  readonly href: string
  readonly action: string
  /** What the step in turn shows besides. */
  readonly more?: Html
}

/** The first code as a program sends it, with the kind of key that there is. */
const firstCode = ({ baseUrl, locale }: View, { keyMode }: SetUpProgress): Html => {
  const mode = keyMode === "test" ? "sandbox" : "live"
  const [[name, program]] = programsOf(baseUrl, testRequestOf(new URLSearchParams({ mode })))
  return codeBlock(name, program, locale)
}

const stepsOf = (view: View, progress: SetUpProgress): ReadonlyArray<Step> => {
  const { say } = view.locale
  return [
    {
      isDone: progress.hasChannel,
      title: say("Connect a channel", "یک کانال وصل کنید"),
      hint: say(
        "Peyk sends over your own messenger and SMS accounts.",
        "پیک با حساب‌های پیام‌رسان و پیامک خودتان می‌فرستد."
      ),
      href: CONNECT_PATH,
      action: say("Connect account", "اتصال حساب")
    },
    {
      isDone: progress.hasOrder,
      title: say("Save the order", "ترتیب ارسال را ذخیره کنید"),
      hint: say(
        "Which channel is tried first, and how long before the next one.",
        "کدام کانال اول امتحان شود و بعد از چه مدت کانال بعدی."
      ),
      href: pathOf("routing"),
      action: say("Set the order", "تعیین ترتیب")
    },
    {
      isDone: progress.keyMode !== null,
      title: say("Create an API key", "یک کلید API بسازید"),
      hint: say("Your backend sends with it.", "سرور شما با آن می‌فرستد."),
      href: NEW_KEY_PATH,
      action: say("Create key", "ساخت کلید")
    },
    {
      isDone: progress.firstSendAt !== null,
      title: say("Send the first code", "اولین کد را بفرستید"),
      hint: say("With one request, or from this console.", "با یک درخواست، یا از همین کنسول."),
      nextHint: say(
        "With this command, with your key in place of YOUR_API_KEY. Or from this console.",
        "با این دستور، با کلید خودتان به جای YOUR_API_KEY؛ یا از همین کنسول."
      ),
      href: pathOf("test"),
      action: say("Send a test", "ارسال آزمایشی"),
      more: firstCode(view, progress)
    },
    {
      isDone: progress.hasWebhook,
      title: say("Add a webhook", "یک وب‌هوک اضافه کنید"),
      hint: say(
        "Recommended: Peyk reports each change to your server, which otherwise has to ask.",
        "پیشنهاد ما: پیک هر تغییر را به سرور شما خبر می‌دهد؛ وگرنه سرور شما باید مدام بپرسد."
      ),
      href: NEW_WEBHOOK_PATH,
      action: say("New webhook", "وب‌هوک جدید")
    }
  ]
}

const stepItem = (view: View, step: Step, place: number, isNext: boolean): Html => {
  const { say, number } = view.locale
  const { isDone, title, hint, nextHint = hint, href, action, more } = step
  const mayAct = view.actor.scope === "full"
  return html`<li class="${isDone ? "done" : isNext ? "next" : ""}" ${isNext && html`aria-current="step"`}>
    <span class="tick" aria-hidden="true">${isDone ? icon("check") : number(place)}</span>
    <div class="guide-step">
      <h3>${title}${isDone && html`<span class="hidden">: ${say("done", "انجام شد")}</span>`}</h3>
      ${!isDone && html`<p class="muted">${isNext ? nextHint : hint}</p>`} ${isNext && more}
    </div>
    ${!isDone && mayAct && html`<a class="button small ${isNext ? "primary" : ""}" href="${href}">${action}</a>`}
  </li>`
}

/** The steps of the set-up, ticked from data; null for a customer that is set up. */
export const setUpGuide = Effect.fnUntraced(function* (view: View) {
  const { say, number } = view.locale
  const progress = yield* (yield* SetUpProgresses).read(view.actor.customerId)
  if (!isBeingSetUp(progress, yield* Clock.currentTimeMillis)) return null
  const steps = stepsOf(view, progress)
  const done = steps.filter(({ isDone }) => isDone).length
  const next = steps.findIndex(({ isDone }) => !isDone)
  return html`<section class="panel guide" aria-labelledby="guide-title">
    <div class="panel-head">
      <h2 id="guide-title">${say("Get started", "راه‌اندازی")}</h2>
      <span class="muted"
        >${say(
          `${number(done)} of ${number(steps.length)} done`,
          `${number(done)} از ${number(steps.length)} انجام شد`
        )}</span
      >
    </div>
    <ol>
      ${steps.map((step, index) => stepItem(view, step, index + 1, index === next))}
    </ol>
  </section>`
})
