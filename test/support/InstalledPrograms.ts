/** Programs that a machine may have or not: tests that need one run where it is. */
import { spawnSync } from "node:child_process"

export const hasProgram = (program: string, ...args: ReadonlyArray<string>): boolean =>
  spawnSync(program, args, { stdio: "ignore" }).status === 0

export const hasPython = (): boolean => hasProgram("python3", "--version")

/** With curl, which the client needs. */
export const hasPhp = (): boolean => hasProgram("php", "-r", "exit(extension_loaded('curl') ? 0 : 1);")

/** A Python that has Django: Debian's package is for Debian's own Python. */
export const djangoPython: string | undefined = ["python3", "/usr/bin/python3"].find((python) =>
  hasProgram(python, "-c", "import django")
)

/** Debian's package of Laravel, which is on PHP's include path. */
export const hasLaravel = (): boolean =>
  hasPhp() && hasProgram("php", "-r", "exit(stream_resolve_include_path('Illuminate/autoload.php') ? 0 : 1);")
