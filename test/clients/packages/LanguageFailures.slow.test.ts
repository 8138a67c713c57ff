// @effect-diagnostics globalDate:off globalTimers:off
/** What the clients for other languages do with bad arguments, broken responses and responses of others. */
import { createHmac } from "node:crypto"
import { join } from "node:path"
import { Webhook } from "standardwebhooks"
import { beforeAll, describe, expect, it } from "vitest"
import { languages, makeCalls, php, python, type Reply, reply } from "./LanguageCalls.ts"
import { root, runProgram } from "./Packed.ts"

const hangUp: Reply = (response) => response.destroy()
const sent = reply(200, '{"status":"queued"}')

/** Announces more than it sends. */
const breakOff: Reply = (response) => {
  response.writeHead(200, { "content-length": "100" })
  response.write('{"stat', () => response.destroy())
}

const garbage: Reply = (response) => {
  response.socket?.end("What?\r\n\r\n")
}

/** The head of a 502, and no body. */
const headOnly: Reply = (response) => {
  response.writeHead(502, { "content-length": "100" }).flushHeaders()
}

const DRIP_MILLIS = 50
const DRIPS = 40

/** One character at a time, each sooner than a time-out: two seconds in all. */
const drip = (response: Parameters<Reply>[0], start: string, end: string) => {
  const { socket } = response
  let drips = 0
  socket?.write(start)
  const timer = setInterval(() => {
    drips += 1
    if (drips < DRIPS) socket?.write("x")
    else socket?.end(end)
  }, DRIP_MILLIS)
  socket?.on("close", () => clearInterval(timer))
}

const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
const drippingBody: Reply = (response) => drip(response, `${HEAD}\r\n{"a":"`, '"}')
const drippingHead: Reply = (response) => drip(response, `${HEAD}x-a: `, '\r\n\r\n{"a":1}')

const envelope = (error: object, rest: object = { request_id: "r" }) => JSON.stringify({ error, ...rest })
const refused = { code: "rate_limited", message: "slow down", details: {} }

const secretOf = (key: Buffer) => `whsec_${key.toString("base64")}`
const key = Buffer.alloc(32, 7)
const payload = JSON.stringify({
  type: "webhook.test",
  timestamp: "2026-11-28T00:00:00.000Z",
  mode: "live",
  data: { sequence: 1 }
})

const nowSeconds = () => Math.floor((performance.timeOrigin + performance.now()) / 1000)

const requestSigned = (sign: (id: string, seconds: number) => string) => {
  const seconds = nowSeconds()
  const signature = sign("msg_1", seconds)
  const headers = {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(seconds),
    "webhook-signature": signature
  }
  return { HEADERS: JSON.stringify(headers), PAYLOAD: payload }
}

const notAKey = "refused: The secret is not the whsec_… of a webhook."

