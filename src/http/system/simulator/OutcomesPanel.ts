import { Effect } from "effect"
import { Accounts } from "../../../services/account/Accounts.ts"
import { Simulator } from "../../../services/system/Simulator.ts"
import { html } from "../../console/frame/Html.ts"
import type { Visit } from "../../console/frame/Visit.ts"
import { isSimulated, outcomeButtons } from "../../console/pages/setup/channels/SimulatorPart.ts"
import { foreign } from "../../console/parts/Text.ts"
import type { Person } from "./Person.ts"

const MAX_ACCOUNTS = 100

/** Buttons for the next outcome of each simulated account of the person's customer. */
export const outcomesPanel = Effect.fnUntraced(function* (visit: Visit, { actor, csrf }: Person) {
  const { locale } = visit
  const { items } = yield* (yield* Accounts).list(actor.customerId, { limit: MAX_ACCOUNTS, after: null })
  const simulated = items.filter(isSimulated)
  const forced = yield* (yield* Simulator).forced(simulated.map(({ id }) => id))
  if (simulated.length === 0) return null
  return html`<section class="panel" aria-labelledby="outcomes-title">
    <div class="panel-head">
      <h2 id="outcomes-title">${locale.say("The next send", "ارسال بعدی")}</h2>
      <span class="muted">${locale.say("Once, for each account", "یک بار، برای هر حساب")}</span>
    </div>
    <ul class="panel-body stack-tight">
      ${simulated.map(
        ({ id, label }) =>
          html`<li class="stack-tight">
            <strong>${foreign(label)}</strong>
            ${outcomeButtons({ csrf, locale }, id, forced.get(id), "simulator")}
          </li>`
      )}
    </ul>
  </section>`
})
