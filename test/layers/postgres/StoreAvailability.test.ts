import { SqlError } from "effect/sql"
import { describe, expect, it } from "vitest"
import { hasStoredNothing, isStoreUnreachable } from "../../../src/layers/postgres/StoreAvailability.ts"

/** As the driver reports what PostgreSQL refused with this SQLSTATE. */
const refusedWith = (code: string) =>
  new SqlError.SqlError({
    reason: new SqlError.UnknownError({
      cause: Object.assign(new Error("refused"), { code }),
      message: "Failed to execute statement"
    })
  })

describe("isStoreUnreachable", () => {
  it.each([
    ["57P01", "stops"],
    ["57P02", "has crashed"],
    ["57P03", "starts"],
    ["53300", "has no connection left"],
    ["57P04", "has lost the database"],
    ["57P05", "ended an idle session"],
    ["53000", "lacks something"],
    ["53100", "has no disk left"],
    ["53200", "has no memory left"],
    ["53400", "has reached a limit of its configuration"],
    ["58030", "cannot read or write its files"],
    ["25006", "is a standby"]
  ])("takes %s for a PostgreSQL that %s", (code) => {
    expect(isStoreUnreachable(refusedWith(code))).toBe(true)
  })

  it("takes a lost connection for one that is away", () => {
    const reason = new SqlError.ConnectionError({ cause: new Error("gone"), message: "gone" })
    expect(isStoreUnreachable(new SqlError.SqlError({ reason }))).toBe(true)
  })

  it.each(["22P02", "XX000", "P0001"])("takes %s for a fault of ours", (code) => {
    expect(isStoreUnreachable(refusedWith(code))).toBe(false)
  })

  it("takes what is no error of the store for a fault of ours", () => {
    expect(isStoreUnreachable(new Error("57P03"))).toBe(false)
  })
})

describe("hasStoredNothing", () => {
  const lost = (operation: string, code: string) =>
    new SqlError.SqlError({
      reason: new SqlError.ConnectionError({ cause: Object.assign(new Error("gone"), { code }), operation })
    })

  it.each(["53100", "40001", "57014", "XX000"])("is sure of what PostgreSQL refused with %s", (code) => {
    expect(hasStoredNothing(refusedWith(code))).toBe(true)
  })

  it.each(["57P01", "08006", "40003"])("is not sure of a connection that ended with %s", (code) => {
    expect(hasStoredNothing(refusedWith(code))).toBe(false)
  })

  it("is sure if there was no connection yet, and not if it was lost during the statement", () => {
    expect(hasStoredNothing(lost("connect", "ECONNREFUSED"))).toBe(true)
    expect(hasStoredNothing(lost("query", "EPIPE"))).toBe(false)
  })
})
