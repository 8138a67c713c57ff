/** The programs of Debian's packages that a cluster consists of. */
import { accessSync, constants } from "node:fs"
import { join } from "node:path"

export const BIN_DIRECTORY = "/usr/lib/postgresql/15/bin"

export const programs = {
  etcd: "/usr/bin/etcd",
  haproxy: "/usr/sbin/haproxy",
  patroni: "/usr/bin/patroni"
} as const

const packages: Readonly<Record<string, string>> = {
  "etcd-server": programs.etcd,
  haproxy: programs.haproxy,
  patroni: programs.patroni,
  "postgresql-15": join(BIN_DIRECTORY, "postgres")
}

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Why there can be no cluster, in a sentence; null: there can. */
export const whyNoCluster = (): string | null => {
  const missing = Object.entries(packages).flatMap(([name, path]) => (isExecutable(path) ? [] : [name]))
  return missing.length === 0
    ? null
    : `these Debian packages are missing: ${missing.join(", ")} (apt-get install ${missing.join(" ")})`
}
