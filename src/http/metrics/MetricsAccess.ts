import { Context, Option, Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"
import { createHash, timingSafeEqual } from "node:crypto"
import { plainAddress } from "../../domain/Networks.ts"

type Request = Pick<HttpServerRequest.HttpServerRequest, "headers" | "remoteAddress">

/** Decides which requests may read the metrics. */
export interface MetricsAccessShape {
  readonly token: Option.Option<Redacted.Redacted>
  /** Whether local callers need no token if none is set: the service listens on loopback only. */
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

/** A proxy's header: its client can be anyone. */
const FORWARDED_BY = ["x-forwarded-for", "x-real-ip", "forwarded", "via"]

const isNear = ({ headers, remoteAddress }: Request, isPrivate: MetricsAccessShape["isPrivate"]): boolean =>
  FORWARDED_BY.every((name) => headers[name] === undefined) &&
  isPrivate(plainAddress(Option.getOrElse(remoteAddress, () => "")))

/**
 * With a token set, admits only callers that have it. Without one, admits local callers if the service listens on
 * loopback only. Callers through a proxy are refused: a proxy that publishes the whole service would publish this too.
 */
export const mayReadMetrics = (request: Request, { token, isOpen, isPrivate }: MetricsAccessShape): boolean =>
  Option.match(token, {
    onSome: (expected) => carriesToken(request, Redacted.value(expected)),
    onNone: () => isOpen && isNear(request, isPrivate)
  })
