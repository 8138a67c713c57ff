import { afterAll } from "vitest"
import { describeCommands, OWN_SERVER } from "./DocumentCommands.ts"
import { type DocumentServer, openDocumentServer } from "./DocumentShell.ts"

const servers: Array<DocumentServer> = []
const stopAll = async () => {
  for (const server of servers.splice(0)) await server.stop()
}
afterAll(stopAll)

describeCommands(OWN_SERVER, async () => {
  // that of the document before
  await stopAll()
  const server = await openDocumentServer()
  servers.push(server)
  return server
})
