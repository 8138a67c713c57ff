import { Effect } from "effect"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export const makeTemporaryDirectory = (name: string): string => {
  const made = mkdtempSync(join(tmpdir(), `${name}-`))
  // PostgreSQL does not run as root, and must reach the directory
  chmodSync(made, 0o755)
  return made
}

/** Until the scope closes. */
export const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => makeTemporaryDirectory("peyk-bench")),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)
