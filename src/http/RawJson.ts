import { HttpServerResponse } from "effect/http"

/** Responds with JSON text: what it contains of the customer's data stays exactly as it came. */
export const answerJson = (json: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(json, { contentType: "application/json" })

/** The same for the management API, whose responses no cache may store. */
export const answerManagedJson = (json: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(json, {
    contentType: "application/json",
    headers: { "cache-control": "no-store" }
  })

/** A page of JSON texts. */
export const pageJson = (page: {
  readonly data: ReadonlyArray<string>
  readonly next_cursor: string | null
}): string => `{"data":[${page.data.join(",")}],"next_cursor":${JSON.stringify(page.next_cursor)}}`
