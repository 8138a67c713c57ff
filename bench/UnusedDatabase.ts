/** The database of `--database-url`: a benchmark or a soak takes all rows in it for its own. */

/** The rows of a statement there. */
type Ask = (text: string) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>

const isInUse = async (ask: Ask): Promise<boolean> => {
  const [table] = await ask("select to_regclass('customers') is not null as exists")
  if (table?.["exists"] !== true) return false
  const [row] = await ask("select exists (select from customers) as used")
  return row?.["used"] === true
}

/** Fails if the database has customers. */
export const requireUnused = async (ask: Ask): Promise<void> => {
  if (await isInUse(ask)) throw new Error("the database of --database-url has customers: use an empty one")
}

const POSTGRES_PORT = 5432

export const placeOf = ({ hostname, port }: URL) => ({
  host: hostname,
  port: port === "" ? POSTGRES_PORT : Number(port)
})
