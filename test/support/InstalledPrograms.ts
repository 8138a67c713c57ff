/** Programs that a machine may have or not: tests that need one run where it is. */
import { spawnSync } from "node:child_process"

export const hasProgram = (program: string, ...args: ReadonlyArray<string>): boolean =>
  spawnSync(program, args, { stdio: "ignore" }).status === 0

export const hasPython = (): boolean => hasProgram("python3", "--version")

/** With curl, which the client needs. */
export const hasPhp = (): boolean => hasProgram("php", "-r", "exit(extension_loaded('curl') ? 0 : 1);")
