import type { HttpServerRequest } from "effect/http"

/** Whether a browser asks: it names HTML, and does not refuse it. */
export const acceptsHtml = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  (headers["accept"] ?? "")
    .split(",")
    .some((range) => /^\s*text\/html\s*(;|$)/i.test(range) && !/;\s*q=0(\.0*)?\s*$/i.test(range))
