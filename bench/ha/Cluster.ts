/** Three PostgreSQL under Patroni with an etcd, and HAProxy in front of them; each a process of this machine. */
import { Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { openStore, type StoreQueries } from "../soak/StoreQueries.ts"
import { startEtcd } from "./Etcd.ts"
import { startHaproxy } from "./Haproxy.ts"
import { type Member, type MemberOptions, type Role, startMember } from "./Member.ts"
import { BIN_DIRECTORY } from "./Packages.ts"
import { type Program, until } from "./Programs.ts"

export interface Cluster {
  readonly members: ReadonlyArray<Member>
  readonly etcd: Program
  /** As the soak reads it, through HAProxy. */
  readonly store: StoreQueries
  readonly haproxyPort: number
  /** The `DATABASE_URL` at these ports. */
  readonly urlOf: (...ports: ReadonlyArray<number>) => string
  /** Waits for one primary, one synchronous standby, and another that follows. */
  readonly whole: () => Promise<Whole>
}

const NAMES = ["one", "two", "three"]
const START_MILLIS = 45_000
const WHOLE_MILLIS = 120_000

const newPassword = () => randomBytes(16).toString("hex")

const WHOLE: ReadonlyArray<Role> = ["primary", "standby", "synchronous standby"]

interface Whole {
  readonly primary: Member
  readonly synchronous: Member
  readonly other: Member
}

/** Who is what; null while the cluster is not whole. */
const look = async (members: ReadonlyArray<Member>): Promise<Whole | null> => {
  const roles = await Promise.all(members.map((member) => member.role()))
  const [primary, other, synchronous] = WHOLE.map((role) => members[roles.indexOf(role)])
  return primary === undefined || synchronous === undefined || other === undefined
    ? null
    : { primary, synchronous, other }
}

const untilWhole = async (members: ReadonlyArray<Member>, millis: number): Promise<Whole> => {
  let found: Whole | null = null
  await until("a whole cluster", millis, async () => {
    found = await look(members)
    return found !== null
  })
  if (found === null) throw new Error("the cluster is not whole")
  return found
}

const USUAL = { bin: BIN_DIRECTORY, parameters: {}, access: [] }

/** `onEnd` registers what is to be stopped. */
export const startCluster = async (
  directory: string,
  onEnd: (stop: () => Promise<unknown>) => void,
  settings: Pick<MemberOptions, "bin" | "parameters" | "access"> = USUAL
): Promise<Cluster> => {
  const etcd = await startEtcd(join(directory, "etcd"))
  onEnd(() => etcd.program.signal("SIGKILL"))
  const passwords = { superuser: newPassword(), replication: newPassword(), peyk: newPassword() }
  const members: Array<Member> = []
  const startAll = async () => {
    for (const name of NAMES) {
      const options = { ...settings, name, directory: join(directory, name), etcdPort: etcd.port, passwords }
      const member = await startMember(options)
      onEnd(member.stop)
      members.push(member)
      // The first makes the database; the others copy it.
      if (members.length === 1) {
        await until("the first primary", START_MILLIS, async () => (await member.role()) === "primary")
      }
    }
    const proxy = await startHaproxy(join(directory, "haproxy"), members)
    onEnd(proxy.stop)
    await untilWhole(members, START_MILLIS)
    return proxy
  }
  const haproxy = await startAll().catch((cause: unknown) => {
    const words = members.map(({ name, patroni }) => `${name}:\n${patroni.lastWords()}`)
    throw new Error(`the cluster did not start; what Patroni wrote last\n${words.join("\n")}`, { cause })
  })

  const asSuperuser = (database: string) =>
    openStore({
      host: "127.0.0.1",
      port: haproxy.port,
      username: "postgres",
      password: Redacted.make(passwords.superuser),
      database
    })
  const creating = asSuperuser("postgres")
  await creating.query(`create role peyk login password '${passwords.peyk}'`)
  await creating.query("create database peyk owner peyk")
  await creating.close()
  const store = asSuperuser("peyk")
  onEnd(store.close)
  return {
    members,
    etcd: etcd.program,
    store,
    haproxyPort: haproxy.port,
    urlOf: (...ports) =>
      `postgres://peyk:${passwords.peyk}@${ports.map((port) => `127.0.0.1:${port}`).join()}/peyk`,
    whole: () => untilWhole(members, WHOLE_MILLIS)
  }
}
