import { Context, Option, Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"
import { createHash, timingSafeEqual } from "node:crypto"

type Request = Pick<HttpServerRequest.HttpServerRequest, "headers" | "remoteAddress">

/** Who may read the metrics. */
export interface MetricsAccessShape {
  readonly token: Option.Option<Redacted.Redacted>
  /** Whether callers need no token where there is none: the service listens on loopback only. */
  readonly isOpen: boolean
  /** Whether an address lies outside the public internet. */
  readonly isPrivate: (address: string) => boolean
}

export class MetricsAccess extends Context.Service<MetricsAccess, MetricsAccessShape>()(
  "peyk/http/metrics/MetricsAccess"
) {}

const digest = (text: string) => createHash("sha256").update(text).digest()

const carriesToken = ({ headers }: Request, token: string): boolean => {
  const given = /^Bearer +(\S+)$/i.exec(headers["authorization"] ?? "")?.[1] ?? ""
  return timingSafeEqual(digest(given), digest(token))
}

/** A proxy says so: whom it serves may be anybody. */
const FORWARDED_BY = ["x-forwarded-for", "x-real-ip", "forwarded", "via"]

const isNear = ({ headers, remoteAddress }: Request, isPrivate: MetricsAccessShape["isPrivate"]): boolean =>
  FORWARDED_BY.every((name) => headers[name] === undefined) &&
  isPrivate(Option.getOrElse(remoteAddress, () => "").replace(/^::ffff:(?=\d+\.)/i, ""))

/**
 * Callers with the token, if there is one. Without a token, callers near by where the service listens on loopback only,
 * and not through a proxy: one that publishes the whole service would publish this too.
 */
export const mayReadMetrics = (request: Request, { token, isOpen, isPrivate }: MetricsAccessShape): boolean =>
  Option.match(token, {
    onSome: (expected) => carriesToken(request, Redacted.value(expected)),
    onNone: () => isOpen && isNear(request, isPrivate)
  })