describe.each(languages)("the client for $name", (language) => {
  const sends = (count: number) => Array<string>(count).fill(language.send("otp"))
  // compiling takes longer than a test may
  beforeAll(() => makeCalls(language, []))

  it("refuses a webhook if its secret has no key, whoever signed it", async () => {
    const forged = requestSigned(
      (id, seconds) => `v1,${createHmac("sha256", "").update(`${id}.${seconds}.${payload}`).digest("base64")}`
    )
    const secrets = ["", "whsec_", "----", "====", "whsec_A"]
    const calls = secrets.map(language.webhook)
    const { outcomes } = await makeCalls(language, calls, { env: forged })
    expect(outcomes).toEqual(Array(secrets.length).fill(notAKey))
  })

  it("takes a webhook's secret without its padding", async () => {
    const signed = requestSigned((id, seconds) =>
      new Webhook(secretOf(key)).sign(id, new Date(seconds * 1000), payload)
    )
    const call = language.webhook(secretOf(key).replaceAll("=", ""))
    expect((await makeCalls(language, [call], { env: signed })).outcomes).toEqual([payload])
  })

  it("repeats a send with its key if the response breaks off, is not HTTP or is missing", async () => {
    const replies = [breakOff, sent, garbage, sent, hangUp, sent]
    const { outcomes, received } = await makeCalls(language, sends(3), { replies })
    expect(outcomes).toEqual(Array(3).fill('{"status":"queued"}'))
    const keys = received.map(({ headers }) => headers["idempotency-key"])
    expect(keys).toEqual([keys[0], keys[0], keys[2], keys[2], keys[4], keys[4]])
    expect(new Set(keys).size).toBe(3)
  })

  it("fails with connection_failed if every response breaks off", async () => {
    const { outcomes } = await makeCalls(language, sends(1), { replies: [breakOff] })
    expect(outcomes).toEqual(["connection_failed 0"])
  })

  it("ends a try in time if the head or the body drips or the body of a 502 is missing", async () => {
    const replies = [drippingHead, sent, drippingBody, sent, headOnly, sent]
    const { outcomes, received } = await makeCalls(language, sends(3), { replies, timeoutSeconds: 1 })
    expect(outcomes).toEqual(Array(3).fill('{"status":"queued"}'))
    expect(received).toHaveLength(6)
  })

  it("fails with timeout if no response ends in time", async () => {
    const conditions = { replies: [drippingBody], timeoutSeconds: 0.2, retries: 0 }
    expect((await makeCalls(language, sends(1), conditions)).outcomes).toEqual(["timeout 0"])
  })

  it("fails with invalid_response after an error that is not Peyk's", async () => {
    const texts = [
      envelope(refused, {}),
      envelope({ code: "rate_limited", message: "slow down" }),
      envelope({ code: "rate_limited", details: {} }),
      JSON.stringify({ error: "slow down" }),
      "[]",
      "[".repeat(100_000),
      ""
    ]
    const replies = texts.map((text) => reply(429, text))
    const { outcomes } = await makeCalls(language, sends(texts.length), { replies })
    expect(outcomes).toEqual(texts.map(() => "invalid_response 429"))
  })

  it("fails with invalid_response if a send succeeds with anything but an object", async () => {
    const successes = [
      [200, ""],
      [200, "ok"],
      [200, "null"],
      [200, "[]"],
      [200, "1"],
      [201, ""],
      [204, ""]
    ] as const
    const replies = successes.map(([status, text]) => reply(status, text))
    const { outcomes, received } = await makeCalls(language, sends(successes.length), { replies })
    expect(outcomes).toEqual(successes.map(([status]) => `invalid_response ${status}`))
    expect(received).toHaveLength(successes.length)
  })

  it("returns nothing from a removal with 204, and fails with an empty 200", async () => {
    const calls = [language.revoke("7"), language.revoke("7")]
    const { outcomes } = await makeCalls(language, calls, { replies: [reply(204, ""), reply(200, "")] })
    expect(outcomes).toEqual(["null", "invalid_response 200"])
  })

  it("fails with invalid_response after a redirect, and does not follow it", async () => {
    const replies = [reply(302, envelope(refused), { location: "/elsewhere" })]
    const { outcomes, received } = await makeCalls(language, sends(1), { replies })
    expect(outcomes).toEqual(["invalid_response 302"])
    expect(received).toHaveLength(1)
  })

  it("sends codes of the sandbox with an idempotency key, and repeats them", async () => {
    const calls = [language.send("sandbox"), language.send("sandbox", "order-1843")]
    const { received } = await makeCalls(language, calls, { replies: [hangUp, sent] })
    const keys = received.map(({ headers }) => headers["idempotency-key"])
    expect(keys).toEqual([keys[0], keys[0], "order-1843"])
    expect(keys[0]).toMatch(/^[0-9a-f-]{32,36}$/)
  })

  it("refuses an idempotency key that is empty, too long or not printable ASCII", async () => {
    const keys = ["", " ", "a ", "a\r\nX-Injected: 1", "a\n", "سفارش", "a".repeat(256)]
    const calls = keys.map((each) => language.send("otp", each))
    const { outcomes, received } = await makeCalls(language, calls)
    for (const outcome of outcomes)
      expect(outcome).toContain("must be 1 to 255 printable ASCII characters, without blanks around it.")
    expect(outcomes).toHaveLength(keys.length)
    expect(received).toHaveLength(0)
  })

  it("sends an idempotency key of 255 characters", async () => {
    const { received } = await makeCalls(language, [language.send("otp", "a".repeat(255))])
    expect(received[0]?.headers["idempotency-key"]).toBe("a".repeat(255))
  })

  it("sends a version as an ETag, zero too", async () => {
    const versions = [3, 0, ...(language.isDynamic ? ['"3"'] : [])]
    const { received } = await makeCalls(language, versions.map(language.update))
    const etags = ['"3"', '"0"', ...(language.isDynamic ? ['"3"'] : [])]
    expect(received.map(({ headers }) => headers["if-match"])).toEqual(etags)
  })

  it("refuses a version that is not one, and never drops it", async () => {
    const texts = ["", "3", "*", '"a"', '"3"\n', '"3"\r\nX-Injected: 1']
    const versions = [...(language.isDynamic ? texts : []), -1]
    const { outcomes, received } = await makeCalls(language, versions.map(language.update))
    const text = 'must be a version: the number 3, or the string "3" with its quotes.'
    for (const outcome of outcomes) expect(outcome).toMatch(new RegExp(`^refused: \\w+ ${text}$`))
    expect(outcomes).toHaveLength(versions.length)
    expect(received).toHaveLength(0)
  })

  it("takes a token with a line break at its end, as files have it", async () => {
    const { received } = await makeCalls(language, [
      language.revokeWith("svc_live_key\n", " svc_pat_token\r\n")
    ])
    expect(received[0]?.headers.authorization).toBe("Bearer svc_pat_token")
  })

  it("refuses a credential that no header can carry, without showing it", async () => {
    const calls = [language.revokeWith("svc_live_SEC\nRET", "t"), language.revokeWith("k", "svc_pat_SECRETی")]
    const { outcomes } = await makeCalls(language, calls)
    expect(outcomes[0]).toMatch(/^refused: api_?[kK]ey has characters that no header can carry\.$/)
    expect(outcomes[1]).toBe("refused: token has characters that no header can carry.")
  })

  it("refuses a base URL that is not one, without showing it", async () => {
    const urls = [
      "",
      "peyk.example.ir",
      "file:///etc/passwd",
      "http://u:SECRET@peyk.example.ir",
      "http://a?b",
      "http://a\nb"
    ]
    const { outcomes } = await makeCalls(language, urls.map(language.at))
    const text = "must be http:// or https://, a host and at most a path."
    for (const outcome of outcomes) expect(outcome).toMatch(new RegExp(`^refused: \\w+ ${text}$`))
    expect(outcomes).toHaveLength(urls.length)
  })

  it("refuses a time-out that is not a number of seconds above 0", async () => {
    // in Go 0 is the default
    const seconds = language.isDynamic ? (["0", "-1", "INF", "NAN"] as const) : (["-1"] as const)
    const calls = seconds.map(language.withTimeout)
    const { outcomes, received } = await makeCalls(language, calls)
    expect(outcomes).toEqual(calls.map(() => "refused: timeout must be a number of seconds above 0."))
    expect(received).toHaveLength(0)
  })

  it("refuses a field that cannot be written as JSON", async () => {
    const { outcomes, received } = await makeCalls(language, [language.connectWithNaN])
    expect(outcomes[0]).toMatch(/^refused: A field cannot be written as JSON: ./)
    expect(received).toHaveLength(0)
  })

  it("refuses an id that would make the path of another operation", async () => {
    const calls = [
      language.revoke(),
      ...["", ".", ".."].flatMap((id) => [language.revoke(id), language.status(id)])
    ]
    const { outcomes, received } = await makeCalls(language, calls)
    const text = "refused: id must be a text or a whole number that can be part of a path."
    expect(outcomes).toEqual(calls.map(() => text))
    expect(received).toHaveLength(0)
  })

  it("asks for a channel by name, and again after a lost response if it says after which attempt", async () => {
    const { received } = await makeCalls(language, [language.next("v", 2, "sms")], {
      replies: [hangUp, sent]
    })
    expect(received.map(({ path }) => path)).toEqual(Array(2).fill("/v1/otp/v/next"))
    for (const { body } of received) expect(JSON.parse(body)).toEqual({ from_sequence: 2, channel: "sms" })
  })

  it("previews a send without a key, and again after a lost response", async () => {
    const { received } = await makeCalls(language, [language.preview("09121234567", "sms")], {
      replies: [hangUp, sent]
    })
    expect(received.map(({ path, body }) => [path, JSON.parse(body)])).toEqual(
      Array.from({ length: 2 }, () => ["/v1/otp/preview", { phone: "09121234567", channels: "sms" }])
    )
    for (const { headers } of received) {
      expect(headers["x-api-key"]).toBe("svc_live_key")
      expect(headers["idempotency-key"]).toBeUndefined()
    }
  })

  it("looks up a phone, which no path contains, and again after a lost response", async () => {
    const { received } = await makeCalls(language, [language.lookup("09121234567")], {
      replies: [hangUp, sent]
    })
    expect(received.map(({ path, body }) => [path, JSON.parse(body)])).toEqual(
      Array.from({ length: 2 }, () => ["/v1/phones/lookup", { phone: "09121234567" }])
    )
  })

  it("encodes an id in a path", async () => {
    const { received } = await makeCalls(language, [language.status("../a?b"), language.revoke("%2e%2e")])
    expect(received.map(({ path }) => path)).toEqual(["/v1/otp/..%2Fa%3Fb", "/v1/manage/api-keys/%252e%252e"])
  })
})

