import { cpus } from "node:os"

/** The machine of the measurement, in a line. */
export const machine = (): string => `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}`
