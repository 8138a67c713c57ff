import { randomInt } from "node:crypto"
import { createServer } from "node:net"

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const probe = createServer()
    probe.once("error", () => resolve(false))
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)))
  })

/**
 * The first of so many ports of loopback in a row that nobody listens on now. They are below those that the system
 * gives to connections: such a port can be taken before the program that it is for listens on it.
 */
export const freePorts = async (count: number): Promise<number> => {
  const first = randomInt(10_000, 30_000)
  const ports = Array.from({ length: count }, (_, n) => first + n)
  const free = await Promise.all(ports.map(isFree))
  return free.every((each) => each) ? first : freePorts(count)
}

export const freePort = (): Promise<number> => freePorts(1)