/** A host with three addresses that never respond. Its clock advances only while it waits. */
const silentAddresses = `
import socket, time
from peyk import Peyk, PeykError
now = 0.0
def connect(self, target):
    global now
    now += self.gettimeout()
    raise socket.timeout("timed out")
time.monotonic = lambda: now
socket.socket.connect = connect
address = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 9))
socket.getaddrinfo = lambda *_, **__: [address] * 3
try:
    Peyk("http://peyk.test", timeout=2, retries=0).account()
except PeykError as error:
    print(error.code, now)
`

describe.runIf(python.isInstalled)("a webhook in Python", () => {
  it("is refused with a ValueError if its body was parsed, or its secret is not set", async () => {
    const calls = ['verify_webhook({"type": "webhook.test"}, {}, "whsec_AAAA")', "webhook(None)"]
    const { outcomes } = await makeCalls(python, calls, { env: requestSigned(() => "v1,AAAA") })
    expect(outcomes).toEqual([
      "refused: payload must be the body exactly as it arrived, not parsed: bytes or text.",
      notAKey
    ])
  })
})

describe.runIf(python.isInstalled)("the time-out of Python", () => {
  it("holds for all addresses of the host together", async () => {
    const env = { PYTHONPATH: join(root, "clients/python"), no_proxy: "*" }
    expect((await runProgram("python3", ["-c", silentAddresses], { cwd: root, env })).trim()).toBe(
      "timeout 2.0"
    )
  })
})

