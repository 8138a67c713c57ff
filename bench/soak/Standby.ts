/** A standby of the store: a copy of its files that follows it by streaming replication, until it is promoted. */
import { Effect, Redacted } from "effect"
import { execFile } from "node:child_process"
import { chownSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { findPackage } from "../../src/layers/postgres/embedded/EmbeddedPostgresBinaries.ts"

const run = promisify(execFile)

/** The library through which a standby receives its changes. Not every build of the server has it. */
const RECEIVER = "libpqwalreceiver"

/** Why there can be no standby; null: there can. */
export const whyNoStandby = Effect.map(findPackage(process.platform, process.arch), (root) => {
  const libraries = join(root, "native", "lib", "postgresql")
  const hasReceiver =
    existsSync(libraries) && readdirSync(libraries).some((name) => name.startsWith(RECEIVER))
  return hasReceiver ? null : `the embedded PostgreSQL comes without ${RECEIVER}`
})

/** Files of the running server, and changes that the standby asks its primary for itself. */
const NOT_COPIED = ["postmaster.pid", "postmaster.opts", ".s.PGSQL.5432", ".s.PGSQL.5432.lock", "server.log"]

/** `cp` reports files that went away while it copied. The log of changes makes up for them. */
const copyFiles = async (from: string, to: string) => {
  await run("cp", ["-a", from, to]).catch(() => {})
  for (const name of NOT_COPIED) rmSync(join(to, name), { force: true })
  for (const folder of ["pg_wal", "pg_replslot"]) {
    for (const name of readdirSync(join(to, folder))) {
      if (name !== "archive_status" && name !== "summaries") {
        rmSync(join(to, folder, name), { recursive: true, force: true })
      }
    }
  }
}

export interface StandbyOptions {
  readonly primary: string
  readonly directory: string
  readonly password: Redacted.Redacted
  /** Keeps the changes that the standby has not received yet. */
  readonly slot: string
}

/** Copies the files of a primary on which a backup has begun; `endBackup` returns its label. */
export const copyPrimary = async (
  { primary, directory, password, slot }: StandbyOptions,
  endBackup: () => Promise<string>
) => {
  await copyFiles(primary, directory)
  const connection = `host=${primary} user=postgres password=${Redacted.value(password)}`
  const written = {
    backup_label: await endBackup(),
    "standby.signal": "",
    "postgresql.auto.conf": `primary_conninfo = '${connection}'\nprimary_slot_name = '${slot}'\n`
  }
  const { uid, gid } = statSync(directory)
  for (const [name, text] of Object.entries(written)) {
    writeFileSync(join(directory, name), text)
    chownSync(join(directory, name), uid, gid)
  }
}
