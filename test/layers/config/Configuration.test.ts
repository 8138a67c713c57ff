import { ConfigProvider, Effect, Exit, Option, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { configuration } from "../../../src/layers/config/Configuration.ts"

const read = (env: Readonly<Record<string, string>>) =>
  Effect.runPromiseExit(
    Effect.provideService(configuration, ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
  )

const refusalOf = async (env: Readonly<Record<string, string>>): Promise<string> => {
  const exit = await read(env)
  if (Exit.isSuccess(exit)) throw new Error("these settings were accepted")
  return String(exit.cause)
}

const valuesOf = async (env: Readonly<Record<string, string>>) => {
  const exit = await read(env)
  if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
  return exit.value
}

describe("a setting that is a number", () => {
  const names = ["PEYK_LIMIT_PHONE_HOUR", "PEYK_RETENTION_PHONES_DAYS", "PEYK_PROCESSES"]
  const wrong = [" ", "0x10", "1e3", "1.0", "ten"]
  const cases = names.flatMap((name) => wrong.map((text) => [name, text] as const))

  it.each(cases)("%s refuses %j", async (name, text) => {
    expect(await refusalOf({ [name]: text })).toContain(name)
  })

  it("accepts digits, a sign, and blanks around them", async () => {
    expect((await valuesOf({ PEYK_PORT: " +80 " })).port).toBe(80)
  })

  it("has its default if it is empty", async () => {
    expect((await valuesOf({ PEYK_PORT: "" })).port).toBe(8080)
  })
})

it("PEYK_HANG_MS refuses a time after which a busy process would be killed", async () => {
  expect(await refusalOf({ PEYK_HANG_MS: "30" })).toContain("0, or from 1000 to 3600000 ms are expected")
  expect((await valuesOf({ PEYK_HANG_MS: "0" })).hangMillis).toBe(0)
})

describe.each(["DATABASE_URL", "PEYK_DATABASE_LISTEN_URL", "PEYK_DATABASE_READ_URL"])("%s", (name) => {
  it.each([
    " ",
    "nonsense-hush",
    "mysql://peyk:hush@localhost/peyk",
    "postgres://peyk:hush@localhost:99999/peyk",
    "postgres://peyk:hush@one:5432,two:port/peyk"
  ])("refuses %j by its name, without repeating it", async (url) => {
    const refusal = await refusalOf({ [name]: url })
    expect(refusal).toContain(name)
    expect(refusal).not.toContain("hush")
  })

  it.each(["hu/sh", "hu#sh", "hu?sh", "12/hush", "12?hush", "12#hush", "hu%sh", "hu@sh/hush", "hush/"])(
    "says how to write the password %s, without repeating it",
    async (password) => {
      const refusal = await refusalOf({ [name]: `postgres://peyk:${password}@db.example.ir:5432/peyk` })
      expect(refusal).toContain(name)
      expect(refusal).toContain("/: %2F, @: %40")
      expect(refusal).not.toContain("hu")
      expect(refusal).not.toContain("db.example.ir")
    }
  )

  it("says so of a @ in the password where several hosts follow", async () => {
    const refusal = await refusalOf({ [name]: "postgres://peyk:hu@sh@one:5432,two:5433/peyk" })
    expect(refusal).toContain("@: %40")
    expect(refusal).not.toMatch(/hu|sh@|one/)
  })

  it.each(["p/a@s?s#%w d", "گذرواژه", "$1$&"])("takes the password %s from PGPASSWORD", async (password) => {
    const { databaseUrl, databaseListenUrl, databaseReadUrl } = await valuesOf({
      [name]: "postgres://peyk@one:5432,two:5433/peyk",
      PGPASSWORD: password
    })
    const [url] = [databaseUrl, databaseListenUrl, databaseReadUrl].filter(Option.isSome)
    const [first = ""] = Redacted.value(url?.value ?? Redacted.make("")).split(",")
    expect(decodeURIComponent(new URL(first).password)).toBe(password)
    const own = "postgres://peyk:its-own@one/peyk"
    const kept = Object.values(await valuesOf({ [name]: own, PGPASSWORD: password }))
      .filter(Option.isOption)
      .map((value) => Option.getOrUndefined(value as Option.Option<unknown>))
      .filter(Redacted.isRedacted)
      .map(Redacted.value)
    expect(kept).toContain(own)
  })

  it.each([
    ["postgres://peyk@one/peyk?password=own", "postgres://peyk@one/peyk?password=own"],
    ["postgres://one?user=peyk&password=o@wn", "postgres://one?user=peyk&password=o@wn"],
    ["postgres://one,two?user=p@eyk", "postgres://one,two?user=p@eyk&password=p%40g"],
    ["postgres://one/peyk", "postgres://one/peyk"],
    ["postgres://peyk:@one/peyk", "postgres://peyk:@one/peyk"],
    ["postgres://:own@one/peyk", "postgres://:own@one/peyk"]
  ])("adds PGPASSWORD only where there is a user without a password: %s", async (url, expected) => {
    const { databaseUrl, databaseListenUrl, databaseReadUrl } = await valuesOf({
      [name]: url,
      PGPASSWORD: "p@g"
    })
    const urls = [databaseUrl, databaseListenUrl, databaseReadUrl].filter(Option.isSome)
    expect(urls.map(({ value }) => Redacted.value(value))).toContain(expected)
  })

  it.each(["hush", "hu:sh", "hu@sh", "hu%2Fsh", "hu%40sh", "hu sh", "a+b=c&d", "گذرواژه"])(
    "takes the password %s",
    async (password) => {
      const url = `postgres://peyk:${password}@db.example.ir:5432/peyk?application_name=a@b`
      const { databaseUrl, databaseListenUrl, databaseReadUrl } = await valuesOf({ [name]: url })
      expect([databaseUrl, databaseListenUrl, databaseReadUrl].filter(Option.isSome)).toHaveLength(1)
    }
  )

  it.each([
    "postgres://peyk:hush@localhost/peyk",
    "postgresql://localhost",
    "postgres://peyk:hush@one:5432,two:5433/peyk?target_session_attrs=read-write",
    "postgres:///peyk?host=/var/run/postgresql&user=peyk"
  ])("accepts %s", async (url) => {
    expect(Exit.isSuccess(await read({ [name]: url }))).toBe(true)
  })

  it("is absent if it is empty", async () => {
    expect(Option.isNone((await valuesOf({ [name]: "" })).databaseUrl)).toBe(true)
  })
})