describe.runIf(php.isInstalled)("an empty array of PHP", () => {
  it("is sent as an object where the field is an object", async () => {
    const message = '["to" => "09121234567", "metadata" => [], "template" => ["id" => 1, "parameters" => []]]'
    const calls = [
      'peyk()->otp->send("09121234567", ["metadata" => [], "client" => []])',
      `peyk()->messages->send("09121234567", ${message})`,
      `peyk()->messages->batch([${message}])`,
      'peyk()->manage->call("accounts.connect", ["settings" => []])',
      'peyk()->manage->call("routing.save", ["steps" => []])'
    ]
    const { received } = await makeCalls(php, calls)
    const asObjects = '{"to":"09121234567","metadata":{},"template":{"id":1,"parameters":{}}}'
    expect(received.map(({ body }) => body)).toEqual([
      '{"phone":"09121234567","metadata":{},"client":{}}',
      asObjects,
      `{"messages":[${asObjects}]}`,
      '{"settings":{}}',
      '{"steps":[]}'
    ])
  })

  it("is an object also if its keys are numbers", async () => {
    const call = 'peyk()->otp->send("09121234567", ["metadata" => ["0" => "first"]])'
    const { received } = await makeCalls(php, [call])
    expect(received[0]?.body).toBe('{"phone":"09121234567","metadata":{"0":"first"}}')
  })
})
