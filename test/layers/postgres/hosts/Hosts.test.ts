import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import { hostUrls } from "../../../../src/layers/postgres/Hosts.ts"

const urlsOf = (url: string) =>
  Result.map(hostUrls("PEYK_DATABASE_READ_URL", Redacted.make(url)), (urls) =>
    urls.map((each) => Redacted.value(each))
  )

describe("the hosts of a DATABASE_URL", () => {
  it("are each reached by a URL of their own, in order", () => {
    assert.deepStrictEqual(
      urlsOf(
        "postgres://peyk:s%40f@one:5432,[::1]:5433,three/peyk?sslmode=require&target_session_attrs=read-write"
      ),
      Result.succeed([
        "postgres://peyk:s%40f@one:5432/peyk?sslmode=require",
        "postgres://peyk:s%40f@[::1]:5433/peyk?sslmode=require",
        "postgres://peyk:s%40f@three/peyk?sslmode=require"
      ])
    )
  })

  it.each([
    "postgres://peyk@one/peyk",
    "postgresql:///peyk?host=/run/postgresql&user=peyk&password=a+b%2B",
    "postgres://one/peyk?password=a?b&sslmode=require",
    "nonsense"
  ])("leave the URL %s as it is", (url) => {
    assert.deepStrictEqual(urlsOf(url), Result.succeed([url]))
  })

  it("lose an attribute that the driver does not know", () => {
    assert.deepStrictEqual(
      urlsOf("postgres://one/peyk?target_session_attrs=primary"),
      Result.succeed(["postgres://one/peyk"])
    )
  })

  it("lose it after a second question mark too", () => {
    assert.deepStrictEqual(
      urlsOf("postgres://one/peyk?password=a?b&target_session_attrs=any&sslmode=require"),
      Result.succeed(["postgres://one/peyk?password=a?b&sslmode=require"])
    )
  })

  it("cannot be asked for a session that does not write", () => {
    const refused = urlsOf("postgres://one,two/peyk?target_session_attrs=standby")
    assert.isTrue(Result.isFailure(refused) && refused.failure.message.includes("not standby"))
  })

  it.each(["sslrootcert", "sslcert", "sslkey", "sslcrl"])(
    "cannot be given %s, which would be ignored",
    (name) => {
      const refused = urlsOf(`postgres://one/peyk?sslmode=verify-full&${name}=/etc/peyk.pem`)
      assert.isTrue(
        Result.isFailure(refused) &&
          refused.failure.message.startsWith(`PEYK_DATABASE_READ_URL: ${name} is not supported`)
      )
    }
  )
})
