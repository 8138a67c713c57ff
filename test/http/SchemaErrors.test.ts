import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { MessageBody } from "../../src/http/message/MessageSchemas.ts"
import { NewWebhookBody } from "../../src/services/webhook/Webhooks.ts"
import { ContactsBody } from "../../src/http/manage/AccountsApi.ts"
import { SendBody, VerifyBody } from "../../src/http/verification/OtpSchemas.ts"
import { textOf } from "../../src/domain/ProblemTexts.ts"
import { fieldProblems } from "../../src/http/errors/SchemaErrors.ts"

const messagesOf = (schema: Schema.Codec<unknown, unknown>, given: unknown) => {
  const decoded = Schema.decodeUnknownResult(schema, { errors: "all" })(given)
  if (Result.isSuccess(decoded)) return []
  return fieldProblems(decoded.failure.issue, "body").map(
    ({ path, problem }) => `${path}: ${textOf(problem)}`
  )
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

  it("says in plain words that a field is required", () => {
    assert.deepStrictEqual(messagesOf(VerifyBody, {}), [
      "body.verification_id: is required",
      "body.code: is required"
    ])
  })

  it("says how long a text or a list may be", () => {
    assert.deepStrictEqual(
      messagesOf(NewWebhookBody, { url: "", events: [], description: "x".repeat(201) }),
      [
        "body.url: must not be empty",
        "body.events: must not be empty",
        "body.description: Expected at most 200 characters"
      ]
    )
    assert.deepStrictEqual(messagesOf(NewWebhookBody, { url: "x".repeat(2049), events: ["*"] }), [
      "body.url: Expected a length of at most 2048"
    ])
  })

  it("shows no regular expression", () => {
    assert.deepStrictEqual(messagesOf(SendBody, { phone: "x", template_id: "abc" }), [
      "body.template_id: Expected a positive whole number"
    ])
    assert.deepStrictEqual(messagesOf(ContactsBody, { contacts: [{ phone: "x", chat_id: "a b" }] }), [
      "body.contacts[0].chat_id: Expected 1 to 128 printable ASCII characters without spaces"
    ])
  })
})
