import { Effect, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { KeyMode } from "../../domain/customer/Customer.ts"
import { CurrentRequestTime } from "../../services/concurrency/Workers.ts"
import { type Listened, WebhookListeners } from "../../services/webhook/WebhookListeners.ts"
import { CurrentActor, ManageAdmission } from "./ManageAuth.ts"

/** The types of the parts that are no events of the customer. */
export const READY = "ready"
export const END = "end"

/** A field of a part of the stream; metadata is as the customer wrote it, with line breaks between its values. */
const data = (text: string): string =>
  text
    .split(/\r\n|[\r\n]/)
    .map((line) => `data: ${line}\n`)
    .join("")

/**
 * A comment, for whoever reads the stream. Proxies that keep a response until a buffer is full pass on what is in it:
 * nginx's has 4 KiB, where its settings ignore the header below.
 */
const HEARTBEAT = `:${" ".repeat(4093)}\n\n`

const part = (item: Listened): string => {
  switch (item._tag) {
    case "Event":
      return `id: ${item.event.id}\n${data(item.event.body)}\n`
    case "Heartbeat":
      return HEARTBEAT
    case "End":
      return `event: ${END}\n${data(JSON.stringify({ reason: item.reason }))}\n`
  }
}

const HEADERS = {
  "cache-control": "no-store, no-transform",
  // nginx would keep events until it has some kilobytes.
  "x-accel-buffering": "no"
}

interface ListenQuery {
  readonly mode?: KeyMode
  readonly listener?: string
  readonly after?: string
}

/** Responds with a stream of Server-Sent Events, which is open until its client leaves, or its token ends. */
export const listenHandler = Effect.fnUntraced(function* ({ mode = "test", listener, after }: ListenQuery) {
  const current = yield* CurrentActor
  const request = yield* HttpServerRequest.HttpServerRequest
  const { isStill } = yield* ManageAdmission
  const opened = yield* (yield* WebhookListeners).open({
    ...current,
    mode,
    listener: listener ?? null,
    after: after ?? null,
    isAllowed: isStill(current.actor, request)
  })
  const time = yield* CurrentRequestTime
  time.stream(opened.stop)
  const ready = `event: ${READY}\nid: ${opened.after}\n${data(JSON.stringify({ listener: opened.listener, mode }))}\n`
  const body = Stream.concat(Stream.make(ready), Stream.map(opened.items, part)).pipe(Stream.encodeText)
  return HttpServerResponse.stream(body, { contentType: "text/event-stream", headers: HEADERS })
})
