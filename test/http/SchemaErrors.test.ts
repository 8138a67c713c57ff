import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { MessageBody } from "../../src/http/message/MessageSchemas.ts"
import { SendBody } from "../../src/http/otp/OtpSchemas.ts"
import { issuesIn } from "../../src/http/errors/SchemaErrors.ts"

const messagesOf = (schema: Schema.Codec<unknown, unknown>, given: unknown) => {
  const decoded = Schema.decodeUnknownResult(schema, { errors: "all" })(given)
  if (Result.isSuccess(decoded)) return []
  return issuesIn(decoded.failure.issue, "body").map(({ path, message }) => `${path}: ${message}`)
}

describe("what is wrong with a request", () => {
  it.each([5, null, "x", [[]]])("names no schema where %j is not an object", (given) => {
    assert.deepStrictEqual(messagesOf(MessageBody, given), ["body: Expected object"])
  })

  it("names no schema where a value fits no member of a union", () => {
    assert.deepStrictEqual(messagesOf(MessageBody, { to: "x", template: 5, channels: [5] }), [
      "body.template: Expected object | null",
      "body.channels[0]: Expected string | object"
    ])
    assert.deepStrictEqual(messagesOf(SendBody, { phone: "x", client: 5, channels: 5 }), [
      "body.channels: Expected string | array | null",
      "body.client: Expected object | null"
    ])
  })
})
