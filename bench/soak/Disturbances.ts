/** The faults injected into the system, and their times: a failure counts, or one of them excuses it. */
import { now } from "./Time.ts"

export type DisturbanceKind =
  /** `kill -9`, until the process serves again. */
  | "kill"
  /** Stopped, until it is continued. */
  | "freeze"
  /** It is stopping, and its successor does not serve yet. */
  | "roll"
  /** PostgreSQL restarted or unable to work, until every process is ready again. */
  | "store"
  /** Connections to PostgreSQL terminated. */
  | "cut"
  /** Connections of a server to PostgreSQL silent, half open or slow, until it works again. */
  | "silence"
  /** Connections to the providers silent, half open or slow: their answers may be lost. */
  | "far end"
  /** One customer floods a provider that hangs: nobody else may notice. */
  | "flood"
  /** Many clients do not read their responses: nobody else may be refused. */
  | "unread"
  /** A process, or this machine, could do nothing for a while, and nobody did that on purpose. */
  | "stall"

/** Faults that keep the calling process from recording an outcome, or the store from keeping it. */
export const LOSSES: ReadonlyArray<DisturbanceKind> = [
  "kill",
  "freeze",
  "store",
  "cut",
  "silence",
  "far end",
  "stall"
]

export interface Disturbance {
  readonly kind: DisturbanceKind
  /** The server that it was done to; null: all of them. */
  readonly server: number | null
  readonly from: number
  to: number
}

export interface Span {
  readonly from: number
  readonly to: number
}

export const overlaps = (a: Span, b: Span): boolean => a.from <= b.to && b.from <= a.to

export class Disturbances {
  readonly all: Array<Disturbance> = []

  /** Lasts until the given function is called. */
  begin(kind: DisturbanceKind, server: number | null): () => void {
    const disturbance: Disturbance = { kind, server, from: now(), to: Number.POSITIVE_INFINITY }
    this.all.push(disturbance)
    return () => {
      disturbance.to = now()
    }
  }

  /** A disturbance that was found afterwards. */
  note(kind: DisturbanceKind, server: number | null, { from, to }: Span): void {
    this.all.push({ kind, server, from, to })
  }

  during(span: Span, kinds: ReadonlyArray<DisturbanceKind>, server: number | null = null): boolean {
    return this.all.some(
      (each) =>
        kinds.includes(each.kind) &&
        (server === null || each.server === null || each.server === server) &&
        overlaps(each, span)
    )
  }

  /** Spans in which no server could work: the store away, or each of them killed, stopped or on its way up. */
  outages(servers: number): ReadonlyArray<Span> {
    const away = this.all.filter(({ kind }) => !["cut", "store", "far end", "flood", "unread"].includes(kind))
    const edges = away.map(({ from }) => from)
    const together = edges.flatMap((at): ReadonlyArray<Span> => {
      const open = away.filter((each) => each.from <= at && at <= each.to)
      const hit = new Set(open.map(({ server }) => server))
      return hit.size < servers ? [] : [{ from: at, to: Math.min(...open.map(({ to }) => to)) }]
    })
    return [...this.all.filter(({ kind }) => kind === "store" || kind === "cut"), ...together]
  }
}
