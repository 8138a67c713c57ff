/** Faults of a request around its body: method, target, headers, framing. */
import type { Random } from "../../bench/soak/Random.ts"
import type { Mutation } from "./BodyMutations.ts"
import type { RawRequest } from "./RawHttp.ts"

type Header = readonly [name: string, value: string]

const METHODS = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "PROPFIND",
  "QUERY",
  "CONNECT",
  "get",
  "FOO"
]

const ODD_SEGMENTS = [
  "",
  ".",
  "..",
  "%00",
  "%2e%2e%2f",
  "%2F",
  "%zz",
  "%",
  "%c0%ae",
  "%ff",
  "%F0%9F%98%80",
  "\u00ff\u00fe",
  "0",
  "-1",
  "1e3",
  "00000000000000000001",
  "9223372036854775807",
  "9223372036854775808",
  "99999999999999999999999",
  "null",
  "NaN",
  "__proto__",
  "send",
  "01890a5d-ac96-774b-bcce-b302099a8057",
  "01890A5D-AC96-774B-BCCE-B302099A8057",
  "a".repeat(5000),
  "'--",
  ";x=y"
]

const ODD_QUERIES = [
  "",
  "limit=0",
  "limit=-1",
  "limit=101",
  "limit=1e1",
  "limit=",
  "limit=1&limit=2",
  "limit[]=1",
  "limit=99999999999999999999",
  "limit=%",
  "limit=%00",
  "cursor=",
  "cursor=x",
  "cursor=%ff%fe",
  "cursor=eyJhIjoxfQ",
  "cursor=2026-01-01T00:00:00.000Z_1",
  `cursor=${"a".repeat(3000)}`,
  "phone=09121234567",
  "phone=%2B98",
  "phone=%00",
  "status=nothing",
  "status=queued&status=failed",
  "channel=sms",
  "channel=%00",
  "from=2026-01-01&to=2025-01-01",
  "from=0000-01-01T00:00:00Z",
  "from=9999-12-31T23:59:59Z",
  "created_after=x",
  "created_after=-271821-04-20T00:00:00Z",
  "group_by=nothing",
  "metadata[a]=b",
  "__proto__=1",
  "a".repeat(4000),
  "&&&===",
  "+",
  "\u00ff=\u00ff"
]

const ODD_HEADERS: ReadonlyArray<Header> = [
  ["Content-Type", "text/plain"],
  ["Content-Type", "application/json; charset=utf-16"],
  ["Content-Type", "application/json;;;"],
  ["Content-Type", "multipart/form-data"],
  ["Content-Type", "application/x-www-form-urlencoded"],
  ["Content-Type", ""],
  ["Content-Encoding", "gzip"],
  ["Accept", "text/html"],
  ["Accept", "\u00ff"],
  ["Accept-Encoding", "gzip, br;q=0, *;q=bad"],
  ["Accept-Language", "fa;q=2,,,"],
  ["If-Match", "*"],
  ["If-Match", '"x"'],
  ["If-Match", '"99999999999999999999"'],
  ["If-Match", '"1", "2"'],
  ["If-Match", 'W/"1"'],
  ["If-None-Match", "*"],
  ["If-Modified-Since", "never"],
  ["Range", "bytes=0-1"],
  ["Idempotency-Key", ""],
  ["Idempotency-Key", "a".repeat(255)],
  ["Idempotency-Key", "a".repeat(256)],
  ["Idempotency-Key", "\u00ff\u00d8\u00b3"],
  ["Idempotency-Key", "same"],
  ["X-API-Key", ""],
  ["X-API-Key", "svc_live_"],
  ["X-API-Key", "svc_live_\u00ff"],
  ["X-API-Key", "a".repeat(9000)],
  ["Authorization", ""],
  ["Authorization", "apikey"],
  ["Authorization", "Bearer x.y.z"],
  ["Authorization", "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0."],
  ["Authorization", "Basic Og=="],
  ["Authorization", "apikey \u00ff"],
  ["Authorization", `Bearer ${"a.".repeat(3000)}`],
  ["X-Request-Id", "\u00ff"],
  ["X-Request-Id", "a".repeat(129)],
  ["X-Forwarded-For", "x, 999.1.1.1, ::1"],
  ["Forwarded", "for=_"],
  ["traceparent", "00-zz-zz-zz"],
  ["traceparent", `00-${"0".repeat(32)}-${"0".repeat(16)}-01`],
  ["b3", "1"],
  ["Origin", "null"],
  ["Cookie", "a=b; __proto__=c"],
  ["User-Agent", "\u00ff".repeat(400)],
  ["Expect", "100-continue"],
  ["Expect", "200-ok"],
  ["Upgrade", "websocket"],
  ["Connection", "Upgrade, close"],
  ["Connection", "keep-alive"],
  ["Host", "a b"],
  ["X-HTTP-Method-Override", "DELETE"],
  ["Transfer-Encoding", "gzip"],
  ["Transfer-Encoding", "chunked"],
  ["Content-Length", "-1"],
  ["Content-Length", "abc"],
  ["Content-Length", "1"],
  ["Content-Length", "0"],
  ["Content-Length", "99999999999999999999"],
  ["Content-Length", "65537"],
  ["bad name", "x"],
  ["X-Tab", "a\tb"],
  ["X-Line", "a\r\n b"],
  ["X-Null", "a\u0000b"],
  ["X-Large", "a".repeat(17_000)]
]

