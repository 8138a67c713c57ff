import { Agent, type Dispatcher, errors, Pool, ProxyAgent } from "@effect/platform-node/Undici"

/** The open connections to one origin. */
interface OpenPool {
  readonly pool: Pool
  readonly connections: Set<Dispatcher>
  /** The number of renewals after its last one, or when it was made. */
  renewal: number
}

/** As long as Undici waits for a connection without a proxy. */
const TUNNEL_MILLIS = 10_000

type PoolFactory = (origin: string | URL, options: object) => Dispatcher

/**
 * Reused connections, a pool for each origin. If one connection is silent, all to its origin are suspect: a load balancer
 * that hangs leaves them open. Then later requests get new ones.
 */
export class OriginConnections {
  readonly dispatcher: Dispatcher
  readonly #open = new Map<string, OpenPool>()
  #renewals = 0

  constructor(make: (factory: PoolFactory) => Dispatcher) {
    this.dispatcher = make((origin, options) => this.#makePool(origin, options))
  }

  static direct(options: Agent.Options): OriginConnections {
    return new OriginConnections((factory) => new Agent({ ...options, factory }))
  }

  /**
   * Connections through a proxy. One that has no tunnel after that time is given up: Undici would wait for the proxy's
   * response for five minutes, and the places of all those calls would be taken that long.
   */
  static throughProxy(
    uri: string,
    options: Omit<ProxyAgent.Options, "uri">,
    tunnelMillis = TUNNEL_MILLIS
  ): OriginConnections {
    return new OriginConnections(
      (factory) =>
        new ProxyAgent({
          ...options,
          uri,
          factory,
          clientFactory: (proxy, given) => new Pool(proxy, { ...given, headersTimeout: tunnelMillis })
        })
    )
  }

  /** How often connections were renewed: a request remembers this when it starts. */
  get renewals(): number {
    return this.#renewals
  }

  /**
   * A request to this origin got no response in time. Unless its connections were renewed after the request started, idle
   * ones are closed at once, and the others after their requests.
   */
  renew(origin: string, startedAt: number): void {
    const open = this.#open.get(origin)
    if (open === undefined || open.renewal > startedAt) return
    this.#renewals += 1
    open.renewal = this.#renewals
    const { pool, connections } = open
    // For Undici's pool, they are like connections that could not be opened: it takes them out, closes them once they are
    // free, and gives requests that wait to new ones.
    const error = new errors.HeadersTimeoutError("no response in time")
    pool.emit("connectionError", new URL(origin), [pool, ...connections], error)
    connections.clear()
  }

  #makePool(address: string | URL, options: object): Pool {
    const pool = new Pool(address, options)
    const { origin } = new URL(address)
    const open: OpenPool = { pool, connections: new Set(), renewal: this.#renewals }
    pool.on("connect", (_, [, connection]) => {
      if (connection === undefined) return
      open.connections.add(connection)
      this.#open.set(origin, open)
    })
    pool.on("disconnect", (_, [, connection]) => {
      if (connection === undefined) return
      open.connections.delete(connection)
      if (open.connections.size === 0 && this.#open.get(origin) === open) this.#open.delete(origin)
    })
    return pool
  }
}
