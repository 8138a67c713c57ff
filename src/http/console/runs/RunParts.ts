import { Effect } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import { NotFound } from "../../../domain/Errors.ts"
import { DAY_MILLIS, type Instant, MINUTE_MILLIS } from "../../../domain/Instant.ts"
import { isUuid } from "../../../domain/Uuid.ts"
import type { KeyMode } from "../../../domain/customer/Customer.ts"
import { metadataFields } from "../../Metadata.ts"
import { seeOther } from "../frame/Responses.ts"
import { html, type Html } from "../frame/Html.ts"
import type { ConsoleError } from "../frame/Refusals.ts"
import { change, type View } from "../frame/SignedRoutes.ts"
import { badge, stateBadge } from "../parts/Badge.ts"
import { copyButton } from "../parts/Code.ts"
import { postButton } from "../parts/Confirm.ts"
import { type NoticeKey, withNotice } from "../parts/Notice.ts"
import { type Fact, facts, pageLink } from "../parts/Panels.ts"
import { deliveryBadge, tryBadge } from "../parts/Runs.ts"
import { phoneLink } from "../parts/Phones.ts"
import { isolated, mono } from "../parts/Text.ts"
import { type Moment, timeline } from "./Timeline.ts"
import { whatToDo } from "./FailureTexts.ts"
import type { Story } from "../verification/VerificationStory.ts"
import { performOnce } from "../../../services/Action.ts"
import type { RunDelivery, RunEvent } from "../../../services/activity/RunHistories.ts"
import { replayEvent } from "../../../services/webhook/Webhooks.ts"

type Path = `/${string}`
type Response = HttpServerResponse.HttpServerResponse

/** What a code and a message have in common. */
interface Run {
  readonly id: string
  readonly phone: string
  readonly createdAt: Instant
  /** In rials. */
  readonly held: number
  readonly captured: number
  /** The customer's own data as JSON; null: none. */
  readonly metadata: string | null
}

interface RunText {
  readonly status: string
  readonly isLive: boolean
  /** The name of the phone's row. */
  readonly phone: string
  /** Between the id and the time of creation. */
  readonly behindId: ReadonlyArray<Fact>
  readonly end: Fact
  /** Before the metadata. */
  readonly further: ReadonlyArray<Fact>
}

/** The details of a send. */
export const runFacts = (
  { locale }: View,
  { id, phone, createdAt, held, captured, metadata }: Run,
  words: RunText
): Html => {
  const { say } = locale
  return facts([
    [say("Status", "وضعیت"), stateBadge(words.status, locale)],
    words.isLive ? null : [say("Mode", "حالت"), badge("info", say("Sandbox", "محیط آزمایشی"))],
    [words.phone, phoneLink(phone, { locale })],
    [say("Id", "شناسه"), html`${mono(id)}${copyButton(id, say("Copy id", "کپی شناسه"), locale)}`],
    ...words.behindId,
    [say("Created", "زمان ایجاد"), locale.time(createdAt)],
    words.end,
    [say("Cost", "هزینه"), locale.rials(captured)],
    held === 0 ? null : [say("Held", "رزروشده"), locale.rials(held)],
    ...words.further,
    ...metadataFields(metadata ?? "{}").map(([key, value]) => [mono(key), isolated(value)] as const)
  ])
}

/** Delivers an event again; an endpoint that is off or gone gets nothing. One form has a key for each. */
const replayOne = ({ actor, origin, sent }: View, endpointId: number, eventId: string) =>
  performOnce(
    replayEvent,
    { actor, origin, target: { id: endpointId, event_id: eventId }, input: {}, version: null },
    {
      status: 200,
      idempotency: sent === undefined ? undefined : { ...sent, key: `${sent.key}:${endpointId}:${eventId}` },
      encode: () => Effect.succeed(null)
    }
  ).pipe(
    Effect.as(true),
    Effect.catchTag(["not_found", "conflict"], () => Effect.succeed(false))
  )