const withPath = (request: RawRequest, change: (path: string) => string): RawRequest => {
  const [path = "", ...query] = request.target.split("?")
  return { ...request, target: [change(path), ...query].join("?") }
}

const changeSegment = (path: string, random: Random) => {
  const parts = path.split("/")
  parts[random.between(1, Math.max(1, parts.length - 1))] = random.pick(ODD_SEGMENTS)
  return parts.join("/")
}

const setHeader = (request: RawRequest, [name, value]: Header): RawRequest => ({
  ...request,
  headers: [...request.headers.filter(([given]) => given.toLowerCase() !== name.toLowerCase()), [name, value]]
})

const chunked = (bytes: Buffer, random: Random): Buffer => {
  const parts: Array<Buffer> = []
  for (let at = 0; at < bytes.length;) {
    const size = random.between(1, Math.max(1, bytes.length))
    const part = bytes.subarray(at, at + size)
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n"))
    at += size
  }
  return Buffer.concat([
    ...parts,
    Buffer.from(random.pick(["0\r\n\r\n", "0\r\n\r\n", "zz\r\n\r\n", "0\r\nX: y\r\n\r\n"]))
  ])
}

export const requestMutations: ReadonlyArray<Mutation<RawRequest>> = [
  { name: "another method", apply: (request, random) => ({ ...request, method: random.pick(METHODS) }) },
  {
    name: "an odd segment",
    apply: (request, random) => withPath(request, (path) => changeSegment(path, random))
  },
  {
    name: "one more segment",
    apply: (request, random) => withPath(request, (path) => `${path}/${random.pick(ODD_SEGMENTS)}`)
  },
  { name: "two slashes", apply: (request) => withPath(request, (path) => path.replace("/", "//")) },
  { name: "other case", apply: (request) => withPath(request, (path) => path.toUpperCase()) },
  { name: "a whole address", apply: (request) => withPath(request, (path) => `http://127.0.0.1${path}`) },
  {
    name: "an odd query",
    apply: (request, random) => ({
      ...request,
      target: `${request.target.split("?")[0]}?${random.pick(ODD_QUERIES)}`
    })
  },
  {
    name: "one more in the query",
    apply: (request, random) => ({
      ...request,
      target: `${request.target}${request.target.includes("?") ? "&" : "?"}${random.pick(ODD_QUERIES)}`
    })
  },
  { name: "an odd header", apply: (request, random) => setHeader(request, random.pick(ODD_HEADERS)) },
  {
    name: "one more header",
    apply: (request, random) => ({ ...request, headers: [...request.headers, random.pick(ODD_HEADERS)] })
  },
  {
    name: "a header less",
    apply: (request, random) => {
      const left = [...request.headers]
      left.splice(random.between(0, Math.max(0, left.length - 1)), 1)
      return { ...request, headers: left }
    }
  },
  {
    name: "a header twice",
    apply: (request, random) =>
      request.headers.length === 0
        ? request
        : { ...request, headers: [...request.headers, random.pick(request.headers)] }
  },
  {
    name: "in chunks",
    apply: (request, random) => ({
      ...setHeader(request, ["Transfer-Encoding", "chunked"]),
      body: chunked(request.body ?? Buffer.alloc(0), random)
    })
  },
  {
    name: "a body where none belongs",
    apply: (request) => ({
      ...setHeader(request, ["Content-Type", "application/json"]),
      body: Buffer.from("{}")
    })
  },
  {
    name: "a body that does not end",
    apply: (request, random) =>
      request.body === null
        ? request
        : { ...request, sent: random.between(0, Math.max(0, request.body.length - 1)) }
  }
]
