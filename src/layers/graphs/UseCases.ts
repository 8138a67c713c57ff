import { LiveMessages, SandboxMessages } from "./MessageGraph.ts"
import { LiveVerifications, SandboxVerifications } from "./VerificationGraph.ts"

/** The compositions of the use cases that a service runs; replace one to replace a part of it. */
export const useCases = {
  live: LiveVerifications,
  sandbox: SandboxVerifications,
  messages: LiveMessages,
  sandboxMessages: SandboxMessages
}
