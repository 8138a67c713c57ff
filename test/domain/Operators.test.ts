import { assert, it } from "@effect/vitest"
import { operatorOf } from "../../src/domain/Operators.ts"
import { ERASED_PHONE } from "../../src/domain/Phone.ts"

it("the operator is that of the number's first digits", () => {
  const phones = {
    "+989121234567": "mci",
    "+989901234567": "mci",
    "+989351234567": "irancell",
    "+989021234567": "irancell",
    "+989411234567": "irancell",
    "+989211234567": "rightel",
    "+989981234567": "other",
    "+989321234567": "other",
    [ERASED_PHONE]: "other"
  }
  for (const [phone, operator] of Object.entries(phones)) assert.strictEqual(operatorOf(phone), operator)
})
