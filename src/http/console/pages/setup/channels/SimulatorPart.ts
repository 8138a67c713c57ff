import { Effect } from "effect"
import { SimulatedOutcome } from "../../../../../domain/account/SimulatedOutcome.ts"
import { Conflict } from "../../../../../domain/Errors.ts"
import { type AccountRecord, Accounts } from "../../../../../services/resources/accounts/Accounts.ts"
import { accountEntry } from "../../../../../services/resources/accounts/AccountWrites.ts"
import { Simulator } from "../../../../../services/Simulator.ts"
import { writeAs } from "../../../frame/forms/Writes.ts"
import { csrfField } from "../../../frame/forms/Forms.ts"
import { html, type Html } from "../../../frame/Html.ts"
import type { Locale } from "../../../frame/Locale.ts"
import type { Signed } from "../../../frame/Layout.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { badge } from "../../../parts/Badge.ts"
import { CHANNELS_PATH } from "./ChannelsPage.ts"
import { problem } from "../../../../../domain/Problem.ts"

const SIMULATOR = "simulator"

const outcomes: Readonly<Record<SimulatedOutcome, readonly [english: string, persian: string]>> = {
  accepted: ["Accepted", "پذیرفته"],
  rejected: ["Rejected", "رد شده"],
  unreachable: ["Unreachable", "گیرنده در دسترس نیست"],
  throttled: ["Throttled", "محدودیت سرعت"],
  unavailable: ["Unavailable", "سرویس‌دهنده از کار افتاده"],
  unknown: ["Unknown", "نامعلوم"]
}

export const outcomeName = (outcome: SimulatedOutcome, { say }: Locale): string => say(...outcomes[outcome])

export const isSimulated = ({ provider }: Pick<AccountRecord, "provider">): boolean => provider === SIMULATOR

const isOutcome = (text: string): text is SimulatedOutcome =>
  SimulatedOutcome.literals.some((outcome) => outcome === text)

/** Buttons that force the outcome of an account's next send, once. `back` is the page that they are on. */
export const outcomeButtons = (
  view: Pick<Signed, "csrf" | "locale">,
  id: number,
  forced: SimulatedOutcome | undefined,
  back: "account" | "simulator"
): Html => {
  const { say } = view.locale
  return html`<form class="outcomes" method="post" action="${CHANNELS_PATH}/${id}/outcome">
    ${csrfField(view.csrf)} <input type="hidden" name="back" value="${back}" />
    ${SimulatedOutcome.literals.map(
      (outcome) =>
        html`<button
          class="button small"
          name="outcome"
          value="${outcome}"
          aria-pressed="${forced === outcome ? "true" : "false"}"
        >
          ${outcomeName(outcome, view.locale)}
        </button>`
    )}
    ${
      forced !== undefined &&
      html`<button class="button small quiet" name="outcome" value="">
        ${say("As usual", "مثل همیشه")}
      </button>`
    }
  </form>`
}

export const simulatorPanel = Effect.fnUntraced(function* (view: View, { id }: AccountRecord) {
  const { say } = view.locale
  const simulator = yield* Simulator
  const forced = (yield* simulator.forced([id])).get(id)
  return html`<section class="panel" aria-labelledby="outcome-title">
    <div class="panel-head">
      <h2 id="outcome-title">${say("The next send", "ارسال بعدی")}</h2>
      ${forced !== undefined && badge("warn", outcomeName(forced, view.locale))}
    </div>
    <div class="panel-body stack-tight">
      <p class="muted">
        ${say(
          "What its next send comes to, once. See the phones at",
          "نتیجهٔ ارسال بعدی این حساب، تنها یک بار. گوشی‌ها در"
        )}
        <a href="/simulator">${say("the simulator", "شبیه‌ساز")}</a>.
      </p>
      ${view.actor.scope === "full" && simulator.isOn && outcomeButtons(view, id, forced, "account")}
    </div>
  </section>`
})

/** Forces the outcome of a simulated account's next send; an empty one takes that back. */
export const forceOutcome = Effect.fnUntraced(function* (view: View, id: number, typed: URLSearchParams) {
  const accounts = yield* Accounts
  const simulator = yield* Simulator
  const account = yield* accounts.find(view.actor.customerId, id)
  if (!isSimulated(account) || !simulator.isOn) {
    return yield* new Conflict({ problem: problem("account_not_simulated", { account: id }) })
  }
  const given = typed.get("outcome") ?? ""
  const outcome = isOutcome(given) ? given : null
  return yield* writeAs(
    view,
    "account.force_outcome",
    Effect.as(simulator.force(id, outcome), {
      result: null,
      audit: accountEntry("force_outcome", id, { outcome })
    })
  )
})
