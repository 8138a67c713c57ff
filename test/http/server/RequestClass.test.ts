import { assert, describe, it } from "@effect/vitest"
import { makeRouteTable, pathOf, type RequestClass, unmatched } from "../../../src/http/RouteTable.ts"
import { servedRoutes } from "../../../src/http/Routes.ts"

const findPath = makeRouteTable(servedRoutes(true))

const classOf = (method: string, url: string): RequestClass =>
  (findPath(pathOf(url))?.traitsOf(method) ?? unmatched).load

const cases: ReadonlyArray<readonly [RequestClass, string, ReadonlyArray<string>]> = [
  [
    "send",
    "POST",
    ["/v1/otp/send", "/v1/messages/send", "/v1/sandbox/otp/send", "/v1/sandbox/messages/send"]
  ],
  ["check", "POST", ["/v1/otp/verify", "/v1/sandbox/otp/verify"]],
  ["check", "GET", ["/v1/otp/0198", "/v1/messages/0198", "/v1/sandbox/otp/0198?a=b"]],
  ["vital", "GET", ["/healthz", "/readyz", "/metrics"]],
  [
    "manage",
    "GET",
    ["/v1/manage/api-keys", "/v1/otp", "/v1/otp?limit=1", "/v1/messages", "/v1/account", "/console"]
  ],
  ["manage", "POST", ["/v1/manage/api-keys", "/console/keys"]],
  ["asset", "GET", ["/docs", "/docs/api", "/openapi.json", "/console/assets/Zm9vYmFy_123/console.js"]],
  ["public", "GET", ["/simulator", "/", "/v1/others", "/v1/manage", "http://a/v1/otp/send"]],
  ["public", "POST", ["/v1/auth/sign-in", "/v1/inbound/abc", "/v1/inbound/reports/1", "/console/sign-in"]]
]

describe("the class of a request", () => {
  for (const [kind, method, urls] of cases) {
    it.each(urls)(`is ${kind}: ${method} %s`, (url) => {
      assert.strictEqual(classOf(method, url), kind)
    })
  }
})
