import { cpus } from "node:os"

/** What it was measured with, in a line. */
export const machine = (): string => `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}`
