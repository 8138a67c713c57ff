import { cookies } from "next/headers"
import { randomUUID } from "node:crypto"
import type { LoginSession } from "@peyk/client/login-server"

export interface Session extends LoginSession {
  phone?: string
}

interface Kept {
  readonly session: Session
  readonly endsAt: number
}

const HOUR = 3_600_000
const sessions: Map<string, Kept> = ((globalThis as { sessions?: Map<string, Kept> }).sessions ??= new Map())

/** Keeps sessions in this process. With several, or to survive a restart, keep them in your database. */
export const newSession = async (session: Session = {}): Promise<Session> => {
  const jar = await cookies()
  const now = Date.now()
  sessions.delete(jar.get("session")?.value ?? "")
  for (const [id, { endsAt }] of sessions) if (endsAt < now) sessions.delete(id)
  const id = randomUUID()
  sessions.set(id, { session, endsAt: now + HOUR })
  jar.set("session", id, {
    httpOnly: true,
    sameSite: "lax",
    maxAge: HOUR / 1000,
    secure: process.env.SECURE === "1"
  })
  return session
}

export const currentSession = async (): Promise<Session | undefined> => {
  const kept = sessions.get((await cookies()).get("session")?.value ?? "")
  return kept !== undefined && kept.endsAt > Date.now() ? kept.session : undefined
}
