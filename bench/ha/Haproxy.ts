/** HAProxy in front of the cluster: connections lead to the member whose Patroni says that it is the primary. */
import { join } from "node:path"
import { freePort } from "../FreePort.ts"
import type { Member } from "./Member.ts"
import { programs } from "./Packages.ts"
import { makeProgram, ownDirectory, ownFile } from "./Programs.ts"

/** As docs/operations.md recommends. */
const configuration = (port: number, members: ReadonlyArray<Member>) => `
global
    maxconn 1000

defaults
    mode tcp
    timeout connect 2s
    timeout check 1s
    timeout client 24h
    timeout server 24h

listen peyk
    bind 127.0.0.1:${port}
    option httpchk OPTIONS /primary
    http-check expect status 200
    default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${members.map((each) => `    server ${each.name} 127.0.0.1:${each.port} check port ${each.restPort}`).join("\n")}
`

export const startHaproxy = async (directory: string, members: ReadonlyArray<Member>) => {
  ownDirectory(directory)
  const port = await freePort()
  const file = ownFile(join(directory, "haproxy.cfg"), configuration(port, members))
  const program = makeProgram(programs.haproxy, ["-db", "-f", file], join(directory, "haproxy.log"))
  program.start()
  return { port, stop: () => program.signal("SIGKILL") }
}
