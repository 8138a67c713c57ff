import { Redacted, Schema } from "effect"
import { KeyMode } from "../../../../../domain/customer/Customer.ts"
import { FRESH_IN_SHELL } from "../../../../../domain/text/ShellCommands.ts"
import type { CreatedKey } from "../../../../../services/key/Keys.ts"
import type { Page } from "../../../frame/Layout.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { codeBlock } from "../../../parts/CodeBlock.ts"
import { secretPanel } from "../../../parts/Secret.ts"
import { foreign, isolated } from "../../../parts/Text.ts"
import { KEYS_PATH } from "./KeysPage.ts"

const firstRequest = (mode: "live" | "test", origin: string): string =>
  [
    `curl ${origin}/v1/${mode === "test" ? "sandbox/" : ""}otp/send \\`,
    `  -H "X-API-Key: $PEYK_KEY" -H "Content-Type: application/json" \\`,
    ...(mode === "live" ? [`  -H "Idempotency-Key: ${FRESH_IN_SHELL}" \\`] : []),
    `  -d '{"phone": "09121234567", "channels": ["bale", "sms"]}'`
  ].join("\n")

/** What the page of a new key shows. */
export const ShownKey = Schema.Struct({
  name: Schema.String,
  mode: KeyMode,
  secret: Schema.RedactedFromValue(Schema.String)
})

export const shownKey = ({ record, secret }: CreatedKey): typeof ShownKey.Type => {
  const { name, mode } = record
  return { name, mode, secret }
}

/** The only page that shows the key. */
export const createdKeyPage = (
  view: View,
  { name, mode, secret }: typeof ShownKey.Type,
  title: string
): Page => {
  const { say } = view.locale
  return {
    title,
    name: "keys",
    lead: foreign(name),
    content: secretPanel(
      {
        label: say("The key", "کلید"),
        secret: Redacted.value(secret),
        done: KEYS_PATH,
        more: codeBlock(
          say(
            "A first request, with the key in $PEYK_KEY",
            `نخستین درخواست، با کلید در ${isolated("$PEYK_KEY")}`
          ),
          firstRequest(mode, view.baseUrl),
          view.locale
        )
      },
      view.locale
    )
  }
}