/** Delivers the events of a send again, to each endpoint that they were for. */
const replayEvents = Effect.fnUntraced(function* (view: View, events: ReadonlyArray<RunEvent>, path: string) {
  const replayed = yield* Effect.forEach(
    events.flatMap(({ id, deliveries }) => deliveries.map(({ endpointId }) => [endpointId, id] as const)),
    ([endpointId, eventId]) => replayOne(view, endpointId, eventId)
  )
  return seeOther(withNotice(path, replayed.includes(true) ? "replayed" : "nothing_to_replay"))
})

/** The id in the address; anything else is nothing that exists. */
export const requestedId = Effect.flatMap(HttpRouter.params, ({ id = "" }) =>
  isUuid(id.toLowerCase()) ? Effect.succeed(id.toLowerCase()) : Effect.fail(new NotFound())
)

/** What a form on the page of a send does, whose page then says so. */
export const formOfRun = (path: Path, notice: NoticeKey) => ({
  target: requestedId,
  done: (_: View, { id }: { readonly id: string }) => seeOther(withNotice(`${path}/${id}`, notice))
})

type Act<R> = (view: View, fields: URLSearchParams) => Effect.Effect<Response, ConsoleError, R>

interface RunForms<Cancel, Read> {
  readonly cancel: Act<Cancel>
  /** The events that are delivered again. */
  readonly events: (
    view: View
  ) => Effect.Effect<{ readonly id: string; readonly events: ReadonlyArray<RunEvent> }, ConsoleError, Read>
}

/** The forms that the page of each send has. */
export const runForms = <Cancel, Read>(path: Path, { cancel, events }: RunForms<Cancel, Read>) =>
  [
    change(`${path}/:id/cancel`, cancel),
    change(`${path}/:id/replay`, (view) =>
      Effect.flatMap(events(view), (run) => replayEvents(view, run.events, `${path}/${run.id}`))
    )
  ] as const

/** A send of either mode: a live one, or else one of the sandbox. */
export const findRun = <A, R>(find: (mode: KeyMode) => Effect.Effect<A, NotFound, R>) =>
  Effect.map(find("live"), (found) => ({ found, isLive: true })).pipe(
    Effect.catchTag("not_found", () => Effect.map(find("test"), (found) => ({ found, isLive: false })))
  )

const REFRESH_SECONDS = 2

interface RunPage {
  /** The page is up to date while something may still happen. */
  readonly isActive: boolean
  readonly story: Html
  readonly moments: ReadonlyArray<Moment>
  /** What took how long; null: nothing was called yet. */
  readonly chart: Html | null
  readonly details: Html
  /** Below the details. */
  readonly more: Html
}

/** The page of a send. */
export const runContent = (
  { locale }: View,
  { isActive, story, moments, chart, details, more }: RunPage
): Html => {
  const { say } = locale
  return html`<div id="run" ${isActive && html`data-live="${REFRESH_SECONDS}"`}>
    ${story}
    <div class="columns">
      <div class="stack">
        ${chart}
        <section class="panel">
          <div class="panel-head">
            <h2>${say("Timeline", "مراحل")}</h2>
            ${isActive && html`<span class="live-mark">${say("Live", "زنده")}</span>`}
          </div>
          <div class="panel-body">${timeline(moments, locale)}</div>
        </section>
      </div>
      <div class="stack">
        <section class="panel">
          <div class="panel-head"><h2>${say("Details", "جزئیات")}</h2></div>
          <div class="panel-body">${details}</div>
        </section>
        ${more}
      </div>
    </div>
  </div>`
}

