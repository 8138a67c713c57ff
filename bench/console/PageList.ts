// @effect-diagnostics globalDate:off
/** The pages that are measured, each with an address for every request. */
import { OWN_DATABASE, type Store } from "../Store.ts"

export interface MeasuredPage {
  readonly name: string
  readonly who: "owner" | "operator"
  /** The address of the nth request. */
  readonly path: (n: number) => string
}

interface Sent {
  readonly id: string
  readonly phone: string
}

const SAMPLE = 200
const HOUR = 3_600_000
const DAY = 24 * HOUR

const sampleOf = async (
  { run }: Store,
  table: "verifications" | "messages"
): Promise<ReadonlyArray<Sent>> => {
  const [rows = []] = await run(OWN_DATABASE, [
    `select id, phone from ${table} tablesample bernoulli (1) where mode = 'live' order by random() limit ${SAMPLE}`
  ])
  return rows.map(({ id, phone }) => ({ id: String(id), phone: String(phone) }))
}

const at = <A>(items: ReadonlyArray<A>, n: number): A => {
  const item = items[n % items.length]
  if (item === undefined) throw new Error("the store has no sends: use --stored")
  return item
}

/** As a date field has it, in UTC: an hour of a day some time ago. */
const hourOf = (n: number) => {
  const from = Date.now() - (n % 18) * DAY - 2 * HOUR
  const text = (time: number) => new Date(time).toISOString().slice(0, 16)
  return `from=${text(from)}&to=${text(from + HOUR)}`
}

const owner = (name: string, path: string | ((n: number) => string)): MeasuredPage => ({
  name,
  who: "owner",
  path: (n) => `/console/${typeof path === "string" ? path : path(n)}`
})

const sendPages = (list: "verifications" | "messages", sent: ReadonlyArray<Sent>, status: string) => [
  owner(list, list),
  owner(`${list} by phone`, (n) => `${list}?q=${encodeURIComponent(at(sent, n).phone)}`),
  owner(`${list} by status`, `${list}?status=${status}`),
  owner(`${list} by a status that none has`, `${list}?status=canceled`),
  owner(`${list} by metadata`, (n) => `${list}?metadata=order%3D${n}`),
  owner(`${list} by channel`, `${list}?channel=sms`),
  owner(`${list} of the last 7 days`, `${list}?within=7d`),
  owner(`${list} of an hour`, (n) => `${list}?${hourOf(n)}`),
  owner(`${list} of the sandbox`, `${list}?mode=test`),
  owner(`the page of one of the ${list}`, (n) => `${list}/${at(sent, n).id}`)
]

export const pagesOf = async (store: Store): Promise<ReadonlyArray<MeasuredPage>> => {
  const [codes, messages] = [await sampleOf(store, "verifications"), await sampleOf(store, "messages")]
  const phoneOf = (n: number) => encodeURIComponent(at(codes, n).phone)
  return [
    owner("overview, 24 hours", "overview"),
    owner("overview, 7 days", "overview?period=7d"),
    owner("overview, 30 days", "overview?period=30d"),
    owner("insights, 7 days", "insights"),
    owner("insights, 30 days", "insights?period=30d"),
    ...sendPages("verifications", codes, "expired"),
    ...sendPages("messages", messages, "failed"),
    owner("phones", "phones"),
    owner("phones by their last four digits", (n) => `phones?q=${at(codes, n).phone.slice(-4)}`),
    owner("codes by the last four digits", (n) => `verifications?q=${at(codes, n).phone.slice(-4)}`),
    owner("codes, the oldest first", "verifications?sort=oldest"),
    owner("the page of a phone", (n) => `phones/${at(codes, n).phone}`),
    owner("send a test", "test"),
    owner("channels", "channels"),
    owner("routing", "routing"),
    owner("templates", "templates"),
    owner("guard", "guard"),
    owner("keys", "keys"),
    owner("webhooks", "webhooks"),
    owner("a webhook with its deliveries", "webhooks/1"),
    owner("requests", "requests"),
    owner("requests by phone", (n) => `requests?q=${phoneOf(n)}`),
    owner("requests by id", (n) => `requests?q=${at(codes, n).id}`),
    owner("requests that were refused", "requests?outcome=refused"),
    owner("wallet and ledger", "wallet"),
    owner("top-ups", "wallet?kind=top_up"),
    owner("usage of a month", "usage"),
    owner("users", "users"),
    owner("audit log", "audit"),
    owner("audit log by id", (n) => `audit?id=${n}`),
    owner("settings", "settings"),
    { name: "customers (operator)", who: "operator", path: () => "/console/customers" },
    { name: "health (operator)", who: "operator", path: () => "/console/health" },
    { name: "all requests (operator)", who: "operator", path: () => "/console/all-requests" }
  ]
}
