import { assert, it } from "@effect/vitest"
import { channelName } from "../../src/cli/output/AttemptRows.ts"

it("a channel is named as requests name it, and an SMS also by its provider", () => {
  const account = { credential_id: 1, label: "" }
  assert.strictEqual(channelName({ type: "messenger", provider: "bale", ...account }), "bale")
  assert.strictEqual(channelName({ type: "sms", provider: "smsir", ...account }), "sms (smsir)")
})