/** The sentence on top of the page of a send, and what can be done about it. */
export const storyPart = (view: View, { tone, sentences, errorCode }: Story, buttons: Html | null): Html => {
  const { say } = view.locale
  const todo = errorCode === null ? null : whatToDo(errorCode, view.locale)
  return html`<section class="story ${tone}" aria-label="${say("What happened", "چه شد؟")}">
    <h2>${say("What happened", "چه شد؟")}</h2>
    ${sentences.map((sentence, index) => html`<p class="${index === 0 && "first"}">${sentence}</p>`)}
    ${
      todo !== null &&
      html`<p class="todo">
        <strong>${say("What to do:", "راه حل:")}</strong>
        ${todo.page === null ? todo.text : pageLink(view, todo.page, todo.text)}
      </p>`
    }
    ${buttons !== null && html`<div class="actions">${buttons}</div>`}
  </section>`
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? url

/** Leads to the delivery, with what was posted and answered. */
const deliveryLine = (
  view: View,
  eventId: string,
  { endpointId, url, status, tries, nextTryAt }: RunDelivery
): Html => {
  const { say, number } = view.locale
  const last = tries.at(-1)
  return html`<li>
    ${pageLink(view, "webhooks", html`<bdi dir="ltr">${hostOf(url)}</bdi>`, `/${endpointId}/events/${eventId}`)}
    ${deliveryBadge({ status, tries }, view.locale)}
    <span class="muted">
      ${
        tries.length > 0 &&
        (tries.length === 1 ? say("1 attempt", "۱ تلاش") : `${number(tries.length)} ${say("attempts", "تلاش")}`)
      }
      ${last !== undefined && html`· ${tryBadge(last)}`}
      ${nextTryAt !== null && status === "pending" && html`· ${say("next", "بعدی")} ${view.locale.clock(nextTryAt)}`}
    </span>
  </li>`
}

const noDeliveries = (view: View): Html =>
  html`<span class="muted"
    >${view.locale.say("no webhook for this event", "وب‌هوکی برای این رویداد نیست")}</span
  >`

/** Where an event is on the page of its code or message. */
export const eventAnchor = (id: string): string => `event-${id}`

/** The events of a send with their deliveries. */
export const eventsPart = (view: View, events: ReadonlyArray<RunEvent>, path: string): Html => {
  const { say } = view.locale
  const canReplay = view.actor.scope === "full" && events.some(({ deliveries }) => deliveries.length > 0)
  return html`<section class="panel">
    <div class="panel-head">
      <h2>${say("Events", "رویدادها")}</h2>
      ${
        canReplay &&
        postButton(view, {
          action: `${path}/replay`,
          label: say("Deliver again", "ارسال دوباره"),
          isSmall: true
        })
      }
    </div>
    ${
      events.length === 0
        ? html`<p class="panel-body muted">
            ${say("Deleted: events are kept for 30 days.", "حذف شده است: رویدادها ۳۰ روز نگه داشته می‌شوند.")}
          </p>`
        : html`<ol class="events">
            ${events.map(
              ({ id, type, occurredAt, deliveries }) =>
                html`<li id="${eventAnchor(id)}">
                  <p class="what">${mono(type)}${view.locale.clock(occurredAt)}</p>
                  ${
                    deliveries.length === 0
                      ? noDeliveries(view)
                      : html`<ul>
                          ${deliveries.map((delivery) => deliveryLine(view, id, delivery))}
                        </ul>`
                  }
                </li>`
            )}
          </ol>`
    }
  </section>`
}

/** A record is written this long after what it records, at most. */
const MARGIN = 2 * MINUTE_MILLIS
/** For so long, reports of a delivery may arrive. */
const LATE = 3 * DAY_MILLIS

interface RunTimes {
  readonly createdAt: Instant
  readonly startsAt: Instant
  /** Whatever is known of it; null for what did not happen. */
  readonly instants: ReadonlyArray<Instant | null>
  /** Something may still happen. */
  readonly isActive: boolean
}

/** Parts of time in which events and charges were written: around the request, and from the first send to the end. */
export const runPeriods = ({ createdAt, startsAt, instants, isActive }: RunTimes, now: Instant) => {
  const last = Math.max(startsAt, ...instants.filter((at) => at !== null))
  const end = isActive ? now : Math.min(now, last + MARGIN)
  const periods =
    startsAt - createdAt < MARGIN
      ? [{ from: createdAt, to: end }]
      : [
          { from: createdAt, to: createdAt + MINUTE_MILLIS },
          { from: startsAt - MINUTE_MILLIS, to: end }
        ]
  return { periods, late: end < now ? { from: end, to: Math.min(now, end + LATE) } : null }
}
