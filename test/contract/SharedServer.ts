/** A server that test files share: for tests that leave the demo customer and the platform's settings as they are. */
import { inject } from "vitest"
import { commandsWith, type Server } from "./Server.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly sharedServer: Pick<Server, "url" | "port" | "pid" | "dataDir" | "env" | "demo">
  }
}

/** It serves until the run ends, so nobody stops it. */
export type SharedServer = ReturnType<typeof sharedServer>

export const sharedServer = () => {
  const server = inject("sharedServer")
  return { ...server, ...commandsWith(server.env) }
}
