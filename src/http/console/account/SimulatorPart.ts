import { Effect } from "effect"
import { SimulatedOutcome } from "../../../domain/ProviderOutcome.ts"
import { CHANNELS_PATH } from "./ChannelsPage.ts"
import { csrfField } from "../forms/Forms.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Signed } from "../frame/Layout.ts"
import type { Locale } from "../frame/Locale.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { badge } from "../parts/Badge.ts"
import type { AccountRecord } from "../../../services/account/Accounts.ts"
import { Simulator } from "../../../services/system/Simulator.ts"

const SIMULATOR = "simulator"

const outcomes: Readonly<Record<SimulatedOutcome, readonly [english: string, persian: string]>> = {
  accepted: ["Accepted", "پذیرفته"],
  rejected: ["Rejected", "رد شده"],
  unreachable: ["Unreachable", "گیرنده در دسترس نیست"],
  throttled: ["Throttled", "محدودیت سرعت"],
  unavailable: ["Unavailable", "سرویس‌دهنده از کار افتاده"],
  unknown: ["Unknown", "نامعلوم"]
}

const outcomeName = (outcome: SimulatedOutcome, { say }: Locale): string => say(...outcomes[outcome])

export const isSimulated = ({ provider }: Pick<AccountRecord, "provider">): boolean => provider === SIMULATOR

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
