import { assert, describe, it } from "@effect/vitest"
import { PLATFORM } from "../../../src/domain/customer/Customer.ts"
import { type Actor, isCommandLine, operatorActor } from "../../../src/domain/user/Actor.ts"
import { ownerOf } from "../../../src/services/account/Accounts.ts"

const user = (customerId: number): Actor => ({
  customerId,
  kind: "user",
  id: "command-line",
  name: "Sara",
  scope: "full",
  isOwner: true
})

const inConsole = (customerId: number): Actor => ({ ...operatorActor(customerId), id: "7" })

describe("the accounts that an actor changes", () => {
  it("are the customer's own", () => {
    assert.deepStrictEqual([ownerOf(user(7)), ownerOf(operatorActor(7)), ownerOf(inConsole(7))], [7, 7, 7])
  })

  it("are the shared ones only for an operator outside any customer", () => {
    assert.isNull(ownerOf(operatorActor(PLATFORM)))
    assert.isNull(ownerOf(inConsole(PLATFORM)))
    assert.strictEqual(ownerOf(user(PLATFORM)), PLATFORM)
  })

  it("may lead into a private network, whatever the installation says, only from the command line", () => {
    assert.isTrue(isCommandLine(operatorActor(7)))
    assert.isFalse(isCommandLine(inConsole(7)))
    assert.isFalse(isCommandLine(user(7)))
  })
})
