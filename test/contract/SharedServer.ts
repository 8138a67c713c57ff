/**
 * A server that test files share: for tests that leave the platform's settings, its shared accounts and its limits of
 * networks as they are, and do not stop it. Most servers take as long to start as their tests.
 */
import { inject } from "vitest"
import { commandsWith, type Server } from "./Server.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly sharedServer: Pick<Server, "url" | "port" | "pid" | "dataDir" | "env" | "demo">
  }
}

/** It serves until the run ends, so nobody stops it. */
export type SharedServer = ReturnType<typeof sharedServer>

/** Webhooks and bridges may be on loopback, and bots of real platforms are not reached. */
export const SHARED_ENV = {
  PEYK_ALLOW_PRIVATE_ADDRESSES: "true",
  PEYK_RUBIKA_URL: "http://127.0.0.1:9",
  PEYK_TELEGRAM_URL: "http://127.0.0.1:9"
}

/** For tests that leave the demo customer as it is. */
export const sharedServer = () => {
  const server = inject("sharedServer")
  return { ...server, ...commandsWith(server.env) }
}

/** With a demo customer of the file's own. */
export const sharedServerWithDemo = async (): Promise<SharedServer> => {
  const server = sharedServer()
  const { makeAnotherDemo } = await import("../support/DemoStore.ts")
  return { ...server, demo: await makeAnotherDemo(server.env) }
}
