import type { Body, Query, Success } from "./ApiTypes.ts"
import { knownFields } from "./knownFields.ts"
import { type List, makeList } from "./Lists.ts"
import { withKey } from "./Otp.ts"
import type { CallOptions, IdempotencyKey, IdempotentOptions, Send } from "./Transport.ts"

/** Messages to one phone, with a live key; in `client.sandbox`, with a test key. */
export interface Messages {
  /** Creates a message. Repeated after a lost response, it creates no second one. */
  readonly send: (
    request: Body<"messages.send"> & IdempotencyKey,
    options?: CallOptions
  ) => Promise<Success<"messages.send">>
  readonly status: (messageId: string, options?: CallOptions) => Promise<Success<"messages.status">>
  /** Cancels a message of which nothing was sent yet. */
  readonly cancel: (messageId: string, options?: CallOptions) => Promise<Success<"messages.cancel">>
  /** Creates up to 500 messages in one call. Each has its own outcome, in the order of the request. */
  readonly batch: (
    messages: ReadonlyArray<Body<"messages.send">>,
    options?: IdempotentOptions
  ) => Promise<Success<"messages.batch">>
  readonly list: List<Success<"messages.list">["data"][number], Query<"messages.list">>
}

const credential = "apiKey"

export const makeMessages = (send: Send, root: string): Messages => ({
  send: (request, options) =>
    send({
      method: "POST",
      path: `${root}/send`,
      credential,
      known: knownFields["messages.send"],
      isIdempotent: true,
      ...withKey(request, options)
    }),
  status: (message_id, options) =>
    send({ method: "GET", path: `${root}/{message_id}`, ids: { message_id }, credential, options }),
  cancel: (message_id, options) =>
    send({
      method: "POST",
      path: `${root}/{message_id}/cancel`,
      ids: { message_id },
      credential,
      isSafe: true,
      options
    }),
  batch: (messages, options) =>
    send({
      method: "POST",
      path: `${root}/batch`,
      credential,
      body: { messages },
      known: knownFields["messages.send"],
      items: messages,
      isIdempotent: true,
      options
    }),
  list: makeList((query, options) =>
    send({ method: "GET", path: root, credential, query, known: knownFields["messages.list"], options })
  )
})
