import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Server, startServer } from "../../contract/Server.ts"

let server: Server
beforeAll(async () => {
  server = await startServer({
    env: {
      PEYK_LIMIT_PHONE_HUOR: "3",
      PEYK_FAVOURITE_COLOUR: "blue",
      PEYK_NOPE: "nothing",
      PEYKAN: "a car",
      PEYK_PROCESSES: "2"
    }
  })
})
afterAll(() => server?.stop())

const warnings = () =>
  server
    .output()
    .split("\n")
    .filter((line) => line.includes("is no setting"))

describe("a PEYK_ variable that is no setting", () => {
  it("is named in one warning at the start, with the setting that was probably meant", () => {
    const [found, ...others] = warnings().filter((line) => line.includes("PEYK_LIMIT_PHONE_HUOR"))
    expect(found).toMatch(/"level":"WARN"/)
    expect(found).toContain("did you mean PEYK_LIMIT_PHONE_HOUR?")
    expect(others).toEqual([])
  })

  it.each(["PEYK_FAVOURITE_COLOUR", "PEYK_NOPE"])(
    "is named without a guess where none is near: %s",
    (name) => {
      const [found] = warnings().filter((line) => line.includes(name))
      expect(found).toMatch(/"level":"WARN"/)
      expect(found).not.toContain("did you mean")
    }
  )

  it("is the only thing that is warned of, and its value is not repeated", () => {
    expect(warnings()).toHaveLength(3)
    expect(server.output()).not.toMatch(/blue|nothing|a car/)
  })
})
