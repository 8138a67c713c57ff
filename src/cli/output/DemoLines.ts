import { FRESH_IN_SHELL } from "../../domain/text/ShellCommands.ts"
import type { DemoCustomer } from "../../layers/customer/DemoCustomer.ts"

const send = (origin: string, { live_key }: DemoCustomer): string =>
  `curl -s ${origin}/v1/otp/send -H 'X-API-Key: ${live_key}' -H "Idempotency-Key: demo-${FRESH_IN_SHELL}" ` +
  `-H 'Content-Type: application/json' -d '{"phone":"09121234567"}'`

const status = (origin: string, { live_key }: DemoCustomer): string =>
  `curl -s ${origin}/v1/otp/VERIFICATION_ID -H 'X-API-Key: ${live_key}'`

const verify = (origin: string, { live_key }: DemoCustomer): string =>
  `curl -s ${origin}/v1/otp/verify -H 'X-API-Key: ${live_key}' -H 'Content-Type: application/json' ` +
  `-d '{"verification_id":"VERIFICATION_ID","code":"CODE"}'`

const message = (origin: string, { live_key }: DemoCustomer): string =>
  `curl -s ${origin}/v1/messages/send -H 'X-API-Key: ${live_key}' -H 'Content-Type: application/json' ` +
  `-d '{"to":"09121234567","message":"سلام!","channels":["bale","sms"]}'`

const sandbox = (origin: string, { test_key }: DemoCustomer): string =>
  `curl -s ${origin}/v1/sandbox/otp/send -H 'X-API-Key: ${test_key}' -H 'Content-Type: application/json' ` +
  `-d '{"phone":"09121234567"}'`

const management = (origin: string, token: string): string =>
  `curl -s ${origin}/v1/manage/api-keys -H 'Authorization: apikey ${token}'`

/** Commands that a newcomer can paste, in a useful order. */
export const demoLines = (origin: string, demo: DemoCustomer): string =>
  [
    "Send a code:",
    "",
    `  ${send(origin, demo)}`,
    "",
    `Read it on the phone, at ${origin}/simulator, and verify it (put in the verification_id you got, and the code):`,
    "",
    `  ${verify(origin, demo)}`,
    "",
    "Follow a verification:",
    "",
    `  ${status(origin, demo)}`,
    "",
    "Send a message:",
    "",
    `  ${message(origin, demo)}`,
    "",
    "In the sandbox nothing is sent, and the code is always 123456:",
    "",
    `  ${sandbox(origin, demo)}`,
    "",
    "Manage the account:",
    "",
    `  ${management(origin, demo.token)}`
  ].join("\n")
